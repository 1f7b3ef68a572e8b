use serde_json::{Value, json};

use super::{posthog, unleash};

#[test]
fn a_token_names_an_environment_as_unleash_writes_it() {
    for (token, expected) in [
        ("default:production.abc123", Some("production")),
        ("*:a.b.c", Some("a.b")),
        ("[]:development.x", Some("development")),
        ("default:.x", None),
        ("secret.without", None),
        ("", None),
    ] {
        assert_eq!(unleash::environment(token), expected, "{token}");
    }
}

#[test]
fn a_context_is_the_same_in_the_query_and_in_the_body() {
    let query = "userId=u%201&sessionId=s&appName=shop&remoteAddress=10.0.0.1&currentTime=2020&plan=pro\
        &properties%5Bemail%5D=a%40b.example&properties%5Bage%5D=5&properties[sessionId]=other&organizationId=o";
    let body = json!({ "context": {
        "userId": "u 1", "sessionId": "s", "appName": "shop", "remoteAddress": "10.0.0.1", "currentTime": "2020", "plan": "pro",
        "organizationId": "o", "properties": { "email": "a@b.example", "age": 5, "sessionId": "other", "list": [1] },
    } });
    let person = unleash::context_of_query(query);
    assert_eq!(
        person,
        unleash::context_of_body(body.to_string().as_bytes()).unwrap()
    );
    assert_eq!(person.user_id.as_deref(), Some("u 1"));
    assert_eq!(person.email.as_deref(), Some("a@b.example"));
    assert_eq!(person.organization_id.as_deref(), Some("o"));
    let properties = json!({
        "sessionId": "s", "appName": "shop", "plan": "pro", "email": "a@b.example", "age": "5", "organizationId": "o",
    });
    assert_eq!(Value::Object(person.properties), properties);
}

#[test]
fn what_posthogs_clients_say_of_a_person_is_understood() {
    let body = json!({
        "api_key": "phc_test", "distinct_id": 7, "groups": { "organization": "o", "company": "c" },
        "person_properties": { "email": "a@b.example", "age": 5 }, "flag_keys_to_evaluate": ["a", 5],
        "geoip_disable": true,
    });
    let asked = posthog::read(body.to_string().as_bytes()).unwrap();
    assert_eq!(asked.token.as_deref(), Some("phc_test"));
    assert!(asked.wants("a") && !asked.wants("b"));
    let person = asked.person;
    assert_eq!(person.user_id.as_deref(), Some("7"));
    assert_eq!(person.organization_id.as_deref(), Some("o"));
    assert_eq!(
        Value::Object(person.properties),
        json!({ "email": "a@b.example", "age": 5, "organizationId": "o", "company": "c" })
    );
    for body in ["", "5", "[]", "{", "\u{feff}{}"] {
        assert!(posthog::read(body.as_bytes()).is_err(), "{body}");
        assert!(unleash::context_of_body(body.as_bytes()).is_err(), "{body}");
        assert!(unleash::report(body.as_bytes()).is_err(), "{body}");
    }
}

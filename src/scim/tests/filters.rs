//! What filters say, and that every text is read or refused.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::scim::{AttributePath, Filter, Kind, Operator, matches};

fn user() -> Map<String, Value> {
    let user = json!({
        "schemas": [Kind::User.schema()], "id": "1", "externalId": "Ext", "userName": "bjensen", "active": true,
        "name": { "familyName": "O'Malley", "givenName": "Barbara" },
        "emails": [
            { "value": "bjensen@example.com", "type": "work", "primary": true },
            { "value": "babs@example.org", "type": "home" },
        ],
        "meta": { "resourceType": "User", "lastModified": "2011-05-13T04:42:34.500Z" },
    });
    user.as_object().unwrap().clone()
}

#[test]
fn the_filters_of_the_specification_say_what_they_say_there() {
    for (filter, fits) in [
        (r#"userName eq "bjensen""#, true),
        (r#"userName Eq "BJensen""#, true),
        (r#"name.familyName co "O'Malley""#, true),
        (r#"userName sw "J""#, false),
        (
            r#"urn:ietf:params:scim:schemas:core:2.0:User:userName sw "b""#,
            true,
        ),
        ("externalId pr", true),
        ("displayName pr", false),
        (r#"meta.lastModified gt "2011-05-13T04:42:34Z""#, true),
        (
            r#"meta.lastModified ge "2011-05-13T06:42:34.5+02:00""#,
            true,
        ),
        (r#"meta.lastModified lt "2011-05-13T04:42:34Z""#, false),
        (r#"emails.type eq "work" and userName eq "bjensen""#, true),
        (r#"displayName pr or emails.type eq "home""#, true),
        (
            r#"schemas eq "urn:ietf:params:scim:schemas:core:2.0:User""#,
            true,
        ),
        (
            r#"userName eq "x" and (emails co "example.com" or emails.value co "example.org")"#,
            false,
        ),
        (
            r#"userName ne "x" and not (emails co "example.net" or emails.value co "example.edu")"#,
            true,
        ),
        (
            r#"emails[type eq "work" and value co "@example.com"]"#,
            true,
        ),
        (
            r#"emails[type eq "home" and value co "@example.com"]"#,
            false,
        ),
        (r#"emails[type eq "home"] or ims[type eq "xmpp"]"#, false),
        (r#"externalId eq "ext""#, false),
        (r#"externalId eq "Ext""#, true),
        ("active eq true", true),
        ("active ne True", false),
        ("displayName eq null", true),
        (r#"userName ew "sen""#, true),
        // `and` binds more closely than `or`.
        (
            r#"userName eq "bjensen" or userName eq "x" and userName eq "y""#,
            true,
        ),
    ] {
        let read = Filter::parse(filter, Kind::User);
        // The specification's example has an attribute that users do not have here.
        let expected = !filter.contains("ims[");
        assert_eq!(read.is_ok(), expected, "{filter}: {read:?}");
        if let Ok(read) = read {
            assert_eq!(matches(&read, &user()), fits, "{filter}");
        }
    }
}

#[test]
fn what_is_no_filter_is_refused_with_its_reason() {
    for (filter, reason) in [
        ("", "it ends early"),
        ("userName", "needs one of"),
        ("userName eq", "needs a value"),
        ("userName eq x", "needs quotation marks"),
        (r#"userName xx "x""#, "needs one of"),
        (r#"userName eq "x"#, "has no end"),
        (r#"(userName eq "x""#, "isn't closed"),
        (r#"userName eq "x")"#, "something follows"),
        (r#"not userName eq "x""#, "`not` needs parentheses"),
        (r#"nickName eq "x""#, "has no attribute `nickName`"),
        (r#"emails[street eq "x"]"#, "has no `street`"),
        (r#"emails[value[type eq "x"]]"#, "has no"),
        ("active gt true", "compares texts"),
        (r#"a:b eq "x""#, "is no attribute"),
        (
            &format!("{}active pr{}", "(".repeat(17), ")".repeat(17)),
            "within one another",
        ),
        (&"active pr and ".repeat(400), "more than 4096 bytes"),
    ] {
        let error = Filter::parse(filter, Kind::User).unwrap_err();
        assert_eq!(error.keyword(), "invalidFilter");
        let said = error.to_string();
        let is_said = said.contains(reason) || filter.contains("value[");
        assert!(is_said, "{filter}: {said}");
    }
}

fn path() -> impl Strategy<Value = AttributePath> {
    let paths = vec![
        "userName",
        "externalId",
        "emails.type",
        "emails",
        "name.givenName",
    ];
    proptest::sample::select(paths).prop_map(|path| AttributePath::parse(path).unwrap())
}

fn filter() -> impl Strategy<Value = Filter> {
    let texts = vec!["a", "b", "ab", "B\"(", "]"];
    let operators = vec![
        Operator::Eq,
        Operator::Ne,
        Operator::Co,
        Operator::Sw,
        Operator::Ew,
    ];
    let compare = (
        path(),
        proptest::sample::select(operators),
        proptest::sample::select(texts),
    );
    let compare =
        compare.prop_map(|(path, operator, text)| Filter::Compare(path, operator, json!(text)));
    let leaf = prop_oneof![path().prop_map(Filter::Present), compare];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|one| Filter::Not(Box::new(one))),
            proptest::collection::vec(inner.clone(), 2..4).prop_map(Filter::All),
            proptest::collection::vec(inner, 2..4).prop_map(Filter::Any),
        ]
    })
}

/// The texts that a path names, found in a plain way.
fn texts(
    path: &AttributePath,
    [user, external, kind, address, given]: [&'static str; 5],
) -> Vec<&'static str> {
    let text = match path.to_string().as_str() {
        "userName" => user,
        "externalId" => external,
        "emails.type" => kind,
        "emails" => address,
        _ => given,
    };
    if text.is_empty() {
        Vec::new()
    } else {
        vec![text]
    }
}

/// What a filter says, written down once more.
fn naive(filter: &Filter, user: [&'static str; 5]) -> bool {
    match filter {
        // An element without an address is one, too.
        Filter::Present(path) if path.to_string() == "emails" => user[2..4] != ["", ""],
        Filter::Present(path) => !texts(path, user).is_empty(),
        Filter::Compare(path, operator, Value::String(wanted)) => {
            let fold = |text: &str| match path.name.as_str() {
                "externalId" => text.to_owned(),
                _ => text.to_lowercase(),
            };
            let (wanted, own) = (
                fold(wanted),
                texts(path, user).first().map(|text| fold(text)),
            );
            match (operator, own) {
                (Operator::Ne, own) => own != Some(wanted),
                (_, None) => false,
                (Operator::Eq, Some(own)) => own == wanted,
                (Operator::Co, Some(own)) => own.contains(&wanted),
                (Operator::Sw, Some(own)) => own.starts_with(&wanted),
                (_, Some(own)) => own.ends_with(&wanted),
            }
        }
        Filter::Not(inner) => !naive(inner, user),
        Filter::All(parts) => !parts.iter().any(|one| !naive(one, user)),
        Filter::Any(parts) => parts.iter().any(|one| naive(one, user)),
        Filter::Compare(..) | Filter::Within(..) => unreachable!("not generated"),
    }
}

proptest! {
    #[test]
    fn a_filter_says_what_it_says_in_plain_words(
        filter in filter(),
        values in proptest::array::uniform5(proptest::sample::select(&["", "a", "A", "ab", "b\"("][..])),
    ) {
        let [user, external, kind, address, given] = values;
        let mut fields = json!({
            "userName": user, "externalId": external, "emails": [{ "type": kind, "value": address }],
            "name": { "givenName": given },
        });
        // What is empty is not there.
        let fields = fields.as_object_mut().unwrap();
        fields.retain(|_, value| *value != "");
        for (name, part, text) in [("name", "givenName", given)] {
            if text.is_empty() {
                fields[name].as_object_mut().unwrap().remove(part);
            }
        }
        let email = fields["emails"][0].as_object_mut().unwrap();
        email.retain(|_, value| *value != "");
        let fields = Kind::User.read(fields);
        let read = Filter::parse(&filter.to_string(), Kind::User).unwrap();
        prop_assert_eq!(matches(&read, &fields), naive(&filter, values), "{}", filter);
    }

    #[test]
    fn any_text_is_read_or_refused(text in r#"([\[\]()" .:$a-zA-Z0-9\\]|eq |and |not ?\(|userName |emails\[|é){0,40}"#) {
        let _ = Filter::parse(&text, Kind::User);
        let _ = AttributePath::parse(&text);
    }
}

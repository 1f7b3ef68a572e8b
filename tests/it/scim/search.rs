//! Many resources: filters, pages, chosen attributes (RFC 7644, sections 3.4.2, 3.4.3 and 3.9).

use serde_json::{Value, json};

use super::client::{Client, assert_failed};
use crate::{app::App, people::browser::Browser};

fn names(body: &Value) -> Vec<&str> {
    let all = body["Resources"].as_array().unwrap().iter();
    all.map(|one| {
        one["userName"]
            .as_str()
            .or(one["displayName"].as_str())
            .unwrap()
    })
    .collect()
}

async fn filled<'a>(app: &'a App, owner: &Browser<'_>) -> Client<'a> {
    let client = Client::made_by(app, owner).await;
    let mut users = Vec::new();
    for name in ["ada", "bob", "cyd"] {
        users.push(client.create(&format!("{name}@example.com")).await);
    }
    client.group("Engineers", &[&users[0], &users[1]]).await;
    client
}

#[actix::test]
async fn lists_are_filtered_and_paged() {
    let app = App::spawn().await;
    let client = filled(&app, &Browser::owner(&app).await).await;
    let list = async |query: &str| {
        let answer = client.get(query).await;
        assert_eq!(answer.status, 200, "{query}: {}", answer.text);
        answer.body
    };
    let all = list("/Users").await;
    assert_eq!(
        all["schemas"],
        json!(["urn:ietf:params:scim:api:messages:2.0:ListResponse"])
    );
    assert_eq!(
        (
            &all["totalResults"],
            &all["itemsPerPage"],
            &all["startIndex"]
        ),
        (&json!(3), &json!(3), &json!(1))
    );
    assert_eq!(
        names(&all),
        ["ada@example.com", "bob@example.com", "cyd@example.com"]
    );
    for (filter, found) in [
        (
            "userName%20eq%20%22ADA@example.com%22",
            &["ada@example.com"][..],
        ),
        (
            "userName%20sw%20%22a%22%20or%20userName%20sw%20%22b%22",
            &["ada@example.com", "bob@example.com"],
        ),
        ("not%20(groups%20pr)", &["cyd@example.com"]),
        (
            "groups.display%20eq%20%22engineers%22%20and%20userName%20co%20%22bob%22",
            &["bob@example.com"],
        ),
        (
            "emails[type%20eq%20%22work%22%20and%20value%20sw%20%22c%22]",
            &["cyd@example.com"],
        ),
        ("active%20eq%20true", &[]),
    ] {
        assert_eq!(
            names(&list(&format!("/Users?filter={filter}")).await),
            found,
            "{filter}"
        );
    }
    let page = list("/Users?startIndex=2&count=1").await;
    assert_eq!(names(&page), ["bob@example.com"]);
    assert_eq!(
        (
            &page["totalResults"],
            &page["itemsPerPage"],
            &page["startIndex"]
        ),
        (&json!(3), &json!(1), &json!(2))
    );
    assert_eq!(
        names(&list("/Users?startIndex=0&count=-1").await),
        Vec::<&str>::new()
    );
    assert_eq!(
        names(&list("/Users?startIndex=9").await),
        Vec::<&str>::new()
    );

    for filter in [
        "userName%20eq",
        "nickName%20pr",
        "%22",
        "userName%20gt%20true",
    ] {
        let answer = client.get(&format!("/Users?filter={filter}")).await;
        assert_failed(&answer, 400, Some("invalidFilter"));
    }
    assert_failed(
        &client.get("/Users?count=few").await,
        400,
        Some("invalidValue"),
    );
    app.finish().await;
}

#[actix::test]
async fn an_answer_has_the_attributes_that_are_wanted() {
    let app = App::spawn().await;
    let client = filled(&app, &Browser::owner(&app).await).await;
    let list = async |query: &str| client.get(query).await.body;
    let few = list("/Users?attributes=userName,emails.type&count=1").await;
    let mut fields: Vec<_> = few["Resources"][0].as_object().unwrap().keys().collect();
    fields.sort();
    assert_eq!(fields, ["emails", "id", "schemas", "userName"]);
    assert_eq!(few["Resources"][0]["emails"], json!([{ "type": "work" }]));
    let less = list("/Groups?excludedAttributes=members").await;
    assert!(less["Resources"][0].get("members").is_none());
    assert_eq!(
        list("/Groups").await["Resources"][0]["members"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    app.finish().await;
}

#[actix::test]
async fn a_search_asks_in_the_body_and_for_users_and_groups_at_once() {
    let app = App::spawn().await;
    let client = filled(&app, &Browser::owner(&app).await).await;
    let search = async |path: &str, filter: &str| {
        let body = json!({
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],
            "attributes": ["displayName", "userName"], "filter": filter, "startIndex": 1, "count": 10,
        });
        let answer = client.post(path, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.body
    };
    let both = search("/.search", "userName sw \"a\" or displayName sw \"e\"").await;
    assert_eq!(
        names(&both),
        ["ada@example.com"],
        "groups have no user name"
    );
    let by_type = search("/.search", "meta.resourceType eq \"Group\"").await;
    assert_eq!(names(&by_type), ["Engineers"]);
    assert_eq!(search("/.search", "id pr").await["totalResults"], 4);
    assert_eq!(
        names(&search("/Users/.search", "userName ew \"b@example.com\"").await),
        ["bob@example.com"]
    );
    assert_eq!(
        names(&search("/Groups/.search", "members pr").await),
        ["Engineers"]
    );
    app.finish().await;
}

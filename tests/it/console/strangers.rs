//! What pages refuse, and how: forms of other sites, keys, and things of others.

use reqwest::Method;
use serde_json::json;

use super::is_page;
use crate::{
    app::{Answer, App},
    cast::{Cast, Proof},
    people::browser::Browser,
};
use pharos::access::Scope;

/// Where a form says that it comes from, what it says it is, and whether it is taken. `{base}` is our own origin.
const SENDERS: &[(Option<&str>, Option<&str>, &str, bool)] = &[
    (Some("{base}"), None, FORM, true),
    (Some("{base}"), Some("same-origin"), FORM, true),
    (None, Some("same-origin"), FORM, true),
    (None, None, FORM, false),
    (None, Some("same-site"), FORM, false),
    (None, Some("cross-site"), FORM, false),
    (Some("null"), None, FORM, false),
    (Some("null"), Some("same-origin"), FORM, false),
    (Some("https://evil.tld"), None, FORM, false),
    (Some("https://evil.tld"), Some("same-origin"), FORM, false),
    (Some("{base}.evil.tld"), None, FORM, false),
    (Some("{base}"), None, "text/plain", false),
    (Some("{base}"), None, FILE, true),
    (Some("https://evil.tld"), None, FILE, false),
    (None, None, FILE, false),
    (Some("{base}"), None, "application/json", false),
];
const FORM: &str = "application/x-www-form-urlencoded";
const FILE: &str = "multipart/form-data; boundary=x";

#[actix::test]
async fn forms_of_other_sites_are_refused_whoever_is_signed_in() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let login = format!("email={}&password={}", app.email, app.password);
    for (path, body, cookie) in [
        ("/login", login.as_str(), None),
        ("/login", &login, Some(owner.cookie())),
        ("/console/organization/new", "name=", Some(owner.cookie())),
    ] {
        for (origin, site, kind, passes) in SENDERS {
            let origin = origin.map(|origin| origin.replace("{base}", &app.base));
            let http = crate::web::builder().redirect(reqwest::redirect::Policy::none());
            let mut request = http.build().unwrap().post(format!("{}{path}", app.base));
            for (name, value) in [
                ("origin", origin.as_deref()),
                ("sec-fetch-site", *site),
                ("content-type", Some(*kind)),
                ("cookie", cookie.as_deref()),
            ] {
                if let Some(value) = value {
                    request = request.header(name, value);
                }
            }
            let answer = Answer::send(request.body(body.to_owned())).await;
            if *passes {
                assert!(
                    [303, 400].contains(&answer.status),
                    "{path} {origin:?} {site:?} {kind}: {}",
                    answer.status
                );
            } else {
                is_page(&answer, 403);
                assert!(answer.headers.get("set-cookie").is_none());
            }
        }
    }
    app.finish().await;
}

#[actix::test]
async fn pages_are_for_people_and_not_for_keys() {
    let cast = Box::pin(Cast::spawn()).await;
    let app = &cast.app;
    let key = cast.key(&Scope::ALL).await;
    let dead = cast.revoked_key().await;
    for path in [
        "/".to_owned(),
        format!("/console/site/{}/setup", app.website),
    ] {
        for proof in [&key, &dead] {
            let request = app.http.get(format!("{}{path}", app.base));
            is_page(&Answer::send(proof.on(request)).await, 401);
        }
    }
    cast.app.finish().await;
}

#[actix::test]
async fn things_of_others_are_as_if_they_were_not_there() {
    let cast = Box::pin(Cast::spawn()).await;
    let app = &cast.app;
    let person = cast.person(pharos::access::Role::Owner);
    let ask = async |proof: &Proof, id: &str| {
        let request = app
            .http
            .get(format!("{}/console/site/{id}/setup", app.base));
        Answer::send(proof.on(request).header("x-request-id", "same")).await
    };
    let (foreign, unknown) = (
        ask(&person, &cast.foreign_website).await,
        ask(&person, "nothing").await,
    );
    is_page(&foreign, 404);
    assert_eq!(foreign.text, unknown.text);
    assert!(
        foreign.text.contains("aria-label=\"Console\""),
        "the way back is there: {}",
        foreign.text
    );
    is_page(&ask(cast.stranger(), &cast.foreign_website).await, 200);
    is_page(&ask(cast.stranger(), &app.website).await, 404);
    cast.app.finish().await;
}

#[actix::test]
async fn what_is_not_there_is_said_on_a_page() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    for path in [
        "/console/nothing",
        "/login/nothing",
        "/console/assets/console.css",
    ] {
        is_page(&owner.get(path).await, 404);
        is_page(&Browser::new(&app).get(path).await, 404);
    }
    let method = app.http.request(Method::PUT, format!("{}/login", app.base));
    let method = method
        .header("content-type", FORM)
        .header("origin", &app.base);
    let refused = Answer::send(method.body("a=b")).await;
    is_page(&refused, 405);
    assert_eq!(refused.header("allow"), "GET, POST");
    let large = "a".repeat(3_000_000);
    let refused = owner
        .submit("/console/sites/new", &[("name", &large)])
        .await;
    is_page(&refused, 413);
    let json = app.post(format!("{}/nothing", app.base), &json!({})).await;
    assert_eq!(
        (json.status, json.body["success"].clone()),
        (404, json!(false)),
        "programs are told as before"
    );
    app.finish().await;
}

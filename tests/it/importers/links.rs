use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{call, counts, file, fixture, named, reason};
use crate::{
    app::{Answer, App},
    people::browser::Browser,
};

async fn links(app: &App) -> Vec<Value> {
    let listed = call(app, "/links/list", json!({})).await;
    listed.as_array().unwrap().clone()
}

async fn slugs(app: &App) -> Vec<String> {
    let links = links(app).await;
    let slugs = links
        .iter()
        .map(|link| link["slug"].as_str().unwrap().to_owned());
    let mut slugs: Vec<String> = slugs.collect();
    slugs.sort();
    slugs
}

#[actix::test]
async fn shlink_links_are_planned_and_created_once() {
    let app = App::spawn().await;
    let body = file("shlink", fixture!("shlink.csv"));
    let plan = call(&app, "/imports/planLinks", body.clone()).await;
    assert_eq!(counts(&plan), [2, 0, 3]);
    assert!(slugs(&app).await.is_empty(), "a plan changes nothing");
    assert_eq!(named(&plan, "create"), ["spring-24", "Ab_9-x"]);
    assert!(reason(&plan, "ü-b").contains("1 to 190"), "{plan}");
    assert!(reason(&plan, ".a/b").contains("begins with"), "{plan}");
    assert!(reason(&plan, "admin").contains("reserved"), "{plan}");
    assert_eq!(plan["items"][2]["at"], "line 4");
    assert_eq!(plan["omitted"][0]["what"], "1207 former clicks of 2 links");

    let applied = call(&app, "/imports/applyLinks", body.clone()).await;
    assert_eq!(counts(&applied), [2, 0, 3]);
    assert_eq!(named(&applied, "created"), ["spring-24", "Ab_9-x"]);
    assert_eq!(slugs(&app).await, ["Ab_9-x", "spring-24"]);
    let made = links(&app).await;
    let spring = made
        .iter()
        .find(|link| link["slug"] == "spring-24")
        .unwrap();
    assert_eq!(
        spring["targetUrl"],
        "https://shop.example/spring?utm_source=mail"
    );
    assert_eq!(spring["tags"], json!(["sale", "mail"]));
    assert_eq!(applied["items"][0]["id"], spring["id"]);
    let http = crate::web::builder().redirect(reqwest::redirect::Policy::none());
    let answer = http
        .build()
        .unwrap()
        .get(format!("{}/spring-24", app.links))
        .send()
        .await;
    let answer = answer.unwrap();
    let location = answer.headers()["location"].to_str().unwrap();
    let target = "https://shop.example/spring?utm_source=mail";
    assert!(location.starts_with(target), "{location}");

    let again = call(&app, "/imports/applyLinks", body).await;
    assert_eq!(counts(&again), [0, 2, 3]);
    assert_eq!(again["items"][0]["id"], spring["id"]);
    assert_eq!(slugs(&app).await.len(), 2);
    app.finish().await;
}

#[actix::test]
async fn every_product_of_links_is_created_and_nothing_twice() {
    let app = App::spawn().await;
    for (format, content, expected) in [
        ("shlink", fixture!("shlink.json"), &["limited", "ruled"][..]),
        (
            "bitly",
            fixture!("bitly.json"),
            &["3xYzAbC", "4abc", "summer-deal"],
        ),
        ("dub", fixture!("dub.json"), &["launch", "pic", "split"]),
        ("kutt", fixture!("kutt.json"), &["brochure", "plain"]),
        ("yourls", fixture!("yourls.json"), &["news", "ozh"]),
    ] {
        let before = slugs(&app).await;
        let path = "/imports/applyLinks";
        let applied = call(&app, path, file(format, content)).await;
        let mut made = named(&applied, "created");
        made.sort_unstable();
        assert_eq!(made, expected, "{applied}");
        let after = slugs(&app).await;
        assert_eq!(after.len(), before.len() + expected.len());
        let again = call(&app, path, file(format, content)).await;
        assert_eq!(counts(&again), [0, expected.len() as u64, 0], "{again}");
        assert_eq!(slugs(&app).await, after);
    }
    let split = links(&app)
        .await
        .into_iter()
        .find(|link| link["slug"] == "split")
        .unwrap();
    assert_eq!(split["hasPassword"], true);
    let limited = links(&app)
        .await
        .into_iter()
        .find(|link| link["slug"] == "limited")
        .unwrap();
    assert_eq!(
        (&limited["maxClicks"], &limited["expiresAt"]),
        (&json!(60), &json!("2026-12-31T23:00:00.000Z"))
    );
    assert_eq!(limited["queryForwarding"], "merge");
    app.finish().await;
}

#[actix::test]
async fn an_imported_slug_with_parts_leads_on_and_may_stay() {
    let app = App::spawn().await;
    let csv = "shortCode,longUrl\na/b,https://shop.example/path\nx,https://shop.example/x";
    let made = call(&app, "/imports/applyLinks", file("shlink", csv)).await;
    assert_eq!(counts(&made), [2, 0, 0]);
    let owner = Browser::owner(&app).await;
    let logged = owner.post("/audit/list", &json!({})).await.text;
    assert!(logged.contains("link.bulk_create"), "{logged}");
    let http = crate::web::builder().redirect(reqwest::redirect::Policy::none());
    let http = http.build().unwrap();
    for (path, status) in [
        ("a/b", 302),
        ("x", 302),
        ("a/c", 404),
        ("a", 404),
        ("a/b/", 404),
    ] {
        let answer = Answer::send(http.get(format!("{}/{path}", app.links))).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.text);
    }
    let all = links(&app).await;
    let link = all.iter().find(|link| link["slug"] == "a/b").unwrap();
    assert_eq!(link["shortUrl"], format!("{}/a/b", app.links));
    let url = format!("{}/links/update", app.base);
    let kept = json!({ "id": link["id"], "slug": "a/b", "name": "Renamed" });
    let answer = app.post(url.clone(), &kept).await;
    assert_eq!(
        (answer.status, &answer.body["slug"]),
        (200, &json!("a/b")),
        "{}",
        answer.text
    );
    let moved = json!({ "id": link["id"], "slug": "b/c" });
    assert_eq!(app.post(url, &moved).await.status, 400);
    app.finish().await;
}

#[actix::test]
async fn a_slug_of_something_else_is_refused_and_the_rest_goes_on() {
    let app = App::spawn().await;
    let own =
        json!({ "name": "Mine", "targetUrl": "https://mine.example/", "slug": "s7" .repeat(2) });
    call(&app, "/links/create", own).await;
    let mut csv = "keyword,url,title\n".to_owned();
    for nth in 0..250 {
        let slug = if nth == 120 {
            "s7s7".to_owned()
        } else {
            format!("item-{nth}")
        };
        let _ = writeln!(csv, "{slug},https://shop.example/{nth},Item");
    }
    let _ = writeln!(csv, "item-3,https://shop.example/other,Item");
    let applied = call(&app, "/imports/applyLinks", file("yourls", &csv)).await;
    assert_eq!(counts(&applied), [249, 0, 2]);
    assert!(
        reason(&applied, "s7s7").contains("leads to https://mine.example/"),
        "{applied}"
    );
    assert_eq!(slugs(&app).await.len(), 250);
    app.finish().await;
}

#[actix::test]
async fn files_that_are_none_are_refused_whole_with_their_place() {
    let app = App::spawn().await;
    for (body, message) in [
        (file("shlink", ""), "The file is empty"),
        (
            file("shlink", "shortCode,longUrl\nabc"),
            "line 2: has 1 cells, the first line has 2",
        ),
        (
            file("dub", "[{\"key\": \"a\""),
            "line 1, column 12: The file ends too early. Export it again",
        ),
        (
            json!({ "format": "dub", "content": "%", "encoding": "base64" }),
            "`content` isn't base64",
        ),
        (
            json!({ "format": "dub", "content": "/wDB", "encoding": "base64" }),
            "line 1: The file isn't UTF-8",
        ),
    ] {
        for path in ["/imports/planLinks", "/imports/applyLinks"] {
            let answer = app.post(format!("{}{path}", app.base), &body).await;
            assert_eq!(answer.status, 400, "{}", answer.text);
            assert!(answer.text.contains(message), "{}: {message}", answer.text);
        }
    }
    let answer = app
        .post(
            format!("{}/imports/planLinks", app.base),
            &file("unknown", "a"),
        )
        .await;
    assert_eq!(answer.status, 400);
    assert!(slugs(&app).await.is_empty());
    app.finish().await;
}

//! Anybody may register an app, within bounds (threat T73).

use std::time::Duration;

use pharos::{clock::from_ms, entities::oauth_app};
use sea_orm::{ActiveValue::Set, EntityTrait as _, PaginatorTrait as _};
use serde_json::json;

use super::flow::{REDIRECT_URI, connect, question, register};
use crate::{
    app::{App, NOW},
    database,
    people::browser::Browser,
};

async fn try_register(app: &App) -> u16 {
    let body = json!({ "redirect_uris": [REDIRECT_URI] });
    let answer = app
        .post_anonymously(format!("{}/oauth/register", app.base), &body)
        .await;
    answer.status
}

#[actix::test]
async fn what_an_app_says_of_itself_is_checked() {
    let app = App::spawn().await;
    let many = vec![REDIRECT_URI; 11];
    for (body, error) in [
        (json!({}), "invalid_redirect_uri"),
        (json!({ "redirect_uris": [] }), "invalid_redirect_uri"),
        (
            json!({ "redirect_uris": ["http://app.example/"] }),
            "invalid_redirect_uri",
        ),
        (
            json!({ "redirect_uris": ["javascript:alert(1)"] }),
            "invalid_redirect_uri",
        ),
        (
            json!({ "redirect_uris": [REDIRECT_URI, "/"] }),
            "invalid_redirect_uri",
        ),
        (json!({ "redirect_uris": many }), "invalid_client_metadata"),
        (
            json!({ "redirect_uris": [REDIRECT_URI], "grant_types": ["implicit"] }),
            "invalid_client_metadata",
        ),
        (
            json!({ "redirect_uris": [REDIRECT_URI], "response_types": ["token"] }),
            "invalid_client_metadata",
        ),
    ] {
        let answer = app
            .post_anonymously(format!("{}/oauth/register", app.base), &body)
            .await;
        assert_eq!(
            (answer.status, &answer.body["error"]),
            (400, &json!(error)),
            "{body}"
        );
    }
    app.finish().await;
}

#[actix::test]
async fn an_address_registers_thirty_apps_in_a_quarter_of_an_hour() {
    let app = App::spawn().await;
    for _ in 0..30 {
        assert_eq!(try_register(&app).await, 201);
    }
    assert_eq!(try_register(&app).await, 429);
    app.clock.advance(Duration::from_mins(15));
    assert_eq!(try_register(&app).await, 201);
    app.finish().await;
}

#[actix::test]
async fn a_thousand_apps_that_nobody_allows_anything_make_no_more_and_are_forgotten() {
    let mut app = App::spawn().await;
    app.restart_after(async |directory| {
        let db = database::open(directory).await;
        let rows = (0..1_000).map(|nth| oauth_app::ActiveModel {
            id: Set(format!("flood-{nth}")),
            name: Set("Flood".to_owned()),
            redirect_uris: Set(json!([REDIRECT_URI]).to_string()),
            created_at: Set(from_ms(NOW)),
            used_at: Set(None),
        });
        let inserted = oauth_app::Entity::insert_many(rows);
        inserted.exec_without_returning(db.writer()).await.unwrap();
        db.close().await.unwrap();
    })
    .await;
    assert_eq!(try_register(&app).await, 503);
    app.clock.advance(Duration::from_hours(1));
    assert_eq!(
        try_register(&app).await,
        201,
        "those of an hour ago give way"
    );
    app.restart_after(async |directory| {
        let db = database::open(directory).await;
        let left = oauth_app::Entity::find().count(db.writer()).await.unwrap();
        assert_eq!(left, 1);
        db.close().await.unwrap();
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn an_app_is_forgotten_after_a_day_unless_somebody_allowed_it_something() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let unused = register(&app, REDIRECT_URI).await;
    let used = connect(&app, &owner, &["read:data"]).await;
    app.clock.advance(Duration::from_hours(24));
    register(&app, REDIRECT_URI).await;
    let gone = owner.get(&question(&unused, &[])).await;
    assert_eq!(gone.status, 400);
    assert!(gone.text.contains("isn't registered here"), "{}", gone.text);
    assert_eq!(owner.get(&question(&used.client, &[])).await.status, 200);
    app.finish().await;
}

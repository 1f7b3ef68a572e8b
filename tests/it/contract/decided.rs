//! What was decided where the interface leaves room, as strangers meet it.

use serde_json::{Map, Value, json};

use crate::{
    app::{Answer, App},
    cast::Cast,
    process::{pharos, set_up, start},
};

async fn total(app: &App) -> Value {
    let rows = app.rows("custom_events").await;
    rows.first()
        .map_or(json!(0), |row| row["total_events"].clone())
}

#[actix::test]
async fn what_says_that_it_is_a_bot_is_kept_out_and_libraries_and_servers_are_not() {
    let app = App::spawn().await;
    let send = async |agent: &str, key: bool| {
        let event = json!({ "name": "e", "websiteId": app.website });
        let mut request = app
            .http
            .post(format!("{}/track", app.track))
            .header("user-agent", agent);
        if key {
            request = request.header("x-api-key", &app.key);
        }
        assert_eq!(
            Answer::send(request.json(&event)).await.status,
            200,
            "{agent}"
        );
    };
    let bot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
    send(bot, false).await;
    assert_eq!(total(&app).await, 0);
    for library in [
        "curl/8.5.0",
        "python-requests/2.32.0",
        "Go-http-client/2.0",
        "node",
        "okhttp/4.12.0",
        "Wget/1.21",
    ] {
        send(library, false).await;
    }
    assert_eq!(total(&app).await, 6);
    send(bot, true).await;
    assert_eq!(total(&app).await, 7, "with a key it is a server");
    app.finish().await;
}

#[actix::test]
async fn properties_are_fifty_and_32_kilobytes_and_arrays_have_the_bodys_size_alone() {
    let app = App::spawn().await;
    let with = |properties: Map<String, Value>| json!({ "name": "e", "websiteId": app.website, "properties": properties });
    let keys = |count: usize| {
        (0..count)
            .map(|number| (format!("k{number}"), json!(1)))
            .collect()
    };
    assert_eq!(app.send(&with(keys(50))).await.status, 200);
    let many = app.send(&with(keys(51))).await;
    assert_eq!(
        (many.status, &many.body["code"]),
        (400, &json!("INVALID_REQUEST_BODY")),
        "{}",
        many.text
    );
    let large = Map::from_iter([("k".to_owned(), json!("x".repeat(33_000)))]);
    let large = app.send(&with(large)).await;
    assert_eq!(
        (large.status, &large.body["code"]),
        (413, &json!("PAYLOAD_TOO_LARGE")),
        "{}",
        large.text
    );
    let event = json!({ "name": "e", "websiteId": app.website });
    let array = app.send(&json!(vec![event; 3_000])).await;
    assert_eq!(array.status, 200, "{}", array.text);
    assert_eq!(total(&app).await, 3_001);
    app.finish().await;
}

#[actix::test]
async fn a_question_about_what_one_may_not_read_is_401_for_nobody_and_403_for_others_unknown_or_not()
 {
    let cast = Cast::spawn().await;
    let body = json!({ "parameters": ["country"], "preset": "today" });
    let mut answers = Vec::new();
    for website in [cast.foreign_website.as_str(), "no-such-website"] {
        let url = format!("{}/v1/query?website_id={website}", cast.app.base);
        let stranger = cast.app.post_anonymously(url.clone(), &body).await;
        assert_eq!(
            (stranger.status, &stranger.body["code"]),
            (401, &json!("AUTH_REQUIRED")),
            "{}",
            stranger.text
        );
        let refused = cast.app.post(url, &body).await;
        assert_eq!(
            (refused.status, &refused.body["code"]),
            (403, &json!("FORBIDDEN")),
            "{}",
            refused.text
        );
        let own = refused.header("x-request-id").to_owned();
        answers.push(refused.text.replace(&own, "").replace(website, ""));
    }
    assert_eq!(answers[0], answers[1]);
    let one = |id: &str| json!({ "id": id });
    for id in [cast.foreign_website.as_str(), "no-such-website"] {
        let refused = cast
            .app
            .post(format!("{}/websites/getById", cast.app.base), &one(id))
            .await;
        assert_eq!(refused.status, 404, "{}", refused.text);
    }
    cast.app.finish().await;
}

#[actix::test]
async fn a_copy_beside_a_running_server_is_verified_and_has_what_was_acknowledged() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let made = set_up(first.path());
    let copies = second.path().join("copies");
    let mut command = pharos(first.path());
    command.arg("serve");
    let process = start(command).await;
    let event = json!({ "name": "kept", "websiteId": made.website });
    let request = crate::web::client().post(format!("{}/track", process.track));
    assert_eq!(
        Answer::send(request.header("x-api-key", &made.key).json(&event))
            .await
            .status,
        200
    );
    let copied = pharos(first.path())
        .arg("backup")
        .arg(&copies)
        .output()
        .unwrap();
    assert!(
        copied.status.success(),
        "{}",
        String::from_utf8_lossy(&copied.stderr)
    );
    process.stop();
    let data = second.path().join("data");
    let restored = pharos(&first.path().join("."))
        .env("PHAROS__STORAGE__DATA_DIR", &data)
        .arg("restore")
        .arg(&copies)
        .arg("--verify")
        .output()
        .unwrap();
    assert!(
        restored.status.success(),
        "{}",
        String::from_utf8_lossy(&restored.stderr)
    );
    let mut command = pharos(first.path());
    command.env("PHAROS__STORAGE__DATA_DIR", &data).arg("serve");
    let process = start(command).await;
    let url = format!("{}/v1/query?website_id={}", process.base, made.website);
    let body = json!({ "parameters": ["custom_events"], "preset": "today" });
    let request = crate::web::client()
        .post(url)
        .header("x-api-key", &made.key);
    let rows = Answer::send(request.json(&body)).await.rows(0);
    assert_eq!(rows[0]["name"], "kept");
    process.stop();
}

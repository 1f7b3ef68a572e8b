//! Matomo: `/matomo.php` and `/piwik.php`.

use serde_json::{Value, json};

use super::{CHROME, custom, named, numbers, sales, send, send_text, with};
use crate::app::{Answer, App};

const FORM: &str = "application/x-www-form-urlencoded";

fn entry() -> Value {
    json!([{ "protocol": "matomo", "id": "7" }])
}

async fn get(app: &App, query: &str) -> Answer {
    let request = app.http.get(format!("{}/matomo.php?{query}", app.track));
    let request = request
        .header("user-agent", CHROME)
        .header("accept-language", "en");
    Answer::send(request).await
}

#[actix::test]
async fn an_unknown_site_and_a_missing_parameter_are_said() {
    let app = with(entry()).await;
    let unknown = get(&app, "idsite=8&rec=1&url=https://localhost/").await;
    assert_eq!(unknown.status, 404);
    assert_eq!(
        (&unknown.body["status"], &unknown.body["message"]),
        (&json!("error"), &json!("Website not found"))
    );
    assert_eq!(get(&app, "rec=1&url=https://localhost/").await.status, 400);
    let empty = get(&app, "idsite=7&rec=1").await;
    assert!(empty.body["message"].as_str().unwrap().contains("`url`"));
    assert_eq!(numbers(&app).await, [0, 0, 0]);
    app.finish().await;
}

#[actix::test]
async fn a_view_is_answered_with_the_image_or_without_where_the_client_wants_none() {
    let app = with(entry()).await;
    let view = "idsite=7&rec=1&url=https%3A%2F%2Flocalhost%2Fa&action_name=A&_id=0123456789abcdef&res=1920x1080\
        &urlref=https%3A%2F%2Fwww.google.com%2F&dimension1=pro&rand=5";
    let image = get(&app, view).await;
    assert_eq!(
        (image.status, image.header("content-type")),
        (200, "image/gif")
    );
    assert_eq!(get(&app, &format!("{view}&send_image=0")).await.status, 204);
    let post = send_text(&app, "/piwik.php", FORM, &format!("{view}&send_image=0")).await;
    assert_eq!(post.status, 204);
    let head = app.http.head(format!("{}/matomo.php?{view}", app.track));
    assert_eq!(Answer::send(head).await.status, 200);
    // Says that the page is open still.
    assert_eq!(get(&app, &format!("{view}&ping=1")).await.status, 200);
    assert_eq!(numbers(&app).await, [3, 1, 1]);
    assert_eq!(app.rows("traffic_sources").await[0]["source"], "Google");
    app.finish().await;
}

#[actix::test]
async fn several_in_one_body_are_counted_in_the_answer_and_taken_whole_or_not_at_all() {
    let app = with(entry()).await;
    let requests = json!([
        "?idsite=7&rec=1&url=https://localhost/&_id=0123456789abcdef",
        "?idsite=7&rec=1&url=https://localhost/&e_c=video&e_a=play&e_n=intro&e_v=12.5&_id=0123456789abcdef",
        "?idsite=7&rec=1&url=https://localhost/&idgoal=0&ec_id=o1&revenue=49.5&ec_tx=4.5&_id=0123456789abcdef",
        "?idsite=7&rec=1&url=https://localhost/&idgoal=3&_id=0123456789abcdef",
        "?idsite=7&rec=1&url=https://localhost/&search=shoes&search_count=3&_id=0123456789abcdef",
        "?idsite=7&rec=1&url=https://localhost/&link=https://x.example/&_id=0123456789abcdef",
        { "idsite": "7", "rec": "1", "url": "https://localhost/", "download": "https://localhost/a.pdf" },
    ]);
    let mut bad = requests.clone();
    bad[3] = json!("?rec=1");
    let refused = send(&app, "/matomo.php", &json!({ "requests": bad })).await;
    assert_eq!((refused.status, &refused.body["tracked"]), (400, &json!(0)));
    assert!(
        refused.body["message"]
            .as_str()
            .unwrap()
            .contains("requests[3].idsite")
    );
    assert_eq!(numbers(&app).await, [0, 0, 0]);
    let taken = send(&app, "/matomo.php", &json!({ "requests": requests })).await;
    assert_eq!(
        taken.body,
        json!({ "status": "success", "tracked": 7, "invalid": 0, "invalid_indices": [] })
    );
    assert_eq!(numbers(&app).await[0], 1);
    assert_eq!(
        custom(&app).await,
        named(&[
            ("download", 1),
            ("goal_3", 1),
            ("play", 1),
            ("purchase", 1),
            ("site_search", 1)
        ])
    );
    assert_eq!(
        sales(&app).await,
        [("purchase".to_owned(), 49.5, String::new())]
    );
    app.finish().await;
}

#[actix::test]
async fn a_site_with_a_secret_wants_it() {
    let app =
        with(json!([{ "protocol": "matomo", "id": "7", "secret": "0123456789abcdef" }])).await;
    let view = "idsite=7&rec=1&url=https%3A%2F%2Flocalhost%2F";
    assert_eq!(get(&app, view).await.status, 404);
    assert_eq!(
        get(&app, &format!("{view}&token_auth=wrong")).await.status,
        404
    );
    assert_eq!(
        get(&app, &format!("{view}&token_auth=0123456789abcdef"))
            .await
            .status,
        200
    );
    let bulk = json!({ "requests": [format!("?{view}")], "token_auth": "0123456789abcdef" });
    assert_eq!(send(&app, "/matomo.php", &bulk).await.status, 200);
    assert_eq!(numbers(&app).await[0], 2);
    app.finish().await;
}

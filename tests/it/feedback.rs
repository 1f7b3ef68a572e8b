//! What people have to say, and how they like to read times.

use pharos::access::{Role, Scope};
use serde_json::json;

use crate::{
    app::App,
    cast::{Cast, Proof},
    people::browser::Browser,
};

#[actix::test]
async fn preferences_are_as_usual_until_somebody_changes_them() {
    let mut app = App::spawn().await;
    let cookie = {
        let owner = Browser::owner(&app).await;
        let usual = owner
            .post("/preferences/getUserPreferences", &json!({}))
            .await;
        assert_eq!(usual.status, 200, "{}", usual.text);
        assert_eq!(usual.body["timezone"], "auto");
        assert_eq!(usual.body["dateFormat"], "MMM D, YYYY");
        assert_eq!(usual.body["timeFormat"], "h:mm a");
        let change = json!({ "timezone": "Europe/Berlin", "timeFormat": "HH:mm" });
        let changed = owner
            .post("/preferences/updateUserPreferences", &change)
            .await;
        assert_eq!(changed.body["timezone"], "Europe/Berlin");
        assert_eq!(changed.body["dateFormat"], "MMM D, YYYY");
        assert_eq!(changed.body["id"], usual.body["id"]);
        for (wrong, field) in [
            (json!({ "timezone": "Mars/Olympus" }), "timezone"),
            (json!({ "dateFormat": "" }), "dateFormat"),
            (json!({ "timeFormat": "x".repeat(41) }), "timeFormat"),
        ] {
            let refused = owner
                .post("/preferences/updateUserPreferences", &wrong)
                .await;
            assert_eq!(refused.status, 400, "{}", refused.text);
            assert!(refused.text.contains(field), "{}", refused.text);
        }
        owner.cookie()
    };
    app.restart().await;
    let owner = Browser::with(&app, &cookie);
    let kept = owner
        .post("/preferences/getUserPreferences", &json!({}))
        .await;
    assert_eq!(kept.body["timezone"], "Europe/Berlin");
    assert_eq!(kept.body["timeFormat"], "HH:mm");
    app.finish().await;
}

#[actix::test]
async fn feedback_is_kept_and_shown_to_who_gave_it() {
    let cast = Cast::spawn().await;
    let (viewer, owner) = (cast.person(Role::Viewer), cast.person(Role::Owner));
    for (title, category) in [("First", "bug_report"), ("Second", "other")] {
        let said =
            json!({ "title": title, "description": "It could be faster.", "category": category });
        let kept = cast.call_ok(&viewer, "/feedback/submit", &said).await;
        assert_eq!(kept["title"], title);
        assert_eq!(kept["category"], category);
    }
    let own = cast.call_ok(&viewer, "/feedback/list", &json!({})).await;
    assert_eq!(
        (&own[0]["title"], &own[1]["title"]),
        (&json!("Second"), &json!("First"))
    );
    assert_eq!(
        cast.call_ok(&owner, "/feedback/list", &json!({})).await,
        json!([])
    );
    for (wrong, field) in [
        (
            json!({ "title": "ab", "description": "long enough", "category": "other" }),
            "title",
        ),
        (
            json!({ "title": "abc", "description": "too short", "category": "other" }),
            "description",
        ),
        (
            json!({ "title": "abc", "description": "long enough", "category": "praise" }),
            "category",
        ),
    ] {
        let refused = cast.post(&viewer, "/feedback/submit", &wrong).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert!(refused.text.contains(field), "{}", refused.text);
    }
    let balance = cast
        .call_ok(&viewer, "/feedback/getCreditsBalance", &json!({}))
        .await;
    assert_eq!(balance["available"], 0);
    let redeemed = cast
        .post(
            &viewer,
            "/feedback/redeemCredits",
            &json!({ "tierIndex": 1 }),
        )
        .await;
    assert_eq!(redeemed.status, 400, "{}", redeemed.text);
    for caller in [Proof::Nobody, cast.key(&Scope::ALL).await] {
        let refused = cast.post(&caller, "/feedback/list", &json!({})).await;
        assert_eq!(refused.status, 401);
    }
    cast.app.finish().await;
}

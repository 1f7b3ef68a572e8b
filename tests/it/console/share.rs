//! Public dashboards: what everybody may see, and no more.

use serde_json::json;

use super::{leads_to, page};
use crate::{
    app::{App, NOW},
    people::browser::Browser,
};

#[actix::test]
async fn everybody_sees_what_is_public_of_a_public_website_and_nothing_of_others() {
    let app = App::spawn().await;
    let stranger = Browser::new(&app);
    let path = format!("/share/{}", app.website);
    let view = json!({
        "eventId": uuid::Uuid::new_v4().to_string(), "name": "screen_view", "anonymousId": "anon", "sessionId": "sess",
        "path": "https://localhost/pricing", "timestamp": NOW,
    });
    app.send_pages(&[view]).await;
    let (private, unknown) = (
        stranger.get(&path).await,
        stranger.get("/share/nothing").await,
    );
    // Neither says whether there is such a website.
    assert_eq!(
        leads_to(&private),
        format!("/login?next=%2Fshare%2F{}", app.website)
    );
    assert_eq!(leads_to(&unknown), "/login?next=%2Fshare%2Fnothing");
    let public = json!({ "id": app.website, "isPublic": true });
    let made = app
        .post(format!("{}/websites/togglePublic", app.base), &public)
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    let settings = format!("/console/site/{}/settings", app.website);
    let owner = Browser::owner(&app).await;
    let way = format!("href=\"{path}\"");
    assert!(page(&owner, &settings).await.contains(&way), "{way}");
    let shown = page(&stranger, &path).await;
    assert!(
        shown.contains("/pricing") && shown.contains("Visitors"),
        "{shown}"
    );
    for more in [
        "/console/site/",
        "View API query",
        "Regions",
        "Add annotation",
        "/export",
        "CSV",
    ] {
        assert!(!shown.contains(more), "{more}: {shown}");
    }
    assert!(
        !shown.contains("class=\"notice"),
        "everything is answered: {shown}"
    );
    let filtered = page(
        &stranger,
        &format!("{path}?f=path:eq:/other&locations=region"),
    )
    .await;
    assert!(
        filtered.contains("No sessions match all filters"),
        "{filtered}"
    );
    let chosen = stranger
        .get(&format!("{path}?field=path&op=eq&value=/pricing"))
        .await;
    assert_eq!(
        leads_to(&chosen),
        format!("{path}?f=path%3Aeq%3A%2Fpricing")
    );
    for field in ["profile_id", "session_id", "trait:plan"] {
        let personal = page(&stranger, &format!("{path}?f={field}:eq:x")).await;
        assert!(personal.contains("single out a person"), "{personal}");
        assert!(!personal.contains("class=\"chip\""), "{personal}");
    }
    app.finish().await;
}

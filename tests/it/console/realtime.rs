//! The page of the last minutes.

use super::{page, reports::something};
use crate::{app::App, people::browser::Browser};

#[actix::test]
async fn realtime_shows_views_by_minute_and_the_latest_events() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let path = format!("/console/site/{}/now", app.website);
    let empty = page(&owner, &path).await;
    assert!(empty.contains("No active visitors"), "{empty}");
    something(&app).await;
    let shown = page(&owner, &path).await;
    for said in [
        "data-live=\"10\"",
        "1 visitor</strong> online, in 1 session",
        "Pageviews by minute",
        "Latest events",
        "bought &lt;b&gt;",
        "Viewed page",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    let session = format!("/console/site/{}/session/", app.website);
    assert!(
        shown.contains(&session),
        "an event leads to its session: {shown}"
    );
    app.finish().await;
}

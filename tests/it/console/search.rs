//! Anything is found by its name, by those who may see it.

use super::{leads_to, page};
use crate::{
    app::App,
    people::{OPEN, browser::Browser, team::invited},
};

#[actix::test]
async fn everything_is_found_by_its_name_and_by_its_own_people_alone() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let push = [
        ("kind", "push"),
        ("name", "Zebra backup"),
        ("granularity", "hour"),
    ];
    let monitor = leads_to(&owner.submit("/console/monitors/new", &push).await).to_owned();
    let link = [
        ("targetUrl", "https://example.com/"),
        ("slug", "zebra-sale"),
    ];
    let link = leads_to(&owner.submit("/console/links/new", &link).await).to_owned();
    let status = [("name", "Zebra status"), ("slug", "stripes")];
    let status = leads_to(&owner.submit("/console/status-pages/new", &status).await).to_owned();
    let flag = [("key", "zebra-flag"), ("websiteId", app.website.as_str())];
    let flag = leads_to(&owner.submit("/console/flags/new", &flag).await).to_owned();
    let found = page(&owner, "/console/search?q=ZEBRA").await;
    for way in [&monitor, &link, &status, &flag] {
        assert!(found.contains(&format!("href=\"{way}\"")), "{way}: {found}");
    }
    let both = page(&owner, "/console/search?q=zebra+stripes").await;
    assert!(both.contains(&status) && !both.contains(&monitor), "{both}");
    let inner = page(&owner, "/console/search?q=localhost+errors").await;
    assert!(
        inner.contains(&format!("href=\"/console/site/{}/errors\"", app.website)),
        "{inner}"
    );
    assert!(
        page(&owner, "/console/search?q=audit")
            .await
            .contains("href=\"/console/audit\">Audit log")
    );
    let strange = page(
        &owner,
        "/console/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
    )
    .await;
    assert!(
        strange.contains("Nothing has this name") && !strange.contains("<script>alert"),
        "{strange}"
    );
    page(&owner, "/console/search").await;
    let keys = page(&owner, "/console/shortcuts").await;
    assert!(keys.contains("<kbd>g</kbd> <kbd>m</kbd>"), "{keys}");
    let make = "href=\"/console/links/new\">Make a link";
    let found = page(&owner, "/console/search?q=make+link").await;
    assert!(found.contains(make), "{found}");
    let viewer = invited(&app, &owner, "viewer").await;
    let found = page(&viewer, "/console/search?q=make+link").await;
    assert!(!found.contains(make), "who may not: {found}");

    let eve = Browser::signed_up(&app, "eve").await;
    let nothing = page(&eve, "/console/search?q=zebra").await;
    assert!(nothing.contains("Nothing has this name"), "{nothing}");
    app.finish().await;
}

//! Anything is found by its name, by those who may see it.

use serde_json::json;

use super::{leads_to, page};
use crate::{
    app::{App, NOW},
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
    let group = [
        ("name", "Zebra testers"),
        ("websiteId", app.website.as_str()),
    ];
    let group = leads_to(&owner.submit("/console/target-groups/new", &group).await).to_owned();
    let domain = [("host", "zebra.example.com"), ("use", "links")];
    let domain = leads_to(&owner.submit("/console/domains/new", &domain).await).to_owned();
    let found = page(&owner, "/console/search?q=ZEBRA").await;
    for way in [&monitor, &link, &status, &flag, &group, &domain] {
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
        strange.contains("No results") && !strange.contains("<script>alert"),
        "{strange}"
    );
    page(&owner, "/console/search").await;
    let keys = page(&owner, "/console/shortcuts").await;
    assert!(keys.contains("<kbd>g</kbd> <kbd>m</kbd>"), "{keys}");
    let make = "href=\"/console/links/new\">Create short link";
    for typed in ["create+link", "new+link", "make+short"] {
        let found = page(&owner, &format!("/console/search?q={typed}")).await;
        assert!(found.contains(make), "{typed}: {found}");
    }
    for (typed, path) in [
        ("new+domain", "/console/domains/new"),
        ("add+target+group", "/console/target-groups/new"),
        (
            "create+share+link",
            &format!("/console/site/{}/shares/new", app.website),
        ),
        (
            "schedule+report",
            &format!("/console/site/{}/scheduled-reports", app.website),
        ),
    ] {
        let found = page(&owner, &format!("/console/search?q={typed}")).await;
        assert!(
            found.contains(&format!("href=\"{path}\"")),
            "{typed}: {found}"
        );
        assert_eq!(owner.get(path).await.status, 200, "{path}");
    }
    let viewer = invited(&app, &owner, "viewer").await;
    let found = page(&viewer, "/console/search?q=make+link").await;
    assert!(!found.contains(make), "who may not: {found}");

    let eve = Browser::signed_up(&app, "eve").await;
    let nothing = page(&eve, "/console/search?q=zebra").await;
    assert!(nothing.contains("No results"), "{nothing}");
    app.finish().await;
}

#[actix::test]
async fn goals_funnels_segments_and_paths_are_found() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let site = format!("/console/site/{}", app.website);
    let goal = json!({ "websiteId": app.website, "type": "PAGE_VIEW", "target": "/zebra", "name": "Zebra goal" });
    let step = |target: &str| json!({ "type": "PAGE_VIEW", "target": target, "name": target });
    let funnel = json!({ "websiteId": app.website, "name": "Zebra funnel", "steps": [step("/"), step("/zebra")] });
    let segment = json!({
        "websiteId": app.website, "name": "Zebra segment",
        "filters": [{ "field": "country", "operator": "equals", "value": "DE" }],
    });
    let mut expected = Vec::new();
    for (group, body) in [("goal", goal), ("funnel", funnel), ("segment", segment)] {
        let made = owner.post(&format!("/{group}s/create"), &body).await;
        assert_eq!(made.status, 200, "{}", made.text);
        expected.push(format!(
            "{site}/{group}/{}",
            made.body["id"].as_str().unwrap()
        ));
    }
    app.send_pages(&[json!({
        "eventId": uuid::Uuid::new_v4().to_string(), "name": "screen_view", "anonymousId": "a", "sessionId": "s",
        "path": "https://localhost/blog/zebra", "timestamp": NOW,
    })])
    .await;
    expected.push(format!(
        "{site}?preset=last_30d&amp;f=path%3Aeq%3A%2Fblog%2Fzebra"
    ));
    let found = page(&owner, "/console/search?q=zebra").await;
    for path in expected {
        assert!(
            found.contains(&format!("href=\"{path}\"")),
            "{path}: {found}"
        );
    }
    let goal = page(&owner, "/console/search?q=create+goal").await;
    assert!(
        goal.contains(&format!("href=\"{site}/goals/new\"")),
        "{goal}"
    );
    let eve = Browser::signed_up(&app, "eve").await;
    assert!(
        page(&eve, "/console/search?q=zebra")
            .await
            .contains("No results")
    );
    app.finish().await;
}

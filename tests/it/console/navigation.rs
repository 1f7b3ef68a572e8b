//! The sidebar, the switcher of websites, breadcrumbs, and the theme.

use super::{is_page, leads_to, page};
use crate::{
    app::App,
    people::{OPEN, browser::Browser},
};

#[actix::test]
async fn range_and_filters_travel_with_the_sidebar_and_the_switcher() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let fields = [("domain", "shop.example.com"), ("name", "Shop")];
    let shop = leads_to(&owner.submit("/console/sites/new", &fields).await).to_owned();
    let shop = shop.trim_end_matches("/setup");
    let site = format!("/console/site/{}", app.website);
    let kept = "?preset=today&amp;compare=year&amp;f=country%3Aeq%3ADE";
    let asked = "?preset=today&compare=year&metric=sessions&f=country:eq:DE&f=journey_steps:eq:3&pages=entry";
    let paths = page(&owner, &format!("{site}/journeys{asked}")).await;
    for report in ["", "/sessions", "/goals", "/settings"] {
        let link = format!("href=\"{site}{report}{kept}\"");
        assert!(paths.contains(&link), "{link}: {paths}");
    }
    let same = format!("href=\"{shop}/journeys{kept}\"");
    assert!(
        paths.contains(&same),
        "the other website's user paths: {paths}"
    );
    assert!(paths.contains("href=\"/console/monitors\""), "{paths}");
    let goals = page(
        &owner,
        &format!("{site}/goals?from=2026-10-01&to=2026-10-05"),
    )
    .await;
    assert!(
        goals.contains(&format!(
            "href=\"{shop}/goals?from=2026-10-01&amp;to=2026-10-05\""
        )),
        "{goals}"
    );
    let monitors = page(&owner, "/console/monitors").await;
    assert!(monitors.contains(&format!("href=\"{shop}\"")), "{monitors}");
    app.finish().await;
}

#[actix::test]
async fn pages_are_in_groups_and_say_where_they_are() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let site = format!("/console/site/{}", app.website);
    let page_text = page(&owner, &format!("{site}/setup")).await;
    for group in [
        "Analytics",
        "Behavior",
        "Health",
        "Products",
        "Organization",
    ] {
        assert!(
            page_text.contains(&format!("open data-group=\"{group}\"")),
            "{group}: {page_text}"
        );
    }
    let name = page_text.split("<title>").nth(1).unwrap();
    assert!(name.starts_with("Installation · "), "{page_text}");
    let crumbs = page_text.split("aria-label=\"Breadcrumb\"").nth(1).unwrap();
    let crumbs = crumbs.split("</nav>").next().unwrap();
    assert!(crumbs.contains("href=\"/\">Home</a>"), "{crumbs}");
    assert!(crumbs.contains(&format!("href=\"{site}\"")), "{crumbs}");
    assert!(
        crumbs.contains("aria-current=\"page\">Installation"),
        "{crumbs}"
    );
    // The drawer of a phone opens without a script.
    assert!(
        page_text.contains("popovertarget=\"sidebar\"")
            && page_text.contains("id=\"sidebar\" popover"),
        "{page_text}"
    );
    assert!(
        page_text.contains("href=\"/docs\">Documentation"),
        "{page_text}"
    );
    assert!(!page(&owner, "/").await.contains("Breadcrumb"));
    app.finish().await;
}

#[actix::test]
async fn the_theme_is_chosen_without_a_script_and_stays_in_this_browser() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    assert!(!page(&owner, "/").await.contains("data-theme"));
    let chosen = owner.submit("/console/theme", &[("theme", "dark")]).await;
    assert_eq!(leads_to(&chosen), "/");
    let cookie = chosen.header("set-cookie");
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"),
        "{cookie}"
    );
    let dark = page(&owner, "/console/monitors").await;
    assert!(
        dark.contains("<html lang=\"en\" data-theme=\"dark\">"),
        "{dark}"
    );
    assert!(
        dark.contains("value=\"dark\" aria-pressed=\"true\""),
        "{dark}"
    );
    owner
        .submit("/console/theme", &[("theme", "\"><script>")])
        .await;
    assert!(
        !page(&owner, "/").await.contains("data-theme"),
        "nothing else is a theme"
    );
    is_page(&Browser::new(&app).get("/login").await, 200);
    app.finish().await;
}

//! The console in a real browser: a newcomer's first half hour.

use pharos::{clock::Clock, http::pages};
use serde_json::{Value, json};

use super::{SETTINGS, browse};
use crate::{
    agents::answers::script::{Act, Script},
    app::App,
    names::Names,
    people::post::Post,
    status_pages::call_ok,
    subscribers::{ask, link},
};

/// Answers that are files.
const FILES: [&str; 2] = ["/console/assets/{name}", "/console/site/{id}/export"];

/// What the scenario lists, where there must be nothing.
const QUIET: [&str; 8] = [
    "console",
    "reports",
    "violations",
    "further",
    "targets",
    "overflow",
    "unread",
    "unseen",
];

/// The patterns of all pages, in the order in which they are matched.
fn patterns() -> Vec<&'static str> {
    let routes = pages::routes().into_iter();
    let paths = routes.filter(|route| route.method.as_str() == "GET");
    let paths = paths.map(|route| route.path);
    paths.filter(|path| !FILES.contains(path)).collect()
}

/// A program that sends email, as the scenario needs to know it: with a status page, and a link for each walk that confirms a
/// subscription.
async fn describe_mailing(app: &App, post: &Post) -> Value {
    let page = json!({ "name": "Mail", "slug": "mail" });
    call_ok(app, "create", page).await;
    let status = format!("{}/status/mail", app.base);
    let mut confirm = Vec::new();
    for address in ["ada@example.com", "grace@example.com"] {
        let asked = ask(app, &format!("{status}/subscribe"), &[("address", address)]).await;
        assert_eq!(asked.status, 200, "{}", asked.text);
        let emails = post.wait_for(confirm.len() + 1).await;
        let email = emails.last().unwrap();
        confirm.push(link(app, email, "/subscriptions/", "/confirm"));
    }
    json!({
        "base": app.base, "email": app.email, "password": app.password, "website": app.website,
        "status": status, "confirm": confirm,
    })
}

#[actix::test]
async fn a_newcomers_first_half_hour_goes_well_with_and_without_a_script() {
    if std::env::var_os("PHAROS_NO_BROWSER").is_some() {
        return;
    }
    let script = Script::start().await;
    for _ in 0..2 {
        script.then([Act::Say("All is "), Act::Say("well."), Act::Finish]);
    }
    let names = Names::start();
    let settings = format!("{SETTINGS}{}\n", names.toml());
    let own = format!("{}{settings}", script.settings());
    let mut app = App::at(Clock::system(), &own).await;
    let post = Post::open().await;
    let mail = format!(
        "{settings}mail.smtp_url = '{}'\nmail.from = 'pharos@example.com'\n",
        post.url
    );
    let mailing = App::at(Clock::system(), &mail).await;
    let described = describe_mailing(&mailing, &post).await;
    let whole = json!({
        "base": app.base, "links": app.links, "email": app.email, "password": app.password,
        "mail": described, "patterns": patterns(),
        "first": { "domain": "shop.example.com", "tag": "first" }, "second": { "domain": "store.example.com", "tag": "second" },
    });
    app.website = whole.to_string();
    let said = browse(&app, "newcomer").await;
    let found = QUIET.map(|name| (name, &said[name]));
    let found: Vec<_> = found
        .into_iter()
        .filter(|(_, what)| **what != json!([]))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
    assert!(said["pages"].as_u64() >= Some(120), "{said}");
    let control = json!([1, 1, 1]);
    assert_eq!(said["control"], control, "what is wrong would be found");
    mailing.finish().await;
    app.finish().await;
}

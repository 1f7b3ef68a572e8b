//! The web console over HTTP: pages, forms and their protection.

mod account;
mod alarm_routing;
mod alarms;
mod boards;
mod chats;
mod dashboard;
mod definitions;
mod flag_insight;
mod flags;
mod home;
mod installation;
mod keys;
mod links;
mod monitor_list;
mod monitors;
mod navigation;
mod page_cost;
mod realtime;
mod refusals;
mod reports;
mod search;
mod settings;
mod share;
mod share_links;
mod sign_in;
mod snippets;
mod static_files;
mod status;
mod strangers;
mod tables;
mod team;

use crate::{app::Answer, people::browser::Browser};

/// What every page's answer has, whatever is on it.
pub fn is_page(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    let policy = answer.header("content-security-policy");
    for word in [
        "default-src 'none'",
        "script-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ] {
        assert!(policy.contains(word), "{policy}");
    }
    assert!(
        !policy.contains("unsafe") && !policy.contains("http"),
        "{policy}"
    );
    assert_eq!(answer.header("cache-control"), "no-store");
    // Browsers would send forms with `Origin: null` under the usual one.
    assert_eq!(answer.header("referrer-policy"), "same-origin");
    is_plain(&answer.text);
}

/// A page that needs nothing of what its policy forbids, and nothing of others.
fn is_plain(html: &str) {
    assert!(
        html.starts_with("<!DOCTYPE html><html lang=\"en\""),
        "{html}"
    );
    for word in [
        " style=",
        "<style",
        " onclick=",
        " onload=",
        "javascript:",
        "<iframe",
    ] {
        assert!(!html.contains(word), "{word} in {html}");
    }
    for script in html.split("<script").skip(1) {
        assert!(script.starts_with(" src=\"/console/assets/"), "{script}");
    }
    for name in [
        "src=\"",
        "action=\"",
        "<link rel=\"stylesheet\" href=\"",
        "<link rel=\"icon\" href=\"",
    ] {
        for address in html.split(name).skip(1) {
            let is_own = address.starts_with('/') && !address.starts_with("//");
            // What is shown as text is escaped, and so has no such quotes.
            assert!(is_own, "{name}{}", &address[..60.min(address.len())]);
        }
    }
    assert_eq!(html.matches("<h1").count(), 1, "{html}");
    assert!(html.contains("<main id=\"main\""), "{html}");
}

/// A page for a person with access.
pub async fn page(browser: &Browser<'_>, path: &str) -> String {
    let answer = browser.get(path).await;
    is_page(&answer, 200);
    answer.text
}

/// Where an answer leads.
pub fn leads_to(answer: &Answer) -> &str {
    assert_eq!(answer.status, 303, "{}", answer.text);
    answer.header("location")
}

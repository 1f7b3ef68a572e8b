//! Whatever people write on a status page stays text, in a real browser and under the page's own policy.

use std::time::Duration;

use serde_json::{Value, json};

use super::browse;
use crate::{
    app::{App, until},
    people::post::Post,
    status_pages::call_ok,
    subscribers::{ask, link},
};

/// Texts that act wherever a place for text was forgotten: in HTML, attributes, addresses, styles, XML, JSON and Markdown.
pub const HOSTILE: [&str; 22] = [
    "\"><script>alert(1)</script>",
    "'><img src=x onerror=alert(1)>",
    "</title></style></textarea></noscript></script><svg onload=alert(1)>",
    "--><svg><script>alert(1)</script></svg><!--",
    "\" autofocus onfocus=alert(1) x=\"",
    "' onmouseover=alert(1) style='position:fixed;inset:0' y='",
    "javascript:alert(1)//\"><iframe src=javascript:alert(1)>",
    "[a](javascript:alert(1)) [b](<javascript:alert(1)> \"x\") <javascript:alert(1)>",
    "![a](x\" onerror=\"alert(1)) ![b](https://evil.example/x.png)",
    "<a href=\"jav&#x09;ascript:alert(1)\">x</a> [c](jav&#x09;ascript:alert(1))",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<details open ontoggle=alert(1)><summary>x</summary></details>",
    "<form action=javascript:alert(1)><button autofocus formaction=javascript:alert(1)>x</button></form>",
    "<base href=https://evil.example/><link rel=stylesheet href=//evil.example/x.css>",
    "<meta http-equiv=refresh content=\"0;url=javascript:alert(1)\">",
    "<style>@import'//evil.example/x.css';*{background:url(//evil.example/x)}</style>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;svg onload=alert(1)&#62; \\u003cscript\\u003ealert(1)",
    "]]><script>alert(1)</script><![CDATA[ <?xml version=\"1.0\"?><!ENTITY x \"y\">",
    "{{constructor.constructor('alert(1)')()}}${alert(1)}<%=alert(1)%><template><script>alert(1)</script>",
    "<video><source onerror=alert(1)></video><audio src onloadstart=alert(1)>",
    "`\"'><x contenteditable onblur=alert(1) tabindex=1> %3Cscript%3Ealert(1)%3C/script%3E",
];

/// A page that says one text wherever it says anything: its name, its texts, its monitors' names and headings, an incident with an
/// update and a post-mortem, and maintenance. Gives the addresses of all documents that show it.
async fn hostile(app: &App, post: &Post, nth: usize, text: &str) -> Vec<String> {
    let slug = format!("p{nth}");
    let elsewhere = format!("https://there.example/{text}");
    let page = json!({ "name": text, "slug": slug, "description": text, "websiteUrl": elsewhere, "supportUrl": elsewhere });
    let page = call_ok(app, "create", page).await["id"].clone();
    let mut monitors = Vec::new();
    for own in [json!({}), json!({ "displayName": text })] {
        let fields = json!({ "kind": "push", "granularity": "hour", "name": text });
        let made = app
            .post(format!("{}/uptime/createSchedule", app.base), &fields)
            .await;
        assert_eq!(made.status, 200, "{}", made.text);
        let add = json!({ "statusPageId": page, "uptimeScheduleId": made.body["scheduleId"] });
        let monitor = call_ok(app, "addMonitor", add).await["id"].clone();
        let mut set = json!({ "monitorId": monitor, "group": text });
        for (name, value) in own.as_object().unwrap() {
            set[name] = value.clone();
        }
        call_ok(app, "updateMonitorSettings", set).await;
        monitors.push(monitor);
    }
    let affected = json!([{ "statusPageMonitorId": monitors[0], "impact": "down" }]);
    let open = json!({ "statusPageId": page, "title": text, "message": text, "affectedMonitors": affected });
    let planned = json!({ "statusPageId": page, "title": text, "message": text,
        "startsAt": "2026-10-15T22:00:00Z", "endsAt": "2026-10-15T23:00:00Z" });
    call_ok(app, "createIncident", open.clone()).await;
    call_ok(app, "createIncident", planned).await;
    let over = call_ok(app, "createIncident", open).await["id"].clone();
    let say = json!({ "incidentId": over, "status": "resolved", "message": text });
    call_ok(app, "updateIncident", say).await;
    call_ok(
        app,
        "setPostmortem",
        json!({ "incidentId": over, "message": text }),
    )
    .await;
    documents(app, post, &slug, &monitors[1]).await
}

/// The addresses of all documents that show a page.
async fn documents(app: &App, post: &Post, slug: &str, monitor: &Value) -> Vec<String> {
    let monitor = monitor.as_str().unwrap();
    let at = format!("{}/status/{slug}", app.base);
    let mut documents: Vec<String> = [
        "",
        "/badge.svg",
        "/feed.rss",
        "/feed.atom",
        "/feed.json",
        "/api/v2/summary.json",
    ]
    .map(|path| format!("{at}{path}"))
    .to_vec();
    documents.push(format!("{at}/monitors/{monitor}/badge.svg"));
    // The request to confirm a subscription names the page.
    let form = [("address", "ada@example.com"), ("component", monitor)];
    let questions = || {
        let mut all = post.emails();
        all.retain(|email| email.contains("/confirm"));
        all
    };
    let (url, before) = (format!("{at}/subscribe"), questions().len());
    app.clock.advance(Duration::from_hours(24));
    assert_eq!(ask(app, &url, &form).await.status, 200);
    until("the email came", async || questions().len() > before).await;
    let email = questions().remove(before);
    documents.push(link(app, &email, "/subscriptions/", "/confirm"));
    documents
}

#[actix::test]
async fn nothing_that_is_written_on_a_page_does_anything_in_a_browser() {
    if std::env::var_os("PHAROS_NO_BROWSER").is_some() {
        return;
    }
    let post = Post::open().await;
    let settings = format!(
        "limits.key_requests = 0\nmail.smtp_url = '{}'\nmail.from = 'pharos@example.com'\n",
        post.url
    );
    let mut app = App::with(&settings).await;
    let mut documents = Vec::new();
    for (nth, text) in HOSTILE.into_iter().enumerate() {
        documents.extend(hostile(&app, &post, nth, text).await);
    }
    assert_eq!(documents.len(), HOSTILE.len() * 8);
    app.website = json!(documents).to_string();
    let said = browse(&app, "inert").await;
    for quiet in ["dialogs", "requests", "reports", "found"] {
        assert_eq!(said[quiet], json!([]), "{quiet}");
    }
    assert_eq!(said["popups"], 0);
    assert!(
        said["control"].as_u64() >= Some(1),
        "what is done would have been seen"
    );
    let titles = said["titles"].as_array().unwrap();
    let shown = HOSTILE.iter().filter(|text| titles.contains(&json!(text)));
    assert_eq!(shown.count(), HOSTILE.len(), "{titles:?}");
    app.finish().await;
}

//! What a page asks the engine: each thing once, and with a filter no more than without.

use serde_json::json;

use super::page;
use crate::{
    app::{App, NOW},
    people::browser::Browser,
};

/// Pages of a website, and the statements that each may need.
const PAGES: [(&str, u64); 5] = [
    ("", 11),
    ("/people", 2),
    ("/engagement", 6),
    ("/vitals", 6),
    ("/revenue", 6),
];

/// Statements that the engine has answered so far.
async fn statements(app: &App) -> u64 {
    let text = app.get(format!("{}/metrics", app.base)).await.text;
    let counts = text
        .lines()
        .filter(|line| line.starts_with("pharos_query_duration_seconds_count"));
    let counts = counts.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap());
    counts.sum()
}

#[actix::test]
async fn a_page_asks_for_each_thing_once_with_a_filter_as_without() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let event = json!({
        "eventId": uuid::Uuid::new_v4().to_string(), "name": "screen_view", "anonymousId": "a", "sessionId": "a",
        "path": "https://localhost/pricing", "timestamp": NOW - 60_000,
    });
    app.send_pages(&[event]).await;
    let mut all: Vec<(&str, u64, u64, u64)> = Vec::new();
    for (below, most) in PAGES {
        let path = format!(
            "/console/site/{}{below}?preset=last_30d&granularity=daily",
            app.website
        );
        let mut asked = Vec::new();
        for filter in ["", "&f=path:eq:/pricing"] {
            let before = statements(&app).await;
            page(&owner, &format!("{path}{filter}")).await;
            asked.push(statements(&app).await - before);
        }
        all.push((below, most, asked[0], asked[1]));
    }
    let is_right = |(_, most, plain, filtered): &(&str, u64, u64, u64)| {
        *plain > 0 && plain <= most && filtered <= plain
    };
    assert!(all.iter().all(is_right), "{all:?}");
    app.finish().await;
}

//! Figures, and what is written about them.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::app::App;

const GUIDE: &str = include_str!("../../docs/observability.md");
const DASHBOARD: &str = include_str!("../../docs/grafana.json");

/// Names of figures in a text.
fn names(text: &str) -> BTreeSet<String> {
    let word = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let named = text
        .split(word)
        .filter(|word| word.starts_with("pharos_") || word.starts_with("process_"));
    named.map(str::to_owned).collect()
}

/// What a figure is called in `# TYPE`.
fn family(name: &str) -> &str {
    ["_bucket", "_sum", "_count"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name)
}

#[actix::test]
async fn every_figure_of_the_guide_and_of_the_dashboard_exists_and_is_explained() {
    let app = App::spawn().await;
    app.send(&serde_json::json!({ "name": "a", "websiteId": app.website }))
        .await;
    app.rows("custom_events").await;
    let text = app.get(format!("{}/metrics", app.base)).await.text;
    let shown: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "))
        .filter_map(|line| line.split(' ').next())
        .map(str::to_owned)
        .collect();
    // These few are told of together.
    let guide = names(GUIDE);
    for name in guide.iter().filter(|name| *name != "pharos_dedup_") {
        assert!(shown.contains(family(name)), "the guide: {name}");
    }
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let expressions = dashboard["panels"].to_string();
    let drawn = names(&expressions);
    assert!(drawn.len() > 25, "{drawn:?}");
    for name in &drawn {
        assert!(shown.contains(family(name)), "the dashboard: {name}");
    }
    for name in &shown {
        let told = guide.contains(name) || name.starts_with("pharos_dedup_");
        assert!(told, "not in the guide: {name}");
    }
    for line in [
        "pharos_query_duration_seconds_count{type=\"custom_events\"} 1",
        "pharos_domain_restarts_total{domain=\"websites\"} 0",
        concat!(
            "pharos_build_info{version=\"",
            env!("CARGO_PKG_VERSION"),
            "\"} 1"
        ),
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    let memory = text
        .lines()
        .find_map(|line| line.strip_prefix("process_resident_memory_bytes "))
        .unwrap();
    assert!(memory.parse::<f64>().unwrap() > 1e6, "{memory}");
    app.finish().await;
}

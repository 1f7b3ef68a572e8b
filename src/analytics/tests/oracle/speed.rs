//! Web vitals and load times.

use super::{
    Oracle,
    group::{Part, series, series_and, top},
    question::{Question, is_exit, is_view, mean, quantile, seen_by, visitors},
    table::{Raw, Says, Table, Way},
    views::{country, country_part, label, measured, path},
};
use crate::events::event::{Details, Event};

pub(super) const ORACLES: &[Oracle] = &[
    ("vitals_overview", |asked| {
        top(
            asked,
            asked.rows(is_vital),
            |event| vec![metric(event)],
            percentiles,
        )
        .ordered("metric_name", Way::Up)
    }),
    ("vitals_ratings", |asked| {
        let rows = asked.rows(|event| is_vital(event) && thresholds(event).is_some());
        top(asked, rows, |event| vec![metric(event)], ratings).ordered("metric_name", Way::Up)
    }),
    ("vitals_time_series", |asked| {
        let rows = asked.rows(is_vital);
        series_and(
            asked,
            rows,
            |event| event.time,
            |event| vec![metric(event)],
            percentiles,
        )
    }),
    ("vitals_by_page", |asked| {
        let key = |event: &&Event| {
            let raw = Raw::text(event.path.clone());
            let says = Says::default().label(&["page", "path"], &raw, "Unknown");
            vec![(raw, says), metric(event)]
        };
        top(asked, asked.rows(is_vital), key, percentiles)
    }),
    ("vitals_by_country", |asked| {
        vitals(asked, |event| vec![country(event)], medians)
    }),
    ("vitals_by_region", |asked| vitals(asked, region, medians)),
    ("vitals_by_city", |asked| {
        let key = |event: &Event| {
            vec![
                label(&event.city, &["name", "city"], "Unknown"),
                country_part(event),
            ]
        };
        vitals(asked, key, medians)
    }),
    ("vitals_by_browser", |asked| vitals(asked, browser, medians)),
    ("vitals_by_os", |asked| vitals(asked, system, medians)),
    ("vitals_by_device", |asked| {
        let key = |event: &Event| {
            vec![label(
                &event.device_type,
                &["name", "device_type"],
                "Unknown",
            )]
        };
        vitals(asked, key, medians)
    }),
    ("web_vitals_by_page", |asked| {
        vitals(asked, |event| vec![path(event)], averages)
    }),
    ("web_vitals_by_browser", |asked| {
        vitals(asked, browser, averages)
    }),
    ("web_vitals_by_country", |asked| {
        vitals(asked, |event| vec![country(event)], averages)
    }),
    ("web_vitals_by_os", |asked| vitals(asked, system, averages)),
    ("web_vitals_by_region", |asked| {
        vitals(asked, region, averages)
    }),
    ("web_vitals_time_series", |asked| {
        series(asked, asked.rows(is_vital), |event| event.time, averages)
    }),
    ("slow_pages", |asked| {
        loads(asked, |event| vec![path(event)]).ordered("avg_load_time", Way::Down)
    }),
    ("load_time_performance", |asked| {
        loads(asked, |event| vec![path(event)])
    }),
    ("performance_by_browser", |asked| loads(asked, browser)),
    ("performance_by_country", |asked| {
        loads(asked, |event| vec![country(event)])
    }),
    ("performance_by_region", |asked| loads(asked, region)),
    ("performance_by_os", |asked| loads(asked, system)),
    ("performance_time_series", |asked| {
        series(asked, asked.rows(is_page), |event| event.time, loaded)
    }),
];

fn is_vital(event: &Event) -> bool {
    matches!(event.details, Details::Vital { .. })
}

fn is_page(event: &Event) -> bool {
    is_view(event) || is_exit(event)
}

fn browser(event: &Event) -> Vec<Part> {
    vec![label(
        &event.browser_name,
        &["name", "browser_name"],
        "Unknown",
    )]
}

fn system(event: &Event) -> Vec<Part> {
    vec![label(&event.os_name, &["name", "os_name"], "Unknown")]
}

fn region(event: &Event) -> Vec<Part> {
    vec![
        label(&event.region, &["name", "region"], "Unknown"),
        country_part(event),
    ]
}

fn metric(event: &Event) -> Part {
    let raw = Raw::text(event.name.clone());
    let says = Says::default().text("metric_name", Some(&event.name));
    (raw, says)
}

fn vitals(asked: &Question<'_>, key: fn(&Event) -> Vec<Part>, say: fn(&[&Event]) -> Says) -> Table {
    let mut table = top(asked, asked.rows(is_vital), |event| key(event), say);
    if !table.lines.is_empty() {
        let first = table.lines[0].says.0.iter();
        let measures = ["visitors", "measurements"];
        let first = first
            .map(|cell| cell.name)
            .find(|name| measures.contains(name));
        table = table.ordered(first.unwrap(), Way::Down);
    }
    table
}

fn values(events: &[&Event], metric: Option<&str>) -> Vec<f64> {
    let of = events
        .iter()
        .filter(|event| metric.is_none_or(|metric| event.name == metric));
    of.filter_map(|event| match event.details {
        Details::Vital { value } => Some(value),
        _ => None,
    })
    .collect()
}

/// Up to where a vital is good, and from where on it is poor.
fn thresholds(event: &Event) -> Option<(f64, f64)> {
    Some(match event.name.as_str() {
        "LCP" => (2_500.0, 4_000.0),
        "INP" => (200.0, 500.0),
        "CLS" => (0.1, 0.25),
        "FCP" => (1_800.0, 3_000.0),
        "TTFB" => (800.0, 1_800.0),
        _ => return None,
    })
}

fn ratings(events: &[&Event]) -> Says {
    let (good, poor) = thresholds(events[0]).unwrap();
    let values = values(events, None);
    let count = |is: &dyn Fn(f64) -> bool| values.iter().filter(|value| is(**value)).count();
    let (fast, slow) = (count(&|value| value <= good), count(&|value| value > poor));
    Says::default()
        .int(&["samples"], values.len())
        .int(&["good"], fast)
        .int(&["needs_improvement"], values.len() - fast - slow)
        .int(&["poor"], slow)
}

fn percentiles(events: &[&Event]) -> Says {
    let values = values(events, None);
    Says::default()
        .int(&["samples"], values.len())
        .float("p50", quantile(&values, 0.5), 4)
        .float("p75", quantile(&values, 0.75), 4)
        .float("p90", quantile(&values, 0.9), 4)
        .float("p95", quantile(&values, 0.95), 4)
        .float("p99", quantile(&values, 0.99), 4)
        .float("avg_value", mean(&values), 4)
}

fn medians(events: &[&Event]) -> Says {
    let mut says = seen_by(Says::default(), visitors(events));
    for (name, metric) in [
        ("p50_lcp", "LCP"),
        ("p50_fcp", "FCP"),
        ("p50_cls", "CLS"),
        ("p50_inp", "INP"),
        ("p50_ttfb", "TTFB"),
        ("p50_fps", "FPS"),
    ] {
        says = says.maybe(name, quantile(&values(events, Some(metric)), 0.5), 4);
    }
    says.int(&["samples"], events.len())
}

fn averages(events: &[&Event]) -> Says {
    let says = Says::default().int(&["measurements"], events.len());
    let mut says = seen_by(says, visitors(events));
    for (mean_name, p75, metric) in [
        ("avg_lcp", "p75_lcp", "LCP"),
        ("avg_fcp", "p75_fcp", "FCP"),
        ("avg_cls", "p75_cls", "CLS"),
        ("avg_inp", "p75_inp", "INP"),
        ("avg_ttfb", "p75_ttfb", "TTFB"),
        ("avg_fps", "p75_fps", "FPS"),
    ] {
        let values = values(events, Some(metric));
        says = says
            .maybe(mean_name, mean(&values), 4)
            .maybe(p75, quantile(&values, 0.75), 4);
    }
    says
}

fn loads(asked: &Question<'_>, key: fn(&Event) -> Vec<Part>) -> Table {
    top(asked, asked.rows(is_page), |event| key(event), loaded).keep_known("avg_load_time")
}

fn loaded(events: &[&Event]) -> Says {
    let views: Vec<&Event> = events
        .iter()
        .copied()
        .filter(|event| is_view(event))
        .collect();
    let loads = measured(events, |page| page.load_time);
    let bytes = measured(events, |page| page.ttfb);
    seen_by(Says::default(), visitors(&views))
        .int(&["pageviews"], views.len())
        .maybe("avg_load_time", mean(&loads), 2)
        .maybe("p50_load_time", quantile(&loads, 0.5), 2)
        .maybe("p75_load_time", quantile(&loads, 0.75), 2)
        .maybe("p90_load_time", quantile(&loads, 0.9), 2)
        .maybe("p95_load_time", quantile(&loads, 0.95), 2)
        .maybe("p99_load_time", quantile(&loads, 0.99), 2)
        .maybe("avg_ttfb", mean(&bytes), 2)
        .maybe("p95_ttfb", quantile(&bytes, 0.95), 2)
        .maybe(
            "avg_dom_ready_time",
            mean(&measured(events, |page| page.dom_ready_time)),
            2,
        )
        .maybe(
            "avg_render_time",
            mean(&measured(events, |page| page.render_time)),
            2,
        )
}

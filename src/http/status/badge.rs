//! Badges: one line in a picture.

use super::{RenderedDocument, markdown::escape};
use crate::{
    actors::status_pages::{MonitorSnapshot, MonitorStatus, Overall, Snapshot},
    http::page_cache::{BadgeMetric, BadgeQuery, BadgeWindow},
};

impl BadgeWindow {
    const fn days(self) -> usize {
        match self {
            // Days are whole and UTC: of today alone there may be next to nothing.
            Self::Day => 2,
            Self::Week => 7,
            Self::Month => 30,
            Self::All => 90,
        }
    }
}

const GREEN: &str = "#1a7f37";
const AMBER: &str = "#9a6700";
const RED: &str = "#b42318";
const BLUE: &str = "#0969da";
const GREY: &str = "#57606a";

pub(super) fn draw_page(seen: &Snapshot, query: BadgeQuery) -> RenderedDocument {
    let (words, colour) = match query.metric {
        BadgeMetric::Status => match seen.overall {
            Overall::Operational => ("operational".to_owned(), GREEN),
            Overall::Degraded if !seen.has_outage() => ("partial outage".to_owned(), AMBER),
            Overall::Degraded | Overall::Outage => ("major outage".to_owned(), RED),
            Overall::Maintenance => ("maintenance".to_owned(), BLUE),
            Overall::Unknown => ("unknown".to_owned(), GREY),
        },
        BadgeMetric::Uptime => {
            let shown = seen.monitors.iter();
            let shown = shown.filter(|one| !one.listed.fields.hide_uptime_percentage);
            uptime(mean(
                shown.filter_map(|one| one.uptime(query.window.days())),
            ))
        }
        BadgeMetric::Response => {
            let shown = seen.monitors.iter();
            let shown = shown.filter(|one| !one.listed.fields.hide_latency);
            response(mean(
                shown.filter_map(|one| one.response(query.window.days())),
            ))
        }
    };
    draw(&seen.page.fields.name, &words, colour)
}

pub(super) fn draw_monitor(
    seen: &Snapshot,
    id: &str,
    query: BadgeQuery,
) -> Option<RenderedDocument> {
    let one: &MonitorSnapshot = seen.monitors.iter().find(|one| one.listed.id == id)?;
    let hides = &one.listed.fields;
    let days = query.window.days();
    let (words, colour) = match query.metric {
        BadgeMetric::Status if one.in_maintenance => ("maintenance".to_owned(), BLUE),
        BadgeMetric::Status => match one.status {
            MonitorStatus::Up => ("up".to_owned(), GREEN),
            MonitorStatus::Degraded => ("degraded".to_owned(), AMBER),
            MonitorStatus::Down => ("down".to_owned(), RED),
            MonitorStatus::Unknown => ("unknown".to_owned(), GREY),
        },
        BadgeMetric::Uptime => uptime(one.uptime(days).filter(|_| !hides.hide_uptime_percentage)),
        BadgeMetric::Response => response(one.response(days).filter(|_| !hides.hide_latency)),
    };
    Some(draw(&one.name, &words, colour))
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

fn uptime(percent: Option<f64>) -> (String, &'static str) {
    match percent {
        Some(percent) if percent >= 99.5 => (format!("{percent:.2}%"), GREEN),
        Some(percent) if percent >= 97.0 => (format!("{percent:.2}%"), AMBER),
        Some(percent) => (format!("{percent:.2}%"), RED),
        None => ("unknown".to_owned(), GREY),
    }
}

fn response(ms: Option<f64>) -> (String, &'static str) {
    ms.map_or_else(
        || ("unknown".to_owned(), GREY),
        |ms| (format!("{ms:.0} ms"), GREEN),
    )
}

fn draw(name: &str, words: &str, colour: &str) -> RenderedDocument {
    let name: String = name.chars().take(60).collect();
    let width = |text: &str| 14 + 7 * text.chars().count();
    let (left, right) = (width(&name), width(words));
    let whole = left + right;
    let (name, words) = (escape(&name), escape(words));
    let text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole}\" height=\"20\" role=\"img\" aria-label=\"{name}: {words}\">\
         <title>{name}: {words}</title><rect width=\"{whole}\" height=\"20\" rx=\"3\" fill=\"#24292f\"/>\
         <rect x=\"{left}\" width=\"{right}\" height=\"20\" rx=\"3\" fill=\"{colour}\"/>\
         <g fill=\"#fff\" font-family=\"Verdana,sans-serif\" font-size=\"11\" text-anchor=\"middle\">\
         <text x=\"{}\" y=\"14\">{name}</text><text x=\"{}\" y=\"14\">{words}</text></g></svg>",
        left / 2,
        left + right / 2,
    );
    RenderedDocument::new("image/svg+xml; charset=utf-8", text)
}

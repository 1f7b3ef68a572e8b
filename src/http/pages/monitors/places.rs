//! What each place of a monitor has found, and how long its checks took.

use serde::Deserialize;
use serde_json::json;

use super::draw_ms;
use crate::{
    http::pages::{daily::Daily, prelude::*},
    pages::{
        number,
        part::{Heading, panel, resource_table},
        uptime,
    },
};

/// A row of `uptime_by_region`.
#[derive(Deserialize)]
struct Availability {
    region: String,
    total_checks: u64,
    uptime_percentage: Option<f64>,
    avg_response_time: Option<f64>,
}

/// A row of `uptime_region_phases`.
#[derive(Deserialize)]
struct Phases {
    region: String,
    avg_dns: Option<f64>,
    avg_tcp: Option<f64>,
    avg_tls: Option<f64>,
    avg_wait: Option<f64>,
    avg_transfer: Option<f64>,
}

const QUERIES: [&str; 2] = ["uptime_by_region", "uptime_region_phases"];

/// The panel with a row for each place, if they have checked.
pub(super) async fn draw(context: &PageContext, id: &str, date_format: &DateFormat) -> Markup {
    let (first, last) = Daily::from_query(context, date_format).range();
    let body = json!({
        "parameters": QUERIES, "startDate": first, "endDate": last, "timeZone": date_format.zone.name(),
    });
    let Ok(answers) = context.query_monitor(id, body).await else {
        return html! {};
    };
    let uptimes = answers.rows::<Availability>(QUERIES[0]).unwrap_or_default();
    let phases = answers.rows::<Phases>(QUERIES[1]).unwrap_or_default();
    if uptimes.is_empty() {
        return html! {};
    }
    let headings = [
        Heading::Text("Location"),
        Heading::Number("Checks"),
        Heading::Number("Uptime"),
        Heading::Number("Response time"),
        Heading::Number("DNS lookup"),
        Heading::Number("TCP connection"),
        Heading::Number("TLS handshake"),
        Heading::Number("Time to first byte"),
        Heading::Number("Download"),
    ];
    let rows = html! {
        @for row in &uptimes {
            @let own = phases.iter().find(|one| one.region == row.region);
            tr {
                td { span.name { (name(&row.region)) } }
                td.num data-label="Checks" { (number::full(row.total_checks)) }
                td.num data-label="Uptime" { (row.uptime_percentage.map_or_else(|| number::NONE.to_owned(), uptime::percent)) }
                td.num data-label="Response time" { (draw_ms(row.avg_response_time)) }
                td.num data-label="DNS lookup" { (draw_ms(own.and_then(|own| own.avg_dns))) }
                td.num data-label="TCP connection" { (draw_ms(own.and_then(|own| own.avg_tcp))) }
                td.num data-label="TLS handshake" { (draw_ms(own.and_then(|own| own.avg_tls))) }
                td.num data-label="Time to first byte" { (draw_ms(own.and_then(|own| own.avg_wait))) }
                td.num data-label="Download" { (draw_ms(own.and_then(|own| own.avg_transfer))) }
            }
        }
    };
    let table = resource_table("Locations in the last 30 days", &headings, &rows);
    panel("Locations (30 days)", &table)
}

/// This server has a name of its own in rows.
fn name(region: &str) -> &str {
    if region == "local" {
        "This server"
    } else {
        region
    }
}

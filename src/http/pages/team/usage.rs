//! How much of what the plan allows is used.

use actix_web::HttpResponse;
use maud::html;
use serde::Deserialize;
use serde_json::json;

use crate::{
    fault::Fault,
    http::{
        pages::{page, visit::Visit},
        routes::Route,
    },
    pages::{
        frame::Place,
        number,
        part::{meter, panel},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page("/console/usage", |route| route.to(show))]
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    used: Option<u64>,
    limit: Option<u64>,
    next_plan: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Plan {
    plan_id: String,
}

async fn show(visit: Visit) -> Result<HttpResponse, Fault> {
    let usage: Usage = visit.ask("organizations", "getUsage", json!({})).await?;
    let plan: Plan = visit
        .ask("organizations", "getBillingContext", json!({}))
        .await?;
    let inside = html! {
        @match (usage.used, usage.limit) {
            (None, _) => p { "Nothing is limited on this installation. Its operator can switch plans on (" code { "plans.enabled" } ")." },
            (Some(used), None) => p { (number::counted(used, "event", "events")) " this month (UTC). The plan " strong { (plan.plan_id) } " limits nothing." },
            (Some(used), Some(limit)) => {
                table.table.list { tbody { tr {
                    td { (meter(100.0 * used as f64 / limit.max(1) as f64)) span.word { (number::full(used)) " of " (number::counted(limit, "event", "events")) " this month (UTC)" } }
                    td.num { (number::percent(100.0 * used as f64 / limit.max(1) as f64)) }
                } } }
                p { "Plan: " strong { (plan.plan_id) } @if let Some(next) = &usage.next_plan { ". " (next) " allows more; the operator of this installation changes plans." } }
                @if used >= limit { p.wrong { "Events are refused until the month is over." } }
            },
        }
    };
    let main = html! { div.title-row { h1 { "Usage" } } (panel("Events", &inside)) };
    Ok(visit.show(Place::Usage, "Usage", &main))
}

//! The usage of the plan, and the received events by day.

use serde::Deserialize;
use serde_json::json;

use crate::{
    analytics::run::Answers,
    http::{
        pages::{daily::Daily, prelude::*},
        procedures::{
            bodies::OrganizationBody,
            organizations::{self, BillingContextBody},
        },
    },
    pages::{
        number,
        part::{empty, meter, notice, panel},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/usage", |route| route.to(show))]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let usage = context.ask(&organizations::GET_USAGE, OrganizationBody::default());
    let figures = usage.await?.figures;
    let plan = BillingContextBody::default();
    let plan = context
        .ask(&organizations::GET_BILLING_CONTEXT, plan)
        .await?;
    let inside = html! {
        @match figures.as_ref().map(|figures| (figures.used, figures.limit)) {
            None => p { "Nothing is limited on this installation. Its operator can switch plans on (" code { "plans.enabled" } ")." },
            Some((used, None)) => p { (number::with_noun(used, "event", "events")) " this month (UTC). The plan " strong { (plan.plan_id) } " limits nothing." },
            Some((used, Some(limit))) => {
                table.table.list { tbody { tr {
                    td { (meter(100.0 * used as f64 / limit.max(1) as f64)) span.word { (number::full(used)) " of " (number::with_noun(limit, "event", "events")) " this month (UTC)" } }
                    td.num { (number::percent(100.0 * used as f64 / limit.max(1) as f64)) }
                } } }
                p { "Plan: " strong { (plan.plan_id) } @if let Some(next) = figures.as_ref().and_then(|figures| figures.next_plan.as_ref()) { ". " (next) " allows more; the operator of this installation changes plans." } }
                @if used >= limit { p.wrong { "Events are refused until the month is over." } }
            },
        }
    };
    let date_format = context.date_format().await?;
    let daily = Daily::from_query(&context, &date_format);
    let main = html! {
        div.title-row { h1 { "Usage" } div.actions { (daily.tabs("/console/usage")) } }
        (panel(if figures.is_some() { "Events of this month" } else { "Limits" }, &inside))
        (panel(&format!("Received in {} days", daily.count), &received(&context, &daily, &date_format).await))
    };
    Ok(context.show(NavItem::Usage, "Usage", &main))
}

/// The outcomes of received events, of all days or of one.
#[derive(Deserialize)]
struct Balance {
    date: String,
    received: u64,
    stored: u64,
    duplicates: u64,
    bots: u64,
    rejected: u64,
}

/// The received events of all websites, by the time of receipt.
async fn received(context: &PageContext, daily: &Daily, date_format: &DateFormat) -> Markup {
    let (first, last) = daily.range();
    let body = json!({
        "parameters": ["data_quality_totals", "data_quality"], "startDate": first, "endDate": last, "granularity": "daily",
        "timeZone": date_format.zone.name(),
    });
    let read = |answers: Answers| -> Result<(Vec<Balance>, Vec<Balance>), String> {
        Ok((
            answers.rows("data_quality_totals")?,
            answers.rows("data_quality")?,
        ))
    };
    let asked = context.query_organization(body).await;
    let asked = asked.map_err(|fault| fault.message.into_owned());
    let (totals, days) = match asked.and_then(read) {
        Ok(read) => read,
        Err(message) => return notice("warn", &html! { (message) }),
    };
    let Some(all) = totals.first().filter(|all| all.received > 0) else {
        return empty(
            "Nothing was received in these days",
            &html! { p { "Open Installation of a website to send the first event." } },
        );
    };
    let on = |day: &str| {
        let own = days.iter().find(|row| row.date.starts_with(day));
        own.map(|row| row.stored as f64)
    };
    let written = |events: f64| number::short(events as u64);
    html! {
        ul.headline {
            @for (what, count) in [
                ("Received", all.received), ("Stored", all.stored), ("Sent twice", all.duplicates), ("Bots", all.bots), ("Refused", all.rejected),
            ] { li { span.fact { span.what { (what) } strong { (number::full(count)) } } } }
        }
        (daily.chart("Stored events", (true, 0.0), &written, on))
    }
}

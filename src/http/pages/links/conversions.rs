//! What became of people who came by a link: from clicks to sales.

use serde::Deserialize;
use serde_json::json;

use crate::{
    analytics::run::Answers,
    http::{
        pages::{daily::Daily, prelude::*},
        procedures::links::LinkOut,
    },
    pages::{
        number,
        part::{RankedRow, panel, ranked_list},
    },
};

/// The query type of the panel.
const TYPE: &str = "conversions_by_link";

#[derive(Deserialize)]
struct Row {
    clicks: u64,
    visitors: u64,
    leads: u64,
    customers: u64,
    sales: u64,
    revenue: Vec<Amount>,
}

#[derive(Deserialize)]
struct Amount {
    currency: String,
    amount: f64,
}

/// The panel; nothing until a website has seen a visitor who came by the link.
pub(super) async fn draw(link: &LinkOut, page: &Page<'_>, daily: &Daily) -> Markup {
    let (first, last) = daily.range();
    let filter = json!({ "field": "short_link", "op": "eq", "value": link.id });
    let body = json!({
        "parameters": [TYPE], "startDate": first, "endDate": last,
        "timeZone": page.date_format.zone.name(), "filters": [filter],
    });
    let owner = Some(link.organization_id.clone());
    let answers = page.context.query_owner(owner, body).await;
    let row = answers.ok().and_then(|answers| read(&answers));
    html! { @if let Some(row) = row { (panel("Conversions", &draw_row(&row))) } }
}

fn read(answers: &Answers) -> Option<Row> {
    let rows: Vec<Row> = answers.rows(TYPE).ok()?;
    rows.into_iter().find(|row| row.visitors > 0)
}

fn draw_row(row: &Row) -> Markup {
    let steps = [
        ("Clicks", row.clicks),
        ("Visitors", row.visitors),
        ("Leads: identified visitors", row.leads),
        ("Customers: visitors who paid", row.customers),
    ];
    let steps = steps.map(|(name, count)| RankedRow {
        name: name.to_owned(),
        link: None,
        numbers: vec![count],
    });
    let amounts = row.revenue.iter().map(|paid| {
        let amount = number::money(paid.amount);
        format!("{amount} {}", paid.currency).trim_end().to_owned()
    });
    let amounts: Vec<String> = amounts.collect();
    html! {
        (ranked_list(Texts::ENGLISH, "Step", &["Count"], &steps))
        @if row.sales > 0 { p { (number::with_noun(row.sales, "sale", "sales")) ": " (amounts.join(", ")) } }
        p.dim { "What visitors did on your websites after they came by this link, until they came by another one." }
    }
}

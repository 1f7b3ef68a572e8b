//! What became of people who came by short links.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    Oracle,
    people::{PersonId, people},
    question::{Question, is_activity, is_custom, is_view},
    revenue::{property, worth},
    table::{Line, Order, Raw, Says, Table, Way, rounded},
    things::is_click,
};
use crate::events::event::Event;

pub(super) const ORACLES: &[Oracle] = &[("conversions_by_link", conversions)];

/// What is counted of one link.
#[derive(Default)]
struct Counts {
    clicks: usize,
    visitors: BTreeSet<PersonId>,
    customers: BTreeSet<PersonId>,
    sales: usize,
    /// Ten thousandths by currency.
    paid: BTreeMap<String, i64>,
}

fn link(event: &Event) -> Option<&str> {
    if !is_view(event) && !is_click(event) {
        return None;
    }
    event.link.as_deref().filter(|link| !link.is_empty())
}

/// The link that an event belongs to: of the last arrival that is not after it.
fn came_by<'a>(events: &[&'a Event], event: &Event) -> Option<&'a str> {
    let arrivals = events
        .iter()
        .filter(|one| one.time <= event.time)
        .filter_map(|one| Some((one.time, link(one)?)));
    arrivals.max().map(|(_, link)| link)
}

fn conversions(asked: &Question<'_>) -> Table {
    let mut links: BTreeMap<String, Counts> = BTreeMap::new();
    for click in asked.rows(is_click) {
        if let Some(link) = link(click) {
            links.entry(link.to_owned()).or_default().clicks += 1;
        }
    }
    for (who, events) in people(asked, &asked.rows(is_activity)) {
        for event in &events {
            let Some(link) = came_by(&events, event) else {
                continue;
            };
            let counts = links.entry(link.to_owned()).or_default();
            counts.visitors.insert(who.clone());
            if let Some(worth) = worth(event).filter(|_| is_custom(event)) {
                let currency = property(event, "currency").to_uppercase();
                *counts.paid.entry(currency).or_default() += worth;
                if worth >= 0 {
                    counts.sales += 1;
                    counts.customers.insert(who.clone());
                }
            }
        }
    }
    let wanted = asked.parameter.settings.short_link.as_ref();
    links.retain(|link, _| wanted.is_none_or(|wanted| wanted == link));
    Table {
        lines: links.into_iter().map(line).collect(),
        order: Order::Column("visitors", Way::Down),
    }
}

fn line((link, counts): (String, Counts)) -> Line {
    let leads = counts.visitors.iter().filter(|who| !who.0.is_empty());
    let (visitors, customers) = (counts.visitors.len(), counts.customers.len());
    let rate = (visitors > 0).then(|| 100.0 * customers as f64 / visitors as f64);
    let amounts = counts.paid.iter().map(|(currency, paid)| {
        let amount = rounded(*paid as f64 / 10_000.0, 2);
        let whole = amount.fract() == 0.0;
        let amount = if whole {
            json!(amount as i64)
        } else {
            json!(amount)
        };
        json!({ "currency": currency, "amount": amount })
    });
    let says = Says::default()
        .text("link_id", Some(&link))
        .int(&["clicks"], counts.clicks)
        .int(&["visitors"], visitors)
        .int(&["leads"], leads.count())
        .int(&["customers"], customers)
        .int(&["sales"], counts.sales)
        .float("conversion_rate", rate, 2)
        .value("revenue", Value::Array(amounts.collect()));
    Line {
        keys: vec![Raw::Text(link)],
        says,
    }
}

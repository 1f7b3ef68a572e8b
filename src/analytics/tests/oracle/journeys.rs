//! Which page follows which.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Oracle,
    question::{Question, distinct, is_view, visits},
    table::{Line, Order, Raw, Says, Table, Way},
};
use crate::events::event::Event;

pub(super) const ORACLES: &[Oracle] = &[("user_journeys", flows)];

/// A place in visits, the page there and the one behind it.
type Flow = (usize, String, String);

fn page(event: &Event) -> String {
    match event.path.as_str() {
        "" => "/".to_owned(),
        path => path.to_owned(),
    }
}

/// A view: its time and receipt, page and visitor.
type View = ((i64, i64), String, u64);

/// The pages of a visit, one behind the other, from where the journey begins, and who came to each.
fn way(asked: &Question<'_>, views: &[&Event]) -> Vec<View> {
    let mut views: Vec<View> = views
        .iter()
        .map(|event| ((event.time, event.received), page(event), event.visitor))
        .collect();
    views.sort();
    let start = asked.parameter.settings.journey_start.as_ref();
    let begins = |(_, page, _): &&View| start.is_none_or(|start| page == start);
    let Some((since, ..)) = views.iter().find(begins).cloned() else {
        return Vec::new();
    };
    views.retain(|(at, ..)| *at >= since);
    views.dedup_by(|later, earlier| later.1 == earlier.1);
    views
}

fn flows(asked: &Question<'_>) -> Table {
    let mut flows: BTreeMap<Flow, (usize, BTreeSet<u64>)> = BTreeMap::new();
    for visit in visits(&asked.rows(is_view)) {
        let pages = way(asked, &visit.0);
        let most = asked.parameter.settings.journey_steps as usize;
        for (place, (_, page, visitor)) in pages.iter().enumerate().take(most) {
            let next = pages.get(place + 1).map(|(_, next, _)| next.clone());
            let next = next.unwrap_or_default();
            let flow = flows.entry((place + 1, page.clone(), next)).or_default();
            flow.0 += 1;
            flow.1.insert(*visitor);
        }
    }
    let mut sums: BTreeMap<(usize, String), usize> = BTreeMap::new();
    for ((place, page, _), (visits, _)) in &flows {
        *sums.entry((*place, page.clone())).or_default() += visits;
    }
    let lines = flows.into_iter().map(|((place, page, next), flow)| {
        let all = sums[&(place, page.clone())] as f64;
        let says = Says::default()
            .int(&["step"], place)
            .text("source", Some(&page))
            .text("target", Some(&next))
            .int(&["sessions"], flow.0)
            .int(&["visitors"], distinct(flow.1.into_iter()))
            .float("percentage", Some(100.0 * flow.0 as f64 / all), 2);
        Line {
            keys: vec![Raw::Int(place as i64), Raw::Text(page), Raw::Text(next)],
            says,
        }
    });
    Table {
        lines: lines.collect(),
        order: Order::Column("sessions", Way::Down),
    }
}

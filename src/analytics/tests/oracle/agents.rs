//! What agents fetched, and whose events are doubted.

use std::collections::BTreeSet;

use super::{
    Oracle,
    filter::{agent, reasons, verdict},
    group::{Part, series, top, whole},
    question::{Question, is_view, visitors},
    table::{Raw, Says, Table},
};
use crate::events::event::{AgentRequest, Bot, Details, Event};

pub(super) const ORACLES: &[Oracle] = &[
    ("ai_traffic_summary", |asked| {
        whole(asked, requests(asked), |events| {
            many(events).and(purposes(events)).and(last(events))
        })
    }),
    ("ai_traffic_over_time", |asked| {
        series(
            asked,
            requests(asked),
            |event| event.time,
            |events| many(events).and(purposes(events)),
        )
    }),
    ("ai_traffic_agents", |asked| {
        by(
            asked,
            |event| {
                let name = Says::default()
                    .text("name", Some(&event.name))
                    .text("agent", Some(&event.name));
                vec![
                    (Raw::text(&event.name), name),
                    product(event),
                    operator(event),
                    purpose(event),
                ]
            },
            |events| pages(count(events), events).and(last(events)),
        )
    }),
    ("ai_traffic_products", |asked| {
        by(
            asked,
            |event| vec![product(event), operator(event)],
            |events| many(events).and(purposes(events)).and(last(events)),
        )
    }),
    ("ai_traffic_purposes", |asked| {
        by(
            asked,
            |event| vec![purpose(event)],
            |events| many(events).and(last(events)),
        )
    }),
    ("ai_traffic_pages", |asked| {
        by(
            asked,
            |event| {
                let path = Says::default()
                    .text("page", Some(&event.path))
                    .text("path", Some(&event.path));
                vec![(Raw::text(&event.path), path)]
            },
            |events| {
                agents(count(events), events)
                    .and(purposes(events))
                    .and(last(events))
            },
        )
    }),
    ("suspected_bots", |asked| {
        let doubted = asked.rows(|event| {
            let beside = matches!(
                event.details,
                Details::Agent(_)
                    | Details::Click
                    | Details::Check(_)
                    | Details::Counter { .. }
                    | Details::Alias
            );
            event.bot != Bot::No && !beside
        });
        let key = |event: &&Event| {
            let verdict = verdict(event);
            let why = reasons(event);
            let why: Vec<&str> = why
                .into_iter()
                .filter(|name| *name != "suspected")
                .collect();
            let mut shown = Says::default().value("reasons", why.join(", "));
            let bits = Raw::Int(event.bot_signals.into());
            shown.0[0].raw = Some(bits.clone());
            let says = Says::default().text("verdict", Some(verdict));
            vec![(Raw::text(verdict), says), (bits, shown)] as Vec<Part>
        };
        top(asked, doubted, key, |events| {
            let views = events.iter().filter(|event| is_view(event)).count();
            Says::default()
                .int(&["events"], events.len())
                .int(&["pageviews"], views)
                .int(&["visitors", "unique_visitors"], visitors(events))
                .and(last(events))
        })
        .share("events")
    }),
];

fn requests<'a>(asked: &Question<'a>) -> Vec<&'a Event> {
    asked.rows(|event| agent(event).is_some())
}

fn by(
    asked: &Question<'_>,
    key: impl Fn(&Event) -> Vec<Part>,
    say: impl Fn(&[&Event]) -> Says,
) -> Table {
    top(asked, requests(asked), |event| key(event), say).share("requests")
}

fn count(events: &[&Event]) -> Says {
    Says::default().int(&["requests"], events.len())
}

fn agents(says: Says, events: &[&Event]) -> Says {
    let names: BTreeSet<&str> = events.iter().map(|event| event.name.as_str()).collect();
    says.int(&["agents"], names.len())
}

fn pages(says: Says, events: &[&Event]) -> Says {
    let paths: BTreeSet<&str> = events.iter().map(|event| event.path.as_str()).collect();
    says.int(&["pages"], paths.len())
}

fn many(events: &[&Event]) -> Says {
    pages(agents(count(events), events), events)
}

fn purposes(events: &[&Event]) -> Says {
    let of = |names: &[&str]| {
        let told = events.iter().filter_map(|event| agent(event));
        told.filter(|agent| names.contains(&agent.purpose.as_str()))
            .count()
    };
    Says::default()
        .int(&["training"], of(&["ai_training"]))
        .int(&["search_index"], of(&["ai_search"]))
        .int(&["on_demand"], of(&["ai_user", "ai_agent"]))
}

fn last(events: &[&Event]) -> Says {
    Says::default().time("last_seen", events.iter().map(|event| event.time).max())
}

fn part(event: &Event, name: &'static str, of: fn(&AgentRequest) -> &str) -> Part {
    let raw = Raw::text(agent(event).map_or("", of));
    let shown = Says::default().label(&[name], &raw, "Unknown");
    (raw, shown)
}

fn product(event: &Event) -> Part {
    part(event, "product", |agent| &agent.product)
}

fn operator(event: &Event) -> Part {
    part(event, "operator", |agent| &agent.operator)
}

fn purpose(event: &Event) -> Part {
    part(event, "purpose", |agent| &agent.purpose)
}

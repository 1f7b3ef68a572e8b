//! How pages are used.

use std::collections::BTreeMap;

use super::{
    Oracle,
    group::{series, top, total},
    question::{
        Item, Question, began, distinct, earliest, is_exit, is_view, mean, page, quantile, seen_by,
        sessions, visitors,
    },
    table::{Raw, Says, Table, Way},
    views::path,
};
use crate::{
    analytics::catalogue::Field,
    events::event::{Details, Engagement, Event},
};

pub(super) const ORACLES: &[Oracle] = &[
    ("scroll_depth_summary", |asked| {
        total(asked, asked.rows(scrolled), |events| {
            Says::default()
                .float("avg_scroll_depth", mean(&depths(events)), 1)
                .int(&["total_sessions"], sessions(events))
                .int(&["visitors"], visitors(events))
        })
    }),
    ("scroll_depth_distribution", distribution),
    ("page_scroll_performance", |asked| {
        let rows = asked.rows(|event| is_view(event) || scrolled(event));
        top(
            asked,
            rows,
            |event| vec![path(event)],
            |events| {
                let exits: Vec<&Event> = events
                    .iter()
                    .copied()
                    .filter(|event| scrolled(event))
                    .collect();
                let views = events.iter().filter(|event| is_view(event)).count();
                // Unknown without scrolling; those lines go.
                let says = Says::default().maybe("avg_scroll_depth", mean(&depths(&exits)), 1);
                seen_by(says, visitors(&exits))
                    .int(&["sessions"], sessions(&exits))
                    .int(&["pageviews"], views)
            },
        )
        .keep_known("avg_scroll_depth")
    }),
    ("interaction_summary", |asked| {
        let rows =
            asked.rows(|event| (is_view(event) || is_exit(event)) && interactions(event).is_some());
        total(asked, rows, |events| {
            let counts: Vec<f64> = events
                .iter()
                .filter_map(|event| interactions(event))
                .collect();
            // A visitor's share of a session is active when any of its pages is.
            let active = events
                .iter()
                .filter(|event| interactions(event) > Some(0.0));
            let active = distinct(active.map(|event| event.session));
            let all = sessions(events);
            Says::default()
                .float("avg_interactions", mean(&counts), 1)
                .int(&["interactive_sessions"], active)
                .float(
                    "interaction_rate",
                    (all > 0).then(|| 100.0 * active as f64 / all as f64),
                    1,
                )
                .int(&["total_sessions"], all)
        })
    }),
    ("frustration_by_page", |asked| {
        spans(
            asked,
            |_| true,
            |events, spans| {
                let rate = |which: fn(&Engagement) -> bool| {
                    let with = spans.iter().filter(|span| which(span)).count();
                    Some(100.0 * with as f64 / spans.len() as f64)
                };
                let says = Says::default().int(&["page_views"], events.len());
                let dead = spans.iter().filter(|span| span.dead_clicks > 0);
                let rage = spans.iter().filter(|span| span.rage_clicks > 0);
                seen_by(says, visitors(events))
                    .float("rage_click_rate", rate(|span| span.rage_clicks > 0), 1)
                    .float("dead_click_rate", rate(|span| span.dead_clicks > 0), 1)
                    .float("error_rate", rate(|span| span.errors > 0), 1)
                    .text(
                        "top_dead_click_target",
                        commonest(dead.map(|span| &span.dead_target)),
                    )
                    .text(
                        "top_rage_click_target",
                        commonest(rage.map(|span| &span.rage_target)),
                    )
                    .int(
                        &["frustrated_views"],
                        spans
                            .iter()
                            .filter(|span| {
                                span.rage_clicks > 0 || span.dead_clicks > 0 || span.errors > 0
                            })
                            .count(),
                    )
            },
        )
        .at_least("page_views", 5.0)
        .by_sum("rage_click_rate", "dead_click_rate")
    }),
    ("form_abandonment_by_page", |asked| {
        spans(
            asked,
            |span| span.form_fields >= 1,
            |_, spans| {
                let left = || spans.iter().filter(|span| span.form_submits == 0);
                let rate = 100.0 * left().count() as f64 / spans.len() as f64;
                Says::default()
                    .int(&["form_starts"], spans.len())
                    .int(&["form_submits"], spans.len() - left().count())
                    .float("abandonment_rate", Some(rate), 1)
                    .text(
                        "top_abandoned_field",
                        commonest(left().map(|span| &span.last_field)),
                    )
            },
        )
        .at_least("form_starts", 5.0)
    }),
    ("engagement_summary", |asked| {
        let rows = asked.rows(|event| span(event).is_some());
        total(asked, rows, attention)
    }),
    ("engagement_time_series", |asked| {
        let rows = asked.rows(|event| span(event).is_some());
        series(asked, rows, |event| event.time, attention)
    }),
    ("engagement_quality_by_page", |asked| {
        spans(
            asked,
            |_| true,
            |_, spans| {
                let of = |what: fn(&Engagement) -> f32| -> Vec<f64> {
                    spans.iter().map(|span| f64::from(what(span))).collect()
                };
                let (stays, active) = (of(|span| span.time_on_page), of(|span| span.active_time));
                let all: f64 = stays.iter().sum();
                let attention = (all > 0.0).then(|| 100.0 * active.iter().sum::<f64>() / all);
                let counts: Vec<f64> = spans
                    .iter()
                    .map(|span| f64::from(span.interactions))
                    .collect();
                let first = spans.iter().filter_map(|span| span.first_interaction);
                let first: Vec<f64> = first.map(f64::from).collect();
                Says::default()
                    .int(&["page_views"], spans.len())
                    .float("avg_time_on_page", mean(&stays), 1)
                    .float("avg_active_time", mean(&active), 1)
                    .float("attention_ratio", attention, 1)
                    .float("avg_scroll_depth", mean(&of(|span| span.scroll_depth)), 1)
                    .float("avg_interactions", mean(&counts), 1)
                    .maybe("median_time_to_first_interaction", quantile(&first, 0.5), 1)
            },
        )
        .at_least("page_views", 5.0)
    }),
];

fn depth(event: &Event) -> Option<f64> {
    let depth = page(event)?.scroll_depth?;
    (depth > 0.0).then(|| f64::from(depth))
}

fn scrolled(event: &Event) -> bool {
    is_exit(event) && depth(event).is_some()
}

fn depths(events: &[&Event]) -> Vec<f64> {
    events.iter().filter_map(|event| depth(event)).collect()
}

fn interactions(event: &Event) -> Option<f64> {
    page(event)?.interactions.map(f64::from)
}

/// The most frequent text; of equally frequent ones the smallest.
fn commonest<'a>(texts: impl Iterator<Item = &'a Option<String>>) -> Option<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for text in texts.filter_map(|text| text.as_deref()) {
        if !text.is_empty() {
            *counts.entry(text).or_default() += 1;
        }
    }
    let most = counts.values().copied().max()?;
    counts
        .into_iter()
        .find(|(_, count)| *count == most)
        .map(|(text, _)| text)
}

fn span(event: &Event) -> Option<&Engagement> {
    match &event.details {
        Details::Engagement(span) => Some(span),
        _ => None,
    }
}

fn attention(events: &[&Event]) -> Says {
    let spans: Vec<&Engagement> = events.iter().filter_map(|event| span(event)).collect();
    let of = |what: fn(&Engagement) -> f32| -> Vec<f64> {
        spans.iter().map(|span| f64::from(what(span))).collect()
    };
    let (stays, active) = (of(|span| span.time_on_page), of(|span| span.active_time));
    let all: f64 = stays.iter().sum();
    let share = (all > 0.0).then(|| 100.0 * active.iter().sum::<f64>() / all);
    let counts: Vec<f64> = spans
        .iter()
        .map(|span| f64::from(span.interactions))
        .collect();
    Says::default()
        .int(&["page_views"], spans.len())
        .maybe("avg_time_on_page", mean(&stays), 1)
        .maybe("avg_active_time", mean(&active), 1)
        .maybe("attention_ratio", share, 1)
        .maybe("avg_scroll_depth", mean(&of(|span| span.scroll_depth)), 1)
        .maybe("avg_interactions", mean(&counts), 1)
}

fn spans(
    asked: &Question<'_>,
    which: fn(&Engagement) -> bool,
    say: impl Fn(&[&Event], &[&Engagement]) -> Says,
) -> Table {
    let rows = asked.rows(|event| span(event).is_some_and(which));
    top(
        asked,
        rows,
        |event| vec![path(event)],
        |events| {
            let spans: Vec<&Engagement> = events.iter().filter_map(|event| span(event)).collect();
            say(events, &spans)
        },
    )
}

/// The exits of one session.
struct Scrolls<'a>(Vec<&'a Event>);

impl Item for Scrolls<'_> {
    fn raw(&self, asked: &Question<'_>, field: &Field) -> Raw {
        began(&self.0, |event| event.raw(asked, field))
    }
}

fn distribution(asked: &Question<'_>) -> Table {
    const NAMES: &[&str] = &["0-25%", "25-50%", "50-75%", "75-100%", "100%"];
    let mut by_session: BTreeMap<u64, Vec<&Event>> = BTreeMap::new();
    for event in asked.rows(scrolled) {
        by_session.entry(event.session).or_default().push(event);
    }
    by_session.remove(&0);
    let key = |scrolls: &Scrolls<'_>| {
        let deepest = depths(&scrolls.0).into_iter().fold(0.0, f64::max);
        let place = [25.0, 50.0, 75.0, 100.0]
            .iter()
            .filter(|bound| deepest >= **bound)
            .count();
        let says = Says::default().pick("depth_range", NAMES, place);
        vec![(Raw::Int(place as i64), says)]
    };
    let items = by_session.into_values().map(Scrolls).collect();
    top(asked, items, key, |sessions| {
        let who = sessions
            .iter()
            .filter_map(|scrolls| earliest(&scrolls.0, |event| Some(event.visitor)));
        let says = Says::default().int(&["sessions"], sessions.len());
        seen_by(says, distinct(who))
    })
    .share("sessions")
    .ordered("depth_range", Way::Up)
}

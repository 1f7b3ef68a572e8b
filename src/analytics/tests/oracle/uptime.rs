//! What probes found.

use serde_json::{Value, json};

use super::{
    Oracle,
    group::{Part, series_and, top, total},
    question::{Question, latest, mean, quantile},
    table::{Cell, Line, Order, Raw, Says, Table, Way},
};
use crate::events::event::{Check, Details, Event, Status};

pub(super) const ORACLES: &[Oracle] = &[
    ("uptime_overview", |asked| {
        total(asked, asked.rows(is_check), |events| {
            certificate(times(uptime(events), events), events)
        })
    }),
    ("uptime_time_series", over_time),
    ("uptime_status_breakdown", |asked| {
        let key = |event: &&Event| {
            let number = |name: &'static str, number: u32| -> Part {
                let says = Says::default().int(&[name], number as usize);
                (Raw::Int(number.into()), says)
            };
            let check = check(event).unwrap();
            vec![
                number("status", check.status.number()),
                number("http_code", check.http_code),
            ]
        };
        top(asked, asked.rows(is_check), key, |events| {
            Says::default().int(&["count"], events.len())
        })
        .share("count")
    }),
    ("uptime_recent_checks", recent),
    ("uptime_response_time_trends", |asked| {
        let rows = asked.rows(is_up);
        series_and(
            asked,
            rows,
            |event| event.time,
            |_| Vec::new(),
            |events| times(Says::default(), events),
        )
    }),
    ("uptime_phases", |asked| {
        let rows = asked.rows(is_up);
        series_and(asked, rows, |event| event.time, |_| Vec::new(), phases)
    }),
    ("uptime_ssl_status", |asked| {
        total(asked, asked.rows(is_check), |events| {
            let bad = events
                .iter()
                .filter(|event| check(event).unwrap().ssl_valid == Some(false));
            certificate(Says::default(), events).int(&["invalid_ssl_checks"], bad.count())
        })
    }),
    ("uptime_region_trends", |asked| {
        let rows = asked.rows(is_up);
        series_and(
            asked,
            rows,
            |event| event.time,
            |event| region(event),
            |events| {
                let took = took(events);
                Says::default()
                    .maybe("avg_response_time", mean(&took), 2)
                    .maybe("p50_response_time", quantile(&took, 0.5), 2)
                    .maybe("p95_response_time", quantile(&took, 0.95), 2)
                    .maybe("avg_ttfb", mean(&first_bytes(events)), 2)
            },
        )
    }),
    ("uptime_region_phases", |asked| {
        top(asked, asked.rows(is_up), |event| region(event), phases)
    }),
    ("uptime_by_region", |asked| {
        top(
            asked,
            asked.rows(is_check),
            |event| region(event),
            |events| {
                let took = took(events);
                Says::default()
                    .int(&["total_checks"], counting(events))
                    .float("uptime_percentage", share(events), 2)
                    .maybe("avg_response_time", mean(&took), 2)
                    .maybe("p95_response_time", quantile(&took, 0.95), 2)
            },
        )
    }),
];

fn region(event: &Event) -> Vec<Part> {
    let raw = Raw::Text(event.region.clone().unwrap_or_default());
    let says = Says::default().label(&["region"], &raw, "Unknown");
    vec![(raw, says)]
}

fn check(event: &Event) -> Option<&Check> {
    match &event.details {
        Details::Check(check) => Some(check),
        _ => None,
    }
}

fn is_check(event: &Event) -> bool {
    check(event).is_some()
}

fn is(event: &Event, status: Status) -> bool {
    check(event).is_some_and(|check| check.status == status)
}

fn is_up(event: &Event) -> bool {
    is(event, Status::Up)
}

fn took(events: &[&Event]) -> Vec<f64> {
    let up = events.iter().filter(|event| is_up(event));
    up.filter_map(|event| check(event).unwrap().total_ms)
        .map(f64::from)
        .collect()
}

fn first_bytes(events: &[&Event]) -> Vec<f64> {
    let up = events.iter().filter(|event| is_up(event));
    up.filter_map(|event| check(event).unwrap().ttfb_ms)
        .map(f64::from)
        .collect()
}

/// Of the checks that say up or down, how many say up.
fn share(events: &[&Event]) -> Option<f64> {
    let count = |status| events.iter().filter(|event| is(event, status)).count() as f64;
    let (up, down) = (count(Status::Up), count(Status::Down));
    (up + down > 0.0).then(|| 100.0 * up / (up + down))
}

/// Checks that say up or down.
fn counting(events: &[&Event]) -> usize {
    let sure = |event: &&&Event| is(event, Status::Up) || is(event, Status::Down);
    events.iter().filter(sure).count()
}

fn uptime(events: &[&Event]) -> Says {
    let up = events.iter().filter(|event| is_up(event)).count();
    Says::default()
        .float("uptime_percentage", share(events), 2)
        .int(&["total_checks"], counting(events))
        .int(&["successful_checks"], up)
}

fn times(says: Says, events: &[&Event]) -> Says {
    let took = took(events);
    let most = took.iter().copied().reduce(f64::max);
    let least = took.iter().copied().reduce(f64::min);
    says.maybe("avg_response_time", mean(&took), 2)
        .maybe("p50_response_time", quantile(&took, 0.5), 2)
        .maybe("p75_response_time", quantile(&took, 0.75), 2)
        .maybe("p90_response_time", quantile(&took, 0.9), 2)
        .maybe("p95_response_time", quantile(&took, 0.95), 2)
        .maybe("p99_response_time", quantile(&took, 0.99), 2)
        .maybe("max_response_time", most, 2)
        .maybe("min_response_time", least, 2)
        .maybe("avg_ttfb", mean(&first_bytes(events)), 2)
}

fn phases(events: &[&Event]) -> Says {
    let of = |name: &str| {
        let read = |event: &&Event| {
            let all: Value = serde_json::from_str(event.properties.as_deref()?).ok()?;
            match &all[name] {
                Value::String(text) => text.parse().ok(),
                other => other.as_f64(),
            }
        };
        let micros: Vec<f64> = events.iter().filter_map(read).collect();
        mean(&micros).map(|micros| micros / 1_000.0)
    };
    Says::default()
        .int(&["successful_checks"], events.len())
        .maybe("avg_response_time", mean(&took(events)), 2)
        .maybe("avg_dns", of("dns_us"), 2)
        .maybe("avg_tcp", of("tcp_us"), 2)
        .maybe("avg_tls", of("tls_us"), 2)
        .maybe("avg_wait", of("ttfb_us"), 2)
        .maybe("avg_transfer", of("transfer_us"), 2)
}

/// What the last check that saw one says of the certificate.
fn certificate(says: Says, events: &[&Event]) -> Says {
    let expiry = latest(events, |event| Some(Raw::Int(check(event)?.ssl_expiry?)));
    let valid = latest(events, |event| {
        Some(Raw::Int(i64::from(check(event)?.ssl_valid?)))
    });
    let at = match expiry {
        Some(Raw::Int(at)) => Some(at),
        _ => None,
    };
    let valid = valid.map(|valid| valid == Raw::Int(1));
    truth(says.time("ssl_expiry", at), "ssl_valid", valid)
}

fn truth(mut says: Says, name: &'static str, truth: Option<bool>) -> Says {
    says.0.push(Cell {
        name,
        shown: json!(truth),
        raw: truth.map(|truth| Raw::Int(truth.into())),
    });
    says
}

fn recent(asked: &Question<'_>) -> Table {
    let lines = asked.rows(is_check).into_iter().map(|event| {
        let check = check(event).unwrap();
        let says = Says::default()
            .time("timestamp", Some(event.time))
            .text("url", Some(&check.url))
            .int(&["status"], check.status.number() as usize)
            .int(&["http_code"], check.http_code as usize)
            .maybe("ttfb_ms", check.ttfb_ms.map(f64::from), 2)
            .maybe("total_ms", check.total_ms.map(f64::from), 0)
            .text("probe_region", event.region.as_deref())
            .text("probe_ip", check.ip.as_deref());
        let says = truth(says, "ssl_valid", check.ssl_valid)
            .time("ssl_expiry", check.ssl_expiry)
            .text("error", check.error.as_deref());
        Line {
            keys: vec![Raw::Int(event.received)],
            says,
        }
    });
    Table {
        lines: lines.collect(),
        order: Order::Column("timestamp", Way::Down),
    }
}

/// What a check said holds until the next one of its monitor, the last until now.
fn over_time(asked: &Question<'_>) -> Table {
    let (_, to) = asked.range.within_events(asked.now);
    let until = to.min(asked.now);
    let mut checks = asked.rows(is_check);
    checks.sort_by_key(|event| (event.website, event.time, event.received));
    let spans: Vec<(&Event, i64)> = checks
        .iter()
        .enumerate()
        .map(|(place, event)| {
            let next = checks.get(place + 1);
            let next = next.filter(|next| next.website == event.website);
            (*event, next.map_or(until, |next| next.time).max(event.time))
        })
        .collect();
    let buckets = asked.buckets();
    let mut lines = Vec::new();
    for (index, bucket) in buckets.iter().enumerate() {
        let here: Vec<&Event> = checks
            .iter()
            .copied()
            .filter(|event| (bucket.start..bucket.end).contains(&event.time))
            .collect();
        let known: Vec<&(&Event, i64)> = spans
            .iter()
            .filter(|(event, until)| event.time < bucket.end && *until > bucket.start)
            .collect();
        if here.is_empty() && known.is_empty() {
            continue;
        }
        let time = |status| -> i64 {
            let of = known.iter().filter(|(event, _)| is(event, status));
            of.map(|(event, until)| (*until).min(bucket.end) - event.time.max(bucket.start))
                .sum()
        };
        let (up, down) = (time(Status::Up), time(Status::Down));
        let share = (up + down > 0).then(|| 100.0 * up as f64 / (up + down) as f64);
        lines.push(Line {
            keys: vec![Raw::Int(index as i64)],
            says: with_uptime(bucket.says("date", index), &here, share, down),
        });
    }
    Table {
        lines,
        order: Order::Column("date", Way::Up),
    }
}

fn with_uptime(says: Says, here: &[&Event], share: Option<f64>, down: i64) -> Says {
    let (took, first) = (took(here), first_bytes(here));
    let up = here.iter().filter(|event| is_up(event)).count();
    says.maybe("uptime_percentage", share, 2)
        .int(&["total_checks"], counting(here))
        .int(&["successful_checks"], up)
        .float("downtime_seconds", Some(down as f64 / 1_000.0), 3)
        .maybe("avg_response_time", mean(&took), 2)
        .maybe("p50_response_time", quantile(&took, 0.5), 2)
        .maybe("p95_response_time", quantile(&took, 0.95), 2)
        .maybe(
            "max_response_time",
            took.iter().copied().reduce(f64::max),
            2,
        )
        .maybe("avg_ttfb", mean(&first), 2)
        .maybe("p50_ttfb", quantile(&first, 0.5), 2)
        .maybe("p95_ttfb", quantile(&first, 0.95), 2)
}

//! Visits: summaries and sessions.

use serde_json::{Value, json};

use super::{
    Oracle,
    filter::spent,
    group::{series, top, total, whole},
    question::{
        Question, Visit, distinct, earliest, is_activity, is_view, latest, mean, page, quantile,
        seen_by, sessions, visitors, visits,
    },
    table::{Line, Order, Raw, Says, Table, Way},
};
use crate::{
    analytics::tests::oracle::group::Part,
    clock::iso_ms,
    events::event::{Details, Event},
};

pub(super) const ORACLES: &[Oracle] = &[
    ("summary_metrics", |asked| {
        series(asked, asked.rows(is_activity), |event| event.time, summary)
    }),
    ("summary_totals", |asked| {
        whole(asked, asked.rows(is_activity), summary)
    }),
    ("today_metrics", |asked| {
        whole(asked, asked.rows(is_activity), |events| {
            Sums::from_events(events).views_visitors_sessions()
        })
    }),
    ("events_by_date", |asked| {
        series(
            asked,
            asked.rows(is_activity),
            |event| event.time,
            |events| {
                let sums = Sums::from_events(events);
                sums.views_visitors_sessions()
                    .float("bounce_rate", sums.bounce_rate(), 2)
                    .float("median_session_duration", sums.median(), 2)
                    .float("pages_per_session", sums.pages(), 2)
            },
        )
    }),
    ("active_stats", |asked| {
        total(asked, asked.rows(is_activity), |events| {
            Says::default()
                .int(&["active_users"], visitors(events))
                .int(&["active_sessions"], sessions(events))
        })
    }),
    ("session_metrics", |asked| {
        total(asked, asked.rows(is_activity), |events| {
            let sums = Sums::from_events(events);
            Says::default()
                .int(&["total_sessions", "sessions"], sums.durations.len())
                .float("median_session_duration", sums.median(), 2)
                .float("avg_session_duration", mean(&sums.durations), 2)
                .float("bounce_rate", sums.bounce_rate(), 2)
                .float("pages_per_session", sums.pages(), 2)
                .int(&["total_events"], events.len())
        })
    }),
    ("sessions_time_series", |asked| {
        series(
            asked,
            asked.rows(is_activity),
            |event| event.time,
            |events| {
                let sums = Sums::from_events(events);
                seen_by(
                    Says::default().int(&["sessions"], sums.durations.len()),
                    sums.visitors,
                )
                .float("bounce_rate", sums.bounce_rate(), 2)
                .float("median_session_duration", sums.median(), 2)
                .float("avg_session_duration", mean(&sums.durations), 2)
                .float("pages_per_session", sums.pages(), 2)
            },
        )
    }),
    ("session_list", |asked| {
        list(asked).ordered("first_visit", Way::Down)
    }),
    ("interesting_sessions", |asked| {
        list(asked).ordered("total_events", Way::Down)
    }),
    ("session_events", session_events),
    ("realtime_feed", realtime_feed),
    ("session_duration_distribution", |asked| {
        top(asked, collect_visits(asked), range, |visits| {
            seen_by(
                Says::default().int(&["sessions"], visits.len()),
                count_visitors(visits),
            )
        })
        .share("sessions")
        .ordered("duration_range", Way::Up)
    }),
    ("sessions_by_device", |asked| {
        by(asked, "device_type", |event| &event.device_type)
    }),
    ("sessions_by_browser", |asked| {
        by(asked, "browser_name", |event| &event.browser_name)
    }),
    ("sessions_by_os", |asked| {
        by(asked, "os_name", |event| &event.os_name)
    }),
    ("sessions_by_country", |asked| {
        let key = |visit: &Visit<'_>| {
            let raw = Raw::Text(first_page_value(visit, |event| &event.country));
            let says = Says::default()
                .country(&["name"], &raw)
                .code("country_code", &raw);
            vec![(raw, says)]
        };
        top(asked, collect_visits(asked), key, like).share("sessions")
    }),
    ("session_flow", |asked| {
        let rows = asked.rows(|event| is_view(event) && event.session != 0);
        top(
            asked,
            rows,
            |event| vec![super::views::path(event)],
            |events| {
                seen_by(
                    Says::default().int(&["sessions"], sessions(events)),
                    visitors(events),
                )
            },
        )
        .share("sessions")
    }),
    ("entry_pages", |asked| {
        ends(asked, |visit| {
            earliest(&visit.0, |event| viewed(event)).unwrap()
        })
    }),
    ("exit_pages", |asked| {
        ends(asked, |visit| {
            latest(&visit.0, |event| viewed(event)).unwrap()
        })
    }),
];

/// What the definitions say of some activity.
pub(super) struct Sums {
    pub(super) views: usize,
    pub(super) visitors: usize,
    pub(super) durations: Vec<f64>,
    bounces: usize,
    pub(super) events: usize,
}

impl Sums {
    pub(super) fn from_events(events: &[&Event]) -> Self {
        let views: Vec<&&Event> = events.iter().filter(|event| is_view(event)).collect();
        let visits = visits(events);
        Self {
            views: views.len(),
            visitors: distinct(views.iter().map(|event| event.visitor)),
            durations: visits.iter().map(Visit::duration).collect(),
            bounces: visits.iter().filter(|visit| visit.is_bounce()).count(),
            events: events.len(),
        }
    }

    fn views_visitors_sessions(&self) -> Says {
        seen_by(
            Says::default().int(&["pageviews"], self.views),
            self.visitors,
        )
        .int(&["sessions"], self.durations.len())
    }

    fn per_session(&self, number: f64) -> Option<f64> {
        let sessions = self.durations.len();
        (sessions > 0).then(|| number / sessions as f64)
    }

    pub(super) fn bounce_rate(&self) -> Option<f64> {
        self.per_session(100.0 * self.bounces as f64)
    }

    pub(super) fn pages(&self) -> Option<f64> {
        self.per_session(self.views as f64)
    }

    pub(super) fn median(&self) -> Option<f64> {
        quantile(&self.durations, 0.5)
    }
}

fn summary(events: &[&Event]) -> Says {
    let sums = Sums::from_events(events);
    sums.views_visitors_sessions()
        .float("bounce_rate", sums.bounce_rate(), 2)
        .float("median_session_duration", sums.median(), 2)
        .int(&["total_events"], sums.events)
}

impl Visit<'_> {
    pub(super) fn duration(&self) -> f64 {
        self.0.iter().filter_map(|event| spent(event)).sum()
    }

    fn is_bounce(&self) -> bool {
        let quiet = |event: &&Event| {
            page(event).is_some() && ["screen_view", "page_exit"].contains(&event.name.as_str())
        };
        let views = self.0.iter().filter(|event| is_view(event)).count();
        views == 1 && self.duration() < 10.0 && self.0.iter().all(quiet)
    }

    /// The visitor of its first page.
    pub(super) fn visitor(&self) -> u64 {
        earliest(&self.0, |event| is_view(event).then_some(event.visitor)).unwrap()
    }
}

pub(super) fn collect_visits<'a>(asked: &Question<'a>) -> Vec<Visit<'a>> {
    visits(&asked.rows(is_activity))
}

fn count_visitors(visits: &[Visit<'_>]) -> usize {
    distinct(visits.iter().map(Visit::visitor))
}

fn viewed(event: &Event) -> Option<String> {
    is_view(event).then(|| event.path.clone())
}

fn ends(asked: &Question<'_>, path: fn(&Visit<'_>) -> String) -> Table {
    let key = |visit: &Visit<'_>| vec![super::views::path_part(path(visit))];
    top(asked, collect_visits(asked), key, |visits| {
        seen_by(
            Says::default().int(&["pageviews", "sessions"], visits.len()),
            count_visitors(visits),
        )
    })
    .share("pageviews")
}

fn range(visit: &Visit<'_>) -> Vec<Part> {
    vec![duration_part(visit.duration())]
}

/// The range that a duration in seconds lies in.
pub(super) fn duration_part(duration: f64) -> Part {
    const NAMES: &[&str] = &[
        "0s",
        "under 10s",
        "10-30s",
        "30-60s",
        "1-3m",
        "3-10m",
        "10-30m",
        "over 30m",
    ];
    let bounds = [10.0, 30.0, 60.0, 180.0, 600.0, 1_800.0];
    let place = if duration == 0.0 {
        0
    } else {
        1 + bounds.iter().filter(|bound| duration >= **bound).count()
    };
    let says = Says::default().pick("duration_range", NAMES, place);
    (Raw::Int(place as i64), says)
}

fn first_page_value(visit: &Visit<'_>, of: fn(&Event) -> &Option<String>) -> String {
    earliest(&visit.0, |event| {
        page(event).map(|_| of(event).clone().unwrap_or_default())
    })
    .unwrap()
}

fn like(visits: &[Visit<'_>]) -> Says {
    let durations: Vec<f64> = visits.iter().map(Visit::duration).collect();
    let bounces = visits.iter().filter(|visit| visit.is_bounce()).count();
    seen_by(
        Says::default().int(&["sessions"], visits.len()),
        count_visitors(visits),
    )
    .float(
        "bounce_rate",
        Some(100.0 * bounces as f64 / visits.len() as f64),
        2,
    )
    .float("median_session_duration", quantile(&durations, 0.5), 2)
    .float("avg_session_duration", mean(&durations), 2)
}

fn by(asked: &Question<'_>, name: &'static str, of: fn(&Event) -> &Option<String>) -> Table {
    let key = |visit: &Visit<'_>| {
        let raw = Raw::Text(first_page_value(visit, of));
        let says = Says::default().label(&["name", name], &raw, "Unknown");
        vec![(raw, says)]
    };
    top(asked, collect_visits(asked), key, like).share("sessions")
}

/// Visits with at most their first hundred events.
pub(super) fn list(asked: &Question<'_>) -> Table {
    list_with(asked, |_| Says::default())
}

/// The same, and what their first event says beside.
pub(super) fn list_with(asked: &Question<'_>, more: impl Fn(&Event) -> Says) -> Table {
    let lines = collect_visits(asked).into_iter().map(|mut visit| {
        let order = |event: &&Event| (event.time, event.received);
        visit.0.sort_by_key(order);
        let (first, last) = (visit.0[0], visit.0[visit.0.len() - 1]);
        let views = visit.0.iter().filter(|event| is_view(event)).count();
        let events: Vec<Value> = visit
            .0
            .iter()
            .take(100)
            .map(|event| in_list(event))
            .collect();
        let code = Raw::text(first.country.clone().unwrap_or_default());
        let says = Says::default()
            .hash("session_id", first.session)
            .time("first_visit", Some(first.time))
            .time("last_visit", Some(last.time))
            .int(&["page_views"], views)
            .int(&["total_events"], visit.0.len())
            .hash("visitor_id", first.visitor)
            .country(&["country"], &code)
            .code("country_code", &code)
            .with_label("referrer", first.referrer.as_deref(), "Direct")
            .with_label("device_type", first.device_type.as_deref(), "Unknown")
            .with_label("browser_name", first.browser_name.as_deref(), "Unknown")
            .with_label("os_name", first.os_name.as_deref(), "Unknown")
            .value("events", Value::Array(events))
            .and(more(first));
        Line {
            keys: vec![Raw::Text(format!("{:020}", first.session))],
            says,
        }
    });
    Table {
        lines: lines.collect(),
        order: Order::Keys,
    }
}

fn in_list(event: &Event) -> Value {
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    json!({
        "timestamp": iso_ms(event.time),
        "name": text(&event.name),
        "path": text(&event.path),
        "properties": properties(event),
    })
}

/// The caller's properties as JSON.
fn properties(event: &Event) -> Value {
    let parsed = event.properties.as_deref().map(serde_json::from_str);
    parsed.map_or(Value::Null, Result::unwrap)
}

const KINDS: &[&str] = &[
    "",
    "page",
    "custom",
    "outgoing_link",
    "web_vital",
    "error",
    "engagement",
];

fn realtime_feed(asked: &Question<'_>) -> Table {
    let is_shown = |event: &Event| [1, 2, 3, 5].contains(&kind(event)) && event.name != "page_exit";
    let lines = asked.rows(is_shown).into_iter().map(|event| Line {
        keys: vec![Raw::Int(event.received)],
        says: Says::default()
            .time("timestamp", Some(event.time))
            .pick("kind", KINDS, kind(event))
            .text("event_name", Some(&event.name))
            .text("path", Some(&event.path))
            .with_country("country", "country_code", event.country.as_deref())
            .text("device_type", event.device_type.as_deref())
            .text("browser_name", event.browser_name.as_deref())
            .hash("anonymous_id", event.visitor)
            .hash("session_id", event.session),
    });
    Table {
        lines: lines.collect(),
        order: Order::Column("timestamp", Way::Down),
    }
}

/// What a list of everything says of an event.
fn any_event(asked: &Question<'_>, event: &Event) -> Says {
    let message = match &event.details {
        Details::Error(failure) => Some(failure.message.as_str()),
        _ => None,
    };
    let (href, is_link) = match &event.details {
        Details::Outgoing { href, .. } => (href.as_str(), true),
        _ => ("", false),
    };
    let value = match event.details {
        Details::Vital { value } => Some(value),
        _ => None,
    };
    let stay = match &event.details {
        Details::Page(page) => page.time_on_page,
        Details::Engagement(span) => Some(span.time_on_page),
        _ => None,
    };
    Says::default()
        .time("timestamp", Some(event.time))
        .pick("kind", KINDS, kind(event))
        .text("event_name", Some(&event.name))
        .text("path", Some(&event.path))
        .text("title", event.title.as_deref())
        .with_label("referrer", event.referrer.as_deref(), "Direct")
        .text("href", is_link.then_some(href))
        .text("message", message)
        .maybe("value", value, 4)
        .maybe("time_on_page", stay.map(f64::from), 2)
        .json("properties", event.properties.as_deref())
        .hash("anonymous_id", event.visitor)
        .hash("session_id", event.session)
        .text("profile_id", asked.profile(event).as_deref())
}

fn kind(event: &Event) -> usize {
    match event.details {
        Details::Page(_) => 1,
        Details::Custom => 2,
        Details::Outgoing { .. } => 3,
        Details::Vital { .. } => 4,
        Details::Error(_) => 5,
        Details::Engagement(_) => 6,
        _ => 0,
    }
}

fn session_events(asked: &Question<'_>) -> Table {
    let rows = asked.rows(|event| kind(event) > 0).into_iter();
    let lines = rows.map(|event| Line {
        keys: vec![Raw::Int(event.time), Raw::Int(event.received)],
        says: any_event(asked, event),
    });
    Table {
        lines: lines.collect(),
        order: Order::Column("timestamp", Way::Up),
    }
}

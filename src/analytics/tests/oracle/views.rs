//! Views of pages by what they have in common: pages, sources, devices, places; now and then.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    Oracle,
    filter::spent,
    group::{Part, top},
    question::{Question, is_exit, is_view, mean, page, quantile, seen_by, sessions, visitors},
    sources,
    table::{Line, Order, Raw, Says, Table, Way, rounded},
};
use crate::events::event::Event;

type Text = Option<String>;

pub(super) const ORACLES: &[Oracle] = &[
    ("top_pages", |asked| table(asked, |event| vec![path(event)])),
    ("realtime_pages", |asked| {
        table(asked, |event| vec![path(event)])
    }),
    ("realtime_minutes", |asked| {
        let key = |event: &&Event| {
            let minute = event.time.div_euclid(60_000) * 60_000;
            let says = Says::default().time("minute", Some(minute));
            vec![(Raw::Int(minute), says)]
        };
        top(asked, asked.rows(is_view), key, says).ordered("minute", Way::Up)
    }),
    ("page_performance", |asked| {
        let rows = asked.rows(|event| is_view(event) || is_exit(event));
        let say = |events: &[&Event]| {
            let views: Vec<&Event> = events
                .iter()
                .copied()
                .filter(|event| is_view(event))
                .collect();
            let stays: Vec<f64> = events.iter().filter_map(|event| spent(event)).collect();
            says(&views)
                .float("avg_time_on_page", mean(&stays), 2)
                .float(
                    "avg_load_time",
                    mean(&measured(events, |page| page.load_time)),
                    2,
                )
                .float("avg_ttfb", mean(&measured(events, |page| page.ttfb)), 2)
        };
        top(asked, rows, |event| vec![path(event)], say).at_least("pageviews", 1.0)
    }),
    ("page_time_analysis", |asked| {
        let stays = |event: &Event| spent(event).is_some() && event.session != 0;
        let rows = asked.rows(|event| is_view(event) || stays(event));
        let say = |events: &[&Event]| {
            let views = events.iter().filter(|event| is_view(event)).count();
            let known = events.iter().copied().filter(|event| stays(event));
            let known: Vec<&Event> = known.collect();
            let times: Vec<f64> = known.iter().filter_map(|event| spent(event)).collect();
            let says = Says::default()
                .int(&["sessions_with_time"], sessions(&known))
                .int(&["pageviews"], views);
            seen_by(says, visitors(&known)).float("median_time_on_page", quantile(&times, 0.5), 2)
        };
        top(asked, rows, |event| vec![path(event)], say)
            .at_least("sessions_with_time", 1.0)
            .share_as("sessions_with_time", "percentage_of_sessions")
    }),
    ("traffic_sources", |asked| from(asked, |_| true)),
    ("top_referrers", referrers),
    ("realtime_referrers", referrers),
    ("traffic_channels", |asked| {
        some(
            asked,
            |_| true,
            |event| {
                let channel = Some(sources::channel(asked, event));
                vec![label(&channel, &["name", "channel"], "Direct")]
            },
        )
    }),
    ("social_referrals", |asked| {
        from(asked, |channel| channel == "social")
    }),
    ("ai_referrals", |asked| {
        from(asked, |channel| channel == "ai")
    }),
    ("utm_sources", |asked| {
        tagged(asked, "utm_source", |event| &event.utm.source)
    }),
    ("utm_mediums", |asked| {
        tagged(asked, "utm_medium", |event| &event.utm.medium)
    }),
    ("utm_campaigns", |asked| {
        tagged(asked, "utm_campaign", |event| &event.utm.campaign)
    }),
    ("utm_terms", |asked| {
        tagged(asked, "utm_term", |event| &event.utm.term)
    }),
    ("utm_content", |asked| {
        tagged(asked, "utm_content", |event| &event.utm.content)
    }),
    ("utm_parameters", |asked| {
        let parts = |event: &Event| {
            let part = |name: &'static str, of: fn(&Event) -> &Text| {
                label(&Some(sources::source(asked, event, of)), &[name], "")
            };
            [
                part("utm_source", |event| &event.utm.source),
                part("utm_medium", |event| &event.utm.medium),
                part("utm_campaign", |event| &event.utm.campaign),
                part("utm_term", |event| &event.utm.term),
                part("utm_content", |event| &event.utm.content),
            ]
        };
        let any = |event: &Event| {
            parts(event)
                .iter()
                .any(|(raw, _)| !raw.as_text().is_empty())
        };
        some(asked, any, |event| parts(event).to_vec())
    }),
    ("browser_name", browsers),
    ("browsers", browsers),
    ("browser_versions", |asked| {
        table(asked, |event| {
            vec![
                label(
                    &event.browser_version,
                    &["name", "browser_version"],
                    "Unknown",
                ),
                label(&event.browser_name, &["browser_name"], "Unknown"),
            ]
        })
    }),
    ("browsers_grouped", grouped),
    ("os_name", systems),
    ("operating_systems", systems),
    ("os_versions", |asked| {
        table(asked, |event| {
            vec![
                label(&event.os_version, &["name", "os_version"], "Unknown"),
                label(&event.os_name, &["os_name"], "Unknown"),
            ]
        })
    }),
    ("device_types", devices),
    ("realtime_devices", devices),
    ("screen_resolution", screens),
    ("screen_resolutions", screens),
    ("connection_type", |asked| {
        table(asked, |event| {
            let connection = page(event).and_then(|page| page.connection.clone());
            vec![label(&connection, &["name", "connection_type"], "Unknown")]
        })
    }),
    ("viewport_vs_resolution", |asked| {
        let key = |event: &&Event| {
            vec![
                label(&event.screen, &["screen_resolution"], "Unknown"),
                label(&event.viewport, &["viewport_size"], "Unknown"),
                label(&event.device_type, &["device_type"], "Unknown"),
                pattern(event),
            ]
        };
        top(asked, asked.rows(is_view), key, |events| {
            seen_by(Says::default(), visitors(events)).int(&["pageviews"], events.len())
        })
    }),
    ("viewport_patterns", |asked| {
        top(
            asked,
            asked.rows(is_view),
            |event| vec![pattern(event)],
            |events| {
                seen_by(Says::default(), visitors(events)).int(&["sessions"], sessions(events))
            },
        )
        .share("visitors")
    }),
    ("country", countries),
    ("realtime_countries", countries),
    ("region", |asked| {
        table(asked, |event| {
            vec![
                label(&event.region, &["name", "region"], "Unknown"),
                country_part(event),
            ]
        })
    }),
    ("city", |asked| {
        table(asked, |event| {
            vec![
                label(&event.city, &["name", "city"], "Unknown"),
                country_part(event),
            ]
        })
    }),
    ("timezone", |asked| {
        table(asked, |event| {
            vec![label(&event.timezone, &["name", "timezone"], "Unknown")]
        })
    }),
    ("language", |asked| {
        table(asked, |event| {
            vec![label(&event.language, &["name", "language"], "Unknown")]
        })
    }),
];

/// Views by a key, with the share of each.
fn table(asked: &Question<'_>, key: fn(&Event) -> Vec<Part>) -> Table {
    some(asked, |_| true, key)
}

fn some(
    asked: &Question<'_>,
    which: impl Fn(&Event) -> bool,
    key: impl Fn(&Event) -> Vec<Part>,
) -> Table {
    let rows = asked.rows(|event| is_view(event) && which(event));
    top(asked, rows, |event| key(event), says).share("pageviews")
}

fn says(events: &[&Event]) -> Says {
    seen_by(
        Says::default().int(&["pageviews"], events.len()),
        visitors(events),
    )
}

pub(super) fn path(event: &Event) -> Part {
    path_part(event.path.clone())
}

pub(super) fn path_part(path: String) -> Part {
    let raw = Raw::Text(path);
    let says = Says::default().label(&["path", "name"], &raw, "Unknown");
    (raw, says)
}

pub(super) fn label(text: &Text, names: &[&'static str], nothing: &str) -> Part {
    let raw = Raw::Text(text.clone().unwrap_or_default());
    let says = Says::default().label(names, &raw, nothing);
    (raw, says)
}

/// Views by the source of their visits, of channels that are wanted.
fn from(asked: &Question<'_>, wanted: impl Fn(&str) -> bool) -> Table {
    some(
        asked,
        |event| wanted(&sources::channel(asked, event)),
        |event| {
            let source = Some(sources::source(asked, event, |event| &event.source));
            vec![label(&source, &["source", "name"], "Direct")]
        },
    )
}

fn referrers(asked: &Question<'_>) -> Table {
    some(
        asked,
        |_| true,
        |event| {
            let names = &["name", "referrer", "domain"];
            vec![label(&Some(sources::domain(asked, event)), names, "Direct")]
        },
    )
}

fn tagged(asked: &Question<'_>, name: &'static str, of: fn(&Event) -> &Text) -> Table {
    let tag = |event: &Event| sources::source(asked, event, of);
    some(
        asked,
        |event| !tag(event).is_empty(),
        |event| vec![label(&Some(tag(event)), &["name", name], "")],
    )
}

fn browsers(asked: &Question<'_>) -> Table {
    table(asked, |event| {
        vec![label(
            &event.browser_name,
            &["name", "browser_name"],
            "Unknown",
        )]
    })
}

fn systems(asked: &Question<'_>) -> Table {
    table(asked, |event| {
        vec![label(&event.os_name, &["name", "os_name"], "Unknown")]
    })
}

fn devices(asked: &Question<'_>) -> Table {
    table(asked, |event| {
        vec![label(
            &event.device_type,
            &["name", "device_type"],
            "Unknown",
        )]
    })
}

fn screens(asked: &Question<'_>) -> Table {
    table(asked, |event| {
        vec![label(
            &event.screen,
            &["name", "screen_resolution"],
            "Unknown",
        )]
    })
}

pub(super) fn country(event: &Event) -> Part {
    let raw = Raw::Text(event.country.clone().unwrap_or_default());
    let says = Says::default()
        .country(&["name"], &raw)
        .code("country_code", &raw)
        .country(&["country_name"], &raw);
    (raw, says)
}

pub(super) fn country_part(event: &Event) -> Part {
    let raw = Raw::Text(event.country.clone().unwrap_or_default());
    let says = Says::default()
        .code("country_code", &raw)
        .country(&["country_name"], &raw);
    (raw, says)
}

fn countries(asked: &Question<'_>) -> Table {
    table(asked, |event| vec![country(event)])
}

/// Positive values of a measurement of pages.
pub(super) fn measured(
    events: &[&Event],
    of: fn(&crate::events::event::Page) -> Option<f32>,
) -> Vec<f64> {
    let values = events.iter().filter_map(|event| of(page(event)?));
    values.filter(|value| *value > 0.0).map(f64::from).collect()
}

/// How much of the screen the window takes.
fn pattern(event: &Event) -> Part {
    const NAMES: &[&str] = &[
        "unknown",
        "larger than the screen",
        "maximized",
        "full width",
        "partial",
        "small",
    ];
    let size = |text: &Text| -> Option<(f64, f64)> {
        let (width, height) = text.as_deref()?.split_once('x')?;
        Some((width.parse().ok()?, height.parse().ok()?))
    };
    let place = match (size(&event.screen), size(&event.viewport)) {
        (Some(screen), Some(window)) if window.0 > screen.0 => 1,
        (Some(screen), Some(window)) if window.0 >= 0.95 * screen.0 => {
            if window.1 >= 0.75 * screen.1 { 2 } else { 3 }
        }
        (Some(screen), Some(window)) if window.0 >= 0.45 * screen.0 => 4,
        (Some(_), Some(_)) => 5,
        _ => 0,
    };
    let says = Says::default().pick("usage_pattern", NAMES, place);
    (Raw::Int(place as i64), says)
}

/// Browsers, each with the list of its versions.
fn grouped(asked: &Question<'_>) -> Table {
    let mut browsers: BTreeMap<String, Vec<&Event>> = BTreeMap::new();
    for event in asked.rows(is_view) {
        let name = event.browser_name.clone().unwrap_or_default();
        browsers.entry(name).or_default().push(event);
    }
    let all: usize = browsers.values().map(Vec::len).sum();
    let lines =
        browsers.into_iter().map(|(name, events)| {
            let mut versions: BTreeMap<String, Vec<&Event>> = BTreeMap::new();
            for event in &events {
                let version = event.browser_version.clone().unwrap_or_default();
                versions.entry(version).or_default().push(event);
            }
            let mut versions: Vec<_> = versions.into_iter().collect();
            versions.sort_by_key(|(_, events)| std::cmp::Reverse(events.len()));
            let versions = versions.into_iter().map(|(version, events)| {
            let version = if version.is_empty() { "Unknown".to_owned() } else { version };
            json!({"version": version, "pageviews": events.len(), "visitors": visitors(&events)})
        });
            let raw = Raw::Text(name);
            let share = rounded(100.0 * events.len() as f64 / all as f64, 2);
            let says = Says::default()
                .label(&["name", "browser_name"], &raw, "Unknown")
                .and(says(&events))
                .int(&["sessions"], sessions(&events))
                .float("percentage", Some(share), 2)
                .value("versions", Value::Array(versions.collect()));
            Line {
                keys: vec![raw],
                says,
            }
        });
    Table {
        lines: lines.collect(),
        order: Order::Column("pageviews", Way::Down),
    }
}

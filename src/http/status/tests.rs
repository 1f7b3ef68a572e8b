//! Documents drawn from snapshots that are made by hand.

use std::sync::Arc;

use super::*;
use crate::actors::{
    monitors,
    status_pages::{
        AffectedMonitor, Day, Freshness, Impact, Incident, IncidentKind, IncidentStatus,
        MonitorSnapshot, MonitorStatus, Overall, PageFields, PageMonitor, PageMonitorFields,
        Severity, StatusPage, Update,
    },
};

const BASE: &str = "https://pharos.example";
const DAY_MS: i64 = 86_400_000;
const FIRST_DAY: i64 = 20_000;

/// Numbers that look like none, the same every time.
fn random(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn days(seed: u64) -> Vec<Day> {
    let mut state = seed;
    let day = |nth: i64| {
        let down_ms = match random(&mut state) % 4 {
            0 => (random(&mut state) % 8_000_000) as i64,
            _ => 0,
        };
        let ups = 1_000 + (random(&mut state) % 440) as u32;
        Day {
            at_ms: (FIRST_DAY + nth) * DAY_MS,
            known: monitors::Day {
                day: (FIRST_DAY + nth) as i32,
                ups,
                downs: 1_440 - ups,
                up_ms: DAY_MS - down_ms,
                down_ms,
                response_ms: i64::from(ups) * (20 + random(&mut state) % 900) as i64,
                p95_ms: None,
            },
        }
    };
    (0..90).map(day).collect()
}

fn monitor(nth: u64, fields: PageMonitorFields) -> MonitorSnapshot {
    MonitorSnapshot {
        listed: PageMonitor {
            id: format!("0199a0b1-0000-7000-8000-{nth:012x}"),
            monitor: "m".into(),
            fields,
        },
        name: format!("Service number {nth}"),
        url: format!("https://service-{nth}.example.com/health"),
        status: MonitorStatus::Up,
        in_maintenance: false,
        freshness: Freshness::Fresh,
        checked_ms: Some(FIRST_DAY * DAY_MS),
        days: days(nth + 1),
    }
}

fn incident(nth: i64, title: &str, message: &str) -> Incident {
    let said = |status, at_ms: i64| Update {
        id: format!("{nth}-{at_ms}"),
        status,
        message: message.to_owned(),
        created_ms: at_ms,
    };
    Incident {
        id: format!("incident-{nth}").as_str().into(),
        kind: IncidentKind::Incident,
        title: title.to_owned(),
        status: IncidentStatus::Resolved,
        severity: Severity::Major,
        created_ms: nth * 1_000,
        resolved_ms: Some(nth * 1_000 + 500),
        starts_ms: None,
        ends_ms: None,
        updates: vec![
            said(IncidentStatus::Resolved, nth * 1_000 + 500),
            said(IncidentStatus::Investigating, nth * 1_000),
        ],
        affected: vec![AffectedMonitor {
            status_page_monitor_id: monitor(0, PageMonitorFields::default()).listed.id,
            impact: Impact::Down,
        }],
        postmortem: None,
        automatic: false,
        verify_ms: 0,
        cause: None,
    }
}

fn snapshot(monitors: Vec<MonitorSnapshot>, incidents: Vec<Incident>) -> Snapshot {
    let page = StatusPage {
        id: "page".into(),
        organization: "organization".into(),
        fields: PageFields {
            name: "Example".to_owned(),
            slug: "example".to_owned(),
            ..PageFields::default()
        },
        monitors: Vec::new(),
        incidents,
        logo: None,
        password_hash: None,
        created_ms: 0,
        updated_ms: 0,
    };
    Snapshot {
        page: Arc::new(page),
        overall: Overall::Operational,
        monitors,
        at_ms: (FIRST_DAY + 90) * DAY_MS,
        sends_mail: true,
    }
}

fn text(what: &PageDocument, seen: &Snapshot) -> String {
    what.draw(BASE, seen, Texts::ENGLISH).unwrap().text
}

#[test]
fn a_page_of_twenty_monitors_with_ninety_days_of_trouble_weighs_little() {
    let all = (0..20).map(|nth| monitor(nth, PageMonitorFields::default()));
    let said =
        "We are **looking** into what makes requests slow, and will say more in half an hour.";
    let past = (0..20).map(|nth| incident(nth, "Requests are slow", said));
    let seen = snapshot(all.collect(), past.collect());
    let page_cache = crate::http::PageCache::default();
    let key = (
        "page".into(),
        PageDocument::Page,
        Language::En,
        BASE.to_owned(),
    );
    let page = page_cache
        .get(key, 0, || {
            PageDocument::Page.draw(BASE, &seen, Texts::ENGLISH)
        })
        .unwrap();
    let shown = std::str::from_utf8(&page.plain).unwrap();
    assert_eq!(shown.matches("<i class=").count(), 20 * 90);
    assert_eq!(
        shown.matches("<path ").count(),
        21,
        "a line of each, and the icon"
    );
    let bytes = page.packed.len();
    assert!((5_000..=40 << 10).contains(&bytes), "{bytes} bytes");
}

#[test]
fn every_bar_has_words_and_trouble_is_told_to_those_who_see_no_bars() {
    let mut one = monitor(0, PageMonitorFields::default());
    for day in &mut one.days {
        day.known = monitors::Day {
            ups: 10,
            up_ms: DAY_MS,
            ..day.known
        };
        (day.known.downs, day.known.down_ms) = (0, 0);
    }
    one.days[0].known = monitors::Day::default();
    one.days[88].known.down_ms = 45 * 60_000;
    one.days[88].known.up_ms = DAY_MS - 45 * 60_000;
    let shown = text(&PageDocument::Page, &snapshot(vec![one], Vec::new()));
    assert!(shown.contains(": no data</b>"), "{shown}");
    assert_eq!(
        shown.matches("<th scope=\"row\">").count(),
        89,
        "a day with data is a row: {shown}"
    );
    assert!(shown.contains(": 100% uptime</b>"), "{shown}");
    assert!(
        shown.contains(&format!(
            ": 96.88% uptime, down for {}</b>",
            crate::pages::number::duration(2_700.0)
        )),
        "{shown}"
    );
    let told = "Last 90 days: downtime on 1 of 89 days with data";
    assert!(shown.contains(told), "{shown}");
    assert!(
        shown.contains("1 day with downtime or incidents"),
        "{shown}"
    );
}

#[test]
fn monitors_stand_under_the_heading_of_their_group_once() {
    let grouped = |nth, group: Option<&str>| {
        let group = group.map(str::to_owned);
        monitor(
            nth,
            PageMonitorFields {
                group,
                ..PageMonitorFields::default()
            },
        )
    };
    let all = vec![
        grouped(0, Some("Web")),
        grouped(1, None),
        grouped(2, Some("Web")),
    ];
    let seen = snapshot(all, Vec::new());
    let shown = text(&PageDocument::Page, &seen);
    assert_eq!(shown.matches("<h3>Web</h3>").count(), 1);
    assert_eq!(shown.matches("<h3>Other</h3>").count(), 1);
    let order = ["Service number 0", "Service number 2", "Service number 1"];
    let places = order.map(|name| shown.find(name).unwrap());
    assert!(places.is_sorted(), "{places:?}");
    let api = PageDocument::Api(crate::http::page_cache::ApiDocument::Components)
        .draw(BASE, &seen, Texts::ENGLISH)
        .unwrap();
    let api: serde_json::Value = serde_json::from_str(&api.text).unwrap();
    let groups = api["components"].as_array().unwrap().iter();
    let groups: Vec<_> = groups.filter(|one| one["group"] == true).collect();
    assert_eq!(groups.len(), 1);
    assert_eq!(groups[0]["components"].as_array().unwrap().len(), 2);
    assert_eq!(api["components"][1]["group_id"], groups[0]["id"]);
}

#[test]
fn what_is_hidden_is_nowhere() {
    let hidden = PageMonitorFields {
        hide_url: true,
        hide_uptime_percentage: true,
        hide_latency: true,
        ..PageMonitorFields::default()
    };
    let one = monitor(0, hidden);
    let (uptime, response) = (one.uptime(90).unwrap(), one.response(90).unwrap());
    let secrets = [
        "service-0.example.com".to_owned(),
        format!("{uptime:.2}"),
        format!("{response:.0} ms"),
        " ms".to_owned(),
        "% uptime".to_owned(),
    ];
    let id = one.listed.id.clone();
    let seen = snapshot(vec![one], vec![incident(1, "Slow", "We look.")]);
    let said = |metric| serde_json::from_value(serde_json::json!({ "metric": metric })).unwrap();
    let mut documents = vec![
        PageDocument::Page,
        PageDocument::Rss,
        PageDocument::Atom,
        PageDocument::JsonFeed,
        PageDocument::Calendar,
    ];
    for metric in ["status", "uptime", "response"] {
        documents.push(PageDocument::Badge(None, said(metric)));
        documents.push(PageDocument::Badge(Some(id.clone()), said(metric)));
    }
    documents.push(PageDocument::Api(
        crate::http::page_cache::ApiDocument::Summary,
    ));
    for what in documents {
        let shown = text(&what, &seen);
        for secret in &secrets {
            assert!(!shown.contains(secret), "{what:?} shows {secret}: {shown}");
        }
    }
}

#[test]
fn a_page_may_show_pictures_of_the_hosts_that_its_owner_named_and_do_nothing_else() {
    let mut seen = snapshot(Vec::new(), Vec::new());
    let page = PageDocument::Page
        .draw(BASE, &seen, Texts::ENGLISH)
        .unwrap();
    let policy = page.policy.unwrap();
    assert!(policy.contains("img-src 'none'"), "{policy}");
    let page = Arc::make_mut(&mut seen.page);
    page.fields.logo_url = Some("https://a.example/logo.png?x=\"y".to_owned());
    page.fields.favicon_url = Some("https://b.example:8443/i.png".to_owned());
    let page = PageDocument::Page
        .draw(BASE, &seen, Texts::ENGLISH)
        .unwrap();
    let policy = page.policy.unwrap();
    assert!(
        policy.contains("img-src https://a.example https://b.example:8443;"),
        "{policy}"
    );
    assert!(
        !policy.contains("unsafe") && !policy.contains("script-src"),
        "{policy}"
    );
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-"),
        "{policy}"
    );
    assert!(!page.text.contains("x=\"y"), "{}", page.text);
}

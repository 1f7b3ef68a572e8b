//! Every type about links, asked of clicks that were made through the redirect host, against a naive count of them.

use std::{collections::BTreeMap, time::Duration};

use pharos::{
    analytics::catalogue::{FAMILIES, Subject},
    clock::iso_ms,
};
use serde_json::{Value, json};

use super::{
    clicks::{Click, Followers},
    create_link,
};
use crate::app::{App, NOW};

const HOUR_MS: i64 = 3_600_000;

/// How a series is asked for.
#[derive(Debug, Clone, Copy)]
struct Manner {
    hourly: bool,
    /// Hours that clocks are ahead of UTC; no zone changes its clocks in these days.
    ahead: i64,
}

type Answer = fn(&[&Click], Manner) -> Vec<Value>;

/// One entry per type about links: a type without one does not compile (the assertion below).
const ORACLES: &[(&str, Answer)] = &[
    ("link_total_clicks", |clicks, _| {
        vec![json!({ "total": clicks.len() })]
    }),
    ("link_clicks_by_day", |clicks, manner| {
        series(clicks, manner, "clicks", |clicks| clicks.len())
    }),
    ("link_referrers_by_day", |clicks, manner| {
        series(clicks, manner, "value", |clicks| {
            different(clicks, |click| click.domain)
        })
    }),
    ("link_countries_by_day", |clicks, manner| {
        series(clicks, manner, "value", |clicks| {
            different(clicks, |click| click.country)
        })
    }),
    ("link_top_referrers", |clicks, _| {
        top(
            clicks,
            10,
            |click| vec![click.domain],
            |clicks| {
                let name = or(clicks[0].domain, "Direct");
                json!({
                    "name": name, "referrer": name, "domain": name,
                    "source": or(commonest(clicks, |click| click.source), "Direct"),
                    "referrer_type": or(commonest(clicks, |click| click.channel), "Direct"),
                })
            },
        )
    }),
    ("link_top_countries", |clicks, _| {
        top(
            clicks,
            10,
            |click| vec![click.country],
            |clicks| {
                let mut row = country(clicks[0]);
                row["name"] = row["country"].clone();
                row
            },
        )
    }),
    ("link_top_regions", |clicks, _| {
        top(
            clicks,
            10,
            |click| vec![click.region, click.country],
            |clicks| {
                let mut row = country(clicks[0]);
                row["name"] = or(clicks[0].region, "Unknown").into();
                row
            },
        )
    }),
    ("link_top_cities", |clicks, _| {
        top(
            clicks,
            10,
            |click| vec![click.city, click.country],
            |clicks| {
                let mut row = country(clicks[0]);
                row["name"] = or(clicks[0].city, "Unknown").into();
                row
            },
        )
    }),
    ("link_top_devices", |clicks, _| {
        top(
            clicks,
            usize::MAX,
            |click| vec![click.device],
            |clicks| {
                let name = or(clicks[0].device, "Unknown");
                json!({ "name": name, "device_type": name })
            },
        )
    }),
    ("link_top_browsers", |clicks, _| {
        top(
            clicks,
            10,
            |click| vec![click.browser],
            |clicks| {
                let name = or(clicks[0].browser, "Unknown");
                json!({ "name": name, "browser_name": name })
            },
        )
    }),
];

const _: () = {
    let mut family = 0;
    while family < FAMILIES.len() {
        let mut kind = 0;
        while kind < FAMILIES[family].len() {
            let of_links = matches!(FAMILIES[family][kind].subject, Subject::Link);
            assert!(
                !of_links || has_oracle(FAMILIES[family][kind].name),
                "a type about links has no oracle"
            );
            kind += 1;
        }
        family += 1;
    }
};

const fn has_oracle(name: &str) -> bool {
    let mut entry = 0;
    while entry < ORACLES.len() {
        if same(ORACLES[entry].0.as_bytes(), name.as_bytes()) {
            return true;
        }
        entry += 1;
    }
    false
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

fn or<'a>(text: &'a str, nothing: &'a str) -> &'a str {
    if text.is_empty() { nothing } else { text }
}

fn country(click: &Click) -> Value {
    let name = or(click.country_name, "Unknown");
    let code = (!click.country.is_empty()).then_some(click.country);
    json!({ "country": name, "country_code": code, "country_name": name })
}

fn different(clicks: &[&Click], of: fn(&Click) -> &'static str) -> usize {
    let texts = clicks.iter().map(|click| of(click));
    let texts = texts.filter(|text| !text.is_empty());
    texts.collect::<std::collections::BTreeSet<_>>().len()
}

/// The most frequent text that is not empty; of equally frequent ones the first in the alphabet.
fn commonest(clicks: &[&Click], of: fn(&Click) -> &'static str) -> &'static str {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for text in clicks
        .iter()
        .map(|click| of(click))
        .filter(|text| !text.is_empty())
    {
        *counts.entry(text).or_default() += 1;
    }
    let most = counts.values().copied().max().unwrap_or_default();
    let first = counts.into_iter().find(|(_, count)| *count == most);
    first.map_or("", |(text, _)| text)
}

/// A row for every day or hour that has clicks.
fn series(
    clicks: &[&Click],
    manner: Manner,
    column: &str,
    count: fn(&[&Click]) -> usize,
) -> Vec<Value> {
    let mut buckets: BTreeMap<String, Vec<&Click>> = BTreeMap::new();
    for click in clicks {
        let local = iso_ms(click.time + manner.ahead * HOUR_MS);
        let label = if manner.hourly {
            format!("{} {}:00:00", &local[..10], &local[11..13])
        } else {
            local[..10].to_owned()
        };
        buckets.entry(label).or_default().push(click);
    }
    let rows = buckets.into_iter();
    rows.map(|(label, clicks)| json!({ "date": label, column: count(&clicks) }))
        .collect()
}

/// A row for every combination that occurs, the most frequent ones first, equally frequent ones by their keys.
fn top(
    clicks: &[&Click],
    limit: usize,
    key: fn(&Click) -> Vec<&'static str>,
    say: fn(&[&Click]) -> Value,
) -> Vec<Value> {
    let mut groups: BTreeMap<Vec<&str>, Vec<&Click>> = BTreeMap::new();
    for click in clicks {
        groups.entry(key(click)).or_default().push(click);
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_by_key(|clicks| std::cmp::Reverse(clicks.len()));
    let row = |clicks: Vec<&Click>| {
        let mut row = say(&clicks);
        row["clicks"] = clicks.len().into();
        row
    };
    groups.into_iter().take(limit).map(row).collect()
}

/// A filter, and which clicks it lets through.
type Filter = (&'static str, &'static str, Value, fn(&Click) -> bool);

fn filters() -> Vec<Filter> {
    vec![
        ("country", "eq", json!("DE"), |click| click.country == "DE"),
        ("country", "in", json!(["france", "US"]), |click| {
            ["FR", "US"].contains(&click.country)
        }),
        ("country", "ne", json!("Unknown"), |click| {
            !click.country.is_empty()
        }),
        ("region", "eq", json!("Berlin"), |click| {
            click.region == "Berlin"
        }),
        ("city", "not_in", json!(["Paris", "Munich"]), |click| {
            !["Paris", "Munich"].contains(&click.city)
        }),
        ("referrer", "eq", json!("direct"), |click| {
            click.domain.is_empty()
        }),
        ("referrer", "contains", json!("example.org"), |click| {
            click.referrer.contains("example.org")
        }),
        ("source", "eq", json!("Hacker News"), |click| {
            click.source == "Hacker News"
        }),
        ("channel", "not_contains", json!("re"), |click| {
            !click.channel.contains("re")
        }),
        ("device_type", "in", json!(["mobile", "tablet"]), |click| {
            ["mobile", "tablet"].contains(&click.device)
        }),
        ("browser_name", "starts_with", json!("Chr"), |click| {
            click.browser.starts_with("Chr")
        }),
        ("os_name", "ne", json!("Android"), |click| {
            click.system != "Android"
        }),
        ("language", "eq", json!("de-AT"), |click| {
            click.language == "de-AT"
        }),
        ("utm_campaign", "eq", json!("fall sale"), |click| {
            click.campaign == "fall sale"
        }),
        ("utm_source", "eq", json!("unknown"), |_| true),
        ("path", "eq", json!("/landing"), |_| false),
    ]
}

/// The app with clicks of three links in it, and the books.
async fn followed(seed: u64, steps: usize) -> (App, Vec<Value>, Vec<Click>) {
    let toml = "server.trusted_proxies = ['127.0.0.1/32']\ngeo.country_header = 'x-country'\n\
        geo.region_header = 'x-region'\ngeo.city_header = 'x-city'\nlimits.query_requests = 0\nlimits.key_requests = 0";
    let app = App::with(toml).await;
    let mut links = Vec::new();
    for slug in ["one", "two", "three"] {
        links.push(create_link(&app, json!({ "slug": slug })).await);
    }
    let http = crate::web::builder();
    let http = http
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let mut followers = Followers::new(seed, links.len(), NOW);
    for _ in 0..steps {
        let step = followers.step();
        app.clock
            .advance(Duration::from_millis(step.after_ms as u64));
        let slug = links[step.link]["slug"].as_str().unwrap();
        let mut request = http.request(step.method, format!("{}/{slug}{}", app.links, step.query));
        for (name, value) in step.headers {
            request = request.header(name, value);
        }
        assert_eq!(request.send().await.unwrap().status(), 302);
        // The day's salt is forgotten when its click comes days later.
        app.platform.as_ref().unwrap().clicks().flush().await;
    }
    (app, links, followers.clicks)
}

/// Asks all types, of a link or of the organization, and compares row for row.
async fn compare(app: &App, target: &str, clicks: &[&Click], filters: Value, manner: Manner) {
    let zone = if manner.ahead == 0 {
        "UTC"
    } else {
        "Asia/Tokyo"
    };
    let names: Vec<&str> = ORACLES.iter().map(|(name, _)| *name).collect();
    let mut body = json!({
        "parameters": names, "startDate": "2026-10-01", "endDate": "2026-12-31", "timeZone": zone, "filters": filters,
    });
    let span = |hourly: bool, body: &mut Value| {
        if hourly {
            body["granularity"] = "hourly".into();
            body["startDate"] = "2026-10-10".into();
            body["endDate"] = "2026-11-08".into();
        }
    };
    span(manner.hourly, &mut body);
    let answer = app
        .post(format!("{}/v1/query?{target}", app.base), &body)
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    for (at, (name, oracle)) in ORACLES.iter().enumerate() {
        let data = &answer.body["data"][at];
        assert!(data.get("ignoredFilters").is_none(), "{name}: {data}");
        assert_eq!(
            answer.rows(at),
            oracle(clicks, manner),
            "{name} of {target}: {body}"
        );
    }
}

#[actix::test]
async fn every_type_about_links_answers_what_was_clicked() {
    let (app, links, clicks) = followed(11, 400).await;
    let total = clicks
        .iter()
        .filter(|click| click.verdict == "person")
        .count();
    let all = format!("organization_id={}", app.organization);
    assert!(
        total > 100 && clicks.len() > total + 50,
        "{total} of {}",
        clicks.len()
    );
    let people: Vec<&Click> = clicks
        .iter()
        .filter(|click| click.verdict == "person")
        .collect();
    let plain = Manner {
        hourly: false,
        ahead: 0,
    };
    for hourly in [false, true] {
        for ahead in [0, 9] {
            let manner = Manner { hourly, ahead };
            compare(&app, &all, &people, json!([]), manner).await;
        }
    }
    for (at, link) in links.iter().enumerate() {
        let target = format!("link_id={}", link["id"].as_str().unwrap());
        let of = |verdicts: &[&str]| -> Vec<&Click> {
            let own = clicks.iter().filter(|click| click.link == at);
            own.filter(|click| verdicts.contains(&click.verdict))
                .collect()
        };
        let own = of(&["person"]);
        compare(
            &app,
            &target,
            &own,
            json!([]),
            Manner {
                hourly: true,
                ahead: 9,
            },
        )
        .await;
        for (field, op, value, passes) in filters() {
            let filter = json!([{ "field": field, "op": op, "value": value }]);
            let through: Vec<&Click> = own.iter().copied().filter(|click| passes(click)).collect();
            compare(&app, &target, &through, filter, plain).await;
        }
        // Machines are a series of their own.
        for verdict in ["declared", "suspected"] {
            let filter = json!([{ "field": "bot_verdict", "op": "eq", "value": verdict }]);
            assert!(!of(&[verdict]).is_empty());
            compare(&app, &target, &of(&[verdict]), filter, plain).await;
        }
    }
    app.finish().await;
}

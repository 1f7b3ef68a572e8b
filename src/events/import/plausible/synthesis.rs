//! Visits that have a day's sums.

use std::collections::HashMap;

use chrono::{NaiveDate, NaiveTime};
use serde_json::{Map, Value, json};

use super::day::{Day, Row, SyntheticEvent, VisitorContext};

const DAY_MS: u64 = 86_400_000;
/// Visits that custom events are dealt out over.
const ACTIVE: u64 = 1_000;

impl Day {
    /// Events with these sums.
    pub(super) fn synthesize(mut self, domain: &str) -> Vec<SyntheticEvent> {
        if self.pages.is_empty() {
            self.pages.push((Vec::new(), self.views));
        }
        let midnight = self.date.and_time(NaiveTime::MIN).and_utc();
        let visits = self.visits.max(self.visitors).max(1);
        let visitors = self.visitors.clamp(1, visits);
        let lists = Lists::new(&self, visits);
        let mut pages = Pages::new(&self.pages);
        let page_views = self.page_views(visits, pages.left);
        let (mut made, mut known) = (Vec::new(), Vec::new());
        for nth in 0..visits {
            let visit = lists.visit(nth);
            let begun = midnight.timestamp_millis() + (nth * DAY_MS / visits) as i64;
            for page in 0..page_views.count(nth) {
                let entry = (page == 0).then(|| lists.entries.text(nth, 0)).flatten();
                let (host, path) = pages.next(entry);
                let host = host.unwrap_or_else(|| domain.to_owned());
                let address = format!("https://{host}/{}", path.trim_start_matches('/'));
                let mut body = visitor_fields(self.date, nth, nth % visitors, begun + page as i64);
                body.insert("name".to_owned(), json!("screen_view"));
                body.insert("path".to_owned(), json!(address));
                origin(&mut body, &lists.sources.nth(nth));
                made.push(SyntheticEvent {
                    line: self.line,
                    is_page: true,
                    body,
                    visit: visit.clone(),
                });
            }
            // The last ones, because the first are those whose visitors saw one page.
            if nth + ACTIVE >= visits {
                known.push((begun, visit));
            }
        }
        self.events((visits, visitors), &known, &mut made);
        made
    }

    /// How many page views each visit has.
    fn page_views(&self, visits: u64, views: u64) -> PageViews {
        // Someone has viewed the pages beyond one per visit.
        let most = if views > visits { visits - 1 } else { visits };
        let bounces = self.bounces.min(most).min(views);
        let (others, rest) = (visits - bounces, views - bounces);
        PageViews {
            bounces,
            others,
            rest,
        }
    }

    /// Custom events, over the last visits.
    fn events(
        &self,
        (visits, visitors): (u64, u64),
        known: &[(i64, VisitorContext)],
        made: &mut Vec<SyntheticEvent>,
    ) {
        for (list, count) in &self.events {
            let Some(name) = list.first().cloned().flatten() else {
                continue;
            };
            let mut properties = Map::new();
            for (at, property) in [(1, "url"), (2, "path")] {
                if let Some(text) = list.get(at).cloned().flatten() {
                    properties.insert(property.to_owned(), json!(text));
                }
            }
            for nth in 0..*count {
                let back = nth % (known.len() as u64).max(1) + 1;
                let Some((begun, visit)) = known.get(known.len() - back as usize) else {
                    return;
                };
                let at = visits - back;
                let mut body = visitor_fields(
                    self.date,
                    at,
                    at % visitors,
                    begun + 1 + (nth / known.len() as u64) as i64,
                );
                body.insert("name".to_owned(), json!(name));
                if !properties.is_empty() {
                    body.insert("properties".to_owned(), json!(properties));
                }
                // Makes it differ from its equals.
                body.insert("nth".to_owned(), json!(nth));
                made.push(SyntheticEvent {
                    line: self.line,
                    is_page: false,
                    body,
                    visit: visit.clone(),
                });
            }
        }
    }
}

/// How many page views visits have: some one, the others the rest.
struct PageViews {
    bounces: u64,
    others: u64,
    rest: u64,
}

impl PageViews {
    fn count(&self, visit: u64) -> u64 {
        if visit < self.bounces {
            return 1;
        }
        let nth = visit - self.bounces;
        // The first ones get one more where it does not come out even. `others` is 1 or more for a visit that is no bounce.
        self.rest / self.others + u64::from(nth < self.rest % self.others)
    }
}

fn visitor_fields(date: NaiveDate, visit: u64, visitor: u64, time: i64) -> Map<String, Value> {
    let body = json!({
        "anonymousId": format!("{date}-{visitor}"), "sessionId": format!("{date}-visit-{visit}"), "timestamp": time,
    });
    match body {
        Value::Object(body) => body,
        _ => Map::new(),
    }
}

fn origin(body: &mut Map<String, Value>, source: &[Option<String>]) {
    let text = |at: usize| source.get(at).cloned().flatten();
    let address = |name: String| {
        if name.contains("://") {
            name
        } else {
            format!("https://{name}")
        }
    };
    // Names of sources are no addresses; a domain is one.
    let named = text(0).filter(|name| name.contains('.') && !name.contains(' '));
    if let Some(referrer) = text(1).or(named) {
        body.insert("referrer".to_owned(), json!(address(referrer)));
    }
    let names = [
        "utm_source",
        "utm_medium",
        "utm_campaign",
        "utm_term",
        "utm_content",
    ];
    for (name, at) in names.into_iter().zip(2..) {
        if let Some(text) = text(at) {
            body.insert(name.to_owned(), json!(text));
        }
    }
    let name = text(0).filter(|name| !name.contains('.') && name != "Direct / None");
    if let Some(name) = name.filter(|_| text(1).is_none() && text(2).is_none()) {
        body.insert("utm_source".to_owned(), json!(name));
    }
}

fn device_type(name: &str) -> String {
    match name {
        "Laptop" | "Ultra-wide" => "desktop".to_owned(),
        _ => name.to_lowercase(),
    }
}

/// The lists that are dealt out over visits.
struct Lists<'a> {
    entries: Pool<'a>,
    sources: Pool<'a>,
    browsers: Pool<'a>,
    systems: Pool<'a>,
    devices: Pool<'a>,
    locations: Pool<'a>,
}

impl<'a> Lists<'a> {
    /// A step of its own for each list, so the first of one is not always with the first of another.
    fn new(day: &'a Day, visits: u64) -> Self {
        Self {
            entries: Pool::new(&day.entries, visits, 1),
            sources: Pool::new(&day.sources, visits, 1),
            browsers: Pool::new(&day.browsers, visits, 7),
            systems: Pool::new(&day.systems, visits, 11),
            devices: Pool::new(&day.devices, visits, 13),
            locations: Pool::new(&day.locations, visits, 17),
        }
    }

    fn visit(&self, nth: u64) -> VisitorContext {
        let country = self.locations.text(nth, 0);
        VisitorContext {
            browser: self.browsers.nth(nth),
            system: self.systems.nth(nth),
            device: self.devices.text(nth, 0).map(|name| device_type(&name)),
            country: country.filter(|code| code.len() == 2),
            region: self.locations.text(nth, 1),
        }
    }
}

/// A list that is dealt out: as many places as visits, in an order of its own.
struct Pool<'a> {
    list: &'a [Row],
    /// Where the places of each value end.
    ends: Vec<u64>,
    places: u64,
    step: u64,
}

impl<'a> Pool<'a> {
    fn new(list: &'a [Row], places: u64, mut step: u64) -> Self {
        let ends = list.iter().scan(0, |end, (_, count)| {
            *end += count;
            Some(*end)
        });
        let ends = ends.collect();
        // Every place is met once when the step shares no factor with their number.
        while common(step, places) != 1 {
            step += 1;
        }
        Self {
            list,
            ends,
            places,
            step,
        }
    }

    /// What a visit gets; nothing where the list counts fewer visits.
    fn nth(&self, visit: u64) -> Vec<Option<String>> {
        let place = u128::from(visit) * u128::from(self.step) % u128::from(self.places);
        let at = self.ends.partition_point(|end| *end <= place as u64);
        let found = self.list.get(at);
        found.map_or_else(Vec::new, |(values, _)| values.clone())
    }

    /// One of the values.
    fn text(&self, visit: u64, at: usize) -> Option<String> {
        self.nth(visit).into_iter().nth(at).flatten()
    }
}

fn common(one: u64, other: u64) -> u64 {
    if other == 0 {
        one
    } else {
        common(other, one % other)
    }
}

/// Page views that are still to be had.
struct Pages {
    rest: Vec<(Option<String>, String, u64)>,
    /// Where a path is.
    places: HashMap<String, usize>,
    left: u64,
    at: usize,
}

impl Pages {
    fn new(list: &[Row]) -> Self {
        let text = |list: &[Option<String>], at: usize| list.get(at).cloned().flatten();
        let page = |(page, count): &Row| {
            (
                text(page, 0),
                text(page, 1).unwrap_or_else(|| "/".to_owned()),
                *count,
            )
        };
        let rest: Vec<_> = list.iter().map(page).collect();
        let left = rest.iter().map(|(.., count)| count).sum();
        let places = rest
            .iter()
            .enumerate()
            .map(|(at, (_, path, _))| (path.clone(), at));
        Self {
            places: places.collect(),
            rest,
            left,
            at: 0,
        }
    }

    /// The page that is wished for, or the next one that there is.
    fn next(&mut self, wish: Option<String>) -> (Option<String>, String) {
        let wished = wish.and_then(|wish| self.places.get(&wish).copied());
        let wished = wished.filter(|at| self.rest[*at].2 > 0);
        while self
            .rest
            .get(self.at)
            .is_some_and(|(.., count)| *count == 0)
        {
            self.at += 1;
        }
        let Some((host, path, count)) = self.rest.get_mut(wished.unwrap_or(self.at)) else {
            return (None, "/".to_owned());
        };
        *count -= 1;
        (host.clone(), path.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{super::day::Table, *};

    fn day(rows: &[(Table, &[(&str, &str)])]) -> Day {
        let mut day = Day::new(NaiveDate::from_ymd_opt(2026, 3, 1).unwrap());
        for (table, cells) in rows {
            let cell = |column: &str| {
                cells
                    .iter()
                    .find(|(name, _)| *name == column)
                    .map(|(_, text)| *text)
            };
            day.take(*table, 2, &cell).unwrap();
        }
        day
    }

    fn counts(
        made: &[SyntheticEvent],
        of: impl Fn(&SyntheticEvent) -> String,
    ) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for one in made {
            *counts.entry(of(one)).or_default() += 1;
        }
        counts
    }

    /// A day with something in every list.
    fn full() -> Day {
        day(&[
            (
                Table::Visitors,
                &[
                    ("visitors", "3"),
                    ("visits", "5"),
                    ("pageviews", "9"),
                    ("bounces", "2"),
                ],
            ),
            (
                Table::Pages,
                &[("hostname", "a.example"), ("page", "/"), ("pageviews", "6")],
            ),
            (
                Table::Pages,
                &[
                    ("hostname", "a.example"),
                    ("page", "/buy"),
                    ("pageviews", "3"),
                ],
            ),
            (Table::Entries, &[("entry_page", "/"), ("entrances", "4")]),
            (
                Table::Entries,
                &[("entry_page", "/buy"), ("entrances", "1")],
            ),
            (
                Table::Browsers,
                &[
                    ("browser", "Chrome"),
                    ("browser_version", "140.0"),
                    ("visits", "3"),
                ],
            ),
            (Table::Browsers, &[("browser", "Safari"), ("visits", "2")]),
            (Table::Events, &[("name", "Signup"), ("events", "4")]),
        ])
    }

    #[test]
    fn every_list_says_what_it_said() {
        let made = full().synthesize("b.example");
        let (pages, events): (Vec<_>, Vec<_>) = made.into_iter().partition(|one| one.is_page);
        assert_eq!((pages.len(), events.len()), (9, 4));
        let text = |name: &'static str| {
            move |one: &SyntheticEvent| one.body[name].as_str().unwrap().to_owned()
        };
        let paths = counts(&pages, text("path"));
        assert_eq!(
            paths,
            BTreeMap::from([
                ("https://a.example/".to_owned(), 6),
                ("https://a.example/buy".to_owned(), 3)
            ])
        );
        let visits = counts(&pages, text("sessionId"));
        assert_eq!(
            (
                visits.len(),
                visits.values().filter(|pages| **pages == 1).count()
            ),
            (5, 2)
        );
        assert_eq!(counts(&pages, text("anonymousId")).len(), 3);
        let browsers: BTreeSet<_> = pages
            .iter()
            .map(|one| {
                (
                    one.body["sessionId"].to_string(),
                    one.visit.browser[0].clone(),
                )
            })
            .collect();
        let chrome = browsers
            .iter()
            .filter(|(_, name)| name.as_deref() == Some("Chrome"));
        assert_eq!(
            (browsers.len(), chrome.count()),
            (5, 3),
            "one browser a visit"
        );
        assert!(events.iter().all(|one| one.body["name"] == "Signup"));
    }

    #[test]
    fn days_that_do_not_add_up_are_dealt_out_as_far_as_they_go() {
        for (visits, views, bounces, seen) in [
            ("0", "0", "0", 0),
            ("3", "2", "9", 2),
            ("1", "7", "1", 7),
            ("2", "0", "2", 0),
        ] {
            let made = day(&[(
                Table::Visitors,
                &[
                    ("visitors", "1"),
                    ("visits", visits),
                    ("pageviews", views),
                    ("bounces", bounces),
                ],
            )]);
            assert_eq!(
                made.synthesize("a.example").len(),
                seen,
                "{visits} {views} {bounces}"
            );
        }
    }
}

//! Goals and funnels the slow way: every start, every way, event by event.

use std::collections::{BTreeMap, BTreeSet};

use super::world::Case;
use crate::{
    analytics::{
        funnel::{
            Condition, Day, Each, ErrorCounts, FunnelError, FunnelErrors, FunnelMetrics,
            FunnelReferrer, NamePattern, Step, StepMetrics, StepTarget,
        },
        range::zone,
        request::Op,
    },
    events::event::{Bot, Details, Event},
};

/// The position of an event among a person's: time, receipt, the first step that it takes.
type Position = (i64, i64, usize);

/// An event that takes steps.
struct Hit<'a> {
    place: Position,
    takes: Vec<bool>,
    event: &'a Event,
}

/// The places of the steps of one way, as far as it comes.
type Way = Vec<Position>;

fn passes(case: &Case, event: &Event) -> bool {
    let host = event.host.as_deref() == Some("example.com");
    happened(case, event, case.range.from) && (case.funnel.filters.is_empty() || host)
}

/// Whether a person did it on the website, between an instant and the end of the range.
fn happened(case: &Case, event: &Event, from: i64) -> bool {
    let to = case.range.to.min(case.now + 3_600_001);
    event.website == super::super::WEBSITE
        && event.bot == Bot::No
        && (from..to).contains(&event.time)
}

fn identity(case: &Case, event: &Event) -> u64 {
    match case.funnel.each {
        Each::Visitor => event.visitor,
        Each::Session => event.session,
    }
}

fn is_deed(event: &Event) -> bool {
    matches!(event.details, Details::Page(_) | Details::Custom)
}

fn is_called(name: &NamePattern, text: &str) -> bool {
    match name {
        NamePattern::Exactly(name) => text == name,
        NamePattern::Beginning(start) => text.starts_with(start.as_str()),
        NamePattern::Below(path) => text == path || text.starts_with(&format!("{path}/")),
    }
}

fn compare(op: Op, text: &str, value: &str) -> bool {
    match op {
        Op::Eq | Op::In => text == value,
        Op::Ne | Op::NotIn => text != value,
        Op::Contains => text.contains(value),
        Op::NotContains => !text.contains(value),
        Op::StartsWith => text.starts_with(value),
        Op::EndsWith => text.ends_with(value),
    }
}

fn holds(condition: &Condition, event: &Event) -> bool {
    match condition {
        Condition::Field(filter) if filter.field.name == "country" => {
            let country = event.country.as_deref().unwrap_or_default();
            compare(filter.op, country, "DE")
        }
        Condition::Field(filter) => compare(filter.op, &event.path, &filter.values[0]),
        Condition::Property { key, op, values } => {
            let sent = event.properties.as_deref().unwrap_or_default();
            let sent: serde_json::Value = serde_json::from_str(sent).unwrap_or_default();
            let text = match &sent[key.as_str()] {
                serde_json::Value::Null => String::new(),
                serde_json::Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            compare(*op, &text, &values[0])
        }
    }
}

fn takes(step: &Step, event: &Event) -> bool {
    let target = match &step.target {
        StepTarget::View(path) => {
            let view = matches!(event.details, Details::Page(_)) && event.name == "screen_view";
            view && is_called(path, &event.path)
        }
        StepTarget::Event(name) => is_deed(event) && is_called(name, &event.name),
    };
    target
        && step
            .conditions
            .iter()
            .all(|condition| holds(condition, event))
}

/// Every person's events that take steps, in order.
fn hits(case: &Case) -> BTreeMap<u64, Vec<Hit<'_>>> {
    let mut people: BTreeMap<u64, Vec<Hit<'_>>> = BTreeMap::new();
    for event in case.events.iter().filter(|event| passes(case, event)) {
        let takes: Vec<bool> = case
            .funnel
            .steps
            .iter()
            .map(|step| takes(step, event))
            .collect();
        let Some(first) = takes.iter().position(|takes| *takes) else {
            continue;
        };
        if identity(case, event) != 0 {
            people.entry(identity(case, event)).or_default().push(Hit {
                place: (event.time, event.received, first + 1),
                takes,
                event,
            });
        }
    }
    for hits in people.values_mut() {
        hits.sort_by_key(|hit| hit.place);
    }
    people
}

/// The way that begins there, taking each step as soon as it can be taken.
fn way(case: &Case, hits: &[Hit<'_>], start: Position) -> Way {
    let mut way = vec![start];
    for step in 1..case.funnel.steps.len() {
        let last = *way.last().unwrap();
        let in_time = |at: i64| {
            case.funnel
                .window_ms
                .is_none_or(|window| at - start.0 <= window)
        };
        let next = hits
            .iter()
            .find(|hit| hit.takes[step] && hit.place > last && in_time(hit.place.0));
        match next {
            Some(hit) => way.push(hit.place),
            None => break,
        }
    }
    // Waiting at a step never leads farther.
    assert_eq!(way.len(), farthest(case, hits, start, start, 1));
    way
}

/// How far anybody could come who began there, whatever they chose.
fn farthest(case: &Case, hits: &[Hit<'_>], start: Position, last: Position, taken: usize) -> usize {
    if taken == case.funnel.steps.len() {
        return taken;
    }
    let in_time = |at: i64| {
        case.funnel
            .window_ms
            .is_none_or(|window| at - start.0 <= window)
    };
    let next: BTreeSet<Position> = hits
        .iter()
        .filter(|hit| hit.takes[taken] && hit.place > last && in_time(hit.place.0))
        .map(|hit| hit.place)
        .collect();
    let mut best = taken;
    for place in next {
        best = best.max(farthest(case, hits, start, place, taken + 1));
        if best == case.funnel.steps.len() {
            break;
        }
    }
    best
}

/// Per person who came in: every way, by its beginning.
fn ways(case: &Case) -> BTreeMap<u64, (Vec<Way>, u64)> {
    let mut all = BTreeMap::new();
    for (person, hits) in hits(case) {
        let starts: BTreeSet<Position> = hits
            .iter()
            .filter(|hit| hit.takes[0])
            .map(|hit| hit.place)
            .collect();
        let Some(first) = starts.first() else {
            continue;
        };
        let begun = hits
            .iter()
            .filter(|hit| hit.place == *first && hit.takes[0]);
        let visit = begun.map(|hit| hit.event.session).min().unwrap();
        let ways = starts.iter().map(|start| way(case, &hits, *start));
        all.insert(person, (ways.collect(), visit));
    }
    all
}

/// The way that counts for a step: the first one that comes so far.
fn reaching(ways: &[Way], step: usize) -> Option<&Way> {
    ways.iter().find(|way| way.len() >= step)
}

fn days(case: &Case) -> Vec<Day> {
    let mut days = Vec::new();
    let mut date = case.range.first;
    while date <= case.range.last {
        if zone::day_start(date, case.range.zone) <= case.now {
            days.push(Day {
                date: date.to_string(),
                ..Day::default()
            });
        }
        date = zone::day_after(date);
    }
    days
}

fn day<'d>(case: &Case, days: &'d mut Vec<Day>, time: i64) -> &'d mut Day {
    let date = zone::local_date(time, case.range.zone).to_string();
    let known = days.iter().position(|day| day.date == date);
    let at = known.unwrap_or_else(|| {
        days.push(Day {
            date,
            ..Day::default()
        });
        days.len() - 1
    });
    &mut days[at]
}

pub(super) fn steps(case: &Case) -> FunnelMetrics {
    let length = case.funnel.steps.len();
    let mut figures = FunnelMetrics {
        steps: vec![StepMetrics::default(); length],
        days: days(case),
        ..FunnelMetrics::default()
    };
    for (ways, _) in ways(case).values() {
        figures.entered += 1;
        let entered = ways[0][0].0;
        day(case, &mut figures.days, entered).users += 1;
        for step in 1..=length {
            let Some(way) = reaching(ways, step) else {
                break;
            };
            let own = &mut figures.steps[step - 1];
            own.users += 1;
            if step > 1 {
                own.took_ms += way[step - 1].0 - way[step - 2].0;
            }
            if step == length {
                let whole = way[step - 1].0 - way[0].0;
                figures.whole_ms += whole;
                let day = day(case, &mut figures.days, entered);
                day.conversions += 1;
                day.whole_ms += whole;
            }
        }
    }
    figures.errors = errors(case).len() as u64;
    figures
}

fn errors(case: &Case) -> Vec<&Event> {
    let all = case.events.iter().filter(|event| passes(case, event));
    all.filter(|event| matches!(event.details, Details::Error(_)) && identity(case, event) != 0)
        .collect()
}

/// One field of where a visit came from, looked for up to a day before the range.
fn origin(case: &Case, visit: u64, field: impl Fn(&Event) -> Option<&str>) -> String {
    let from = case.range.from - 86_400_000;
    let of_it = case.events.iter().filter(|event| {
        let came = event.referrer_domain.is_some() || event.utm.campaign.is_some();
        visit != 0 && event.session == visit && came && happened(case, event, from)
    });
    let found = of_it
        .map(|event| {
            let page = matches!(event.details, Details::Page(_));
            (!page, event.time, field(event).unwrap_or_default())
        })
        .min();
    found.map(|(.., text)| text.to_owned()).unwrap_or_default()
}

pub(super) fn referrers(case: &Case) -> Vec<FunnelReferrer> {
    let mut found: BTreeMap<(String, String, String), (u64, u64)> = BTreeMap::new();
    for (ways, visit) in ways(case).values() {
        let from = (
            origin(case, *visit, |event| event.referrer_domain.as_deref()),
            origin(case, *visit, |event| event.source.as_deref()),
            origin(case, *visit, |event| event.channel.as_deref()),
        );
        let own = found.entry(from).or_default();
        own.0 += 1;
        own.1 += u64::from(reaching(ways, case.funnel.steps.len()).is_some());
    }
    let mut list: Vec<FunnelReferrer> = found
        .into_iter()
        .map(
            |((domain, source, channel), (users, conversions))| FunnelReferrer {
                domain,
                source,
                channel,
                users,
                conversions,
            },
        )
        .collect();
    list.sort_by_key(|one| std::cmp::Reverse(one.users));
    list
}

/// What a group of errors comes to.
#[derive(Default)]
struct Group {
    errors: u64,
    users: BTreeSet<u64>,
    sessions: BTreeSet<u64>,
    dropped: BTreeSet<u64>,
}

impl Group {
    fn add(&mut self, person: u64, session: u64, dropped: bool) {
        self.errors += 1;
        self.users.insert(person);
        if session != 0 {
            self.sessions.insert(session);
        }
        if dropped {
            self.dropped.insert(person);
        }
    }

    fn met(&self) -> ErrorCounts {
        ErrorCounts {
            errors: self.errors,
            users: self.users.len() as u64,
            sessions: self.sessions.len() as u64,
            dropped: self.dropped.len() as u64,
        }
    }
}

pub(super) fn troubles(case: &Case) -> FunnelErrors {
    let length = case.funnel.steps.len();
    let ways = ways(case);
    let (mut all, mut steps) = (Group::default(), BTreeMap::<usize, Group>::new());
    let mut named: BTreeMap<(usize, String, String), u64> = BTreeMap::new();
    for error in errors(case) {
        let person = identity(case, error);
        let Some((ways, _)) = ways.get(&person) else {
            continue;
        };
        let at = (error.time, error.received, 15);
        let passed = |step: &usize| reaching(ways, *step).is_some_and(|way| way[*step - 1] < at);
        let Some(step) = (1..=length)
            .filter(passed)
            .max()
            .filter(|step| *step < length)
        else {
            continue;
        };
        let depth = ways.iter().map(Vec::len).max().unwrap();
        all.add(person, error.session, step == depth);
        steps
            .entry(step)
            .or_default()
            .add(person, error.session, step == depth);
        let Details::Error(failure) = &error.details else {
            unreachable!()
        };
        *named
            .entry((step, failure.message.clone(), error.name.clone()))
            .or_default() += 1;
    }
    let mut top: Vec<FunnelError> = named
        .into_iter()
        .map(|((step, message, kind), count)| FunnelError {
            step,
            message,
            kind,
            count,
        })
        .collect();
    top.sort_by_key(|one| (one.step, std::cmp::Reverse(one.count)));
    FunnelErrors {
        all: all.met(),
        steps: (1..=length)
            .map(|step| steps.get(&step).map(Group::met).unwrap_or_default())
            .collect(),
        top,
    }
}

/// The first step as a goal: everybody comes in with whatever they do first.
pub(super) fn goal(case: &Case) -> FunnelMetrics {
    let mut people: BTreeMap<u64, Vec<&Event>> = BTreeMap::new();
    for event in case.events.iter().filter(|event| passes(case, event)) {
        if is_deed(event) && identity(case, event) != 0 {
            people.entry(identity(case, event)).or_default().push(event);
        }
    }
    let mut figures = FunnelMetrics {
        days: days(case),
        ..FunnelMetrics::default()
    };
    let mut own = StepMetrics::default();
    for events in people.values() {
        let entered = events.iter().map(|event| event.time).min().unwrap();
        let done = events
            .iter()
            .filter(|event| takes(&case.funnel.steps[0], event));
        let done = done.map(|event| event.time).min();
        figures.entered += 1;
        let day = day(case, &mut figures.days, entered);
        day.users += 1;
        if let Some(done) = done {
            day.conversions += 1;
            day.whole_ms += done - entered;
            own.users += 1;
            own.took_ms += done - entered;
        }
    }
    figures.whole_ms = own.took_ms;
    figures.steps = vec![own];
    figures
}

//! What is asked, and which events it is about.

use std::collections::BTreeSet;

use chrono::{DateTime, Timelike};
use chrono_tz::Tz;

use super::{
    filter, sources,
    table::{Raw, Says},
};
use crate::{
    analytics::{
        catalogue::{About, Field},
        range::{Granularity, Range, zone::offset_ms},
        request::{Parameter, Request},
        target::Target,
    },
    events::event::{Bot, Details, Event, Page, RAW},
};

/// One parameter of a request over everything that is stored.
pub(in crate::analytics::tests) struct Question<'a> {
    pub(in crate::analytics::tests) events: &'a [Event],
    pub(in crate::analytics::tests) target: &'a Target,
    pub(in crate::analytics::tests) request: &'a Request,
    pub(in crate::analytics::tests) parameter: &'a Parameter,
    pub(in crate::analytics::tests) range: Range,
    pub(in crate::analytics::tests) now: i64,
}

/// An hour or day, identified by its label.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Name(String, i64);

/// A bucket of the range.
pub(super) struct Bucket {
    pub(super) label: String,
    /// Where an hour comes twice.
    offset: Option<String>,
    pub(super) start: i64,
    pub(super) end: i64,
    name: Name,
}

impl Bucket {
    /// The cells that name it, the one at this index.
    pub(super) fn says(&self, column: &'static str, index: usize) -> Says {
        let mut says = Says::default().value(column, self.label.clone());
        says.0[0].raw = Some(Raw::Int(index as i64));
        match &self.offset {
            Some(offset) => says.value("offset", offset.clone()),
            None => says,
        }
    }
}

impl<'a> Question<'a> {
    /// Whether rows are chosen or grouped by who they are from. What happens to things names no person.
    fn is_about_people(&self) -> bool {
        if self.parameter.kind.about == About::Things {
            return false;
        }
        let filters = self.request.filters.iter();
        let mut filters = filters.filter(|filter| filter::acts(self, filter));
        let people = ["profile_id", "trait"];
        filters.any(|filter| people.contains(&filter.field.name))
            || self.groups().iter().any(|field| field.name == "profile_id")
    }

    /// The profile that an event shows: its own, or also that of its visitor where people are asked about.
    pub(super) fn profile(&self, event: &Event) -> Option<String> {
        if self.is_about_people() {
            self.person(event)
        } else {
            event.profile.clone()
        }
    }

    /// Who an event is from: the profile on it, else what was said last of its visitor, else the last in the alphabet
    /// of the profiles that events of this visitor carry.
    pub(super) fn person(&self, event: &Event) -> Option<String> {
        let own = event.profile.clone().filter(|own| !own.is_empty());
        if own.is_some() || event.visitor == 0 {
            return own;
        }
        let from = self.read_from();
        let same = |other: &&Event| {
            self.is_in_target(other)
                && other.website == event.website
                && other.visitor == event.visitor
        };
        let said = |other: &&Event| {
            let lasts = other.name == RAW || other.received >= from - 2 * 86_400_000;
            other.details == Details::Alias && lasts
        };
        let said = self.events.iter().filter(same).filter(said);
        let latest = said.max_by_key(|other| other.received);
        let here = |other: &&Event| (from..self.range.to).contains(&other.time);
        let carried = self.events.iter().filter(same).filter(here);
        let carried = carried.filter_map(|other| other.profile.clone());
        latest
            .and_then(|alias| alias.profile.clone())
            .or_else(|| carried.filter(|profile| !profile.is_empty()).max())
    }

    fn is_in_target(&self, event: &Event) -> bool {
        let access = &self.target.access;
        event.organization == access.organization().0
            && access.website().is_none_or(|site| event.website == site.0)
    }

    /// Whether an event is of a person that the question is about: of a person, of a kind of bot that the website allows,
    /// or of whomever the request asks for.
    fn means(&self, event: &Event) -> bool {
        let of_things = self.parameter.kind.about == About::Things;
        let mut filters = self.request.filters.iter();
        let says = filters.any(|filter| {
            let listens = !of_things || filter::knows(self, filter.field);
            filter.field.name == "bot_verdict" && listens
        });
        let about_all = self.parameter.kind.about == About::Everyone;
        let mut allowed = self.target.lenient.iter();
        let mut is_allowed =
            || allowed.any(|(site, bits)| event.website == site.0 && event.bot_signals & bits != 0);
        event.bot == Bot::No || says || !of_things && (about_all || is_allowed())
    }

    /// Where visits begin that are looked at: of those that go on in the range the last day before it counts.
    fn visits_from(&self) -> i64 {
        self.range.from - 86_400_000
    }

    /// The first instant that is read: it matters for identities.
    fn read_from(&self) -> i64 {
        let (from, _) = self.range.within_events(self.now);
        if self.parameter.kind.about != About::People {
            return from;
        }
        let acting = self.request.filters.iter();
        let mut acting = acting.filter(|filter| filter::acts(self, filter));
        let by_visit = acting.any(|filter| filter::is_of_visit(filter.field))
            || self
                .groups()
                .iter()
                .any(|field| sources::is_of_source(field))
            || sources::TYPES.contains(&self.parameter.kind.name);
        if by_visit { self.visits_from() } else { from }
    }

    /// What people did from when visits begin up to the range's end.
    pub(super) fn visit_events(&self) -> impl Iterator<Item = &'a Event> {
        let here = |event: &&Event| (self.visits_from()..self.range.to).contains(&event.time);
        let means =
            move |event: &&Event| here(event) && self.is_in_target(event) && self.means(event);
        self.events.iter().filter(means)
    }

    /// What people did in the range, as far as the filters let it through.
    pub(super) fn rows(&self, which: impl Fn(&Event) -> bool) -> Vec<&'a Event> {
        let all: Vec<&Event> = self.visit_events().collect();
        let passes = |event: &&Event| filter::passes(self, &all, event);
        let here = |event: &&Event| event.time >= self.range.from && which(event);
        all.iter().copied().filter(here).filter(passes).collect()
    }

    /// What people did before an instant, whatever the end of the range.
    pub(super) fn rows_before(&self, to: i64, which: impl Fn(&Event) -> bool) -> Vec<&'a Event> {
        let here = |event: &&Event| {
            let happened = event.time >= self.range.from && event.time < to;
            self.is_in_target(event) && event.bot == Bot::No && happened
        };
        let all: Vec<&Event> = self.events.iter().filter(here).collect();
        all.iter()
            .copied()
            .filter(|event| which(event) && filter::passes(self, &all, event))
            .collect()
    }

    /// What was received in the range.
    pub(super) fn received(&self, which: impl Fn(&Event) -> bool) -> Vec<&'a Event> {
        let here = |event: &&Event| {
            self.is_in_target(event)
                && event.details != Details::Alias
                && filter::agent(event).is_none_or(|agent| agent.is_reported)
                && (self.range.from..self.range.to).contains(&event.received)
        };
        let all: Vec<&Event> = self.events.iter().filter(here).collect();
        all.iter()
            .copied()
            .filter(|event| which(event) && filter::passes(self, &all, event))
            .collect()
    }

    /// The fields that rows are grouped by on top of their own keys.
    pub(super) fn groups(&self) -> Vec<&'static Field> {
        let knows = |field: &&Field| {
            self.parameter.kind.customizable
                && filter::knows(self, field)
                && !["property_key", "bot_reason"].contains(&field.name)
        };
        self.request
            .group_by
            .iter()
            .copied()
            .filter(knows)
            .collect()
    }

    /// Every bucket of the range, by walking through it in steps that every zone's clock keeps.
    pub(super) fn buckets(&self) -> Vec<Bucket> {
        let (from, to) = self.range.within_events(self.now);
        let zone = self.range.zone;
        let mut list: Vec<Bucket> = Vec::new();
        let mut time = from;
        while time < to {
            let name = self.name(time);
            if list.last().is_none_or(|last| last.name != name) {
                list.push(Bucket {
                    label: String::new(),
                    offset: None,
                    start: time,
                    end: time,
                    name,
                });
            }
            time += 900_000 - (time - from) % 900_000;
            if let Some(last) = list.last_mut() {
                last.end = time.min(to);
            }
        }
        let plain: Vec<String> = list.iter().map(|bucket| bucket.name.0.clone()).collect();
        for (index, bucket) in list.iter_mut().enumerate() {
            let same = |other: Option<usize>| {
                other.and_then(|other| plain.get(other)) == Some(&plain[index])
            };
            bucket.label.clone_from(&plain[index]);
            if same(index.checked_sub(1)) || same(Some(index + 1)) {
                bucket.offset = Some(offset(bucket.start, zone));
            }
        }
        list
    }

    /// The bucket that an instant lies in.
    pub(super) fn bucket(&self, buckets: &[Bucket], time: i64) -> usize {
        let name = self.name(time);
        let found = buckets.iter().position(|bucket| bucket.name == name);
        found.unwrap_or_else(|| panic!("{time} lies in no bucket"))
    }

    fn name(&self, time: i64) -> Name {
        let zone = self.range.zone;
        let local = DateTime::from_timestamp_millis(time)
            .unwrap()
            .with_timezone(&zone);
        match self.parameter.grain {
            Granularity::Day => Name(local.format("%Y-%m-%d").to_string(), 0),
            grain @ (Granularity::Minute | Granularity::Week | Granularity::Month) => {
                panic!("no answer has rows for {grain:?}")
            }
            Granularity::Hour => Name(
                format!("{} {:02}:00:00", local.format("%Y-%m-%d"), local.hour()),
                offset_ms(time, zone),
            ),
        }
    }
}

fn offset(time: i64, zone: Tz) -> String {
    let local = DateTime::from_timestamp_millis(time)
        .unwrap()
        .with_timezone(&zone);
    local.format("%:z").to_string()
}

/// Something that rows are made of: an event, a visit, a person.
pub(super) trait Item {
    /// What the item is grouped by under a field.
    fn raw(&self, asked: &Question<'_>, field: &Field) -> Raw;
}

impl Item for &Event {
    fn raw(&self, asked: &Question<'_>, field: &Field) -> Raw {
        match field.name {
            "anonymous_id" => Raw::Text(format!("{:020}", self.visitor)),
            "session_id" => Raw::Text(format!("{:020}", self.session)),
            "website_id" => Raw::Int(self.website),
            _ if sources::is_asked_by(asked, field) => {
                Raw::text(sources::texts(asked, self, field).swap_remove(0))
            }
            _ => Raw::text(filter::texts(asked, self, field).swap_remove(0)),
        }
    }
}

/// The events of one visit: a session with a view.
pub(super) struct Visit<'a>(pub(super) Vec<&'a Event>);

impl Item for Visit<'_> {
    fn raw(&self, asked: &Question<'_>, field: &Field) -> Raw {
        began(&self.0, |event| event.raw(asked, field))
    }
}

/// Of the first event that has it; in the same millisecond the smallest.
pub(super) fn earliest<T>(events: &[&Event], of: impl Fn(&&Event) -> Option<T>) -> Option<T>
where
    T: Comparable,
{
    let known = events
        .iter()
        .filter_map(|event| Some((event.time, of(event)?)));
    known
        .min_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.against(&b.1)))
        .map(|(_, value)| value)
}

/// Of the first page event, or of the first event if there is none.
pub(super) fn began<T: Comparable>(events: &[&Event], of: impl Fn(&&Event) -> T) -> T {
    let of_page = |event: &&Event| page(event).map(|_| of(event));
    earliest(events, of_page)
        .or_else(|| earliest(events, |event| Some(of(event))))
        .unwrap()
}

/// Of the last event that has it; in the same millisecond the largest.
pub(super) fn latest<T>(events: &[&Event], of: impl Fn(&&Event) -> Option<T>) -> Option<T>
where
    T: Comparable,
{
    let known = events
        .iter()
        .filter_map(|event| Some((event.time, of(event)?)));
    known
        .max_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.against(&b.1)))
        .map(|(_, value)| value)
}

/// Values in the order in which they are stored.
pub(super) trait Comparable {
    fn against(&self, other: &Self) -> std::cmp::Ordering;
}

impl Comparable for Raw {
    fn against(&self, other: &Self) -> std::cmp::Ordering {
        self.compare(other)
    }
}

impl Comparable for String {
    fn against(&self, other: &Self) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Comparable for u64 {
    fn against(&self, other: &Self) -> std::cmp::Ordering {
        self.cmp(other)
    }
}

/// The visits among events.
pub(super) fn visits<'a>(events: &[&'a Event]) -> Vec<Visit<'a>> {
    let sessions: BTreeSet<u64> = events.iter().map(|event| event.session).collect();
    let all = sessions.into_iter().filter(|session| *session != 0);
    all.map(|session| {
        let of = events.iter().filter(|event| event.session == session);
        Visit(of.copied().collect())
    })
    .filter(|visit| visit.0.iter().any(|event| is_view(event)))
    .collect()
}

pub(super) fn page(event: &Event) -> Option<&Page> {
    match &event.details {
        Details::Page(page) => Some(page),
        _ => None,
    }
}

pub(super) fn is_view(event: &Event) -> bool {
    event.name == "screen_view" && page(event).is_some()
}

pub(super) fn is_exit(event: &Event) -> bool {
    event.name == "page_exit" && page(event).is_some()
}

pub(super) fn is_custom(event: &Event) -> bool {
    matches!(event.details, Details::Custom)
}

/// Page events, custom events and outgoing links.
pub(super) fn is_activity(event: &Event) -> bool {
    page(event).is_some() || is_custom(event) || matches!(event.details, Details::Outgoing { .. })
}

/// Distinct ids that are not 0.
pub(super) fn distinct(ids: impl Iterator<Item = u64>) -> usize {
    ids.filter(|id| *id != 0).collect::<BTreeSet<u64>>().len()
}

pub(super) fn visitors(events: &[&Event]) -> usize {
    distinct(events.iter().map(|event| event.visitor))
}

pub(super) fn sessions(events: &[&Event]) -> usize {
    distinct(events.iter().map(|event| event.session))
}

/// Under both of its names.
pub(super) fn seen_by(says: Says, visitors: usize) -> Says {
    says.int(&["visitors", "unique_visitors"], visitors)
}

/// Interpolated between neighbours.
pub(super) fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = q * sorted.len().checked_sub(1)? as f64;
    let (low, high) = (
        sorted[place.floor() as usize],
        sorted[place.ceil() as usize],
    );
    Some(low + (high - low) * place.fract())
}

pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

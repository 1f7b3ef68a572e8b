//! What people are like, in numbers.

use super::{
    Oracle,
    filter::spent,
    group::{Part, series, top, total},
    people::{PersonId, people},
    question::{Item, Question, distinct, is_activity, is_view, latest, mean, quantile},
    table::{Raw, Says, Table, Way},
};
use crate::{analytics::catalogue::Field, events::event::Event};

pub(super) const ORACLES: &[Oracle] = &[
    ("profile_metrics", |asked| {
        total(asked, persons(asked, &active(asked)), metrics)
    }),
    ("profile_duration_distribution", |asked| {
        let key = |person: &Person<'_>| vec![super::visits::duration_part(person.spent())];
        top(asked, persons(asked, &active(asked)), key, |all| {
            counted(all).int(&["sessions"], visits(all))
        })
        .share("profiles")
        .ordered("duration_range", Way::Up)
    }),
    ("profiles_by_device", |asked| {
        by(asked, "device_type", |event| &event.device_type)
    }),
    ("profiles_by_browser", |asked| {
        by(asked, "browser_name", |event| &event.browser_name)
    }),
    ("profiles_time_series", |asked| {
        series(
            asked,
            active(asked),
            |event| event.time,
            |events| did(&persons(asked, events)),
        )
    }),
    ("returning_visitors", |asked| {
        total(asked, persons(asked, &active(asked)), |all| {
            let back = || all.iter().filter(|one| one.visits() > 1);
            let visits: usize = back().map(Person::visits).sum();
            let count = back().count();
            let each = (count > 0).then(|| visits as f64 / count as f64);
            returning(Says::default(), all).and(counted(all)).float(
                "avg_sessions_per_returning_visitor",
                each,
                2,
            )
        })
    }),
];

/// A profile, or a visitor alone, with what they did.
struct Person<'a>(PersonId, Vec<&'a Event>);

impl Item for Person<'_> {
    fn raw(&self, asked: &Question<'_>, field: &Field) -> Raw {
        self.1[0].raw(asked, field)
    }
}

impl Person<'_> {
    fn is_known(&self) -> bool {
        !self.0.0.is_empty()
    }

    fn views(&self) -> impl Iterator<Item = &&Event> {
        self.1.iter().filter(|event| is_view(event))
    }

    fn visits(&self) -> usize {
        distinct(self.views().map(|event| event.session))
    }

    fn spent(&self) -> f64 {
        self.1.iter().filter_map(|event| spent(event)).sum()
    }
}

/// The events of a person.
fn active<'a>(asked: &Question<'a>) -> Vec<&'a Event> {
    let rows = asked.rows(is_activity).into_iter();
    rows.filter(|event| event.visitor != 0 || asked.person(event).is_some())
        .collect()
}

fn persons<'a>(asked: &Question<'a>, events: &[&'a Event]) -> Vec<Person<'a>> {
    let people = people(asked, events).into_iter();
    people.map(|(who, events)| Person(who, events)).collect()
}

fn metrics(all: &[Person<'_>]) -> Says {
    let count = all.len() as f64;
    let mean_of = |sum: usize| (count > 0.0).then(|| sum as f64 / count);
    let known = all.iter().filter(|one| one.is_known()).count();
    let spent: Vec<f64> = all.iter().map(Person::spent).collect();
    let views = all.iter().map(|one| one.views().count()).sum();
    let says = Says::default()
        .int(&["total_profiles", "profiles"], all.len())
        .int(&["identified_profiles"], known)
        .int(&["anonymous_profiles"], all.len() - known);
    returning(says, all)
        .int(&["sessions"], visits(all))
        .int(&["pageviews"], views)
        .int(&["total_events"], events(all))
        .float("avg_sessions_per_profile", mean_of(visits(all)), 2)
        .float("avg_events_per_profile", mean_of(events(all)), 2)
        .float("avg_duration", mean(&spent), 2)
        .float("median_duration", quantile(&spent, 0.5), 2)
}

fn counted(all: &[Person<'_>]) -> Says {
    Says::default().int(&["profiles", "visitors"], all.len())
}

fn visits(all: &[Person<'_>]) -> usize {
    all.iter().map(Person::visits).sum()
}

fn events(all: &[Person<'_>]) -> usize {
    all.iter().map(|one| one.1.len()).sum()
}

fn did(all: &[Person<'_>]) -> Says {
    let known = all.iter().filter(|one| one.is_known()).count();
    counted(all)
        .int(&["identified_profiles"], known)
        .int(&["sessions"], visits(all))
        .int(&["total_events"], events(all))
}

fn returning(says: Says, all: &[Person<'_>]) -> Says {
    let back = all.iter().filter(|one| one.visits() > 1).count();
    let rate = (!all.is_empty()).then(|| 100.0 * back as f64 / all.len() as f64);
    says.int(&["returning_visitors"], back)
        .float("returning_rate", rate, 2)
}

fn by(asked: &Question<'_>, name: &'static str, of: fn(&Event) -> &Option<String>) -> Table {
    let key = |person: &Person<'_>| {
        let last = latest(&person.1, |event| of(event).clone());
        let raw = Raw::Text(last.unwrap_or_default());
        let says = Says::default().label(&["name", name], &raw, "Unknown");
        vec![(raw, says)] as Vec<Part>
    };
    top(asked, persons(asked, &active(asked)), key, did).share("profiles")
}

//! Readers over the fixtures of `tests/importers`, and over what is none.

mod flags;
mod hostile;
mod links;
mod monitors;

use super::{Definition, Omission, Plan, Source};

/// 2026-10-14T12:00:00Z.
const NOW: i64 = 1_791_979_200_000;

/// A fixture.
macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../../tests/importers/", $name))
    };
}

use fixture;

fn source(bytes: &[u8]) -> Source<'_> {
    Source::new(bytes, NOW)
}

/// What is not carried, with a part of the reason.
fn has_omission(plan: &Plan, what: &str, reason: &str) -> bool {
    let is_it = |one: &Omission| one.what == what && one.reason.contains(reason);
    plan.omissions.iter().any(is_it)
}

/// The names of what is created.
fn names(plan: &Plan) -> Vec<&str> {
    plan.items
        .iter()
        .map(|item| item.definition.name())
        .collect()
}

/// A definition by its name.
fn find<'p>(plan: &'p Plan, name: &str) -> &'p Definition {
    let found = plan
        .items
        .iter()
        .find(|item| item.definition.name() == name);
    &found.unwrap().definition
}

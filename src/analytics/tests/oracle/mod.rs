//! Every query type computed the slow and obvious way from the raw events, without any SQL.
//!
//! One entry of [`ORACLES`] per type of the catalogue: a type without one does not compile (the assertion below). What
//! is shared here (filters, groups, order, pages) is written from the definitions, not from the compiler of statements.

mod agents;
mod cohorts;
mod comparison;
mod conversions;
mod custom;
mod engagement;
mod failures;
mod filter;
mod group;
mod journeys;
mod people;
mod persons;
mod properties;
mod quality;
mod question;
mod revenue;
mod sources;
mod speed;
mod table;
mod things;
mod uptime;
mod views;
mod visits;

use serde_json::Value;

pub(super) use filter::{PLANS, acts};
pub(super) use question::Question;
use table::Table;

use crate::analytics::catalogue::FAMILIES;

type Answer = fn(&Question<'_>) -> Table;

/// Name of a type, and what it has to answer.
type Oracle = (&'static str, Answer);

const ORACLES: &[&[Oracle]] = &[
    visits::ORACLES,
    views::ORACLES,
    failures::ORACLES,
    speed::ORACLES,
    custom::ORACLES,
    people::ORACLES,
    engagement::ORACLES,
    quality::ORACLES,
    agents::ORACLES,
    persons::ORACLES,
    properties::ORACLES,
    cohorts::ORACLES,
    journeys::ORACLES,
    comparison::ORACLES,
    revenue::ORACLES,
    things::ORACLES,
    conversions::ORACLES,
    uptime::ORACLES,
];

const _: () = {
    let mut family = 0;
    while family < FAMILIES.len() {
        let mut kind = 0;
        while kind < FAMILIES[family].len() {
            assert!(
                has_oracle(FAMILIES[family][kind].name),
                "a query type has no oracle"
            );
            kind += 1;
        }
        family += 1;
    }
};

const fn has_oracle(name: &str) -> bool {
    let mut list = 0;
    while list < ORACLES.len() {
        let mut entry = 0;
        while entry < ORACLES[list].len() {
            if same(ORACLES[list][entry].0.as_bytes(), name.as_bytes()) {
                return true;
            }
            entry += 1;
        }
        list += 1;
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

/// The rows that the question has to be answered with.
pub(super) fn rows(asked: &Question<'_>) -> Vec<Value> {
    let name = asked.parameter.kind.name;
    let mut entries = ORACLES.iter().copied().flatten();
    let (_, answer) = entries.find(|(known, _)| *known == name).unwrap();
    answer(asked).page(asked)
}

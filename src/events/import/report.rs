//! What a file holds, and what became of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Omission;
use crate::events::event::{Details, Event};

/// Refused records that are listed one by one.
const MAX_REFUSALS: usize = 1_000;
/// Characters of a reason: it may quote what a file says.
const MAX_REASON: usize = 200;

/// Counts of a file's records by what they came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ImportReport")]
#[serde(rename_all = "camelCase", default)]
pub struct Report {
    /// Events that can be stored, or are.
    pub events: u64,
    /// The same by kind: `pageview`, `page exit`, `custom event`, `outbound link` and so on.
    pub kinds: BTreeMap<String, u64>,
    /// When the first of them happened, Unix milliseconds.
    pub first: Option<i64>,
    /// When the last of them happened, Unix milliseconds.
    pub last: Option<i64>,
    /// Records that name a person or their traits. Some of them are events as well.
    pub people: u64,
    /// Records that are no events, by what they are.
    pub left_out: BTreeMap<String, u64>,
    /// Fields that are not carried.
    pub omitted: Vec<Omitted>,
    /// Records that cannot be read or break a rule.
    pub refused: u64,
    /// The first thousand of them.
    pub refusals: Vec<RefusedRecord>,
}

/// A field that is not carried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ImportOmittedField")]
pub struct Omitted {
    /// Its name in the file.
    pub field: String,
    pub reason: String,
    /// Records that have it.
    pub records: u64,
}

/// A record that is not carried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ImportRefusal")]
pub struct RefusedRecord {
    /// Its line, or its number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub why: String,
}

impl Report {
    pub(super) fn count(&mut self, event: &Event) {
        self.events += 1;
        let kind = kind_of(event);
        if let Some(count) = self.kinds.get_mut(kind) {
            *count += 1;
        } else {
            self.kinds.insert(kind.to_owned(), 1);
        }
        self.first = Some(self.first.map_or(event.time, |first| first.min(event.time)));
        self.last = Some(self.last.map_or(event.time, |last| last.max(event.time)));
    }

    pub(super) fn leave_out(&mut self, why: &'static str) {
        *self.left_out.entry(why.to_owned()).or_default() += 1;
    }

    pub(super) fn refuse(&mut self, line: u64, why: &str) {
        self.refused += 1;
        if self.refusals.len() < MAX_REFUSALS {
            let why = why.chars().take(MAX_REASON).collect();
            self.refusals.push(RefusedRecord { line, why });
        }
    }

    /// Counts a record that has such a field.
    pub(super) fn omit(&mut self, omission: &Omission) {
        let mut known = self.omitted.iter_mut();
        if let Some(own) = known.find(|own| own.field == omission.field) {
            own.records += 1;
            return;
        }
        self.omitted.push(Omitted {
            field: omission.field.to_owned(),
            reason: omission.reason.to_owned(),
            records: 1,
        });
    }
}

impl Report {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what came after it.
    pub(super) fn append(&mut self, later: Self) {
        self.events += later.events;
        self.people += later.people;
        for (kind, count) in later.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
        self.first = self.first.into_iter().chain(later.first).min();
        self.last = self.last.max(later.last);
        for (why, count) in later.left_out {
            *self.left_out.entry(why).or_default() += count;
        }
        for one in later.omitted {
            match self.omitted.iter_mut().find(|own| own.field == one.field) {
                Some(own) => own.records += one.records,
                None => self.omitted.push(one),
            }
        }
        self.refused += later.refused;
        let room = MAX_REFUSALS - self.refusals.len();
        self.refusals.extend(later.refusals.into_iter().take(room));
    }
}

fn kind_of(event: &Event) -> &'static str {
    match &event.details {
        Details::Page(_) if event.name == "page_exit" => "page exit",
        Details::Page(_) => "pageview",
        Details::Custom => "custom event",
        Details::Outgoing { .. } => "outbound link",
        Details::Vital { .. } => "web vital",
        Details::Error(_) => "error",
        Details::Engagement(_) => "engagement",
        Details::Call(_) => "tool call",
        Details::Agent(_) => "agent request",
        Details::Counter { .. } | Details::Alias | Details::Click | Details::Check(_) => "other",
    }
}

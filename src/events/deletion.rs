//! Whose events are erased.

use std::collections::BTreeSet;

/// Whose events are erased, by number in rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeletionTarget {
    /// An organization's.
    Owner(i64),
    /// Those of links, websites or monitors.
    Things(BTreeSet<i64>),
    /// Those of one person on a website.
    Person(Person),
}

/// A person on a website, as rows know them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub website: i64,
    /// The website's own id of the person.
    pub profile: String,
    pub visitors: BTreeSet<u64>,
}

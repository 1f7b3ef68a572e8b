//! Where it is written what was done.

use crate::{
    clock::Clock,
    fault::{Fault, Kind as Fell},
    platform::provision::prints::Printer,
    store::{StateDb, StateError},
};

/// Where it is written what was done.
pub(super) struct Book<'a> {
    pub(super) db: &'a StateDb,
    pub(super) clock: &'a Clock,
    pub(super) printer: &'a Printer,
}

pub(super) fn told(fault: &Fault) -> (String, String) {
    let issue = match &fault.kind {
        Fell::Invalid { issues } => issues.first(),
        _ => None,
    };
    match issue {
        Some(issue) => (issue.message.clone(), issue.field.clone()),
        None => (fault.message.to_string(), String::new()),
    }
}

pub(super) fn stored(done: Result<(), StateError>) -> Result<(), Fault> {
    done.map_err(Fault::internal)
}

//! What is decided about a definition.

use super::wire::Outcome;
use crate::fault::{Fault, Issue, Kind};

/// What is to be done about a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Create,
    /// The id of what exists.
    Exists(String),
    Refused(String),
}

/// What has become of a definition.
pub(super) struct Done {
    pub(super) outcome: Outcome,
    pub(super) id: Option<String>,
    pub(super) reason: Option<String>,
}

impl Done {
    pub(super) const fn new(outcome: Outcome) -> Self {
        Self {
            outcome,
            id: None,
            reason: None,
        }
    }

    pub(super) fn created(id: String) -> Self {
        Self {
            id: Some(id),
            ..Self::new(Outcome::Created)
        }
    }

    pub(super) fn refused(reason: String) -> Self {
        Self {
            reason: Some(reason),
            ..Self::new(Outcome::Refused)
        }
    }

    pub(super) fn failed(fault: &Fault) -> Self {
        Self::refused(reason(fault))
    }
}

impl From<Verdict> for Done {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Create => Self::new(Outcome::Create),
            Verdict::Exists(id) => Self {
                id: Some(id),
                ..Self::new(Outcome::Exists)
            },
            Verdict::Refused(reason) => Self::refused(reason),
        }
    }
}

/// The reason in sentences: every issue of an input.
pub(super) fn reason(fault: &Fault) -> String {
    match &fault.kind {
        Kind::Invalid { issues } if !issues.is_empty() => sentences(issues),
        _ => fault.message.clone().into_owned(),
    }
}

pub(super) fn sentences(issues: &[Issue]) -> String {
    let messages: Vec<String> = issues
        .iter()
        .map(|issue| {
            // Messages of flags leave out the field that they are about.
            if issue.field.is_empty() || issue.message.contains('`') {
                issue.message.clone()
            } else {
                format!("`{}` {}", issue.field, issue.message)
            }
        })
        .collect();
    messages.join("; ")
}

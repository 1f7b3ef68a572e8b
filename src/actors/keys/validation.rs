//! A field that is not acceptable.

use crate::fault::{Fault, Issue};

/// A field of a new key that is not acceptable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ValidationError {
    pub(super) field: &'static str,
    pub(super) message: &'static str,
}

impl ValidationError {
    pub(super) fn into_fault(self) -> Fault {
        let issue = Issue::new("invalid", self.field, self.message);
        Fault::issues(self.message, vec![issue])
    }
}

//! A field that is not acceptable.

use std::borrow::Cow;

use crate::fault::Issue;

/// A field, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ValidationError {
    pub(super) field: Cow<'static, str>,
    pub(super) message: Cow<'static, str>,
}

impl ValidationError {
    /// A field that is not acceptable, and why.
    pub(super) fn new(
        field: impl Into<Cow<'static, str>>,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            field: field.into(),
            message: message.into(),
        }
    }

    /// Where it is.
    #[cfg(test)]
    pub(super) fn field(&self) -> &str {
        &self.field
    }

    /// The same as an issue.
    pub fn issue(&self) -> Issue {
        Issue::new("invalid", self.field.clone(), self.message.clone())
    }
}

//! A field that is not acceptable.

use std::borrow::Cow;

use crate::fault::Issue;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ValidationError {
    pub(super) field: Cow<'static, str>,
    pub(super) message: Cow<'static, str>,
}

impl ValidationError {
    pub(super) fn new(
        field: impl Into<Cow<'static, str>>,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            field: field.into(),
            message: message.into(),
        }
    }

    /// Refuses the field unless this holds.
    pub(super) fn require(
        holds: bool,
        field: &'static str,
        message: &'static str,
    ) -> Result<(), Self> {
        if holds {
            Ok(())
        } else {
            Err(Self::new(field, message))
        }
    }

    #[cfg(test)]
    pub(super) fn field(&self) -> &str {
        &self.field
    }

    pub fn issue(&self) -> Issue {
        Issue::new("invalid", self.field.clone(), self.message.clone())
    }
}

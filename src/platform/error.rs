//! Why a command could not be done.

/// Why a command could not be done, for the operator.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct CommandError {
    /// What is in the way, in one line.
    pub what: String,
    /// What to do about it.
    pub hint: String,
}

impl CommandError {
    pub(super) fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            hint: hint.into(),
        }
    }
}

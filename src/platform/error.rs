//! Errors that the operator of a command can do something about.

#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct CommandError {
    /// What went wrong, in one line.
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

    /// Fails with such an error.
    pub(super) fn refuse<T>(what: impl Into<String>, hint: impl Into<String>) -> anyhow::Result<T> {
        Err(Self::new(what, hint).into())
    }
}

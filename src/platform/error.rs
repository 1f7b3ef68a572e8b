//! Why a command could not be done.

/// Why a command could not be done, for whoever typed it.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct CommandError {
    /// What is in the way, in one line.
    pub what: String,
    /// What to do about it.
    pub hint: String,
}

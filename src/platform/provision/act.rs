//! What is done, and what may be.

/// What whoever asks allows.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Allowed {
    /// Overwrite what was changed by hand.
    pub(super) force: bool,
    /// Keep what is declared no more.
    pub(super) keep: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    Create,
    /// Every field of a thing that was made by hand, or by a run that was cut off.
    Adopt(String),
    Update(String, Vec<String>),
    Delete(String),
    /// It stays, or is gone already.
    Forget,
    Conflict(String),
    Unchanged(String),
}

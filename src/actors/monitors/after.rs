//! What a check leaves behind, and why a batch of them is not written.

use crate::{
    actors::{
        error::{CommonError, common_errors},
        monitors::LiveState,
    },
    events::store::AppendError,
};

/// How a monitor stands after a check.
#[derive(Debug, Clone)]
pub(super) struct After {
    pub(super) live: LiveState,
    /// What is due next.
    pub(super) mark: Option<i64>,
}

/// Why a batch was not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum BatchError {
    #[error("the event store does not take checks: {0}")]
    Rows(#[from] AppendError),
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(BatchError);

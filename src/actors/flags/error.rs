use std::fmt::Display;

use crate::{
    actors::error::{CommonError, common_errors},
    fault::{Classify, Fault, Issue},
    ids::{FlagId, FlagScheduleId, TargetGroupId},
};

#[derive(Debug, thiserror::Error)]
pub enum FlagError {
    #[error("Flag not found")]
    NotFound(FlagId),
    #[error("Target group not found")]
    NoGroup(TargetGroupId),
    #[error("Flag schedule not found")]
    NoSchedule(FlagScheduleId),
    #[error("A flag with the key `{0}` already exists here")]
    KeyTaken(String),
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(FlagError);

impl FlagError {
    pub(super) fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        vec![Issue::new("invalid", field, message)].into()
    }

    pub(super) fn unknown(field: impl Into<String>, message: impl Into<String>) -> Self {
        vec![Issue::new("unknown", field, message)].into()
    }

    pub(super) fn damaged(id: impl Display, error: &serde_json::Error) -> Self {
        CommonError::damaged("flag", id, error).into()
    }
}

impl Classify for FlagError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("Flag", id),
            Self::NoGroup(id) => Fault::not_found("Target group", id),
            Self::NoSchedule(id) => Fault::not_found("flag schedule", id),
            Self::KeyTaken(key) => Fault::conflict("Flag", key, message),
            Self::Common(error) => error.classify(),
        }
    }
}

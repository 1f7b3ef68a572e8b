//! What a client did wrong, with the keyword of RFC 7644, section 3.12.

use crate::fault::Fault;

/// A request that cannot be done. All of them are status 400.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScimError {
    #[error("The filter is wrong: {0}")]
    Filter(String),
    #[error("The path is wrong: {0}")]
    Path(String),
    #[error("{0}")]
    NoTarget(&'static str),
    #[error("{0}")]
    Value(String),
    #[error("`{0}` can't be changed or removed")]
    ReadOnly(String),
    #[error("{0}")]
    Syntax(String),
}

impl ScimError {
    /// The `scimType` of the answer.
    pub const fn keyword(&self) -> &'static str {
        match self {
            Self::Filter(_) => "invalidFilter",
            Self::Path(_) => "invalidPath",
            Self::NoTarget(_) => "noTarget",
            Self::Value(_) => "invalidValue",
            Self::ReadOnly(_) => "mutability",
            Self::Syntax(_) => "invalidSyntax",
        }
    }
}

impl From<ScimError> for Fault {
    fn from(error: ScimError) -> Self {
        let keyword = error.keyword();
        Self::invalid(error.to_string()).with_code(keyword)
    }
}

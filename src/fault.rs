//! What may go wrong, as a caller is allowed to know it. Knows nothing about HTTP.
//!
//! Domains raise their own error enums; [`Classify`] turns each into a [`Fault`], once. The route tree then
//! decides in which of the three wire styles a fault is spelled (`http::wire`).

use std::{borrow::Cow, time::Duration};

/// The meaning of a failure, from which status, code and extra fields follow.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// The request itself is wrong. `issues` name the places.
    Invalid {
        /// What is wrong where; may be empty.
        issues: Vec<Issue>,
    },
    /// No credentials, or credentials that are not (any longer) valid.
    Unauthenticated,
    /// The caller is known and may not do this.
    Forbidden,
    /// The organization's plan does not include the feature.
    FeatureUnavailable {
        /// Name of the feature, such as `errors`.
        feature: Cow<'static, str>,
        required_plan: Option<String>,
    },
    /// A counted allowance of the plan is used up.
    PlanLimitExceeded {
        limit: u64,
        /// What is used already.
        current: u64,
        /// The plan that allows more.
        next_plan: Option<String>,
    },
    /// Nothing with this id exists, as far as the caller may know.
    NotFound {
        /// What was looked for, such as `website`.
        resource: &'static str,
        /// The id that was asked for.
        id: Option<String>,
    },
    /// The identifier is taken.
    Conflict {
        /// What exists already.
        resource: &'static str,
        id: Option<String>,
    },
    /// There is something here, but not for this method.
    MethodNotAllowed,
    /// The body or a part of it is larger than allowed.
    TooLarge,
    /// The body's encoding is not understood.
    UnsupportedEncoding,
    /// A rolling window or the in-flight cap is full.
    RateLimited(Window),
    /// Our own trouble; trying again later may help.
    Unavailable {
        /// When trying again makes sense.
        retry_after: Duration,
    },
    /// A bug or a broken disk; details are in the log only.
    Internal,
}

/// One thing that is wrong with the input.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Issue {
    /// Machine-readable reason, such as `too_long`.
    pub code: Cow<'static, str>,
    /// Dotted path of the field, `""` for the whole body.
    pub field: String,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

impl Issue {
    /// An issue without a suggestion.
    pub fn new(
        code: impl Into<Cow<'static, str>>,
        field: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code: code.into(),
            field: field.into(),
            message: message.into(),
            suggestion: None,
        }
    }

    /// What is wrong with an input, in a sentence: the first issue speaks for all.
    pub fn first_message(issues: &[Self]) -> &str {
        let first = issues.first();
        first.map_or("Input validation failed", |issue| &issue.message)
    }

    /// Adds what was probably meant.
    pub fn suggest(mut self, suggestion: Option<impl Into<String>>) -> Self {
        self.suggestion = suggestion.map(Into::into);
        self
    }
}

/// State of a limit at the moment of refusal; fills the five headers and the 429 body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Requests allowed in the window.
    pub limit: u32,
    pub remaining: u32,
    /// Unix milliseconds at which one more request will be admitted.
    pub reset_ms: i64,
    /// Whole seconds to wait, at least 1.
    pub retry_after: u64,
}

/// A failure ready to be written in any wire style.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// What it means.
    pub kind: Kind,
    /// Safe to show to the caller.
    pub message: Cow<'static, str>,
    /// Overrides the code that the wire style would derive from the kind.
    pub code: Option<&'static str>,
    /// For the log only.
    #[source]
    pub cause: Option<anyhow::Error>,
}

impl Fault {
    /// A fault of `kind` with a text for the caller.
    pub fn new(kind: Kind, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            message: message.into(),
            code: None,
            cause: None,
        }
    }

    /// The same fault under a code of its own (ingestion has one for each cause).
    pub fn with_code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// The request is wrong, with nothing more precise to say than the message.
    pub fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Invalid { issues: Vec::new() }, message)
    }

    /// The request is wrong in named places; the message is the first issue's.
    pub fn issues(message: impl Into<Cow<'static, str>>, issues: Vec<Issue>) -> Self {
        Self::new(Kind::Invalid { issues }, message)
    }

    /// No valid credentials.
    pub fn unauthenticated() -> Self {
        Self::new(Kind::Unauthenticated, "Authentication required")
    }

    /// Known, but not allowed.
    pub fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Forbidden, message)
    }

    /// A counted allowance of the plan is used up.
    pub fn plan_limit(
        message: impl Into<Cow<'static, str>>,
        limit: u64,
        current: u64,
        next_plan: Option<String>,
    ) -> Self {
        let kind = Kind::PlanLimitExceeded {
            limit,
            current,
            next_plan,
        };
        Self::new(kind, message)
    }

    /// Nothing there, as far as this caller may know.
    pub fn not_found(resource: &'static str, id: impl Into<String>) -> Self {
        Self::new(
            Kind::NotFound {
                resource,
                id: Some(id.into()),
            },
            format!("{resource} not found"),
        )
    }

    /// The identifier is taken.
    pub fn conflict(
        resource: &'static str,
        id: impl Into<String>,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        let id = Some(id.into());
        Self::new(Kind::Conflict { resource, id }, message)
    }

    /// Whether the caller may not do this, or may not know of it.
    pub const fn is_refusal(&self) -> bool {
        matches!(
            self.kind,
            Kind::Unauthenticated | Kind::Forbidden | Kind::NotFound { .. }
        )
    }

    /// Our own trouble, worth a retry after five seconds (`Retry-After`).
    pub fn unavailable(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(
            Kind::Unavailable {
                retry_after: Duration::from_secs(5),
            },
            message,
        )
    }

    /// Something broke; the cause goes to the log, never to the caller.
    pub fn internal(cause: impl Into<anyhow::Error>) -> Self {
        let mut fault = Self::new(Kind::Internal, "Internal server error");
        fault.cause = Some(cause.into());
        fault
    }
}

/// Says what a domain error means to a caller. Every domain error implements it, once.
pub trait Classify: std::error::Error + Send + Sync + 'static {
    /// The meaning of this error.
    fn classify(self) -> Fault;
}

impl<E: Classify> From<E> for Fault {
    fn from(error: E) -> Self {
        error.classify()
    }
}

//! Why the authority gave no certificate, in its own words.

use instant_acme::{Error, Problem};

/// What a failure means for the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The authority didn't see the answer to its challenge. The other kind of challenge may do.
    Challenge,
    /// The authority doesn't know the account.
    NoAccount,
    /// The authority wants fewer requests.
    RateLimited,
    /// The certificate is revoked already.
    AlreadyRevoked,
    /// Anything else.
    Other,
}

/// Why something failed at the authority.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    pub kind: FailureKind,
    /// The authority's own words, where it has said something.
    pub message: String,
    /// Before this moment the authority wants no further request, Unix milliseconds.
    pub retry_at_ms: Option<i64>,
}

impl Failure {
    /// A failure that the authority has said nothing about.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            kind: FailureKind::Other,
            message: message.into(),
            retry_at_ms: None,
        }
    }

    pub(super) fn challenge(problem: Option<&Problem>) -> Self {
        let message = problem.map_or_else(
            || "the authority has not seen the answer to its challenge".to_owned(),
            describe,
        );
        Self {
            kind: FailureKind::Challenge,
            ..Self::new(message)
        }
    }

    pub(super) fn from_error(error: &Error, retry_at_ms: Option<i64>) -> Self {
        let (kind, message) = match error {
            Error::Api(problem) => (classify(problem), describe(problem)),
            Error::Timeout(_) => (
                FailureKind::Other,
                "the authority did not finish in time".to_owned(),
            ),
            error => (FailureKind::Other, error.to_string()),
        };
        Self {
            kind,
            message,
            retry_at_ms,
        }
    }
}

fn classify(problem: &Problem) -> FailureKind {
    let name = problem.r#type.as_deref().unwrap_or_default();
    match name.strip_prefix("urn:ietf:params:acme:error:") {
        Some("accountDoesNotExist") => FailureKind::NoAccount,
        Some("rateLimited") => FailureKind::RateLimited,
        Some("alreadyRevoked") => FailureKind::AlreadyRevoked,
        _ => FailureKind::Other,
    }
}

/// A problem as the authority puts it, with its type's name.
fn describe(problem: &Problem) -> String {
    let name = problem.r#type.as_deref().unwrap_or_default();
    let name = name.rsplit(':').next().unwrap_or_default();
    let details = problem.subproblems.iter().map(|part| &part.detail);
    let details: Vec<&str> = std::iter::once(&problem.detail)
        .chain(details)
        .filter_map(Option::as_deref)
        .collect();
    let text = match (details.join("; "), name) {
        (details, "") => details,
        (details, name) if details.is_empty() => name.to_owned(),
        (details, name) => format!("{details} ({name})"),
    };
    text.chars().take(500).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> Problem {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_failure_repeats_the_authoritys_words_with_the_name_of_the_problem() {
        let limited = problem(
            r#"{ "type": "urn:ietf:params:acme:error:rateLimited", "detail": "too many",
                 "subproblems": [{ "type": "x", "detail": "of a.example" }] }"#,
        );
        let failure = Failure::from_error(&Error::Api(limited), Some(7));
        assert_eq!(failure.message, "too many; of a.example (rateLimited)");
        assert_eq!(
            (failure.kind, failure.retry_at_ms),
            (FailureKind::RateLimited, Some(7))
        );
    }

    #[test]
    fn an_unknown_account_is_told_from_other_problems_and_a_long_text_is_cut() {
        let unknown = problem(r#"{ "type": "urn:ietf:params:acme:error:accountDoesNotExist" }"#);
        let failure = Failure::from_error(&Error::Api(unknown), None);
        assert_eq!(failure.kind, FailureKind::NoAccount);
        assert_eq!(failure.message, "accountDoesNotExist");
        let long = problem(&format!(r#"{{ "detail": "{}" }}"#, "ä".repeat(900)));
        assert_eq!(describe(&long).chars().count(), 500);
    }
}

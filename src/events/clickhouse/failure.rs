//! What goes wrong between us and ClickHouse.

use crate::events::statement::QueryError;

/// Header in which the engine says the number of its exception.
pub(super) const CODE: &str = "x-clickhouse-exception-code";
/// Characters of the engine's words that are kept.
const MAX_WORDS: usize = 600;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The outcome of the request is unknown: no connection, no whole answer, or no time left.
    #[error("ClickHouse does not answer: {0}")]
    Away(String),
    /// The engine said no.
    #[error("ClickHouse refuses ({code}): {message}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// Number of the engine's exception; 0 = unknown.
        code: u32,
        /// Its words.
        message: String,
    },
}

/// Exceptions about what rows hold: `CANNOT_PARSE_*`, `INCORRECT_DATA` and the like.
const ROW_CODES: [u32; 22] = [
    6, 7, 19, 20, 23, 24, 25, 26, 27, 32, 33, 38, 41, 53, 69, 70, 72, 117, 130, 131, 321, 469,
];
/// `TIMEOUT_EXCEEDED`, `TOO_SLOW`.
const TIMEOUT_CODES: [u32; 2] = [159, 160];
/// `MEMORY_LIMIT_EXCEEDED`, `TOO_MANY_ROWS`, `TOO_MANY_BYTES`.
const MEMORY_CODES: [u32; 3] = [158, 241, 307];
/// `TOO_MANY_ROWS_OR_BYTES`, which is about the answer.
const RESULT_SIZE_CODE: u32 = 396;
/// `TOO_MANY_SIMULTANEOUS_QUERIES`, network errors between its servers, read-only replicas, a keeper that is away, and
/// everything about who may do what.
const STATE_CODES: [u32; 14] = [
    74, 192, 193, 194, 202, 209, 210, 242, 279, 394, 425, 497, 516, 999,
];

impl Failure {
    /// What an answer that is no success says.
    pub(super) fn from_response(status: u16, code: Option<u32>, words: &str) -> Self {
        let words: String = words.trim().chars().take(MAX_WORDS).collect();
        // "Code: 241. DB::Exception: …", where no header says so.
        let spoken = words.split_once("Code: ").and_then(|(_, rest)| {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            rest[..digits].parse().ok()
        });
        match code.or(spoken) {
            // A proxy in between, or a server that is going down.
            None if status >= 500 => Self::Away(format!("HTTP {status}")),
            code => Self::Refused {
                status,
                code: code.unwrap_or(0),
                message: words,
            },
        }
    }

    /// Whether a row of the batch is the reason, so the others can be stored without it.
    pub fn is_of_rows(&self) -> bool {
        matches!(self, Self::Refused { status, code, .. } if (400..500).contains(status) && ROW_CODES.contains(code))
    }

    /// The error of a statement; `seconds` is its deadline.
    pub(super) fn into_query_error(self, seconds: u64) -> QueryError {
        match self {
            Self::Refused { code, .. } if TIMEOUT_CODES.contains(&code) => {
                QueryError::Deadline(seconds)
            }
            Self::Refused {
                code: RESULT_SIZE_CODE,
                ..
            } => QueryError::TooLarge,
            Self::Refused { code, .. } if MEMORY_CODES.contains(&code) => QueryError::Memory,
            Self::Refused { code, .. } if STATE_CODES.contains(&code) => {
                QueryError::Unavailable(self.to_string())
            }
            Self::Refused { .. } => QueryError::Engine(self.to_string()),
            Self::Away(_) => QueryError::Unavailable(self.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_apart() {
        let from_response = |status, words: &str| Failure::from_response(status, None, words);
        assert_eq!(
            from_response(502, "<html>"),
            Failure::Away("HTTP 502".into())
        );
        let parse = from_response(400, "Code: 27. DB::Exception: Cannot parse input\n");
        assert!(parse.is_of_rows() && !from_response(404, "Code: 60. No table").is_of_rows());
        assert!(
            !from_response(500, "Code: 27. late").is_of_rows(),
            "its own trouble"
        );
        assert!(!from_response(503, "").is_of_rows() && !from_response(400, "no").is_of_rows());
        let query = |failure: Failure| failure.into_query_error(15);
        assert!(matches!(
            query(from_response(500, "Code: 241. DB")),
            QueryError::Memory
        ));
        assert!(matches!(
            query(from_response(500, "Code: 159. DB")),
            QueryError::Deadline(15)
        ));
        assert!(matches!(
            query(from_response(403, "Code: 516. DB")),
            QueryError::Unavailable(_)
        ));
        assert!(matches!(
            query(from_response(400, "Code: 62. DB")),
            QueryError::Engine(_)
        ));
        assert!(matches!(
            query(from_response(503, "")),
            QueryError::Unavailable(_)
        ));
        let header = Failure::from_response(500, Some(202), "busy");
        assert!(matches!(query(header), QueryError::Unavailable(_)));
    }
}

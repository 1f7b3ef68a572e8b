//! The ingestion part of the interface, row by row, from outside: every field with both sides of its limit, every
//! refusal with its status, message, code, `retryable` and `requestId`, and nothing stored of what is refused.
//!
//! | table | here |
//! |---|---|
//! | custom events | [`track`] |
//! | web vitals | [`vitals`] |
//! | JavaScript errors | [`errors`] |
//! | methods, paths, answers | [`routes`] |
//! | errors | [`refusals`]; the two rows about quotas belong to plans |
//! | limits | [`track`], [`sizes`]; requests a minute: [`refusals`] and `limits.rs` |
//! | browsers, encodings, unknown routes | [`browsers`] |
//! | page events and outgoing links | [`pages`], [`batch`] |
//! | engagement spans; the older form of events | [`engagement`], [`legacy`] |
//! | pages that agents read | [`agents`] |
//! | the image | [`pixel`] |
//! | tool calls | [`calls`] |
//! | bots | [`bots`] |
//! | identity | [`identify`] |
//! | threats T19, T20, T21 | [`sizes`], [`bombs`], [`hostile`] |

mod agents;
mod batch;
mod bombs;
mod bots;
mod browsers;
mod calls;
mod engagement;
mod errors;
mod hostile;
mod identify;
mod legacy;
mod pages;
mod pixel;
pub mod raw;
mod refusals;
mod routes;
mod sizes;
mod table;
mod track;
mod vitals;

use pharos::{
    events::statement::{Cell, Scope, Statement},
    ids::OrganizationId,
};
use serde_json::{Value, json};

use crate::app::{Answer, App};

/// An app that no limit of requests stops.
async fn unlimited() -> App {
    App::with("limits.track_requests = 0\nlimits.mcp_requests = 0").await
}

/// Columns in one text, with `|` between them; nothing is empty.
fn joined(columns: &[&str]) -> String {
    let texts = columns
        .iter()
        .map(|column| format!("coalesce(CAST({column} AS VARCHAR), '')"));
    texts.collect::<Vec<_>>().join(" || '|' || ")
}

/// One expression over everything that is stored for the app's organization, as text, sorted. Either engine reads it.
async fn stored(app: &App, expression: &str) -> Vec<String> {
    let platform = app.platform.as_ref().unwrap();
    let organization = OrganizationId::from(app.organization.as_str());
    let view = platform.domains().organizations.view();
    let tenant = view.tenant(organization.as_str()).unwrap();
    let events = &platform.stores().events;
    let (expression, settings) = if events.is_remote() {
        let counted = expression.replace("length(", "lengthUTF8(");
        (counted, " SETTINGS cast_keep_nullable = 1")
    } else {
        (expression.to_owned(), "")
    };
    let statement = Statement {
        spilling: None,
        text: format!(
            "SELECT coalesce(CAST({expression} AS VARCHAR), 'NULL') AS value FROM {{events}} WHERE kind < 64 \
             ORDER BY value{settings}"
        ),
        binds: Vec::new(),
        scope: Scope {
            organization: tenant.key.0,
            website: None,
            from: 0,
            to: i64::MAX,
        },
    };
    let rows = events.query(statement).await.unwrap();
    let text = |cell: &Cell| match cell {
        // Whole numbers of columns that may have others.
        Cell::Text(text) => text.strip_suffix(".0").unwrap_or(text).to_owned(),
        other => panic!("no text: {other:?}"),
    };
    rows.rows.iter().map(|row| text(&row[0])).collect()
}

/// One of the errors of ingestion.
#[derive(Debug, Clone, Copy)]
struct ExpectedError {
    status: u16,
    message: &'static str,
    code: &'static str,
}

const INVALID: ExpectedError = refusal(400, "Invalid request body", "INVALID_REQUEST_BODY");
const NO_ORGANIZATION: ExpectedError = refusal(
    400,
    "Website missing organization",
    "WEBSITE_MISSING_ORGANIZATION",
);
const NO_CREDENTIALS: ExpectedError =
    refusal(401, "API key or website_id required", "AUTH_REQUIRED");
const NO_SCOPE: ExpectedError = refusal(403, "API key missing track:events scope", "MISSING_SCOPE");
const MISMATCH: ExpectedError = refusal(403, "Website scope mismatch", "WEBSITE_SCOPE_MISMATCH");
const FOREIGN_ORIGIN: ExpectedError =
    refusal(403, "Origin not authorized", "ORIGIN_NOT_AUTHORIZED");
const FOREIGN_ADDRESS: ExpectedError =
    refusal(403, "IP address not authorized", "IP_NOT_AUTHORIZED");
const NO_WEBSITE: ExpectedError = refusal(404, "Website not found", "WEBSITE_NOT_FOUND");
const TOO_LARGE: ExpectedError = refusal(413, "Payload too large", "PAYLOAD_TOO_LARGE");
const LIMITED: ExpectedError = refusal(429, "Rate limit exceeded", "RATE_LIMITED");
const UNAVAILABLE: ExpectedError = refusal(
    503,
    "Service temporarily unavailable",
    "SERVICE_UNAVAILABLE",
);

const fn refusal(status: u16, message: &'static str, code: &'static str) -> ExpectedError {
    ExpectedError {
        status,
        message,
        code,
    }
}

impl ExpectedError {
    /// The answer is exactly this row; returns its `errors`.
    #[track_caller]
    fn is(self, answer: &Answer) -> Vec<Value> {
        assert_eq!(answer.status, self.status, "{}", answer.text);
        assert!(
            answer
                .header("content-type")
                .starts_with("application/json")
        );
        let id = answer.header("x-request-id");
        assert!(!id.is_empty());
        for (field, value) in [
            ("success", json!(false)),
            ("status", json!("error")),
            ("error", json!(self.message)),
            ("message", json!(self.message)),
            ("code", json!(self.code)),
            ("retryable", json!(self.status == 429 || self.status >= 500)),
            ("requestId", json!(id)),
        ] {
            assert_eq!(answer.body[field], value, "{field}: {}", answer.text);
        }
        for field in ["why", "fix"] {
            assert!(
                answer.body[field]
                    .as_str()
                    .is_some_and(|text| text.ends_with('.')),
                "{field}: {}",
                answer.text
            );
        }
        let waits = matches!(self.status, 429 | 503);
        assert_eq!(!answer.header("retry-after").is_empty(), waits);
        answer.body["errors"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    }
}

/// What is sent to a route and how.
struct Call<'a> {
    app: &'a App,
    path: String,
    key: bool,
}

impl<'a> Call<'a> {
    /// A route that a tracker calls with its client id.
    fn page(app: &'a App, path: &str) -> Self {
        Self {
            app,
            path: format!("{path}?client_id={}", app.website),
            key: false,
        }
    }

    /// A route that a server calls with its key.
    fn server(app: &'a App, path: &str) -> Self {
        Self {
            app,
            path: path.to_owned(),
            key: true,
        }
    }

    fn request(&self) -> reqwest::RequestBuilder {
        let request = self
            .app
            .http
            .post(format!("{}{}", self.app.track, self.path));
        if self.key {
            request.header("x-api-key", &self.app.key)
        } else {
            request
        }
    }

    async fn send(&self, body: &Value) -> Answer {
        Answer::send(self.request().json(body)).await
    }

    async fn bytes(&self, body: impl Into<reqwest::Body>) -> Answer {
        Answer::send(self.request().body(body)).await
    }
}

/// A text of so many characters, each of two bytes.
fn text(characters: usize) -> Value {
    json!("ä".repeat(characters))
}

//! Statements over what ClickHouse holds.

use std::time::Duration;

use super::{ClickHouse, Failure, LEAST_MEMORY, cells, parameters, placeholder, placeholders};
use crate::events::{
    relations,
    statement::{QueryError, Rows, Statement},
    transfers::Transfers,
};

/// Rows and bytes of an answer beyond which a statement fails: no question of ours has so many.
const MAX_ROWS: u64 = 1_000_000;
const MAX_BYTES: u64 = 256 << 20;
/// How much longer we wait than the statement may take: the engine says by itself that it is too late.
const LATER: Duration = Duration::from_secs(2);

impl ClickHouse {
    /// The answer to a statement, over rows that have changed hands as `transfers` say.
    ///
    /// Values are parameters of the request, and the request may only read. When the caller goes away the connection is
    /// closed, upon which the engine stops.
    ///
    /// # Errors
    /// As those of the embedded engine; [`QueryError::Unavailable`] when ClickHouse is away.
    /// An answer of more than `most` bytes is refused.
    pub async fn query(
        &self,
        statement: &Statement,
        transfers: &Transfers,
        most: usize,
    ) -> Result<Rows, QueryError> {
        let seconds = self.0.options.deadline.as_secs().max(1);
        let text = self.bound(statement, transfers);
        let mut asked = parameters(&statement.binds);
        asked.extend(self.settings(most));
        let answer = self
            .ask(&asked, text.into(), self.0.options.deadline + LATER)
            .await
            .map_err(|failure| failure.into_query_error(seconds))?;
        // Large answers take a while to read: not on a thread that requests wait for.
        let read = tokio::task::spawn_blocking(move || cells::rows(&answer)).await;
        let broken = |error: String| Failure::Away(error).into_query_error(seconds);
        read.map_err(|error| broken(error.to_string()))?
            .map_err(|error| {
                QueryError::Engine(format!("an answer of ClickHouse is none: {error}"))
            })
    }

    /// The text that is sent: relations are bound to the table, narrowed to the scope.
    pub(super) fn bound(&self, statement: &Statement, transfers: &Transfers) -> String {
        let scope = &statement.scope;
        let whose = transfers.condition(scope);
        let text = relations::bind(&statement.text, |rows, _| {
            let meets = rows.condition(scope);
            self.0.schema.selection(&format!("{whose} AND {meets}"))
        });
        placeholders(&text, |at| placeholder(at, statement.binds.get(at)))
    }

    /// Limits of a statement, as settings of its request.
    pub(super) fn settings(&self, most: usize) -> Vec<(String, String)> {
        let most = u64::try_from(most).unwrap_or(u64::MAX).min(MAX_BYTES);
        let options = &self.0.options;
        let seconds = options.deadline.as_secs().max(1);
        let mut settings = vec![
            // Reads only; the settings of the statement's own text are allowed.
            ("readonly", "2".to_owned()),
            (
                "cancel_http_readonly_queries_on_client_close",
                "1".to_owned(),
            ),
            ("max_execution_time", seconds.to_string()),
            (
                "max_memory_usage",
                options.memory.max(LEAST_MEMORY).to_string(),
            ),
            ("max_result_rows", MAX_ROWS.to_string()),
            ("max_result_bytes", most.to_string()),
            ("result_overflow_mode", "throw".to_owned()),
            ("output_format_json_quote_64bit_integers", "0".to_owned()),
            ("output_format_json_quote_denormals", "0".to_owned()),
        ];
        if options.cluster.is_some() {
            settings.push(("distributed_product_mode", "global".to_owned()));
        }
        settings.push(("default_format", "JSONCompact".to_owned()));
        let own = settings.into_iter();
        own.map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

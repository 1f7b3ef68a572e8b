//! Executes validated requests and shapes their answers.
//!
//! The parameters of a body run side by side, the bodies of a batch one after another, so one caller cannot
//! take every engine slot with one call. A parameter that fails does so alone and says nothing of the engine. What all of
//! them may answer together is the request's [`budget`].

mod answer;
mod budget;
mod clicks;
mod execute;
mod explain;
mod json;
mod period;
mod persons;
mod results;
mod rights;
mod sink;
mod steps;
mod target_query;
mod traits;
mod values;

use std::{future::Future, time::Duration};

use serde_json::Value;

use super::dialect::Dialect;
use crate::events::{
    answer_budget::{Account, AnswerBudget},
    statement::{QueryError, Reads, Rows, Statement},
    store::EventStore,
    tenant::Tenant,
};

pub use budget::{MAX_BYTES, MAX_ROWS, PUBLIC_PART, account};
pub use clicks::clicks;
pub use execute::{answer, execute};
pub use explain::explain;
pub use json::Json;
pub use period::Period;
pub use persons::find_visitors;
pub use results::{Answers, QueryResult};
pub use steps::{goal, referrers, steps, steps_with_errors};
pub use values::{Values, values};

/// Whatever runs statements: the event store, or a bare connection in tests.
pub trait Source: Sync {
    /// Runs one statement over everything that was acknowledged before the call.
    fn query(&self, statement: Statement) -> impl Future<Output = Result<Rows, QueryError>> + Send;

    /// The same for a request, which the memory of its rows is charged to.
    fn query_for(
        &self,
        statement: Statement,
        _account: &Account,
    ) -> impl Future<Output = Result<Rows, QueryError>> + Send {
        self.query(statement)
    }

    /// An account for a request, each of whose statements may hold `most` bytes of rows.
    fn account(&self, tenant: Tenant, most: usize) -> Account {
        AnswerBudget::new(Duration::from_mins(1)).account(tenant, most)
    }

    /// Lets others on this thread go on.
    fn pause(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// How its engine spells statements.
    fn dialect(&self) -> Dialect {
        Dialect::DuckDb
    }

    /// What a statement would read now.
    fn reads(&self, _statement: &Statement) -> Reads {
        Reads::default()
    }

    /// Takes note of how long a query type's rows took.
    fn took(&self, _kind: &str, _took: Duration) {}

    /// Brings what was refused until now into the rows.
    fn settle(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

impl Source for EventStore {
    async fn query(&self, statement: Statement) -> Result<Rows, QueryError> {
        Self::query(self, statement).await
    }

    async fn query_for(&self, statement: Statement, account: &Account) -> Result<Rows, QueryError> {
        Self::query_for(self, statement, account).await
    }

    fn account(&self, tenant: Tenant, most: usize) -> Account {
        Self::account(self, tenant, most)
    }

    async fn pause(&self) {
        tokio::task::yield_now().await;
    }

    fn dialect(&self) -> Dialect {
        if self.is_remote() {
            Dialect::ClickHouse
        } else {
            Dialect::DuckDb
        }
    }

    fn reads(&self, statement: &Statement) -> Reads {
        Self::reads(self, statement)
    }

    fn took(&self, kind: &str, took: Duration) {
        self.health().queries.note(kind, took);
    }

    async fn settle(&self) {
        Self::settle(self).await;
    }
}

/// One call of `/v1/query` or `/v1/query/compile`.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The parsed JSON body: one query or an array of them.
    pub body: &'a Value,
    /// `timezone` of the query string, which wins over the body's `timeZone`.
    pub timezone: Option<&'a str>,
    /// The current time ([`Clock::now_ms`](crate::clock::Clock::now_ms)).
    pub now_ms: i64,
}

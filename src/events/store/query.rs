//! Statements over what is stored.

use std::sync::{Arc, PoisonError};

use super::{EventStore, remote::Engine};
use crate::{
    events::{
        answer_budget::{Account, Alone, Refused},
        engine::{Cancel, Pool, Run, empty_segment, in_scope},
        error::EngineError,
        relations::{self, Stored},
        segments::{Look, file_name},
        snapshot::Snapshot,
        statement::{QueryError, ReadSegment, Reads, Rows, Statement},
        tenant::Tenant,
        words::Words,
    },
    spans::{Span, Work},
};

/// How often a query is tried when files are damaged or tables are gone.
const ATTEMPTS: usize = 3;

impl EventStore {
    /// The answer to a statement over everything that was acknowledged before this call, as large as it is.
    pub async fn query(&self, statement: Statement) -> Result<Rows, QueryError> {
        let tenant = Tenant {
            organization: statement.scope.organization,
            anonymous: false,
        };
        let account = self.account(tenant, usize::MAX);
        self.query_for(statement, &account).await
    }

    /// The same for a request, which its rows are charged to. It is remembered: the same statement costs nothing until the
    /// rows of its scope change.
    pub async fn query_for(
        &self,
        statement: Statement,
        account: &Account,
    ) -> Result<Rows, QueryError> {
        let result_cache = &self.0.result_cache;
        let position = self.0.current.positions.get(&statement.scope);
        let read = |statement| {
            let span = Span::begin("query", Work::Internal);
            span.over(self.read(statement, account))
        };
        let Some(question) = result_cache.question(&statement) else {
            return read(statement).await;
        };
        if let Some(rows) = result_cache.recall(&question, position) {
            return Ok(rows);
        }
        let rows = read(statement).await?;
        result_cache.keep(question, position, &rows);
        Ok(rows)
    }

    /// An account for a request, each of whose statements may hold `most` bytes of rows.
    pub fn account(&self, tenant: Tenant, most: usize) -> Account {
        self.0.answers.account(tenant, most)
    }

    /// How many statements were answered from memory.
    pub fn result_cache(&self) -> u64 {
        self.0.result_cache.hits()
    }

    /// What a statement would read now, without reading it.
    pub fn reads(&self, statement: &Statement) -> Reads {
        let snapshot = self.snapshot();
        let asked = relations::named(&statement.text);
        let words = Words::new(&statement.text);
        let segments = in_scope(&snapshot, statement).map(|segment| {
            let extract = match asked[..] {
                [Stored::Extracted(extract), ..] => {
                    segment.extract(extract, extract.version_for(&words))
                }
                _ => None,
            };
            let (file, rows) = extract.map_or_else(
                || (file_name(&segment.row.id), segment.row.rows),
                |(row, _)| (row.extract.file_name(&segment.row.id), row.rows),
            );
            ReadSegment {
                file,
                rows,
                damaged: segment.is_damaged(),
            }
        });
        let segments: Vec<ReadSegment> = segments.collect();
        let generations = snapshot.generations.iter();
        Reads {
            skipped: snapshot.segments.len() - segments.len(),
            segments,
            tail_rows: generations.map(|generation| generation.rows()).sum(),
        }
    }

    /// How many statements read rows, and how many wait because their owner has enough that do.
    pub fn running(&self) -> (usize, usize) {
        self.0.limiter.figures()
    }

    async fn read(&self, statement: Statement, account: &Account) -> Result<Rows, QueryError> {
        let statement = Arc::new(statement);
        // What would run twice waits instead.
        let mut alone = if account.is_overdrawn() {
            account.overdraft().await
        } else {
            None
        };
        loop {
            match self.run(&statement, account, alone.take()).await {
                // It has ended and holds nothing while it waits.
                Err(QueryError::Full) => {
                    let overdraft = account.overdraft().await;
                    alone = Some(overdraft.ok_or(QueryError::Busy)?);
                }
                outcome => return outcome,
            }
        }
    }

    async fn run(
        &self,
        statement: &Arc<Statement>,
        account: &Account,
        alone: Option<Alone>,
    ) -> Result<Rows, QueryError> {
        let deadline = self.0.options.deadline;
        let owner = (account.tenant(), statement.scope.website);
        let permit = self.0.limiter.take(owner, deadline).await;
        let _place = permit.ok_or(QueryError::Busy)?;
        let queries = match &self.0.engine {
            Engine::Embedded(queries) => queries,
            Engine::Remote(shipper) => {
                return self.ask(shipper, statement, account, alone).await;
            }
        };
        let mut charge = Some(account.charge(alone));
        let (statement, account) = (Arc::clone(statement), account.clone());
        let cancel = Arc::new(Cancel::default());
        // Dropped when the caller goes away and no longer waits for the answer.
        let guard = CancelOnDrop(queries.clone(), Arc::clone(&cancel));
        let (store, wanted) = (self.clone(), Arc::clone(&cancel));
        let answer = queries.submit(account.tenant(), cancel, move |connection, epoch| {
            store.engine_fails(&wanted)?;
            let (mut attempts, mut turn) = (0, None);
            loop {
                attempts += 1;
                let snapshot = store.snapshot();
                store.verify(&snapshot, &statement);
                let run = Run {
                    connection,
                    epoch,
                    snapshot: &snapshot,
                    segments: &store.0.segments,
                    empty_segment: &empty_segment(&store.0.options.spill()),
                    wanted: &wanted,
                };
                let empty = || account.charge(None);
                let outcome = run.statement(&statement, charge.take().unwrap_or_else(empty));
                let error = outcome.as_ref().err();
                let again = error.is_some_and(|error| store.asks_again(error, &snapshot, attempts));
                if error.is_some_and(EngineError::lacks_memory) && again && turn.is_none() {
                    let memory_turn = &store.0.memory_turn;
                    turn = Some(memory_turn.lock().unwrap_or_else(PoisonError::into_inner));
                }
                if !again || wanted.is_given_up() {
                    return outcome;
                }
            }
        });
        let outcome = tokio::time::timeout(deadline, answer).await;
        drop(guard);
        match outcome {
            Err(_) => Err(QueryError::Deadline(deadline.as_secs())),
            Ok(Err(_)) => Err(QueryError::Unavailable(
                "the engine is being opened anew".into(),
            )),
            Ok(Ok(Err(error))) => Err(spelled(&error)),
            Ok(Ok(Ok(rows))) => Ok(rows),
        }
    }

    /// Whether a statement that failed may succeed at once.
    fn asks_again(&self, error: &EngineError, snapshot: &Arc<Snapshot>, attempts: usize) -> bool {
        // A query over a backlog that is being sealed may lose that race often; every seal shortens it.
        let moved = !Arc::ptr_eq(snapshot, &self.snapshot());
        error.was_sealed() && (moved || attempts < ATTEMPTS)
            || error.met_another() && attempts < ATTEMPTS
            // Others had the memory. Those who lacked it come one after another, and meanwhile fewer run.
            || error.lacks_memory() && attempts < ATTEMPTS
            // One bad file must not make every answer fail.
            || error.may_be_a_file()
                && attempts < ATTEMPTS
                && self.inspect(&snapshot.segments, Look::Again)
    }

    /// A drill breaks the engine here.
    fn engine_fails(&self, wanted: &Cancel) -> Result<(), EngineError> {
        let points = &self.0.options.failpoints;
        let passed = points.pass("engine", || wanted.is_given_up());
        passed.map_err(|error| EngineError::Broken(error.to_string()))
    }
}

struct CancelOnDrop(Pool, Arc<Cancel>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel(Arc::clone(&self.1));
    }
}

fn spelled(error: &EngineError) -> QueryError {
    match error {
        EngineError::Refused(Refused::TooLarge) => return QueryError::TooLarge,
        EngineError::Refused(Refused::Full) => return QueryError::Full,
        _ => {}
    }
    let text = error.to_string();
    if error.lacks_memory() {
        QueryError::Memory
    } else if error.is_fatal() {
        QueryError::Unavailable("the engine is being opened anew".into())
    } else {
        QueryError::Engine(text)
    }
}

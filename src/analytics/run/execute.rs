//! `POST /v1/query`.

use std::{collections::HashMap, sync::Arc, time::Instant};

use futures_util::{StreamExt, stream};
use serde_json::Value;
use tokio::sync::Semaphore;

use super::{
    Call, Source,
    answer::{Answer, Member, Outcome, failed, member, outcome},
    budget::{self, Budget, Use},
    json::Json,
    results::Answers,
    rights,
    sink::{JsonSink, RowSink, ValueSink},
    traits,
};
use crate::{
    analytics::{
        catalogue::About,
        compile::{Ask, Compiled},
        people::Person,
        range::Range,
        request::{self, MAX_BATCH, Parameter, Request},
        rows,
        target::Target,
    },
    events::{
        answer_budget::Account,
        statement::{QueryError, Rows},
    },
    fault::{Fault, Issue, Kind},
};

/// Rows, and their bytes, that are shaped where they come.
const FEW: (usize, usize) = (1_000, 256 << 10);
/// Statements of one body that run side by side.
const SIDE_BY_SIDE: usize = 4;
const BROKEN: &str = "Query execution failed: the server's log says why";
const AWAY: &str = "The query engine is not available";
const BUSY: &str = "Too many queries of this target are in progress: ask again in a few seconds";

/// Runs one query or a batch for this program itself.
///
/// # Errors
/// A single body that is invalid (`VALIDATION_ERROR` with issues), asks a private type without the right to
/// (401/403) or an `Errors` type without the plan (402), or finds no engine, or no place in it, for any of its
/// parameters (503). In a batch only what concerns the whole batch, and an engine that no member found. An answer that
/// is beyond the request's budget (`VALIDATION_ERROR`).
pub async fn execute<S: Source>(
    source: &S,
    target: &Target,
    call: Call<'_>,
) -> Result<Answers, Fault> {
    let account = budget::account(source, target);
    let answer = run::<S, ValueSink>(source, target, call, &account).await?;
    account.close();
    Ok(Answers::new(answer, account))
}

/// [`execute`], with the answer as the bytes that are sent, on the [account](super::account()) that its body is charged
/// to. Rows are written as they come: none is kept twice.
pub async fn answer<S: Source>(
    source: &S,
    target: &Target,
    call: Call<'_>,
    account: Account,
) -> Result<Json, Fault> {
    let answer = run::<S, JsonSink>(source, target, call, &account).await?;
    Ok(Json::new(answer.into_text(Member::write), account))
}

async fn run<S: Source, D: RowSink>(
    source: &S,
    target: &Target,
    call: Call<'_>,
    account: &Account,
) -> Result<Answer<Member<D::Output>>, Fault> {
    let context = Context {
        source,
        target,
        account,
        budget: Budget::new(target),
        now_ms: call.now_ms,
    };
    let Value::Array(bodies) = call.body else {
        return context.body::<D>(call, "").await.map(Answer::One);
    };
    check_batch(bodies)?;
    let mut members = Vec::with_capacity(bodies.len());
    for (place, body) in bodies.iter().enumerate() {
        let within = format!("[{place}].");
        let member = context.body::<D>(Call { body, ..call }, &within).await;
        context.budget.check()?;
        members.push((body, member));
    }
    if members.iter().all(|(_, member)| is_unavailable(member)) {
        let refused = members.into_iter().find_map(|(_, member)| member.err());
        return Err(refused.unwrap_or_else(|| Fault::unavailable(AWAY)));
    }
    let members = members
        .into_iter()
        .map(|(body, member)| member.map_err(|fault| failed(body, &fault)));
    Ok(Answer::Batch(members.collect()))
}

/// Refuses a batch of nothing, or of too much.
///
/// # Errors
/// 400 that names the cap.
pub(super) fn check_batch(bodies: &[Value]) -> Result<(), Fault> {
    if (1..=MAX_BATCH).contains(&bodies.len()) {
        return Ok(());
    }
    let message = format!("A batch has 1 to {MAX_BATCH} queries");
    let issue = Issue::new("out_of_range", "", message.clone());
    Err(Fault::issues(message, vec![issue]).with_code(request::VALIDATION_ERROR))
}

fn is_unavailable<T>(member: &Result<T, Fault>) -> bool {
    let fault = member.as_ref().err();
    fault.is_some_and(|fault| matches!(fault.kind, Kind::Unavailable { .. }))
}

/// What all bodies of a request share.
struct Context<'a, S> {
    source: &'a S,
    target: &'a Target,
    account: &'a Account,
    budget: Budget,
    now_ms: i64,
}

impl<S: Source> Context<'_, S> {
    /// Answers one body, whose place in the request is `within`.
    async fn body<D: RowSink>(
        &self,
        call: Call<'_>,
        within: &str,
    ) -> Result<Member<D::Output>, Fault> {
        rights::check(self.target, call.body)?;
        let mut request = request::parse(call.body, call.timezone, call.now_ms)?;
        traits::resolve(self.target, &mut request).await;
        let (asked, first) = distinct(&request.parameters);
        let mut answers = stream::iter(asked.iter().copied())
            .map(|place| self.parameter::<D>(&request, place, within))
            .buffered(SIDE_BY_SIDE);
        let mut distinct = Vec::with_capacity(asked.len());
        while let Some(outcome) = answers.next().await {
            self.budget.check()?;
            distinct.push(outcome);
        }
        drop(answers);
        let outcomes = self.repeat(&request, distinct, &first, within)?;
        if outcomes.iter().all(|outcome| outcome.unavailable.is_some()) {
            let first = outcomes.iter().find_map(|outcome| outcome.unavailable);
            return Err(Fault::unavailable(first.unwrap_or(AWAY)));
        }
        Ok(member(request, outcomes))
    }

    /// One outcome for each parameter, from those of the distinct ones. What is in the answer twice counts twice.
    fn repeat<R: Clone + Default>(
        &self,
        request: &Request,
        mut distinct: Vec<Outcome<R>>,
        first: &[usize],
        within: &str,
    ) -> Result<Vec<Outcome<R>>, Fault> {
        if distinct.len() == first.len() {
            return Ok(distinct);
        }
        let mut times = vec![0_u64; distinct.len()];
        for of in first {
            times[*of] += 1;
            let used = distinct[*of].used;
            if times[*of] > 1 && !self.budget.take(used.rows, used.bytes) {
                let at = first.iter().position(|other| other == of).unwrap_or(0);
                let used = Use {
                    rows: used.rows * times[*of],
                    bytes: used.bytes * times[*of],
                };
                let kind = request.parameters[at].kind.name;
                self.budget.note(path_in_request(within, at), kind, used);
                self.budget.check()?;
            }
        }
        let parameters = request.parameters.iter().zip(first);
        let outcomes = parameters.map(|(parameter, of)| {
            times[*of] -= 1;
            let label = parameter.label.clone();
            let outcome = &mut distinct[*of];
            // The last one takes the rows.
            let outcome = if times[*of] == 0 {
                std::mem::take(outcome)
            } else {
                outcome.clone()
            };
            Outcome { label, ..outcome }
        });
        Ok(outcomes.collect())
    }

    async fn parameter<D: RowSink>(
        &self,
        request: &Request,
        place: usize,
        within: &str,
    ) -> Outcome<D::Output> {
        let parameter = &request.parameters[place];
        let range = match rights::permitted_range(self.target, parameter) {
            Ok(range) => range,
            Err(message) => return outcome(parameter, None, Err(message)),
        };
        let ask = Ask {
            target: self.target,
            request,
            parameter,
            range,
            now_ms: self.now_ms,
            dialect: self.source.dialect(),
            extract: None,
        };
        let compiled = Arc::new(ask.compile());
        self.source.pause().await;
        let rows = self.rows(parameter, &compiled).await;
        let damaged = rows.as_ref().ok().map(|rows| rows.damaged.clone());
        let shaped = match rows {
            Ok(rows) => self.shape::<D>(&compiled, rows, range).await,
            Err(error) => Err(error),
        };
        let used = match &shaped {
            Ok((_, used)) => *used,
            Err(QueryError::TooLarge) => {
                self.budget.exceed();
                Use {
                    rows: 0,
                    bytes: self.account.most() as u64,
                }
            }
            Err(_) => Use::default(),
        };
        self.budget
            .note(path_in_request(within, place), parameter.kind.name, used);
        let unavailable = match &shaped {
            Err(QueryError::Unavailable(_)) => Some(AWAY),
            Err(QueryError::Busy | QueryError::Full) => Some(BUSY),
            _ => None,
        };
        let rows = shaped.map(|(rows, _)| rows);
        Outcome {
            unavailable,
            damaged: damaged.unwrap_or_default(),
            used,
            ..outcome(
                parameter,
                Some(&compiled),
                rows.map_err(|error| explain_failure(parameter, &error)),
            )
        }
    }

    async fn rows(&self, parameter: &Parameter, compiled: &Compiled) -> Result<Rows, QueryError> {
        if parameter.kind.about == About::Receipt {
            self.source.settle().await;
        }
        let asked = Instant::now();
        let statement = compiled.statement.clone();
        let rows = self.source.query_for(statement, self.account).await;
        self.source.took(parameter.kind.name, asked.elapsed());
        rows
    }

    /// Shapes rows; many of them on a blocking thread.
    async fn shape<D: RowSink>(
        &self,
        compiled: &Arc<Compiled>,
        rows: Rows,
        range: Range,
    ) -> Result<(D::Output, Use), QueryError> {
        static LARGE: Semaphore = Semaphore::const_new(1);
        let people = load_people(self.target, compiled, &rows).await?;
        let bytes = rows.bytes();
        let reserved = bytes * D::WEIGHT;
        if !self.account.reserve(reserved).await {
            return Err(QueryError::Busy);
        }
        let (count, now_ms, budget) = (rows.rows.len(), self.now_ms, self.budget.clone());
        let shape = move |compiled: &Compiled, target: &Target| {
            let (mut shaped, mut used) = (D::default(), Use::default());
            let when = (&range, now_ms);
            rows::shape(compiled, &rows, target, when, &people, |row| {
                let bytes = shaped.push(row) as u64;
                used.rows += 1;
                used.bytes += bytes;
                budget.take(1, bytes)
            });
            (shaped, used)
        };
        let shaped = if count <= FEW.0 && bytes <= FEW.1 {
            Ok(shape(compiled, self.target))
        } else {
            let _turn = LARGE.acquire().await;
            let (compiled, target) = (Arc::clone(compiled), self.target.clone());
            tokio::task::spawn_blocking(move || shape(&compiled, &target)).await
        };
        let memory = shaped.as_ref().map_or(0, |(shaped, _)| shaped.memory());
        self.account.settle(reserved, memory);
        let (shaped, used) = shaped.map_err(|error| QueryError::Engine(error.to_string()))?;
        Ok((shaped.finish(), used))
    }
}

/// Where a parameter is in the request.
fn path_in_request(within: &str, place: usize) -> String {
    format!("{within}parameters[{place}]")
}

/// The places of parameters that ask for something else than those before, and for every parameter which of them asks for
/// the same.
fn distinct(parameters: &[Parameter]) -> (Vec<usize>, Vec<usize>) {
    let mut asked: Vec<usize> = Vec::with_capacity(parameters.len());
    let mut first = Vec::with_capacity(parameters.len());
    for (place, parameter) in parameters.iter().enumerate() {
        let same = |other: &usize| parameters[*other].asks_like(parameter);
        let known = asked.iter().position(same);
        first.push(known.unwrap_or(asked.len()));
        if known.is_none() {
            asked.push(place);
        }
    }
    (asked, first)
}

/// The profiles of the people in the rows.
async fn load_people(
    target: &Target,
    compiled: &Compiled,
    rows: &Rows,
) -> Result<HashMap<String, Person>, QueryError> {
    let profiles = rows::profiles(compiled, rows);
    match &target.people {
        Some(people) if !profiles.is_empty() => {
            let known = people.find_people(&target.website_keys(), &profiles).await;
            known.map_err(|error| QueryError::Profiles(format!("{error:#}")))
        }
        _ => Ok(HashMap::new()),
    }
}

/// What the caller may know of a failure.
fn explain_failure(parameter: &Parameter, error: &QueryError) -> String {
    tracing::warn!(
        query.type = parameter.kind.name,
        error = %error,
        "`{}` was not answered",
        parameter.kind.name
    );
    match error {
        QueryError::Deadline(seconds) => {
            format!("The query took longer than {seconds} seconds: ask for a shorter range")
        }
        QueryError::Memory => {
            "The query needs more memory than it may have: ask for a shorter range".to_owned()
        }
        QueryError::TooLarge => {
            "The rows take more memory than an answer may: ask for a lower limit".to_owned()
        }
        QueryError::Busy | QueryError::Full => BUSY.to_owned(),
        QueryError::Unavailable(_) => AWAY.to_owned(),
        QueryError::Profiles(_) => "Profiles cannot be read at the moment".to_owned(),
        QueryError::Engine(_) => BROKEN.to_owned(),
    }
}

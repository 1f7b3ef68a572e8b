//! `POST /v1/query`.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Instant,
};

use futures_util::{StreamExt, stream};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

use super::{Call, Source, Target, rights, traits};
use crate::{
    analytics::{
        catalogue::About,
        compile::{Ask, Compiled},
        people::Person,
        range::Range,
        request::{self, DEFAULT_LIMIT, MAX_BATCH, Parameter, Request},
        rows,
    },
    events::statement::{QueryError, Rows},
    fault::{Fault, Issue, Kind},
};

/// Rows that are shaped where they come.
const FEW: usize = 1_000;
/// Statements of one body that run side by side.
const SIDE_BY_SIDE: usize = 4;
const BROKEN: &str = "Query execution failed: the server's log says why";
const AWAY: &str = "The query engine is not available";
const BUSY: &str = "Too many queries of this target are in progress: ask again in a few seconds";

/// Runs one query or a batch; the value is the whole answer without `requestId`.
///
/// # Errors
/// A single body that is invalid (`VALIDATION_ERROR` with issues), asks a private type without the right to
/// (401/403) or an `Errors` type without the plan (402), or finds no engine, or no place in it, for any of its
/// parameters (503). In a batch only what concerns the whole batch, and an engine that no member found.
pub async fn execute<S: Source>(
    source: &S,
    target: &Target,
    call: Call<'_>,
) -> Result<Value, Fault> {
    let Value::Array(bodies) = call.body else {
        let answer = one(source, target, call).await?;
        let mut object = Map::new();
        object.insert("success".into(), json!(true));
        object.extend(answer);
        return Ok(Value::Object(object));
    };
    bounded(bodies)?;
    let mut members = Vec::with_capacity(bodies.len());
    for body in bodies {
        members.push((body, one(source, target, Call { body, ..call }).await));
    }
    if members.iter().all(|(_, member)| is_unavailable(member)) {
        let refused = members.into_iter().find_map(|(_, member)| member.err());
        return Err(refused.unwrap_or_else(|| Fault::unavailable(AWAY)));
    }
    let results: Vec<Value> = members
        .into_iter()
        .map(|(body, member)| Value::Object(member.unwrap_or_else(|fault| failed(body, &fault))))
        .collect();
    Ok(json!({"success": true, "batch": true, "results": results}))
}

/// Refuses a batch of nothing, or of too much.
///
/// # Errors
/// 400 that names the cap.
pub(super) fn bounded(bodies: &[Value]) -> Result<(), Fault> {
    if (1..=MAX_BATCH).contains(&bodies.len()) {
        return Ok(());
    }
    let message = format!("A batch has 1 to {MAX_BATCH} queries");
    let issue = Issue::new("out_of_range", "", message.clone());
    Err(Fault::issues(message, vec![issue]).with_code(request::VALIDATION_ERROR))
}

/// `queryId`, `data` and `meta` of one body.
async fn one<S: Source>(
    source: &S,
    target: &Target,
    call: Call<'_>,
) -> Result<Map<String, Value>, Fault> {
    rights::check(target, call.body)?;
    let mut request = request::parse(call.body, call.timezone, call.now_ms)?;
    traits::resolve(target, &mut request).await;
    let outcomes: Vec<Outcome> = stream::iter(&request.parameters)
        .map(|parameter| answer(source, target, &request, parameter, call.now_ms))
        .buffered(SIDE_BY_SIDE)
        .collect()
        .await;
    if outcomes.iter().all(|outcome| outcome.unavailable.is_some()) {
        let first = outcomes.iter().find_map(|outcome| outcome.unavailable);
        return Err(Fault::unavailable(first.unwrap_or(AWAY)));
    }
    let applied = (0..request.filters.len())
        .filter(|index| {
            let acts = |outcome: &Outcome| outcome.acts.get(*index).copied().unwrap_or(false);
            outcomes.iter().any(acts)
        })
        .count();
    // The rows of these files are missing in the answer.
    let damaged = outcomes.iter().flat_map(|outcome| outcome.damaged.clone());
    let damaged: BTreeSet<String> = damaged.collect();
    let (good, bad): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(|outcome| outcome.good);
    let data: Vec<Value> = good
        .into_iter()
        .chain(bad)
        .map(|outcome| Value::Object(outcome.entry))
        .collect();
    let mut object = Map::new();
    let mut meta = json!({
        "parameters": request.sent,
        "total_parameters": request.parameters.len(),
        "page": request.page,
        "limit": request.limit,
        "filters_applied": applied,
        // Every answer counts all rows in its range; nothing is sampled or sketched.
        "accuracy": "exact",
        "error_bound": 0,
        "complete": damaged.is_empty(),
    });
    if !damaged.is_empty() {
        meta["damaged_segments"] = json!(damaged);
    }
    object.insert("queryId".into(), json!(request.id));
    object.insert("data".into(), Value::Array(data));
    object.insert("meta".into(), meta);
    Ok(object)
}

fn is_unavailable(member: &Result<Map<String, Value>, Fault>) -> bool {
    let fault = member.as_ref().err();
    fault.is_some_and(|fault| matches!(fault.kind, Kind::Unavailable { .. }))
}

/// What became of one parameter.
struct Outcome {
    good: bool,
    /// Why nobody was asked, so that the caller should come again (contract: every 503 says when).
    unavailable: Option<&'static str>,
    acts: Vec<bool>,
    /// Files whose rows are missing.
    damaged: Vec<String>,
    entry: Map<String, Value>,
}

async fn answer<S: Source>(
    source: &S,
    target: &Target,
    request: &Request,
    parameter: &Parameter,
    now_ms: i64,
) -> Outcome {
    let range = match &parameter.range {
        Ok(range) => *range,
        Err(message) => return outcome(parameter, None, Err(message.clone())),
    };
    if let Err(message) = rights::fits(target, parameter.kind) {
        return outcome(parameter, None, Err(message));
    }
    let ask = Ask {
        target,
        request,
        parameter,
        range,
        now_ms,
        dialect: source.dialect(),
        extract: None,
    };
    let compiled = Arc::new(ask.compile());
    if parameter.kind.about == About::Receipt {
        source.settle().await;
    }
    let asked = Instant::now();
    let rows = source.query(compiled.statement.clone()).await;
    source.took(parameter.kind.name, asked.elapsed());
    let unavailable = match rows {
        Err(QueryError::Unavailable(_)) => Some(AWAY),
        Err(QueryError::Busy) => Some(BUSY),
        _ => None,
    };
    let damaged = rows
        .as_ref()
        .map_or_else(|_| Vec::new(), |rows| rows.damaged.clone());
    let rows = match rows {
        Ok(rows) => match people(target, &compiled, &rows).await {
            Ok(people) => shaped(&compiled, rows, target, (range, now_ms), people).await,
            Err(error) => {
                tracing::error!(error = format!("{error:#}"), "profiles cannot be read");
                Err("Profiles cannot be read at the moment".to_owned())
            }
        },
        Err(error) => Err(excuse(parameter, &error)),
    };
    Outcome {
        unavailable,
        damaged,
        ..outcome(parameter, Some(&compiled), rows)
    }
}

/// Shapes rows: many of them where nobody else waits for it, one answer at a time, because shaped they take several times
/// the memory.
async fn shaped(
    compiled: &Arc<Compiled>,
    rows: Rows,
    target: &Target,
    (range, now_ms): (Range, i64),
    people: HashMap<String, Person>,
) -> Result<Vec<Value>, String> {
    static LARGE: Semaphore = Semaphore::const_new(1);
    if rows.rows.len() <= FEW {
        let when = (&range, now_ms);
        return Ok(rows::shape(compiled, &rows, target, when, &people));
    }
    let _turn = LARGE.acquire().await;
    let (compiled, target) = (Arc::clone(compiled), target.clone());
    let shape = move || rows::shape(&compiled, &rows, &target, (&range, now_ms), &people);
    tokio::task::spawn_blocking(shape)
        .await
        .map_err(|_| BROKEN.to_owned())
}

/// What is known of the people in the rows.
async fn people(
    target: &Target,
    compiled: &Compiled,
    rows: &Rows,
) -> anyhow::Result<HashMap<String, Person>> {
    let profiles = rows::profiles(compiled, rows);
    match &target.people {
        Some(people) if !profiles.is_empty() => {
            people.known(&target.website_keys(), &profiles).await
        }
        _ => Ok(HashMap::new()),
    }
}

fn outcome(
    parameter: &Parameter,
    compiled: Option<&Compiled>,
    rows: Result<Vec<Value>, String>,
) -> Outcome {
    let mut entry = Map::new();
    entry.insert("parameter".into(), json!(parameter.label));
    entry.insert("success".into(), json!(rows.is_ok()));
    let good = rows.is_ok();
    match rows {
        Ok(rows) => entry.insert("data".into(), Value::Array(rows)),
        Err(message) => {
            entry.insert("error".into(), json!(message));
            entry.insert("data".into(), json!([]))
        }
    };
    if let Some(compiled) = compiled {
        if !compiled.ignored_filters.is_empty() {
            entry.insert("ignoredFilters".into(), json!(compiled.ignored_filters));
        }
        if !compiled.ignored_groups.is_empty() {
            entry.insert("ignoredGroupBy".into(), json!(compiled.ignored_groups));
        }
    }
    Outcome {
        good,
        unavailable: None,
        damaged: Vec::new(),
        acts: compiled
            .map(|compiled| compiled.acts.clone())
            .unwrap_or_default(),
        entry,
    }
}

/// What the caller may know of a failure.
fn excuse(parameter: &Parameter, error: &QueryError) -> String {
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
        QueryError::Busy => BUSY.to_owned(),
        QueryError::Unavailable(_) => AWAY.to_owned(),
        QueryError::Engine(_) => BROKEN.to_owned(),
    }
}

/// A batch member that was refused.
pub(super) fn failed(body: &Value, fault: &Fault) -> Map<String, Value> {
    let id = body.get("id").and_then(Value::as_str).unwrap_or_default();
    let parameters = body.get("parameters").filter(|sent| sent.is_array());
    let parameters = parameters.cloned().unwrap_or_else(|| json!([]));
    let mut object = Map::new();
    object.insert("queryId".into(), json!(id));
    object.insert("success".into(), json!(false));
    object.insert("error".into(), json!(fault.message));
    object.insert("code".into(), json!(rights::code(fault)));
    if let Kind::Invalid { issues } = &fault.kind {
        object.insert("details".into(), json!(issues));
    }
    object.insert("data".into(), json!([]));
    let count = parameters.as_array().map_or(0, Vec::len);
    let sent = |name: &str, usual: u64| {
        let number = body.get(name).and_then(Value::as_u64);
        number.filter(|number| *number > 0).unwrap_or(usual)
    };
    object.insert(
        "meta".into(),
        json!({
            "parameters": parameters,
            "total_parameters": count,
            "page": sent("page", 1),
            "limit": sent("limit", DEFAULT_LIMIT),
            "filters_applied": 0,
        }),
    );
    object
}

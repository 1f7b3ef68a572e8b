//! `POST /v1/query/compile`: the statement that would run, and what it would read, without running it.

use serde_json::{Map, Value, json};

use super::{
    Call, Source,
    answer::{Answer, failed},
    budget::{Budget, Use},
    execute::check_batch,
    json::{Json, Text},
    rights,
    sink::{JsonSink, RowSink},
    traits,
};
use crate::{
    analytics::{
        compile::{Ask, Compiled},
        range::Range,
        request::{self, Parameter, Request},
        target::Target,
    },
    clock::iso_ms,
    events::{
        answer_budget::Account,
        statement::{Bind, Reads},
    },
    fault::Fault,
};

/// Code of a low-level body that makes no statement.
const COMPILATION_ERROR: &str = "COMPILATION_ERROR";
const BUSY: &str = "Too many large answers are in progress: ask again in a few seconds";

/// Compiles a body of `/v1/query`, a batch of them, or one of the low-level shape, without executing it; the answer is on
/// the [account](super::account()) that its body is charged to.
///
/// The first parameter's statement is at the top; `statements` has one entry per parameter. Of a batch, `results`
/// has the same for every member.
///
/// # Errors
/// As [`execute`](super::execute()); a low-level body that makes no statement has the code `COMPILATION_ERROR`.
pub async fn explain<S: Source>(
    source: &S,
    target: &Target,
    call: Call<'_>,
    account: Account,
) -> Result<Json, Fault> {
    let members = members(source, target, call, &account).await?;
    Ok(Json::new(members.into_text(Member::write), account))
}

/// What a body was compiled to.
struct Member {
    /// Fields of the first statement.
    first: Map<String, Value>,
    id: String,
    statements: JsonSink,
}

impl Member {
    fn write(self, text: &mut Text) {
        text.fields(&self.first);
        text.field("queryId", &self.id);
        text.raw(",\"statements\":");
        self.statements.finish().write(text);
    }
}

async fn members<S: Source>(
    source: &S,
    target: &Target,
    call: Call<'_>,
    account: &Account,
) -> Result<Answer<Member>, Fault> {
    let budget = Budget::new(target);
    let Value::Array(bodies) = call.body else {
        let alone = explain_body(source, target, call, account, (&budget, ""));
        return alone.await.map(Answer::One);
    };
    check_batch(bodies)?;
    let mut members = Vec::with_capacity(bodies.len());
    for (place, body) in bodies.iter().enumerate() {
        let within = format!("[{place}].");
        let member = explain_body(
            source,
            target,
            Call { body, ..call },
            account,
            (&budget, &within),
        );
        let member = member.await;
        budget.check()?;
        members.push(member.map_err(|fault| failed(body, &fault)));
    }
    Ok(Answer::Batch(members))
}

async fn explain_body<S: Source>(
    source: &S,
    target: &Target,
    call: Call<'_>,
    account: &Account,
    (budget, within): (&Budget, &str),
) -> Result<Member, Fault> {
    rights::check(target, call.body)?;
    let mut request = if request::is_low_level(call.body) {
        request::parse_low_level(call.body, call.timezone, call.now_ms)
            .map_err(|fault| fault.with_code(COMPILATION_ERROR))?
    } else {
        request::parse(call.body, call.timezone, call.now_ms)?
    };
    traits::resolve(target, &mut request).await;
    let (mut statements, mut first) = (JsonSink::default(), None);
    for (place, parameter) in request.parameters.iter().enumerate() {
        // A batch of everything is thousands of statements.
        source.pause().await;
        let range = rights::permitted_range(target, parameter)
            .map_err(|message| Fault::invalid(message).with_code(COMPILATION_ERROR))?;
        let ask = Ask {
            target,
            request: &request,
            parameter,
            range,
            now_ms: call.now_ms,
            dialect: source.dialect(),
            extract: None,
        };
        let statement = explained(source, &ask);
        if first.is_none() {
            first = statement.as_object().cloned();
        }
        let before = statements.memory();
        let bytes = statements.push(statement) as u64;
        if !account.reserve(statements.memory() - before).await {
            return Err(Fault::unavailable(BUSY));
        }
        budget.note(
            format!("{within}parameters[{place}]"),
            parameter.kind.name,
            Use { rows: 0, bytes },
        );
        if !budget.take(0, bytes) {
            budget.check()?;
        }
    }
    Ok(Member {
        first: first.unwrap_or_default(),
        id: request.id,
        statements,
    })
}

fn explained<S: Source>(source: &S, ask: &Ask<'_>) -> Value {
    let compiled = ask.compile();
    let Ask {
        request,
        parameter,
        range,
        ..
    } = ask;
    let columns: Vec<&str> = compiled.outputs.iter().map(|output| output.name).collect();
    let mut explained = json!({
        "parameter": parameter.label,
        "type": parameter.kind.name,
        "sql": compiled.statement.text,
        "params": params(&compiled),
        "columns": columns,
        "filtersApplied": compiled.acts.iter().filter(|acts| **acts).count(),
        "filters": filters(request, &compiled),
        "ignoredFilters": compiled.ignored_filters,
        "ignoredGroupBy": compiled.ignored_groups,
        "range": bounds(range, parameter),
    });
    // Files hold rows of all organizations: their number is not for strangers.
    if !ask.target.access.public_only() {
        explained["reads"] = reads(&source.reads(&compiled.statement));
    }
    explained
}

fn bounds(range: &Range, parameter: &Parameter) -> Value {
    json!({
        "from": iso_ms(range.from),
        "to": iso_ms(range.to - 1),
        "timezone": range.zone.name(),
        "granularity": parameter.grain.as_str(),
    })
}

/// Every filter of the body, and whether it acts.
fn filters(request: &Request, compiled: &Compiled) -> Vec<Value> {
    let filters = request.filters.iter().zip(&compiled.acts);
    filters
        .map(|(filter, applied)| {
            json!({
                "field": filter.name(),
                "op": filter.op.name(),
                "applied": applied,
            })
        })
        .collect()
}

/// What the manifest leaves to be read: at most this much, for files are sorted and parts of them are skipped.
fn reads(reads: &Reads) -> Value {
    let whole = reads.segments.iter().filter(|segment| !segment.damaged);
    let rows: u64 = whole.map(|segment| segment.rows).sum();
    let segments = reads.segments.iter().map(
        |segment| json!({"file": segment.file, "rows": segment.rows, "damaged": segment.damaged}),
    );
    json!({
        "segments": segments.collect::<Vec<_>>(),
        "skippedSegments": reads.skipped,
        "segmentRows": rows,
        "tailRows": reads.tail_rows,
        "rows": rows + reads.tail_rows,
    })
}

/// `p1`, `p2`, … in the order of the placeholders.
fn params(compiled: &Compiled) -> Map<String, Value> {
    let value = |bind: &Bind| match bind {
        Bind::Int(whole) => json!(whole),
        Bind::Hash(hash) => json!(format!("{hash:016x}")),
        Bind::Float(number) => json!(number),
        Bind::Text(text) => json!(text),
    };
    let binds = compiled.statement.binds.iter().enumerate();
    binds
        .map(|(index, bind)| (format!("p{}", index + 1), value(bind)))
        .collect()
}

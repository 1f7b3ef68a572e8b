//! `POST /v1/query/compile`: the statement that would run, and what it would read, without running it.

use serde_json::{Map, Value, json};

use super::{
    Call, Source, Target,
    execute::{bounded, failed},
    rights, traits,
};
use crate::{
    analytics::{
        compile::{Ask, Compiled},
        range::{Grain, Range},
        request::{self, Op, Parameter, Request},
    },
    clock::iso_ms,
    events::statement::{Bind, Reads},
    fault::Fault,
};

/// Code of a low-level body that makes no statement.
const COMPILATION_ERROR: &str = "COMPILATION_ERROR";

/// Compiles a body of `/v1/query`, a batch of them, or one of the low-level shape (wire.md 4.4), without executing it.
///
/// The first parameter's statement stands at the top; `statements` has one entry per parameter. Of a batch, `results`
/// has the same for every member.
///
/// # Errors
/// As [`execute`](super::execute()); a low-level body that makes no statement has the code `COMPILATION_ERROR`.
pub async fn compile<S: Source>(
    source: &S,
    target: &Target,
    call: Call<'_>,
) -> Result<Value, Fault> {
    let Value::Array(bodies) = call.body else {
        let mut object = Map::new();
        object.insert("success".into(), json!(true));
        object.extend(one(source, target, call).await?);
        return Ok(Value::Object(object));
    };
    bounded(bodies)?;
    let mut results = Vec::with_capacity(bodies.len());
    for body in bodies {
        let member = one(source, target, Call { body, ..call }).await;
        let member = member.unwrap_or_else(|fault| failed(body, &fault));
        results.push(Value::Object(member));
    }
    Ok(json!({"success": true, "batch": true, "results": results}))
}

async fn one<S: Source>(
    source: &S,
    target: &Target,
    call: Call<'_>,
) -> Result<Map<String, Value>, Fault> {
    rights::check(target, call.body)?;
    let mut request = if request::is_low_level(call.body) {
        request::parse(&request::translate(call.body), call.timezone, call.now_ms)
            .map_err(|fault| fault.with_code(COMPILATION_ERROR))?
    } else {
        request::parse(call.body, call.timezone, call.now_ms)?
    };
    traits::resolve(target, &mut request).await;
    let mut statements = Vec::new();
    for parameter in &request.parameters {
        let range = parameter
            .range
            .clone()
            .and_then(|range| rights::fits(target, parameter.kind).map(|()| range))
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
        statements.push(explain(source, &ask));
    }
    let mut object = Map::new();
    if let Some(Value::Object(first)) = statements.first() {
        object.extend(first.clone());
    }
    object.insert("queryId".into(), json!(request.id));
    object.insert("statements".into(), Value::Array(statements));
    Ok(object)
}

fn explain<S: Source>(source: &S, ask: &Ask<'_>) -> Value {
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
    // Files hold rows of everybody: how many there are is no stranger's business.
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
        "granularity": match parameter.grain {
            Grain::Hour => "hourly",
            Grain::Day => "daily",
        },
    })
}

/// Every filter of the body, and whether it acts.
fn filters(request: &Request, compiled: &Compiled) -> Vec<Value> {
    let named = |op: Op| Op::ALL.iter().find(|(_, known)| *known == op);
    let filters = request.filters.iter().zip(&compiled.acts);
    filters
        .map(|(filter, applied)| {
            json!({
                "field": filter.name(),
                "op": named(filter.op).map(|(name, _)| name),
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

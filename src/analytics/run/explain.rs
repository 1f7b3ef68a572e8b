//! `POST /v1/query/compile`: the statement that would run, without running it.

use serde_json::{Map, Value, json};

use super::{Call, Target, rights, traits};
use crate::{
    analytics::{
        compile::{Ask, Compiled},
        dialect::Dialect,
        range::{Grain, Range},
        request::{self, Parameter, Request},
    },
    clock::iso_ms,
    events::statement::Bind,
    fault::Fault,
};

/// Code of a low-level body that makes no statement.
const COMPILATION_ERROR: &str = "COMPILATION_ERROR";

/// Compiles one body, of `/v1/query` or of the low-level shape (wire.md 4.4), without executing it.
///
/// The first parameter's statement stands at the top; `statements` has one entry per parameter.
///
/// # Errors
/// As [`execute`](super::execute()) for a single body; a low-level body that makes no statement has the code
/// `COMPILATION_ERROR`.
pub async fn compile(target: &Target, call: Call<'_>) -> Result<Value, Fault> {
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
        statements.push(explain(target, &request, parameter, range, call.now_ms));
    }
    let mut object = Map::new();
    object.insert("success".into(), json!(true));
    if let Some(Value::Object(first)) = statements.first() {
        object.extend(first.clone());
    }
    object.insert("statements".into(), Value::Array(statements));
    Ok(Value::Object(object))
}

fn explain(
    target: &Target,
    request: &Request,
    parameter: &Parameter,
    range: Range,
    now_ms: i64,
) -> Value {
    let compiled = Ask {
        target,
        request,
        parameter,
        range,
        now_ms,
        dialect: Dialect::default(),
    }
    .compile();
    let columns: Vec<&str> = compiled.outputs.iter().map(|output| output.name).collect();
    json!({
        "parameter": parameter.label,
        "type": parameter.kind.name,
        "sql": compiled.statement.text,
        "params": params(&compiled),
        "columns": columns,
        "filtersApplied": compiled.acts.iter().filter(|acts| **acts).count(),
        "ignoredFilters": compiled.ignored_filters,
        "ignoredGroupBy": compiled.ignored_groups,
        "range": {
            "from": iso_ms(range.from),
            "to": iso_ms(range.to - 1),
            "timezone": range.zone.name(),
            "granularity": match parameter.grain {
                Grain::Hour => "hourly",
                Grain::Day => "daily",
            },
        },
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

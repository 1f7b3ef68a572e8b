//! `parameters`: names of types, or objects with a range, a granularity and an id of their own.

use serde_json::Value;

use super::{
    Filter, MAX_PARAMETERS, Op, Parameter, Settings, cohorts, nearest::shorten, reader::Reader,
    settings,
};
use crate::analytics::{
    catalogue::{QueryType, all, find},
    range::{Granularity, Moment, Range, parse_moment},
    request::paging::Paging,
};

/// The refusal of small buckets over a long range.
pub(super) const fn too_long(grain: Granularity) -> &'static str {
    match grain {
        Granularity::Minute => "Minute granularity only supports up to 1 day",
        _ => "Hourly granularity only supports up to 30 days",
    }
}
const BAD_RANGE: &str = "Invalid parameter date range";

/// What a body says for all of its parameters.
pub(super) struct Defaults<'a> {
    pub(super) range: Range,
    /// The moments behind the range, to complete a parameter's half of one; `None` under a preset.
    pub(super) moments: Option<(Moment, Moment)>,
    pub(super) grain: Granularity,
    pub(super) paging: Paging,
    pub(super) filters: &'a [Filter],
    /// Whether rows are grouped, sorted or skipped.
    pub(super) modified: bool,
    pub(super) now_ms: i64,
}

/// Reads the array itself.
pub(super) fn list<'a>(reader: &mut Reader<'a>) -> Option<&'a [Value]> {
    match reader.get("parameters") {
        Some(Value::Array(list)) if (1..=MAX_PARAMETERS).contains(&list.len()) => Some(list),
        Some(Value::Array(list)) if list.is_empty() => {
            reader.wrong(
                "too_few",
                "parameters",
                "parameters must name at least one query type",
            );
            None
        }
        Some(Value::Array(_)) => {
            let message = format!("parameters may have at most {MAX_PARAMETERS} entries");
            reader.wrong("too_many", "parameters", message);
            None
        }
        _ => {
            let message = "parameters must be an array of query types";
            reader.wrong("required", "parameters", message);
            None
        }
    }
}

/// Finds the type of one entry.
pub(super) fn kind(
    reader: &mut Reader<'_>,
    index: usize,
    entry: &Value,
) -> Option<&'static QueryType> {
    let name = entry.as_str().or_else(|| entry.get("name")?.as_str());
    let Some(name) = name else {
        let message = "a parameter is the name of a query type, or an object with `name`";
        reader.wrong("invalid_type", format!("parameters[{index}]"), message);
        return None;
    };
    let found = find(name);
    if found.is_none() {
        let message = format!("Unknown query type: {}", shorten(name));
        let known = all().map(|kind| kind.name);
        reader.unknown(format!("parameters[{index}]"), message, name, known);
    }
    found
}

/// Reads one entry whose type is known.
pub(super) fn parameter(
    reader: &mut Reader<'_>,
    index: usize,
    entry: &Value,
    kind: &'static QueryType,
    defaults: &Defaults<'_>,
) -> Option<Parameter> {
    let own = |name: &str| entry.get(name).filter(|value| !value.is_null());
    let label = own("id")
        .and_then(Value::as_str)
        .filter(|id| !id.is_empty());
    let grain = match own("granularity") {
        None => defaults.grain,
        Some(value) => {
            if let Some(grain) = value.as_str().and_then(Granularity::parse) {
                grain
            } else {
                let message = "granularity must be hourly, daily, hour or day";
                reader.wrong(
                    "invalid_value",
                    format!("parameters[{index}].granularity"),
                    message,
                );
                return None;
            }
        }
    };
    let start = own("start_date").or_else(|| own("startDate"));
    let end = own("end_date").or_else(|| own("endDate"));
    let range = if start.is_none() && end.is_none() {
        if defaults.range.days() > grain.max_days() {
            reader.wrong(
                "range_too_long",
                format!("parameters[{index}].granularity"),
                too_long(grain),
            );
            return None;
        }
        Ok(defaults.range)
    } else {
        own_range(start, end, defaults).and_then(|range| {
            let is_long = range.days() > grain.max_days();
            if is_long {
                Err(too_long(grain))
            } else {
                Ok(range)
            }
        })
    };
    let window = kind
        .window
        .range(defaults.now_ms, defaults.range.zone)
        .map_or(range, Ok);
    let label = label.unwrap_or(kind.name).to_owned();
    Some(resolve_parameter(label, kind, grain, window, defaults))
}

/// The entry, if the type can be asked like this.
fn resolve_parameter(
    label: String,
    kind: &'static QueryType,
    grain: Granularity,
    window: Result<Range, &'static str>,
    defaults: &Defaults<'_>,
) -> Parameter {
    let read = |range: Range| {
        needed(kind, defaults.filters)?;
        let (filters, modified) = (defaults.filters, defaults.modified);
        let retention = cohorts::read(kind, filters, &range, grain, modified)?;
        let settings = settings::read(kind, filters, &range, defaults.now_ms)?;
        Ok((range, retention, settings))
    };
    let (range, retention, settings) = match window.map_err(str::to_owned).and_then(read) {
        Ok((range, retention, settings)) => (Ok(range), retention, settings),
        Err(message) => (Err(message), None, Settings::default()),
    };
    let (limit, offset) = defaults.paging.resolve(kind);
    Parameter {
        label,
        kind,
        grain,
        limit,
        offset,
        range,
        retention,
        settings,
    }
}

/// Whether the body has a filter without which the type says nothing.
fn needed(kind: &QueryType, filters: &[Filter]) -> Result<(), String> {
    let meets = |filter: &Filter| filter.op == Op::Eq && kind.needs.contains(filter.field);
    if kind.needs.is_empty() || filters.iter().any(meets) {
        return Ok(());
    }
    let fields: Vec<&str> = kind.needs.iter().map(|field| field.name).collect();
    Err(format!(
        "{} needs a filter on {} with the operator eq",
        kind.name,
        fields.join(" or ")
    ))
}

fn own_range(
    start: Option<&Value>,
    end: Option<&Value>,
    defaults: &Defaults<'_>,
) -> Result<Range, &'static str> {
    let moment = |value: Option<&Value>, fallback: Option<Moment>, day| match value {
        Some(value) => value.as_str().and_then(parse_moment),
        None => Some(fallback.unwrap_or(Moment::Day(day))),
    };
    let range = &defaults.range;
    let start = moment(start, defaults.moments.map(|both| both.0), range.first);
    let end = moment(end, defaults.moments.map(|both| both.1), range.last);
    let (Some(start), Some(end)) = (start, end) else {
        return Err(BAD_RANGE);
    };
    Range::between(start, end, range.zone).map_err(|_| BAD_RANGE)
}

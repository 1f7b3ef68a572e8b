//! One body.

use chrono_tz::Tz;
use serde_json::{Map, Value};

use super::{
    MAX_GROUPS, MAX_LIMIT, MAX_OFFSET, Request, filters,
    low_level::translate,
    nearest::shorten,
    paging::Paging,
    parameters::{self, Defaults},
    reader::{Reader, refusal},
};
use crate::{
    analytics::{
        catalogue::{Field, QueryType},
        range::{Granularity, Moment, Preset, Range, parse_moment},
    },
    fault::{Fault, Issue},
};

/// Validates one body. `timezone` is the query string's and wins over the body's.
///
/// # Errors
/// Everything that is wrong, under [`VALIDATION_ERROR`](super::VALIDATION_ERROR).
pub fn parse(body: &Value, timezone: Option<&str>, now_ms: i64) -> Result<Request, Fault> {
    read(body, timezone, now_ms, Granularity::parse)
}

/// Validates one body of the low-level shape, which knows more units of time.
pub fn parse_low_level(
    body: &Value,
    timezone: Option<&str>,
    now_ms: i64,
) -> Result<Request, Fault> {
    read(&translate(body), timezone, now_ms, Granularity::parse_unit)
}

/// Reads the name of a granularity.
type Units = fn(&str) -> Option<Granularity>;

fn read(body: &Value, timezone: Option<&str>, now_ms: i64, units: Units) -> Result<Request, Fault> {
    let Value::Object(object) = body else {
        let message = "A query is a JSON object";
        return Err(refusal(vec![Issue::new("invalid_type", "", message)]));
    };
    let mut reader = Reader::new(object);
    let request = request(&mut reader, object, (timezone, now_ms), units);
    reader.refuse(request)
}

fn request(
    reader: &mut Reader<'_>,
    object: &Map<String, Value>,
    (timezone, now_ms): (Option<&str>, i64),
    units: Units,
) -> Option<Request> {
    let list = parameters::list(reader);
    let found: Vec<_> = list.unwrap_or_default().iter().enumerate().collect();
    let kinds: Vec<Option<&QueryType>> = found
        .iter()
        .map(|(index, entry)| parameters::kind(reader, *index, entry))
        .collect();
    let zone = zone(reader, timezone);
    let grain = granularity(reader, units);
    let moments = zone.and_then(|zone| range(reader, zone, now_ms));
    let filters = filters::read(reader);
    let asked: Vec<&QueryType> = kinds.iter().copied().flatten().collect();
    let paging = paging(reader, &asked);
    let group_by = group_by(reader);
    let sort_by = sort_by(reader, &asked, &group_by);
    let descending = sort_order(reader);
    let id = reader.text("id").unwrap_or_default().to_owned();
    let (range, moments) = moments?;
    if range.days() > grain.max_days() {
        reader.wrong("range_too_long", "granularity", parameters::too_long(grain));
    }
    let defaults = Defaults {
        range,
        moments,
        grain: if range.days() > grain.max_days() {
            Granularity::Day
        } else {
            grain
        },
        filters: &filters,
        modified: !group_by.is_empty() || sort_by.is_some() || paging.skips(),
        paging,
        now_ms,
    };
    let parameters = found
        .into_iter()
        .zip(kinds)
        .filter_map(|((index, entry), kind)| {
            parameters::parameter(reader, index, entry, kind?, &defaults)
        })
        .collect();
    Some(Request {
        id,
        parameters,
        sent: object.get("parameters").cloned().unwrap_or_default(),
        limit: paging.most(&asked),
        page: paging.page,
        filters,
        sort_by,
        descending,
        group_by,
        zone: range.zone,
    })
}

fn zone(reader: &mut Reader<'_>, timezone: Option<&str>) -> Option<Tz> {
    let (field, text) = match timezone.filter(|text| !text.is_empty()) {
        Some(text) => ("timezone", text),
        None => match reader.text("timeZone").or_else(|| reader.text("timezone")) {
            Some(text) => ("timeZone", text),
            None => return Some(Tz::UTC),
        },
    };
    let known = chrono_tz::TZ_VARIANTS;
    let found = known
        .iter()
        .find(|zone| zone.name().eq_ignore_ascii_case(text));
    if found.is_none() {
        let message = format!("Unknown time zone: {}", shorten(text));
        reader.unknown(field, message, text, known.iter().map(|zone| zone.name()));
    }
    found.copied()
}

fn granularity(reader: &mut Reader<'_>, units: Units) -> Granularity {
    match reader.text("granularity") {
        None => Granularity::Day,
        Some(text) => units(text).unwrap_or_else(|| {
            let known = ["hourly", "daily", "hour", "day", "minute", "week", "month"];
            let known = known.into_iter().filter(|name| units(name).is_some());
            let known: Vec<&str> = known.collect();
            let message = format!("granularity must be one of {}", known.join(", "));
            reader.unknown("granularity", message, text, known);
            Granularity::Day
        }),
    }
}

type Moments = Option<(Moment, Moment)>;

fn range(reader: &mut Reader<'_>, zone: Tz, now_ms: i64) -> Option<(Range, Moments)> {
    if let Some(name) = reader.text("preset") {
        if let Some(preset) = Preset::parse(name) {
            return Some((Range::preset(preset, now_ms, zone), None));
        }
        let known = Preset::ALL.map(|(name, _)| name);
        let message = format!(
            "Unknown preset: {} (one of {})",
            shorten(name),
            known.join(", ")
        );
        reader.unknown("preset", message, name, known);
        return None;
    }
    let mut moment = |name: &'static str| match reader.text(name) {
        None => {
            reader.wrong(
                "required",
                name,
                format!("{name} is required when there is no preset"),
            );
            None
        }
        Some(text) => {
            let found = parse_moment(text);
            if found.is_none() {
                reader.wrong(
                    "invalid_date",
                    name,
                    format!("{name} must be a date like 2025-01-31"),
                );
            }
            found
        }
    };
    let (start, end) = (moment("startDate"), moment("endDate"));
    match Range::between(start?, end?, zone) {
        Ok(range) => Some((range, start.zip(end))),
        Err(error) => {
            reader.wrong("invalid_range", "endDate", error.to_string());
            None
        }
    }
}

fn paging(reader: &mut Reader<'_>, asked: &[&QueryType]) -> Paging {
    let paging = Paging {
        limit: reader.number("limit", 1, MAX_LIMIT),
        page: reader.number("page", 1, MAX_OFFSET + 1).unwrap_or(1),
        offset: reader.number("offset", 0, MAX_OFFSET),
    };
    if asked.iter().any(|kind| paging.resolve(kind).1 > MAX_OFFSET) {
        let message = format!("page and limit may skip at most {MAX_OFFSET} rows");
        reader.wrong("out_of_range", "page", message);
    }
    paging
}

fn group_by(reader: &mut Reader<'_>) -> Vec<&'static Field> {
    let names: Vec<Option<&str>> = match reader.get("groupBy") {
        None => return Vec::new(),
        Some(Value::Array(list)) => list.iter().map(Value::as_str).collect(),
        Some(value) => vec![value.as_str()],
    };
    if names.len() > MAX_GROUPS {
        let message = format!("groupBy takes at most {MAX_GROUPS} fields");
        reader.wrong("too_many", "groupBy", message);
        return Vec::new();
    }
    let mut fields = Vec::new();
    for name in names {
        let Some(name) = name else {
            reader.wrong("invalid_type", "groupBy", "groupBy takes names of fields");
            continue;
        };
        match Field::find(name) {
            Some(field) if fields.contains(&field) => {}
            Some(field) => fields.push(field),
            None => {
                let known = Field::all().map(|field| field.name);
                let message = format!("Unknown groupBy field: {}", shorten(name));
                reader.unknown("groupBy", message, name, known);
            }
        }
    }
    fields
}

/// A column that at least one of the asked types has, or that is grouped by.
fn sort_by(
    reader: &mut Reader<'_>,
    asked: &[&QueryType],
    group_by: &[&'static Field],
) -> Option<String> {
    let name = reader.text("sortBy")?;
    let mut known: Vec<&str> = asked.iter().flat_map(|kind| kind.sortable()).collect();
    known.extend(group_by.iter().map(|field| field.name));
    if !known.contains(&name) && !asked.is_empty() {
        let message = format!("Unknown sortBy column: {}", shorten(name));
        reader.unknown("sortBy", message, name, known);
        return None;
    }
    Some(name.to_owned())
}

fn sort_order(reader: &mut Reader<'_>) -> Option<bool> {
    let text = reader.text("sortOrder")?;
    match text.to_ascii_lowercase().as_str() {
        "asc" => Some(false),
        "desc" => Some(true),
        _ => {
            reader.wrong(
                "invalid_value",
                "sortOrder",
                "sortOrder must be asc or desc",
            );
            None
        }
    }
}

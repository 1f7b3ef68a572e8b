//! From the engine's cells to the rows that callers see.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{
    catalogue::{ProfileField, Show, country_name},
    cohorts,
    compile::{Compiled, Finish, Output, Series, SeriesSort},
    numbers::{int, rounded},
    people::Person,
    range::{Bucket, Range},
};
use crate::{
    analytics::target::Target,
    clock::iso_ms,
    events::{
        enrich::bot::Signals,
        statement::{Cell, Rows},
    },
    ids::WebsiteKey,
};

/// The column that distinguishes the rows of an hour that a zone repeats.
const OFFSET: &str = "offset";

/// The profile ids that columns of a row describe.
pub(super) fn profiles(compiled: &Compiled, rows: &Rows) -> Vec<String> {
    let telling = |output: &&Output| matches!(output.show, Show::Person(_));
    let Some(output) = compiled.outputs.iter().find(telling) else {
        return Vec::new();
    };
    let cells = rows.rows.iter().filter_map(|row| row.get(output.source));
    let mut ids: Vec<String> = cells
        .filter_map(|cell| match cell {
            Cell::Text(id) if !id.is_empty() => Some(id.clone()),
            _ => None,
        })
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Shapes the rows of one parameter, one after the other, until `each` has enough.
pub(super) fn shape(
    compiled: &Compiled,
    rows: &Rows,
    target: &Target,
    (range, now_ms): (&Range, i64),
    people: &HashMap<String, Person>,
    mut each: impl FnMut(Value) -> bool,
) {
    let writer = Writer {
        outputs: &compiled.outputs,
        target,
        range,
        people,
    };
    match &compiled.finish {
        Finish::Rows => {
            rows.rows.iter().all(|row| each(writer.row(row, None)));
        }
        Finish::Labelled(buckets) => {
            let labels: HashMap<i64, &Bucket> =
                buckets.iter().map(|bucket| (bucket.key, bucket)).collect();
            let label = |row: &Vec<Cell>| {
                let key = row.first().and_then(int)?;
                labels.get(&key).copied()
            };
            let labelled = rows.rows.iter().filter_map(|row| Some((row, label(row)?)));
            labelled
                .map(|(row, bucket)| writer.row(row, Some(bucket)))
                .all(each);
        }
        Finish::Series(series) => {
            let listed = order_buckets(series, rows).into_iter();
            listed
                .map(|(bucket, row)| writer.row(row.map_or(&[], Vec::as_slice), Some(bucket)))
                .all(each);
        }
        Finish::Cohorts(retention, buckets) => {
            let listed = cohorts::cohorts(retention, range, buckets, rows, now_ms);
            listed.into_iter().all(each);
        }
    }
}

struct Writer<'a> {
    outputs: &'a [Output],
    target: &'a Target,
    range: &'a Range,
    people: &'a HashMap<String, Person>,
}

impl Writer<'_> {
    fn row(&self, row: &[Cell], bucket: Option<&Bucket>) -> Value {
        let mut object = Map::new();
        for output in self.outputs {
            let cell = row.get(output.source).unwrap_or(&Cell::Null);
            let value = match output.show {
                Show::Date => match bucket {
                    Some(bucket) => json!(bucket.label),
                    None => json!(self.range.first.to_string()),
                },
                Show::Website => self.website(cell),
                Show::Websites => match cell {
                    Cell::List(list) => list.iter().map(|cell| self.website(cell)).collect(),
                    _ => json!([]),
                },
                Show::Person(known) => self.person(cell, known),
                show => cell_to_json(cell, show),
            };
            object.insert(output.name.to_owned(), value);
        }
        if let Some(offset) = bucket.and_then(|bucket| bucket.offset.as_ref()) {
            object.insert(OFFSET.to_owned(), json!(offset));
        }
        Value::Object(object)
    }

    fn website(&self, cell: &Cell) -> Value {
        let id = int(cell).and_then(|key| self.target.websites.get(&WebsiteKey(key)));
        id.map_or(Value::Null, |id| json!(id.as_str()))
    }

    fn person(&self, cell: &Cell, known: ProfileField) -> Value {
        let person = match cell {
            Cell::Text(id) => self.people.get(id),
            _ => None,
        };
        match known {
            ProfileField::Name => json!(person.and_then(|person| person.display_name.as_deref())),
            ProfileField::Email => json!(person.and_then(|person| person.email.as_deref())),
            ProfileField::Traits => person.map_or_else(|| json!({}), |person| json!(person.traits)),
        }
    }
}

/// Every bucket, in the order that was asked.
fn order_buckets<'a>(
    series: &'a Series,
    rows: &'a Rows,
) -> Vec<(&'a Bucket, Option<&'a Vec<Cell>>)> {
    let known: HashMap<i64, &Vec<Cell>> = rows
        .rows
        .iter()
        .filter_map(|row| Some((int(row.first()?)?, row)))
        .collect();
    let mut list: Vec<(&Bucket, Option<&Vec<Cell>>)> = series
        .buckets
        .iter()
        .map(|bucket| (bucket, known.get(&bucket.key).copied()))
        .filter(|(bucket, row)| row.is_some() || bucket.start <= series.now_ms)
        .collect();
    let SeriesSort {
        by,
        descending,
        offset,
        limit,
    } = series.sort;
    match by {
        None if descending => list.reverse(),
        None => {}
        Some(column) => {
            let value = |row: Option<&Vec<Cell>>| {
                let known = row.and_then(|row| row.get(column.source));
                let known = known.and_then(number);
                known.or((!column.unknown_last).then_some(0.0))
            };
            list.sort_by(|a, b| match (value(a.1), value(b.1)) {
                (Some(a), Some(b)) if descending => b.total_cmp(&a),
                (Some(a), Some(b)) => a.total_cmp(&b),
                (a, b) => a.is_none().cmp(&b.is_none()),
            });
        }
    }
    list.into_iter().skip(offset).take(limit).collect()
}

fn cell_to_json(cell: &Cell, show: Show) -> Value {
    let text = match cell {
        Cell::Text(text) if !text.is_empty() => Some(text.as_str()),
        _ => None,
    };
    match show {
        Show::Int => json!(int(cell).unwrap_or(0)),
        Show::MaybeInt => int(cell).map_or(Value::Null, |whole| json!(whole)),
        Show::Float(decimals) => rounded(number(cell).unwrap_or(0.0), decimals),
        Show::MaybeFloat(decimals) => {
            number(cell).map_or(Value::Null, |number| rounded(number, decimals))
        }
        Show::Text => text.map_or(Value::Null, |text| json!(text)),
        Show::Label(nothing) => json!(text.unwrap_or(nothing)),
        Show::CountryName => {
            json!(text.map_or("Unknown", |code| country_name(code).unwrap_or(code)))
        }
        Show::CountryCode => text.map_or(Value::Null, |code| json!(code)),
        Show::Signals => {
            let bits = int(cell).and_then(|bits| u32::try_from(bits).ok());
            json!(Signals(bits.unwrap_or_default()).to_string())
        }
        Show::Time => int(cell).map_or(Value::Null, |ms| json!(iso_ms(ms))),
        Show::Hash => hash(cell).map_or(Value::Null, |hash| json!(format!("{hash:016x}"))),
        Show::Json => text.map_or(Value::Null, |text| {
            serde_json::from_str(text).unwrap_or_else(|_| json!(text))
        }),
        Show::Items(fields) => items(cell, fields),
        Show::Texts => texts(cell),
        Show::Pick(words) => {
            let place = int(cell).and_then(|place| usize::try_from(place).ok());
            json!(place.and_then(|place| words.get(place)))
        }
        Show::Truth => match cell {
            Cell::Bool(truth) => json!(truth),
            _ => int(cell).map_or(Value::Null, |whole| json!(whole != 0)),
        },
        Show::Website | Show::Websites | Show::Date | Show::Person(_) => Value::Null,
    }
}

/// A list of structs with some of their fields.
fn items(cell: &Cell, shows: &[(&str, Show)]) -> Value {
    let Cell::List(list) = cell else {
        return json!([]);
    };
    let object = |cell: &Cell| {
        let Cell::Struct(fields) = cell else {
            return json!({});
        };
        let field = |name: &str| fields.iter().find(|(field, _)| field == name);
        let shown = shows.iter().map(|(name, show)| {
            let cell = field(name).map_or(&Cell::Null, |(_, cell)| cell);
            ((*name).to_owned(), cell_to_json(cell, *show))
        });
        Value::Object(shown.collect())
    };
    list.iter().map(object).collect()
}

fn texts(cell: &Cell) -> Value {
    match cell {
        Cell::List(list) => list
            .iter()
            .map(|cell| cell_to_json(cell, Show::Text))
            .collect(),
        _ => json!([]),
    }
}

fn hash(cell: &Cell) -> Option<u64> {
    match cell {
        Cell::Hash(hash) => Some(*hash),
        Cell::Int(whole) => Some(*whole as u64),
        _ => None,
    }
    .filter(|hash| *hash != 0)
}

fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Int(whole) => Some(*whole as f64),
        Cell::Hash(whole) => Some(*whole as f64),
        Cell::Float(number) => Some(*number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_written_as_promised() {
        assert_eq!(cell_to_json(&Cell::Null, Show::Int), json!(0));
        assert_eq!(cell_to_json(&Cell::Float(1.005), Show::Float(1)), json!(1));
        assert_eq!(
            cell_to_json(&Cell::Float(0.126), Show::Float(2)),
            json!(0.13)
        );
        assert_eq!(cell_to_json(&Cell::Null, Show::MaybeFloat(1)), Value::Null);
        assert_eq!(
            cell_to_json(&Cell::Text(String::new()), Show::Label("Direct")),
            json!("Direct")
        );
        assert_eq!(
            cell_to_json(&Cell::Text("DE".into()), Show::CountryName),
            json!("Germany")
        );
        assert_eq!(
            cell_to_json(&Cell::Text("ZZ".into()), Show::CountryName),
            json!("ZZ")
        );
        assert_eq!(
            cell_to_json(&Cell::Hash(255), Show::Hash),
            json!("00000000000000ff")
        );
        assert_eq!(cell_to_json(&Cell::Hash(0), Show::Hash), Value::Null);
        assert_eq!(
            cell_to_json(&Cell::Int(0), Show::Time),
            json!("1970-01-01T00:00:00.000Z")
        );
        assert_eq!(
            cell_to_json(&Cell::Text("{\"a\":1}".into()), Show::Json),
            json!({"a": 1})
        );
    }
}

//! Rows of ClickHouse's format `JSONCompact` as [`Rows`].

use serde_json::Value;

use crate::events::statement::{Cell, Rows};

pub(super) fn rows(text: &str) -> Rows {
    let answer: Value = serde_json::from_str(text).unwrap();
    let columns = answer["meta"].as_array().unwrap();
    let of = |field: &str| {
        let texts = columns.iter().map(|column| column[field].as_str().unwrap());
        texts.map(str::to_owned).collect::<Vec<_>>()
    };
    let kinds = of("type");
    let row = |row: &Value| {
        let values = row.as_array().unwrap().iter().zip(&kinds);
        values.map(|(value, kind)| cell(value, kind)).collect()
    };
    Rows {
        columns: of("name"),
        rows: answer["data"].as_array().unwrap().iter().map(row).collect(),
        ..Rows::default()
    }
}

fn cell(value: &Value, kind: &str) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Bool(truth) => Cell::Bool(*truth),
        // Written with as few digits as tell it from other numbers of its size.
        Value::Number(number) if kind.contains("Float32") => {
            Cell::Float(number.to_string().parse::<f32>().unwrap().into())
        }
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Cell::Int(whole),
            (None, Some(hash)) => Cell::Hash(hash),
            (None, None) => Cell::Float(number.as_f64().unwrap()),
        },
        Value::String(text) => Cell::Text(text.clone()),
        Value::Array(list) => Cell::List(list.iter().map(|value| cell(value, "")).collect()),
        Value::Object(fields) => Cell::Struct(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), cell(value, "")))
                .collect(),
        ),
    }
}

/// How far apart numbers may lie, relative to their size, that engines add up in another order.
const TOLERANCE: f64 = 1e-12;

/// Whether two engines mean the same: numbers whatever their type, truth as 0 and 1, no list as an empty one.
pub(super) fn same(one: &Cell, other: &Cell) -> bool {
    match (one, other) {
        (Cell::Null, Cell::List(list)) | (Cell::List(list), Cell::Null) => list.is_empty(),
        (Cell::List(one), Cell::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Cell::Struct(one), Cell::Struct(other)) => {
            let mut fields = one.iter().zip(other);
            one.len() == other.len()
                && fields.all(|(one, other)| one.0 == other.0 && same(&one.1, &other.1))
        }
        (Cell::Float(_), _) | (_, Cell::Float(_)) => match (number(one), number(other)) {
            (Some(one), Some(other)) => {
                (one - other).abs() <= TOLERANCE * one.abs().max(other.abs())
            }
            _ => false,
        },
        _ => match (whole(one), whole(other)) {
            (Some(one), Some(other)) => one == other,
            (None, None) => one == other,
            _ => false,
        },
    }
}

/// A cell as a whole number, if it is one.
pub(super) fn whole(cell: &Cell) -> Option<i128> {
    match cell {
        Cell::Int(whole) => Some((*whole).into()),
        Cell::Hash(whole) => Some((*whole).into()),
        Cell::Bool(truth) => Some((*truth).into()),
        _ => None,
    }
}

fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Float(number) => Some(*number),
        other => whole(other).map(|whole| whole as f64),
    }
}

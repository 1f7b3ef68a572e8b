//! Values of the engine as [`Cell`]s and back.

use duckdb::types::Value;

use crate::events::statement::{Bind, Cell};

/// A bound value in the engine's terms.
pub(super) fn bound(bind: &Bind) -> Value {
    match bind {
        Bind::Int(value) => Value::BigInt(*value),
        Bind::Hash(value) => Value::UBigInt(*value),
        Bind::Float(value) => Value::Double(*value),
        Bind::Text(value) => Value::Text(value.clone()),
    }
}

pub(super) fn cell(value: Value) -> Cell {
    match value {
        Value::Boolean(value) => Cell::Bool(value),
        Value::TinyInt(value) => Cell::Int(value.into()),
        Value::SmallInt(value) => Cell::Int(value.into()),
        Value::Int(value) => Cell::Int(value.into()),
        Value::BigInt(value) => Cell::Int(value),
        Value::HugeInt(value) => wide(value),
        Value::UTinyInt(value) => Cell::Int(value.into()),
        Value::USmallInt(value) => Cell::Int(value.into()),
        Value::UInt(value) => Cell::Int(value.into()),
        Value::UBigInt(value) => i64::try_from(value).map_or(Cell::Hash(value), Cell::Int),
        Value::Float(value) => float(value.into()),
        Value::Double(value) => float(value),
        Value::Text(value) | Value::Enum(value) => Cell::Text(value),
        Value::List(values) | Value::Array(values) => {
            Cell::List(values.into_iter().map(cell).collect())
        }
        Value::Struct(fields) => Cell::Struct(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), cell(value.clone())))
                .collect(),
        ),
        // No statement of ours selects other types (times are integers); unknown is the honest answer.
        _ => Cell::Null,
    }
}

fn float(value: f64) -> Cell {
    if value.is_finite() {
        Cell::Float(value)
    } else {
        Cell::Null
    }
}

fn wide(value: i128) -> Cell {
    i64::try_from(value).map_or(Cell::Float(value as f64), Cell::Int)
}

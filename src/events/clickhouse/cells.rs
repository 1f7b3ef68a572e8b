//! Rows of ClickHouse's format `JSONCompact` as [`Rows`].

use serde::Deserialize;
use serde_json::Value;

use crate::events::statement::{Cell, Rows};

/// The parts of an answer that count.
#[derive(Deserialize)]
struct Answer {
    meta: Vec<Column>,
    data: Vec<Vec<Value>>,
}

#[derive(Deserialize)]
struct Column {
    name: String,
    #[serde(rename = "type")]
    kind: String,
}

pub(super) fn rows(answer: &[u8]) -> serde_json::Result<Rows> {
    let Answer { meta, data } = serde_json::from_slice(answer)?;
    let row = |row: Vec<Value>| {
        let values = row.into_iter().zip(&meta);
        values
            .map(|(value, column)| cell(value, &column.kind))
            .collect()
    };
    let rows: Vec<_> = data.into_iter().map(row).collect();
    Ok(Rows {
        rows: rows.into(),
        columns: meta.into_iter().map(|column| column.name).collect(),
        ..Rows::default()
    })
}

fn cell(value: Value, kind: &str) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Bool(truth) => Cell::Bool(truth),
        // Written with the fewest digits that identify the number at its size.
        Value::Number(number) if kind.contains("Float32") => number
            .to_string()
            .parse::<f32>()
            .map_or(Cell::Null, |number| Cell::Float(number.into())),
        Value::Number(number) if kind.contains("Float64") => {
            number.as_f64().map_or(Cell::Null, Cell::Float)
        }
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Cell::Int(whole),
            (None, Some(hash)) => Cell::Hash(hash),
            (None, None) => number.as_f64().map_or(Cell::Null, Cell::Float),
        },
        Value::String(text) => Cell::Text(text),
        Value::Array(list) => Cell::List(list.into_iter().map(|value| cell(value, "")).collect()),
        Value::Object(fields) => Cell::Struct(
            fields
                .into_iter()
                .map(|(name, value)| (name, cell(value, "")))
                .collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_value_arrives() {
        let answer = r#"{"meta":[{"name":"a","type":"UInt64"},{"name":"b","type":"Nullable(Float32)"},
            {"name":"c","type":"Array(Tuple(x Int64))"},{"name":"d","type":"Float64"}],
            "data":[[18446744073709551615,0.1,[{"x":1}],2],[1,null,[],null]],"rows":2}"#;
        let found = rows(answer.as_bytes()).unwrap();
        assert_eq!(found.columns, ["a", "b", "c", "d"]);
        let structs = Cell::List(vec![Cell::Struct(vec![("x".into(), Cell::Int(1))])]);
        let first = [
            Cell::Hash(u64::MAX),
            Cell::Float(0.1_f32.into()),
            structs,
            Cell::Float(2.0),
        ];
        assert_eq!(found.rows[0], first);
        assert_eq!(
            found.rows[1],
            [Cell::Int(1), Cell::Null, Cell::List(vec![]), Cell::Null]
        );
        assert!(rows(b"{}").is_err() && rows(b"").is_err());
    }
}

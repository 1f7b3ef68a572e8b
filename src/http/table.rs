//! Objects as a table of comma-separated values.

use serde_json::Value;

use crate::analytics::export::harmless;

/// The names of all columns, in the order in which rows have them first.
pub(super) fn columns(rows: &[Value]) -> Vec<&str> {
    let mut columns: Vec<&str> = Vec::new();
    for name in rows
        .iter()
        .filter_map(Value::as_object)
        .flat_map(|row| row.keys())
    {
        if !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    columns
}

/// A line of names.
pub(super) fn heading(columns: &[&str]) -> Result<String, csv::Error> {
    lines(std::iter::once(
        columns.iter().map(|name| (*name).to_owned()),
    ))
}

/// A line for each row. What a spreadsheet would take for a formula begins with an apostrophe (threat T32).
pub(super) fn body(columns: &[&str], rows: &[Value]) -> Result<String, csv::Error> {
    lines(
        rows.iter()
            .map(|row| columns.iter().map(|column| cell(&row[*column]))),
    )
}

fn lines<R: Iterator<Item = String>>(rows: impl Iterator<Item = R>) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Texts as they are, lists of texts with commas between them, and everything else as JSON.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => harmless(text),
        Value::Array(texts) if texts.iter().all(Value::is_string) => {
            let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
            harmless(&texts.join(","))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn csv(rows: &[Value]) -> String {
        let columns = columns(rows);
        heading(&columns).unwrap() + &body(&columns, rows).unwrap()
    }

    #[test]
    fn rows_are_written_under_their_columns() {
        let rows = [
            json!({ "name": "=1+1", "n": -2 }),
            json!({ "name": "a,\"b\"", "n": null }),
        ];
        assert_eq!(csv(&rows), "name,n\n'=1+1,-2\n\"a,\"\"b\"\"\",\n");
        let rows = [json!({ "n": 1 }), json!({ "n": 2, "offset": "+02:00" })];
        assert_eq!(csv(&rows), "n,offset\n1,\n2,'+02:00\n");
        let rows = [json!({ "tags": ["=x", "y"], "other": { "a": [1] } })];
        assert_eq!(csv(&rows), "tags,other\n\"'=x,y\",\"{\"\"a\"\":[1]}\"\n");
    }
}

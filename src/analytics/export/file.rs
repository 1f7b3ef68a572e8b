//! Pieces of a file.

use serde_json::{Map, Value, json};

use super::{Column, Form, Table};
use crate::{
    clock::iso_ms,
    events::{
        columnar::{Columnar, ColumnarError, Kind},
        statement::Cell,
    },
};

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values (RFC 4180). What a spreadsheet would take for a formula begins with an apostrophe.
    Csv,
    /// One array of objects.
    Json,
    /// An object on each line.
    Ndjson,
    /// Values separated by tabs, with the apostrophes of CSV.
    Txt,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    pub const ALL: [(&'static str, Self); 6] = [
        ("csv", Self::Csv),
        ("json", Self::Json),
        ("ndjson", Self::Ndjson),
        ("txt", Self::Txt),
        ("parquet", Self::Parquet),
        // What published clients call by this name is JSON.
        ("proto", Self::Json),
    ];

    /// The names of all formats, without repetition.
    pub const NAMES: [&'static str; 5] = ["ndjson", "json", "csv", "txt", "parquet"];

    pub fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, format)| *format)
    }

    /// How files of it end.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Txt => "txt",
            Self::Parquet => "parquet",
        }
    }

    pub const fn media(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Json => "application/json",
            Self::Ndjson => "application/x-ndjson",
            Self::Txt => "text/tab-separated-values; charset=utf-8",
            Self::Parquet => "application/vnd.apache.parquet",
        }
    }
}

/// Why a file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("an export cannot be written: {0}")]
pub struct FileError(String);

impl From<ColumnarError> for FileError {
    fn from(error: ColumnarError) -> Self {
        Self(error.to_string())
    }
}

#[derive(Debug)]
pub struct File {
    columns: &'static [Column],
    format: Format,
    rows: u64,
    columnar: Option<Columnar>,
}

impl File {
    /// A file without rows.
    pub fn new(table: &Table, format: Format) -> Result<Self, FileError> {
        let columns = table.columns;
        let columnar = match format {
            Format::Parquet => {
                let kinds = columns.iter();
                let kinds = kinds.map(|Column(name, _, form)| (*name, kind(*form)));
                Some(Columnar::new(&kinds.collect::<Vec<_>>())?)
            }
            _ => None,
        };
        Ok(Self {
            columns,
            format,
            rows: 0,
            columnar,
        })
    }

    /// How many rows it has by now.
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// The bytes before the first row.
    pub fn begin(&mut self) -> Result<Vec<u8>, FileError> {
        let names = self.columns.iter();
        let names = names.map(|Column(name, ..)| (*name).to_owned());
        match self.format {
            Format::Csv => separated(b',', std::iter::once(names.collect())),
            Format::Txt => separated(b'\t', std::iter::once(names.collect())),
            Format::Json => Ok(b"[".to_vec()),
            Format::Ndjson | Format::Parquet => Ok(Vec::new()),
        }
    }

    pub fn page(&mut self, rows: &[Vec<Cell>]) -> Result<Vec<u8>, FileError> {
        let first = self.rows == 0;
        let columns = self.columns;
        self.rows += rows.len() as u64;
        match (self.format, &mut self.columnar) {
            (Format::Parquet, Some(columnar)) => {
                let rows: Vec<Vec<Value>> = rows.iter().map(|row| plain(columns, row)).collect();
                Ok(columnar.page(&rows)?)
            }
            (Format::Csv, _) => separated(b',', rows.iter().map(|row| texts(columns, row))),
            (Format::Txt, _) => separated(b'\t', rows.iter().map(|row| texts(columns, row))),
            (Format::Json, _) => {
                let objects: Vec<String> = rows.iter().map(|row| object(columns, row)).collect();
                let comma = if first || rows.is_empty() {
                    "\n"
                } else {
                    ",\n"
                };
                Ok(format!("{comma}{}", objects.join(",\n")).into_bytes())
            }
            _ => {
                let lines: String = rows.iter().map(|row| object(columns, row) + "\n").collect();
                Ok(lines.into_bytes())
            }
        }
    }

    /// The bytes behind the last row.
    pub fn end(self) -> Result<Vec<u8>, FileError> {
        match (self.format, self.columnar) {
            (_, Some(columnar)) => Ok(columnar.end()?),
            (Format::Json, None) => Ok(b"\n]\n".to_vec()),
            (_, None) => Ok(Vec::new()),
        }
    }
}

/// Text that no spreadsheet takes for a formula (threat T32).
pub fn harmless(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        return format!("'{text}");
    }
    text.to_owned()
}

fn separated(by: u8, rows: impl Iterator<Item = Vec<String>>) -> Result<Vec<u8>, FileError> {
    let mut writer = csv::WriterBuilder::new()
        .delimiter(by)
        .from_writer(Vec::new());
    for row in rows {
        let written = writer.write_record(&row);
        written.map_err(|error| FileError(error.to_string()))?;
    }
    writer
        .into_inner()
        .map_err(|error| FileError(error.to_string()))
}

fn texts(columns: &[Column], row: &[Cell]) -> Vec<String> {
    let each = columns.iter().zip(row);
    each.map(
        |(Column(.., form), cell)| match (form, value(*form, cell)) {
            (_, Value::Null) => String::new(),
            // Numbers may begin with a minus sign, and are not chosen by visitors.
            (Form::Text, Value::String(text)) => harmless(&text),
            (_, Value::String(text)) => text,
            (_, other) => other.to_string(),
        },
    )
    .collect()
}

fn object(columns: &[Column], row: &[Cell]) -> String {
    let each = columns.iter().zip(row);
    let fields = each.map(|(Column(name, _, form), cell)| {
        let value = match (*name, value(*form, cell)) {
            ("properties", Value::String(text)) => {
                serde_json::from_str(&text).unwrap_or(Value::String(text))
            }
            (_, value) => value,
        };
        ((*name).to_owned(), value)
    });
    Value::Object(fields.collect::<Map<_, _>>()).to_string()
}

const fn kind(form: Form) -> Kind {
    match form {
        Form::Text | Form::Hash => Kind::Text,
        Form::Whole => Kind::Whole,
        Form::Number => Kind::Number,
        Form::Time => Kind::Time,
    }
}

/// Values for programs: times are numbers.
fn plain(columns: &[Column], row: &[Cell]) -> Vec<Value> {
    let each = columns.iter().zip(row);
    each.map(|(Column(.., form), cell)| match (form, cell) {
        (Form::Time, Cell::Int(ms)) => json!(ms),
        _ => value(*form, cell),
    })
    .collect()
}

/// A cell as it is written; nothing is null.
fn value(form: Form, cell: &Cell) -> Value {
    match (form, cell) {
        (Form::Time, Cell::Int(ms)) => json!(iso_ms(*ms)),
        (_, Cell::Null | Cell::List(_) | Cell::Struct(_))
        | (Form::Hash, Cell::Hash(0) | Cell::Int(0)) => Value::Null,
        (Form::Hash, Cell::Hash(hash)) => json!(format!("{hash:016x}")),
        (Form::Hash, Cell::Int(hash)) => json!(format!("{:016x}", *hash as u64)),
        (_, Cell::Text(text)) => json!(Some(text).filter(|text| !text.is_empty())),
        (_, Cell::Int(whole)) => json!(whole),
        (_, Cell::Hash(whole)) => json!(whole),
        (_, Cell::Float(number)) => json!(number),
        (_, Cell::Bool(truth)) => json!(truth),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_a_formula_and_every_text_can_be_read_back() {
        for (text, wanted) in [
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@x", "'@x"),
            ("\tx", "'\tx"),
            ("\rx", "'\rx"),
            ("\n=x", "'\n=x"),
            ("a=1", "a=1"),
            ("", ""),
        ] {
            assert_eq!(harmless(text), wanted);
        }
        let row = vec!["a,b".to_owned(), "\"q\"\nä".to_owned()];
        let written = separated(b',', std::iter::once(row.clone())).unwrap();
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(written.as_slice());
        let read = reader.records().next().unwrap().unwrap();
        assert_eq!(read.iter().collect::<Vec<_>>(), row);
    }

    #[test]
    fn a_file_of_nothing_is_a_file() {
        let all = |format| {
            let mut file = File::new(&super::super::EVENTS, format).unwrap();
            let begun = file.begin().unwrap();
            [begun, file.end().unwrap()].concat()
        };
        let none: Value = serde_json::from_slice(&all(Format::Json)).unwrap();
        assert_eq!(none, json!([]));
        assert!(all(Format::Ndjson).is_empty());
        assert!(all(Format::Csv).starts_with(b"event_type,timestamp,"));
        assert!(all(Format::Parquet).ends_with(b"PAR1"));
    }
}

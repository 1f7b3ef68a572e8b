//! A file as it came, and its text.
//!
//! Everything is bounded before it is parsed: bytes, values, rows, and the length of a cell.

use serde_json::Value;

use super::{ImportError, MAX_ITEMS, record::Record};

/// Bytes of a file.
pub const MAX_BYTES: usize = 4 << 20;
/// Values of a JSON file, as its separators count them.
const MAX_VALUES: usize = 500_000;
/// Characters of a cell.
const MAX_CELL: usize = 100_000;

/// A file with what else decides how it is read.
#[derive(Debug, Clone, Copy)]
pub struct Source<'s> {
    pub bytes: &'s [u8],
    /// Now, Unix milliseconds: what is over is not carried.
    pub now_ms: i64,
    /// The environment whose flags are read, where a format has several.
    pub environment: Option<&'s str>,
}

impl<'s> Source<'s> {
    pub const fn new(bytes: &'s [u8], now_ms: i64) -> Self {
        Self {
            bytes,
            now_ms,
            environment: None,
        }
    }

    /// The text, which is UTF-8 without NUL characters.
    pub(super) fn text(&self) -> Result<&'s str, ImportError> {
        let bytes = self.bytes;
        if bytes.len() > MAX_BYTES {
            let message = format!(
                "The file has {} bytes. Import at most {MAX_BYTES} bytes at once",
                bytes.len()
            );
            return Err(ImportError::new(message));
        }
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            let message = "The file is UTF-16. Save it as UTF-8";
            return Err(ImportError::new(message));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = count_lines(&bytes[..error.valid_up_to()]);
            ImportError::at(format!("line {line}"), "The file isn't UTF-8")
        })?;
        let text = text.trim_start_matches('\u{feff}');
        if let Some(at) = text.bytes().position(|byte| byte == 0) {
            let line = count_lines(&text.as_bytes()[..at]);
            let message = "The file has NUL characters, so it isn't text";
            return Err(ImportError::at(format!("line {line}"), message));
        }
        if text.trim().is_empty() {
            return Err(ImportError::new("The file is empty"));
        }
        Ok(text)
    }

    /// The text as JSON.
    pub(super) fn json(&self) -> Result<Value, ImportError> {
        let text = self.text()?;
        let separators = text.bytes().filter(|byte| b",[{".contains(byte)).count();
        if separators > MAX_VALUES {
            let message = format!("The file has more than {MAX_VALUES} values");
            return Err(ImportError::new(message));
        }
        serde_json::from_str(text).map_err(|error| {
            let at = format!("line {}, column {}", error.line(), error.column());
            let message = if error.is_eof() {
                "The file ends too early. Export it again".to_owned()
            } else {
                let what = error.to_string();
                let what = what.split(" at line ").next().unwrap_or_default();
                format!("The file isn't JSON: {what}")
            };
            ImportError::at(at, message)
        })
    }

    /// The records of a CSV file, or of the first of these lists in a JSON file.
    ///
    /// The name of a list is its path; an empty name is the whole file.
    pub(super) fn records(&self, lists: &[&str]) -> Result<Vec<Record>, ImportError> {
        let text = self.text()?;
        if !text.trim_start().starts_with(['{', '[']) {
            return rows(text);
        }
        let json = self.json()?;
        for path in lists {
            let mut names = path.split('.').filter(|name| !name.is_empty());
            let list = names.try_fold(&json, |value, name| value.get(name));
            let found: Vec<(String, &Value)> = match list {
                Some(Value::Array(items)) => {
                    let places = items.iter().enumerate();
                    places
                        .map(|(at, item)| (format!("{path}[{at}]"), item))
                        .collect()
                }
                // YOURLS names its links `link_1`, `link_2` and so on.
                Some(Value::Object(items)) if items.values().all(Value::is_object) => items
                    .iter()
                    .map(|(name, item)| (format!("{path}.{name}"), item))
                    .collect(),
                _ => continue,
            };
            check_count(found.len())?;
            let records = found.into_iter();
            return Ok(records.map(|(at, item)| Record::new(at, item)).collect());
        }
        let message = format!(
            "The file has no list of definitions. Looked for: {}",
            names(lists)
        );
        Err(ImportError::new(message))
    }
}

fn names(lists: &[&str]) -> String {
    let named = lists.iter().filter(|name| !name.is_empty());
    let named: Vec<String> = named.map(|name| format!("`{name}`")).collect();
    if named.is_empty() {
        return "an array".to_owned();
    }
    named.join(", ")
}

pub(super) fn check_count(count: usize) -> Result<(), ImportError> {
    if count > MAX_ITEMS {
        let message = format!(
            "The file has {count} definitions. Import at most {MAX_ITEMS} at once: split the file"
        );
        return Err(ImportError::new(message));
    }
    Ok(())
}

fn count_lines(before: &[u8]) -> usize {
    before.split(|byte| *byte == b'\n').count()
}

/// The rows of a CSV file, separated by comma, semicolon or tab.
fn rows(text: &str) -> Result<Vec<Record>, ImportError> {
    if text.bytes().filter(|byte| *byte == b'"').count() % 2 == 1 {
        let message = "The file has a quotation mark that isn't closed. Export it again";
        return Err(ImportError::new(message));
    }
    let head = text.lines().next().unwrap_or_default();
    let count = |separator: u8| head.bytes().filter(|byte| *byte == separator).count();
    let separator = [b',', b';', b'\t']
        .into_iter()
        .max_by_key(|one| (count(*one), *one == b','));
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator.unwrap_or(b','))
        .from_reader(text.as_bytes());
    let broken = |error: &csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        let message = match error.kind() {
            csv::ErrorKind::UnequalLengths {
                expected_len, len, ..
            } => format!("has {len} cells, the first line has {expected_len}"),
            _ => "can't be read as CSV".to_owned(),
        };
        ImportError::at(format!("line {line}"), message)
    };
    let head = reader.headers().map_err(|error| broken(&error))?.clone();
    let mut records = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| broken(&error))?;
        let at = format!("line {}", row.position().map_or(0, csv::Position::line));
        if let Some(long) = row.iter().find(|cell| cell.len() > MAX_CELL) {
            let message = format!(
                "has a cell of {} bytes; a cell has at most {MAX_CELL}",
                long.len()
            );
            return Err(ImportError::at(at, message));
        }
        check_count(records.len() + 1)?;
        records.push(Record::from_row(at, &head, &row));
    }
    if records.is_empty() {
        return Err(ImportError::new("The file has a first line and no others"));
    }
    Ok(records)
}

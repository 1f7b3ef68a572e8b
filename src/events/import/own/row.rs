//! A row of an export, whichever way it was written: texts under the names of their columns.

use std::{collections::BTreeMap, fmt::Write as _, str::FromStr};

use csv::ByteRecord;
use serde_json::{Map, Value};

/// Longest text of a column, characters.
const USUAL: usize = 2_048;
/// Columns whose texts may be longer, and how long.
const LONG: [(&str, usize); 3] = [
    ("message", 32_768),
    ("properties", 32_768),
    ("stack", 32_768),
];

/// What is not there is in no row.
pub(super) struct Row(BTreeMap<String, String>);

impl Row {
    /// Of a table, where what a spreadsheet would calculate begins with an apostrophe.
    pub(super) fn from_cells(names: &[String], cells: &ByteRecord) -> Self {
        let cells = names.iter().zip(cells).filter(|(_, cell)| !cell.is_empty());
        let texts = cells.map(|(name, cell)| {
            let text = String::from_utf8_lossy(cell).into_owned();
            let own = text
                .strip_prefix('\'')
                .filter(|own| own.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']));
            (
                name.clone(),
                own.map_or_else(|| text.clone(), str::to_owned),
            )
        });
        Self(texts.collect())
    }

    pub(super) fn from_object(line: &[u8]) -> Result<Self, String> {
        let object: Map<String, Value> = serde_json::from_slice(line)
            .map_err(|error| format!("this is no JSON object: {error}"))?;
        let texts = object.into_iter().filter_map(|(name, value)| match value {
            Value::Null => None,
            Value::String(text) => Some((name, text)),
            other => Some((name, other.to_string())),
        });
        Ok(Self(texts.collect()))
    }

    /// Of all that is in it.
    pub(super) fn digest(&self) -> blake3::Hash {
        let mut all = String::new();
        for (name, text) in &self.0 {
            // Writing to a string cannot fail.
            let _ = write!(all, "{name}\0{text}\0");
        }
        blake3::hash(all.as_bytes())
    }

    /// A text, `None` when there is none.
    pub(super) fn text(&self, column: &str) -> Result<Option<String>, String> {
        let Some(text) = self.0.get(column) else {
            return Ok(None);
        };
        let most = LONG
            .iter()
            .find(|(long, _)| *long == column)
            .map_or(USUAL, |(_, most)| *most);
        if text.chars().count() > most {
            return Err(format!("`{column}` is longer than {most} characters"));
        }
        Ok(Some(text.clone()))
    }

    /// A text that has to be there.
    pub(super) fn needed(&self, column: &str) -> Result<String, String> {
        self.text(column)?
            .ok_or_else(|| format!("`{column}` is missing"))
    }

    /// A number, `None` when there is none.
    pub(super) fn number<T: FromStr + Copy + Into<f64>>(
        &self,
        column: &str,
    ) -> Result<Option<T>, String> {
        // Rust reads `nan` and `inf` as numbers, and what is too large as `inf`; no column holds them.
        let is_finite = |number: &T| (*number).into().is_finite();
        let text = self.0.get(column);
        let number = text.map(|text| {
            let number = text.parse().ok().filter(is_finite);
            number.ok_or_else(|| format!("`{column}` is no number: {text}"))
        });
        number.transpose()
    }

    /// A number, or a mark for none.
    pub(super) fn counted<T: FromStr + Copy + Into<f64> + Default>(
        &self,
        column: &str,
    ) -> Result<T, String> {
        Ok(self.number(column)?.unwrap_or_default())
    }

    /// A hash in 16 hexadecimal digits, 0 when there is none.
    pub(super) fn hash(&self, column: &str) -> Result<u64, String> {
        let Some(text) = self.0.get(column) else {
            return Ok(0);
        };
        let good = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let hash = good.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        hash.ok_or_else(|| format!("`{column}` is no number of 16 hexadecimal digits"))
    }

    /// A moment, Unix ms.
    pub(super) fn moment(&self, column: &str) -> Result<Option<i64>, String> {
        let text = self.0.get(column);
        let moment = text.map(|text| {
            let time = chrono::DateTime::parse_from_rfc3339(text);
            time.map(|time| time.timestamp_millis())
                .map_err(|_| format!("`{column}` is no time"))
        });
        moment.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_row_are_the_same() {
        let names = ["a", "b", "c", "d", "e"].map(str::to_owned);
        let cells = ByteRecord::from(vec!["'=1+1", "'quoted'", "", "-5", "0000000000000001"]);
        let table = Row::from_cells(&names, &cells);
        let line =
            br#"{"a": "=1+1", "b": "'quoted'", "c": null, "d": -5, "e": "0000000000000001"}"#;
        let object = Row::from_object(line).unwrap();
        assert_eq!(table.0, object.0);
        assert_eq!(table.digest(), object.digest());
        assert_eq!(
            (table.number::<i32>("d"), table.number::<i32>("c")),
            (Ok(Some(-5)), Ok(None))
        );
        for (text, number) in [
            ("1.5", Some(1.5)),
            ("NaN", None),
            ("inf", None),
            ("1e39", None),
        ] {
            let row = Row(BTreeMap::from([("value".to_owned(), text.to_owned())]));
            assert_eq!(row.number::<f32>("value").ok(), number.map(Some), "{text}");
        }
        assert_eq!((table.hash("e"), table.hash("c")), (Ok(1), Ok(0)));
        assert!(
            table.hash("d").is_err()
                && table.number::<u32>("d").is_err()
                && table.moment("a").is_err()
        );
        assert_eq!(table.needed("c"), Err("`c` is missing".to_owned()));
        assert!(Row::from_object(b"[1]").is_err());
    }

    #[test]
    fn texts_have_a_longest_length_each() {
        let row = |name: &str, length: usize| {
            Row(BTreeMap::from([(name.to_owned(), "x".repeat(length))]))
        };
        assert!(row("title", USUAL).text("title").is_ok());
        assert!(row("title", USUAL + 1).text("title").is_err());
        assert!(row("stack", USUAL + 1).text("stack").is_ok());
    }
}

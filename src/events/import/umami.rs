//! `website_event.csv` of an Umami export: a row per page view or event, with the names of its columns in the first line.
//!
//! Sessions become visitors and visits become sessions, under the import's salt. Browsers, systems, devices and places are
//! taken as Umami found them. Properties of events are in another file of the export and are not read.

use std::{collections::BTreeMap, fs::File, io};

use chrono::{DateTime, NaiveDateTime};
use csv::{ByteRecord, Reader, ReaderBuilder};
use serde_json::{Map, Value, json};

use super::{Import, Outcome, Record, Source, bounded::Bounded, known::Known, row_end};

/// Required columns.
const NEEDED: [&str; 3] = ["created_at", "session_id", "url_path"];
/// Umami's number for what is no page view.
const CUSTOM: &str = "2";
/// Parameters of the address that Umami keeps in columns.
const PARAMETERS: [&str; 5] = [
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
];
pub(super) struct Umami {
    file: Reader<Bounded<File>>,
    columns: BTreeMap<String, usize>,
    /// Whose rows these are: the website of the first one.
    website: Option<String>,
    length: u64,
}

struct Row<'a> {
    columns: &'a BTreeMap<String, usize>,
    cells: &'a ByteRecord,
}

impl Umami {
    pub(super) fn new(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let mut file = ReaderBuilder::new()
            .flexible(true)
            .from_reader(Bounded::new(file));
        let names = file.byte_headers().map_err(io::Error::other)?;
        let columns: BTreeMap<String, usize> = names
            .iter()
            .enumerate()
            .map(|(at, name)| {
                let name = String::from_utf8_lossy(name);
                (name.trim_start_matches('\u{feff}').trim().to_owned(), at)
            })
            .collect();
        let missing: Vec<&str> = NEEDED
            .into_iter()
            .filter(|name| !columns.contains_key(*name))
            .collect();
        if !missing.is_empty() {
            let what = format!(
                "this is no `website_event.csv` of Umami: its first line does not name {}",
                missing.join(", ")
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(Self {
            file,
            columns,
            website: None,
            length,
        })
    }

    fn take(&mut self, cells: &ByteRecord, end: u64, import: &Import<'_>) -> Outcome {
        let row = Row {
            columns: &self.columns,
            cells,
        };
        let website = row.text("website_id").unwrap_or_default();
        if *self.website.get_or_insert_with(|| website.clone()) != website {
            return Outcome::LeftOut("rows of another website than the first one's");
        }
        let Some(time) = row.text("created_at").and_then(|text| time(&text)) else {
            return Outcome::Refused("`created_at` is no time".to_owned());
        };
        let body = row.body(import, time);
        import.enriched(body, end, row.name().is_none(), |event| {
            row.known().stamp(event);
        })
    }
}

impl Source for Umami {
    fn next(&mut self, import: &Import<'_>) -> io::Result<Option<Record>> {
        let mut cells = ByteRecord::new();
        self.file.get_mut().begin_record();
        let read = self.file.read_byte_record(&mut cells);
        if !read.map_err(io::Error::other)? {
            return Ok(None);
        }
        let end = row_end(&self.file, self.length);
        let line = cells.position().map_or(0, csv::Position::line);
        let outcome = self.take(&cells, end, import);
        Ok(Some(Record::new(line, end, outcome)))
    }
}

impl Row<'_> {
    /// A cell; `None` when it is empty or not there.
    fn text(&self, column: &str) -> Option<String> {
        let cell = self.cells.get(*self.columns.get(column)?)?;
        let text = String::from_utf8_lossy(cell).trim().to_owned();
        // ClickHouse and PostgreSQL write what is not there in their own ways.
        (!text.is_empty() && text != "\\N" && text != "NULL").then_some(text)
    }

    /// The name of a custom event; `None` for a page view.
    fn name(&self) -> Option<String> {
        let custom = self.text("event_type").as_deref() == Some(CUSTOM);
        custom.then(|| self.text("event_name")).flatten()
    }

    /// The event as the tracker would send it.
    fn body(&self, import: &Import<'_>, time: i64) -> Value {
        let host = self.text("hostname");
        let host = host.as_deref().unwrap_or(import.target.domain);
        let path = self.text("url_path").unwrap_or_else(|| "/".to_owned());
        let query = self.text("url_query");
        let query = query.map_or_else(String::new, |query| {
            format!("?{}", query.trim_start_matches('?'))
        });
        let session = self.text("session_id").unwrap_or_default();
        let mut body = Map::new();
        let mut put = |name: &str, value: Value| {
            body.insert(name.to_owned(), value);
        };
        let name = self.name();
        put("name", json!(name.as_deref().unwrap_or("screen_view")));
        put("timestamp", json!(time));
        put(
            "path",
            json!(format!(
                "https://{host}/{}{query}",
                path.trim_start_matches('/')
            )),
        );
        put("title", json!(self.text("page_title")));
        put("referrer", json!(self.referrer()));
        put("language", json!(self.text("language")));
        put(
            "screen_resolution",
            json!(self.text("screen").filter(|size| size.contains('x'))),
        );
        put("anonymousId", json!(session));
        put("profileId", json!(self.text("distinct_id")));
        put("sessionId", json!(self.text("visit_id").unwrap_or(session)));
        for name in PARAMETERS {
            put(name, json!(self.text(name)));
        }
        Value::Object(body)
    }

    fn referrer(&self) -> Option<String> {
        let domain = self.text("referrer_domain")?;
        let path = self.text("referrer_path").unwrap_or_default();
        Some(format!("https://{domain}/{}", path.trim_start_matches('/')))
    }

    /// What Umami found out about the visitor.
    fn known(&self) -> Known {
        Known {
            browser: self.text("browser"),
            os: self.text("os"),
            device: self.text("device"),
            country: self.text("country"),
            region: self.text("region").or_else(|| self.text("subdivision1")),
            city: self.text("city"),
            ..Known::default()
        }
    }
}

/// A time in any of the ways that databases export it; without a zone it is UTC. Unix ms.
fn time(text: &str) -> Option<i64> {
    let zoned = ["%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z"];
    let zoned = zoned
        .iter()
        .find_map(|form| DateTime::parse_from_str(text, form).ok());
    if let Some(time) = zoned {
        return Some(time.timestamp_millis());
    }
    let plain = [
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%dT%H:%M:%S%.fZ",
        "%Y-%m-%dT%H:%M:%S%.f",
    ];
    let plain = plain
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    plain.map(|time| time.and_utc().timestamp_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_databases_write_them() {
        for text in [
            "2026-11-21 09:00:00",
            "2026-11-21 09:00:00.000",
            "2026-11-21 10:00:00+01",
            "2026-11-21T09:00:00.000Z",
            "2026-11-21T10:00:00+01:00",
        ] {
            assert_eq!(time(text), Some(1_795_251_600_000), "{text}");
        }
        for text in ["", "yesterday", "2026-13-01 00:00:00", "1795251600"] {
            assert_eq!(time(text), None, "{text}");
        }
    }
}

//! Files of `GET /v1/export`, as CSV or as an object on each line: what was stored here or elsewhere comes back as it was.
//!
//! Visitors and visits are the numbers that they were, so a person whose id is sent raw stays the same person.

mod event;
mod row;

use std::{
    fs::File,
    io::{self, Read as _, Seek as _},
};

use csv::{ByteRecord, Reader, ReaderBuilder};

use self::row::Row;
use super::{Import, Outcome, Record, Source, bounded::Bounded, lines::Lines, row_end};

/// Required columns.
const NEEDED: [&str; 3] = ["event_type", "timestamp", "name"];

/// A file of either kind.
pub(super) enum Own {
    Csv(Box<Table>),
    Ndjson(Lines<File>),
}

/// A table with the names of its columns in the first line.
pub(super) struct Table {
    file: Reader<Bounded<File>>,
    names: Vec<String>,
    length: u64,
}

impl Own {
    /// Detects the form by the first byte.
    pub(super) fn new(mut file: File) -> io::Result<Self> {
        let mut first = [0];
        let read = file.read(&mut first)?;
        file.rewind()?;
        if read == 1 && first[0] == b'{' {
            return Ok(Self::Ndjson(Lines::new(file)));
        }
        let length = file.metadata()?.len();
        let mut file = ReaderBuilder::new()
            .flexible(true)
            .from_reader(Bounded::new(file));
        let names = file.byte_headers().map_err(io::Error::other)?;
        let name = |name: &[u8]| {
            let name = String::from_utf8_lossy(name);
            name.trim_start_matches('\u{feff}').to_owned()
        };
        let names: Vec<String> = names.iter().map(name).collect();
        let missing = NEEDED
            .into_iter()
            .filter(|name| !names.iter().any(|own| own == name));
        let missing: Vec<&str> = missing.collect();
        if missing.is_empty() {
            return Ok(Self::Csv(Box::new(Table {
                file,
                names,
                length,
            })));
        }
        let what = format!(
            "this is no export of pharos as CSV or NDJSON: its first line is no object and does not name {}",
            missing.join(", ")
        );
        Err(io::Error::new(io::ErrorKind::InvalidData, what))
    }
}

impl Source for Own {
    fn next(&mut self, import: &Import<'_>) -> io::Result<Option<Record>> {
        let found = match self {
            Self::Csv(table) => table.next()?,
            // A line without an end is still being written.
            Self::Ndjson(lines) => lines.next()?.filter(|line| line.is_whole).map(|line| {
                let row = Row::from_object(&line.bytes);
                (line.number, line.end, row)
            }),
        };
        Ok(found.map(|(line, end, row)| {
            let event = row.and_then(|row| {
                let id = import.event_id(row.digest(), end);
                Ok((row.event(import)?, id))
            });
            let outcome = match event {
                Ok((event, id)) => Outcome::event(event, id),
                Err(why) => Outcome::Refused(why),
            };
            Record::new(line, end, outcome)
        }))
    }
}

/// Where a row is, and what is in it, or why that cannot be read.
type TableRow = (u64, u64, Result<Row, String>);

impl Table {
    fn next(&mut self) -> io::Result<Option<TableRow>> {
        let mut cells = ByteRecord::new();
        self.file.get_mut().begin_record();
        if !self
            .file
            .read_byte_record(&mut cells)
            .map_err(io::Error::other)?
        {
            return Ok(None);
        }
        let end = row_end(&self.file, self.length);
        let line = cells.position().map_or(0, csv::Position::line);
        Ok(Some((line, end, Ok(Row::from_cells(&self.names, &cells)))))
    }
}

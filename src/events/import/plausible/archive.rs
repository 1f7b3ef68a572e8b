//! The tables of the archive, put together by day.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
};

use chrono::NaiveDate;
use csv::{ReaderBuilder, StringRecord};
use zip::ZipArchive;

use super::{
    super::bounded::Bounded,
    day::{Day, Table},
};

/// Bytes that all tables may have together, and rows: what is packed may be anything.
const MAX: u64 = 256 << 20;
const MAX_ROWS: usize = 1_000_000;

/// Lines that could not be read, and why.
type Refused = Vec<(u64, String)>;

/// The days of an archive in their order, and what could not be read.
pub(super) fn read(file: File) -> io::Result<(Vec<Day>, Refused)> {
    let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut archive =
        ZipArchive::new(file).map_err(|error| wrong(format!("this is no zip archive: {error}")))?;
    let (mut days, mut refused, mut rest) = (BTreeMap::new(), Vec::new(), MAX);
    let names = archive.file_names().map(|name| name.map(Cow::into_owned));
    let names: Result<Vec<String>, _> = names.collect();
    let names = names.map_err(|error| wrong(error.to_string()))?;
    let (mut tables, mut left) = (0, MAX_ROWS);
    for name in names {
        let Some(table) = Table::named(name.rsplit('/').next().unwrap_or_default()) else {
            continue;
        };
        tables += 1;
        let entry = archive
            .by_name(&name)
            .map_err(|error| wrong(error.to_string()))?;
        let mut text = entry.take(rest + 1);
        rows(
            (&name, table),
            &mut text,
            (&mut days, &mut refused),
            &mut left,
        )?;
        rest = text.limit().checked_sub(1).ok_or_else(too_large)?;
    }
    if tables == 0 {
        return Err(wrong(
            "there is no `imported_….csv` in it, as Plausible exports them".to_owned(),
        ));
    }
    Ok((days.into_values().collect(), refused))
}

fn too_large() -> io::Error {
    let what = "the tables are larger than 256 MiB, or have more than a million rows";
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Reads a table of at most `left` rows.
fn rows(
    (name, table): (&str, Table),
    text: impl Read,
    (days, refused): (&mut BTreeMap<NaiveDate, Day>, &mut Refused),
    left: &mut usize,
) -> io::Result<()> {
    let mut reader = ReaderBuilder::new()
        .flexible(true)
        .from_reader(Bounded::new(text));
    let head = reader.headers().map_err(io::Error::other)?;
    let head: StringRecord = head
        .iter()
        .map(|name| name.trim_start_matches('\u{feff}'))
        .collect();
    let mut row = StringRecord::new();
    for line in 2.. {
        reader.get_mut().begin_record();
        let outcome = match reader.read_record(&mut row) {
            Ok(false) => break,
            Ok(true) => take(&head, &row, (table, line), days),
            Err(error) if error.is_io_error() => return Err(io::Error::other(error)),
            Err(error) => Err(error.to_string()),
        };
        if let Err(why) = outcome {
            refused.push((line, format!("{name}: {why}")));
        }
        *left = left.checked_sub(1).ok_or_else(too_large)?;
    }
    Ok(())
}

fn take(
    head: &StringRecord,
    row: &StringRecord,
    (table, line): (Table, u64),
    days: &mut BTreeMap<NaiveDate, Day>,
) -> Result<(), String> {
    let cell = |column: &str| {
        let at = head.iter().position(|name| name == column)?;
        row.get(at).filter(|cell| !cell.is_empty())
    };
    let date = cell("date").and_then(|date| date.parse::<NaiveDate>().ok());
    let date = date.ok_or("`date` is no day")?;
    let day = days.entry(date).or_insert_with(|| Day::new(date));
    day.take(table, line, &cell)
}

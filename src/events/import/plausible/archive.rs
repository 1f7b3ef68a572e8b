//! The tables of the archive, put together by day.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fs::File,
    io::{self, Read as _},
};

use chrono::NaiveDate;
use csv::{ReaderBuilder, StringRecord};
use zip::ZipArchive;

use super::day::{Day, Table};

/// Bytes that all tables may have together: what is packed may be anything.
const MAX: u64 = 1 << 30;

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
    let mut tables = 0;
    for name in names {
        let Some(table) = Table::named(name.rsplit('/').next().unwrap_or_default()) else {
            continue;
        };
        tables += 1;
        let entry = archive
            .by_name(&name)
            .map_err(|error| wrong(error.to_string()))?;
        let mut text = Vec::new();
        entry.take(rest + 1).read_to_end(&mut text)?;
        rest = rest
            .checked_sub(text.len() as u64)
            .ok_or_else(|| wrong("the tables are larger than 1 GiB".to_owned()))?;
        rows(&name, table, &text, &mut days, &mut refused)?;
    }
    if tables == 0 {
        return Err(wrong(
            "there is no `imported_….csv` in it, as Plausible exports them".to_owned(),
        ));
    }
    Ok((days.into_values().collect(), refused))
}

fn rows(
    name: &str,
    table: Table,
    text: &[u8],
    days: &mut BTreeMap<NaiveDate, Day>,
    refused: &mut Vec<(u64, String)>,
) -> io::Result<()> {
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(text);
    let head = reader.headers().map_err(io::Error::other)?;
    let head: StringRecord = head
        .iter()
        .map(|name| name.trim_start_matches('\u{feff}'))
        .collect();
    for (at, row) in reader.records().enumerate() {
        let line = at as u64 + 2;
        let outcome = row.map_err(|error| error.to_string()).and_then(|row| {
            let cell = |column: &str| {
                let at = head.iter().position(|name| name == column)?;
                row.get(at).filter(|cell| !cell.is_empty())
            };
            let date = cell("date").and_then(|date| date.parse::<NaiveDate>().ok());
            let date = date.ok_or("`date` is no day")?;
            let day = days.entry(date).or_insert_with(|| Day::new(date));
            day.take(table, line, &cell)
        });
        if let Err(why) = outcome {
            refused.push((line, format!("{name}: {why}")));
        }
    }
    Ok(())
}

//! A file of rows, piece by piece: no more than a page of rows is in memory.

use serde_json::Value;

use super::{
    About,
    rows::{Cursor, Rows},
};
use crate::{
    fault::Fault,
    http::{procedures::Call, table},
};

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub(super) enum Format {
    /// An object on each line.
    Ndjson,
    /// One array of objects.
    Json,
    Csv,
}

impl Format {
    pub(super) const ALL: [Self; 3] = [Self::Ndjson, Self::Json, Self::Csv];

    pub(super) const fn name(self) -> &'static str {
        self.into_str()
    }

    pub(super) const fn media(self) -> &'static str {
        match self {
            Self::Ndjson => "application/x-ndjson",
            Self::Json => "application/json",
            Self::Csv => "text/csv; charset=utf-8",
        }
    }
}

/// A file on its way.
pub(super) struct Progress {
    call: Call,
    about: About,
    rows: Rows,
    format: Format,
    cursor: Cursor,
    /// The page to write; none when the file is at its end.
    page: Option<Vec<Value>>,
    is_begun: bool,
    is_ended: bool,
}

impl Progress {
    /// A file with its first page: what cannot be answered at all is refused before anything is sent.
    pub(super) async fn begin(
        call: Call,
        about: About,
        rows: Rows,
        format: Format,
    ) -> Result<Self, Fault> {
        let mut progress = Self {
            call,
            about,
            rows,
            format,
            cursor: Cursor::default(),
            page: None,
            is_begun: false,
            is_ended: false,
        };
        progress.page = progress.read().await?;
        Ok(progress)
    }

    pub(super) fn stop(&mut self) {
        self.is_ended = true;
    }

    /// The next page, never an empty one.
    async fn read(&mut self) -> Result<Option<Vec<Value>>, Fault> {
        let (call, about) = (self.call.clone(), self.about.clone());
        let rows = match self.rows {
            Rows::All(_) if self.cursor.rows > 0 => return Ok(None),
            Rows::All(list) => list(call, about).await?,
            Rows::Pages(_, list) => list(call, about, self.cursor.clone()).await?,
        };
        let Some(last) = rows.last() else {
            return Ok(None);
        };
        self.cursor.last = Some(last.clone());
        self.cursor.rows += rows.len() as u64;
        Ok(Some(rows))
    }

    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        if self.is_ended {
            return Ok(None);
        }
        let page = self.page.take();
        let text = self.write(page.as_deref()).map_err(Fault::internal)?;
        self.is_begun = true;
        match page {
            Some(_) => self.page = self.read().await?,
            None => self.is_ended = true,
        }
        Ok(Some(text.into_bytes()).filter(|bytes| !bytes.is_empty()))
    }

    /// A page, with the beginning of the file before the first one; without a page, the end.
    fn write(&self, page: Option<&[Value]>) -> Result<String, csv::Error> {
        let rows = page.unwrap_or_default();
        match self.format {
            Format::Ndjson => Ok(rows.iter().map(|row| row.to_string() + "\n").collect()),
            Format::Json => {
                let begin = if self.is_begun { ",\n" } else { "[\n" };
                let rows: Vec<String> = rows.iter().map(Value::to_string).collect();
                Ok(match (page, self.is_begun) {
                    (Some(_), _) => format!("{begin}{}", rows.join(",\n")),
                    (None, true) => "\n]\n".to_owned(),
                    (None, false) => "[]\n".to_owned(),
                })
            }
            Format::Csv => {
                let columns = match self.rows {
                    Rows::Pages(columns, _) => columns.to_vec(),
                    Rows::All(_) => table::columns(rows),
                };
                let mut text = String::new();
                if !self.is_begun && !columns.is_empty() {
                    text += &table::heading(&columns)?;
                }
                Ok(text + &table::body(&columns, rows)?)
            }
        }
    }
}

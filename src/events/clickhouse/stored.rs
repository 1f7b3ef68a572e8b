//! Reading every row that there is, in the order of segments.
//!
//! Rows of the same event that have not fallen together yet are read as one (`FINAL`): what is read of a table is the same
//! before and after its parts are merged.

use std::{collections::BTreeMap, fmt::Write as _, time::Duration};

use duckdb::arrow::{
    array::{AsArray, RecordBatch},
    compute::{cast, concat_batches},
    datatypes::Int64Type,
    error::ArrowError,
};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::{
    ClickHouse, Failure, cells,
    schema::{KEY, TABLE},
};
use crate::events::{batch, error::EngineError, statement::Cell, tables::COLUMNS};

/// Rows that are read at a time.
const PAGE: usize = 1 << 16;
/// How long a page may take.
const PATIENCE: Duration = Duration::from_mins(10);
/// The key as text: the files that pages are sent in have no numbers of its size.
const SPELLED: &str = "key_text";

/// Why rows cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// ClickHouse gives none.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// What it gives are none.
    #[error("rows of ClickHouse cannot be read: {0}")]
    Rows(#[from] EngineError),
}

/// The last row of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    website: i64,
    time: i64,
    received: i64,
    key: String,
}

/// Some rows, by website, time and receipt.
#[derive(Debug)]
pub struct Page {
    /// The rows, with today's columns.
    pub rows: RecordBatch,
    /// Where the next page begins; `None` at the end.
    pub next: Option<Mark>,
}

impl ClickHouse {
    /// How many rows of every website there are, those that have not fallen together counted one by one.
    pub async fn census(&self) -> Result<BTreeMap<i64, u64>, Failure> {
        let asked = [
            ("output_format_json_quote_64bit_integers", "0"),
            ("default_format", "JSONCompact"),
        ];
        let asked = asked.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let statement = format!("SELECT website, count() FROM {TABLE} GROUP BY website");
        let answer = self.ask(&asked, statement.into(), PATIENCE).await?;
        let rows = cells::rows(&answer).map_err(|error| Failure::Away(error.to_string()))?;
        let counted = rows.rows.iter().filter_map(|row| match row[..] {
            [Cell::Int(website), Cell::Int(count)] => Some((website, count.cast_unsigned())),
            _ => None,
        });
        Ok(counted.collect())
    }

    /// Rows of the websites between two, these included, behind a mark.
    pub async fn page(
        &self,
        (first, last): (i64, i64),
        behind: Option<&Mark>,
    ) -> Result<Page, ReadError> {
        let statement = selection((first, last), behind);
        let asked = [("default_format".to_owned(), "Parquet".to_owned())];
        let answer = self.ask(&asked, statement.into(), PATIENCE).await?;
        let reader = ParquetRecordBatchReaderBuilder::try_new(answer).map_err(EngineError::from)?;
        let schema = reader.schema().clone();
        let found = reader
            .with_batch_size(PAGE)
            .build()
            .map_err(EngineError::from)?;
        let found = found
            .collect::<Result<Vec<_>, _>>()
            .map_err(EngineError::from)?;
        let found = concat_batches(&schema, &found).map_err(EngineError::from)?;
        let next = (found.num_rows() == PAGE).then(|| mark(&found)).flatten();
        let rows = typed(&found).map_err(EngineError::from)?;
        Ok(Page { rows, next })
    }
}

fn selection((first, last): (i64, i64), behind: Option<&Mark>) -> String {
    let columns: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
    let mut condition = format!("website >= {first} AND website <= {last}");
    if let Some(mark) = behind {
        let Mark {
            website,
            time,
            received,
            key,
        } = mark;
        let _ = write!(
            condition,
            " AND website >= {website} AND (website, time, received, {KEY}) > ({website}, {time}, {received}, toUInt128('{key}'))"
        );
    }
    format!(
        "SELECT {}, toString({KEY}) AS {SPELLED} FROM {TABLE} FINAL WHERE {condition} \
         ORDER BY website, time, received, {KEY} LIMIT {PAGE} SETTINGS output_format_parquet_string_as_string = 1",
        columns.join(", ")
    )
}

/// The last row's.
fn mark(rows: &RecordBatch) -> Option<Mark> {
    let last = rows.num_rows().checked_sub(1)?;
    let number = |name: &str| {
        let array = rows.column_by_name(name)?;
        Some(array.as_primitive_opt::<Int64Type>()?.value(last))
    };
    let key = rows.column_by_name(SPELLED)?.as_string_opt::<i32>()?;
    Some(Mark {
        website: number("website")?,
        time: number("time")?,
        received: number("received")?,
        key: key.value(last).to_owned(),
    })
}

/// Rows with the types of files.
fn typed(rows: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let schema = batch::schema();
    let columns = schema.fields().iter().map(|field| {
        let found = rows.column_by_name(field.name());
        let found = found
            .ok_or_else(|| ArrowError::SchemaError(format!("no column `{}`", field.name())))?;
        cast(found, field.data_type())
    });
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    RecordBatch::try_new(schema, columns)
}

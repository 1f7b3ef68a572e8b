//! Portions of rows by bytes. An event has none or tens of kilobytes of properties, so a number of rows alone says
//! nothing of the memory that they take.

use duckdb::arrow::{array::Array, record_batch::RecordBatch};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};

/// Bytes of rows that one step of sealing or merging works on.
pub(in crate::events) const PORTION: usize = 8 << 20;
/// Fewer rows are not worth a step.
const FEW: usize = 64;

/// Bytes of the values of these rows.
pub(in crate::events) fn byte_size(rows: &RecordBatch) -> usize {
    let columns = rows.columns().iter();
    columns
        .map(|column| column.to_data().get_slice_memory_size().unwrap_or(0))
        .sum()
}

/// How many rows of a file are read at a time, so they take about so many `bytes` and are no more than `most`: as its
/// row group with the largest rows says.
pub(in crate::events) fn rows_at_a_time(
    file: &ParquetMetaData,
    most: usize,
    bytes: usize,
) -> usize {
    let each = file.row_groups().iter().map(bytes_of_a_row).max();
    let fitting = bytes / each.unwrap_or(1).max(1);
    fitting.clamp(FEW, most)
}

/// Bytes of a row, on average, once it is read. Texts that repeat take little in the file and their whole length here.
pub(in crate::events) fn bytes_of_a_row(group: &RowGroupMetaData) -> usize {
    let rows = group.num_rows().max(1);
    let columns = group.columns().iter().map(|column| {
        let texts = column.unencoded_byte_array_data_bytes();
        texts.unwrap_or_else(|| column.uncompressed_size())
    });
    usize::try_from(columns.sum::<i64>() / rows).unwrap_or(usize::MAX)
}

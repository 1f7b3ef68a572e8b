//! Writing segments: the engine sorts and encodes, we make the file durable.

use std::{
    fs::{self, File},
    path::Path,
    sync::Arc,
};

use duckdb::Connection;

use super::{Segment, SegmentRow, file_name};
use crate::events::{
    engine::{EngineError, load, quoted},
    spool::{Lsn, file::sync_directory},
    tables,
    tail::Generation,
};

/// Rows per row group: small enough that a small website reads little, large enough to compress.
const ROW_GROUP: u32 = 20_480;

/// Writes a frozen generation as a segment; the manifest does not know it yet. `None` if no row of it can be read,
/// which leaves nothing to write.
pub fn seal(
    connection: &Connection,
    epoch: u64,
    directory: &Path,
    generation: &Generation,
    lsns: (Lsn, Lsn),
) -> Result<Option<SegmentRow>, EngineError> {
    load::catch_up(connection, epoch, generation)?;
    let table = generation.table();
    let rows: u64 = connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
        row.get(0)
    })?;
    if rows == 0 {
        return Ok(None);
    }
    write(connection, directory, &table, lsns, 0).map(Some)
}

/// Writes the rows of several segments as one.
pub fn merge(
    connection: &Connection,
    directory: &Path,
    segments: &[Arc<Segment>],
) -> Result<SegmentRow, EngineError> {
    let files: Vec<String> = segments
        .iter()
        .map(|segment| quoted(&segment.path.to_string_lossy()))
        .collect();
    let source = format!("read_parquet([{}])", files.join(", "));
    let first = segments
        .iter()
        .map(|segment| segment.row.lsns.0)
        .min()
        .unwrap_or(0);
    let last = segments
        .iter()
        .map(|segment| segment.row.lsns.1)
        .max()
        .unwrap_or(0);
    let level = segments
        .iter()
        .map(|segment| segment.row.level)
        .max()
        .unwrap_or(0)
        + 1;
    write(connection, directory, &source, (first, last), level)
}

fn write(
    connection: &Connection,
    directory: &Path,
    source: &str,
    lsns: (Lsn, Lsn),
    level: u32,
) -> Result<SegmentRow, EngineError> {
    let id = uuid::Uuid::now_v7().to_string();
    let path = directory.join(file_name(&id));
    let temporary = directory.join(format!("{id}.tmp"));
    let written = copy(connection, source, &temporary).and_then(|()| {
        File::open(&temporary)?.sync_all()?;
        fs::rename(&temporary, &path)?;
        sync_directory(directory)?;
        let facts = describe(connection, &path)?;
        Ok(SegmentRow {
            id,
            websites: facts.websites,
            times: facts.times,
            rows: facts.rows,
            bytes: fs::metadata(&path)?.len(),
            lsns,
            level,
            schema: tables::SCHEMA,
            checksum: checksum(&path)?,
            quarantined: false,
        })
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
        let _ = fs::remove_file(&path);
    }
    written
}

fn copy(connection: &Connection, source: &str, to: &Path) -> Result<(), EngineError> {
    let statement = format!(
        "COPY (SELECT * FROM {source} ORDER BY website, time, received) TO {} \
         (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2, ROW_GROUP_SIZE {ROW_GROUP})",
        quoted(&to.to_string_lossy())
    );
    Ok(connection.execute_batch(&statement)?)
}

struct Facts {
    websites: (i64, i64),
    times: (i64, i64),
    rows: u64,
}

/// Reads the bounds back from the finished file: what the manifest says is what the file holds.
fn describe(connection: &Connection, path: &Path) -> Result<Facts, EngineError> {
    let statement = format!(
        "SELECT min(website), max(website), min(time), max(time), count(*) FROM read_parquet({})",
        quoted(&path.to_string_lossy())
    );
    Ok(connection.query_row(&statement, [], |row| {
        Ok(Facts {
            websites: (row.get(0)?, row.get(1)?),
            times: (row.get(2)?, row.get(3)?),
            rows: row.get(4)?,
        })
    })?)
}

/// BLAKE3 of a file, hex.
pub(super) fn checksum(path: &Path) -> std::io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

//! A file without rows.
//!
//! Of a single file the engine reads the statistics of every row group and column when it plans a statement, which takes
//! longer than the statement when the file is large; of several files it does not. A large file that is alone is
//! therefore read together with this one.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use parquet::arrow::ArrowWriter;

use crate::events::{batch, error::EngineError};

/// Where it is, in the engine's spill directory.
pub fn empty_segment(spill: &Path) -> PathBuf {
    spill.join("nothing.parquet")
}

pub(super) fn write(spill: &Path) -> Result<(), EngineError> {
    fs::create_dir_all(spill)?;
    let file = File::create(empty_segment(spill))?;
    ArrowWriter::try_new(file, batch::schema(), None)?.close()?;
    Ok(())
}

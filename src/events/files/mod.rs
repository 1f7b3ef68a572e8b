//! Parquet files of segments and extracts: [`file`](mod@file) writes one, [`portion`] says how many rows fit into memory at a time.

pub(in crate::events) mod file;
pub(in crate::events) mod portion;

//! Parquet files of segments and extracts: [`file`](mod@file) writes one in [`row_groups`], [`portion`] says how many rows fit
//! into memory at a time.

pub(in crate::events) mod file;
pub(in crate::events) mod portion;
pub(in crate::events) mod row_groups;

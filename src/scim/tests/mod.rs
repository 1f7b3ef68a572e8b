//! Filters, paths and patches, for any text and against plain definitions.

mod filters;
mod patches;

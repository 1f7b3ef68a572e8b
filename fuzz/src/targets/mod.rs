//! What is fuzzed: every parser of a body and of what monitored servers answer, the compiler of questions, and what reads the spool. A target is a function that must not panic, whatever
//! the bytes; it checks what the code promises about any input.
//!
//! Seeds are in `fuzz/corpus/<name>/`. The tests of the program run all of them in `tests/it/corpus.rs`.

mod bodies;
mod checks;
mod flags;
mod importers;
mod imports;
mod promises;
mod protocols;
mod questions;
mod scim;
mod spool;
mod tokens;

/// A target's name, which is its folder's in the corpus, and what it does with an input.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const ALL: [Target; 23] = [
    ("track", bodies::track),
    ("page", bodies::page),
    ("batch", bodies::batch),
    ("vitals", bodies::vitals),
    ("errors", bodies::errors),
    ("engagement", bodies::engagement),
    ("events", bodies::events),
    ("calls", bodies::calls),
    ("agents", bodies::agents),
    ("identify", bodies::identify),
    ("pixel", bodies::pixel),
    ("gzip", bodies::gzip),
    ("protocols", protocols::protocols),
    ("flags", flags::flags),
    ("importers", importers::importers),
    ("imports", imports::imports),
    ("scim", scim::scim),
    ("compile", questions::compile),
    ("records", spool::records),
    ("log", spool::log),
    ("recovery", spool::recovery),
    ("tokens", tokens::tokens),
    ("checks", checks::checks),
];

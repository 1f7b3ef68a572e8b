//! What operators' scripts, black-box checks and other people's clients rely on outside of the API: commands, settings with their
//! defaults and effects, addresses, the data directory. `tests/contract.csv` says which test keeps which promise.
//!
//! All of these run the program itself or can (`PHAROS_TEST_BINARY`, `scripts/contract`), and know nothing of its inside.

mod bounds;
mod commands;
mod decided;
mod defaults;
mod disk;
mod engine;
mod limits;
mod log;
mod monitors;
mod plans;
mod server;
mod table;
mod time;

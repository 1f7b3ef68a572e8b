//! Where state lives: the relational database behind every domain, and the coordination between processes.

pub mod data_dir;
mod database_copy;
mod file_copy;
pub mod foreign_tables;
pub mod last_run;
pub mod limits;
pub mod secret;
pub mod state;
pub mod upgrade;

pub use database_copy::TableSum;
pub use last_run::{ClockAhead, LastRun};
pub use secret::InstanceSecret;
pub use state::{StateDb, StateError, is_away};
pub use upgrade::{Schema, UpgradeError, Upgraded};

//! Where state lives: the relational database behind every domain, and the coordination between processes.

mod copy;
pub mod data_dir;
pub mod last_run;
pub mod limits;
pub mod secret;
pub mod state;
mod transfer;
pub mod upgrade;

pub use last_run::{ClockAhead, LastRun};
pub use secret::InstanceSecret;
pub use state::{StateDb, StateError, is_away};
pub use transfer::TableSum;
pub use upgrade::{Schema, UpgradeError, Upgraded};

//! Several processes over one `PostgreSQL` and one Redis: what one has written is seen by all.

mod drills;
mod events;
pub mod fleet;
mod leadership;
mod revocation;
mod shared_counts;
mod slots;
mod views;

//! Share links: under one of them, others see what is public of a website's dashboard, or a board.
//!
//! Owns the table `shares`. Start at `store.rs`; what can be set of a link is in `model.rs`, what must hold in `rules.rs`.
//!
//! Invariants:
//! - The slug has more than 128 random bits and never changes: who has the link was given it.
//! - A revoked link is gone, and a changed password ends every pass that was issued before.
//!
//! There is no actor: nothing is kept in memory, and [`StateDb::begin`](crate::store::StateDb::begin) lets one write at
//! a time in.

mod error;
mod model;
mod rules;
mod store;

pub use error::ShareError;
pub use model::{NewShare, Share, ShareFields};
pub use rules::is_slug;
pub use store::SharesStore;

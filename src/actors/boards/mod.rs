//! Boards: panels of several websites, links, monitors and flags on one page.
//!
//! Owns the table `boards`. Start at `store.rs`; what can be set of a board is in `model.rs` and `panel.rs`, what must hold
//! in `rules.rs`. Whose panels a reader sees decides `resources.rs`, and `load.rs` asks for what is in them.
//!
//! Invariants:
//! - A panel shows a resource of the board's own organization that its author could read. What is deleted or moved to
//!   another organization later shows nothing.
//! - A panel holds an id and no copy: what it shows is read with the rights of who looks at it.
//!
//! There is no actor: nothing is kept in memory, and [`StateDb::begin`](crate::store::StateDb::begin) lets one write at
//! a time in.

mod error;
mod load;
mod model;
mod panel;
mod resources;
mod rules;
mod store;

pub use error::BoardError;
pub use load::{BoardQuery, LoadedPanel, PanelContent};
pub use model::{Board, BoardFields, NewBoard};
pub use panel::{Dimension, Metric, PanelFields, PanelType, PanelWidth, ResourceKind};
pub use resources::{BoardReader, BoardResources, Resource};
pub use rules::MAX_PANELS;
pub use store::BoardsStore;

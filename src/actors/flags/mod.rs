//! Feature flags.
//!
//! An actor, because evaluations read compiled flags from memory, and schedules change flags by themselves.
//! Owns the tables `flags`, `target_groups`, `flag_changes` and `flag_schedules`. Start at `messages.rs`; [`engine`]
//! evaluates flags and is independent of the rest.
//!
//! Invariants:
//! - A key is unique within a website, or within an organization for flags without a website. A deleted flag comes back when its
//!   key is used again.
//! - All dependencies of an active flag are active in its environment, and dependencies have no cycle.
//! - The view holds active flags, compiled. An evaluation uses no database and no mailbox, and sees every answered write.
//! - Every change of a flag has its row in `flag_changes`, in the same transaction.

mod actor;
mod bucketing;
mod changes;
mod compiled;
mod dependencies;
pub mod engine;
mod env;
mod error;
mod fields;
mod groups;
mod messages;
mod model;
pub mod protocols;
mod recent_contexts;
mod repo;
mod rule;
mod schedules;
mod stale;
#[cfg(test)]
mod testing;
mod view;

pub use actor::Flags;
pub use bucketing::Bucketing;
pub use env::FlagsEnv;
pub use error::FlagError;
pub use fields::{FlagFields, FlagType, RolloutBy, Status, Variant, VariantType};
pub use messages::{
    CreateFlag, CreateGroup, CreateSchedule, DeleteFlag, DeleteGroup, DeleteSchedule, GroupFields,
    UpdateFlag, UpdateGroup, UpdateSchedule,
};
pub use model::{
    Author, Change, ChangeKind, Flag, Schedule, ScheduleKind, Scope, Step, TargetGroup,
};
pub use recent_contexts::{RecentContext, RecentContexts};
pub use stale::{StaleReason, constant, stale};
pub use view::{ActiveFlags, FlagsView};

//! Feature flags: what is on, for whom, and why.
//!
//! Owns the tables `flags`, `target_groups`, `flag_changes` and `flag_schedules`. Start at `messages.rs`; how a flag is
//! decided is in [`engine`], which knows nothing of the rest.
//!
//! Invariants:
//! - A key is unique within a website, or within an organization for flags that are for none. A deleted flag comes back
//!   when its key is used again.
//! - An active flag has all flags that it needs, active and in its environment; no flags need each other in a circle.
//! - The view holds active flags, compiled. An evaluation asks no database and no mailbox, and the first one after a write
//!   was answered sees it.
//! - Every change of a flag has its row in `flag_changes`, in the same transaction.

mod actor;
mod dependencies;
pub mod engine;
mod env;
mod error;
mod fields;
mod groups;
mod messages;
mod model;
mod repo;
mod rule;
mod schedules;
mod seen;
mod stale;
mod view;
mod work;
mod written;

pub use actor::Flags;
pub use env::FlagsEnv;
pub use error::FlagError;
pub use fields::{FlagFields, FlagType, RolloutBy, Status, Variant};
pub use messages::{
    CreateFlag, CreateGroup, CreateSchedule, DeleteFlag, DeleteGroup, DeleteSchedule, GroupFields,
    UpdateFlag, UpdateGroup, UpdateSchedule,
};
pub use model::{
    Author, Change, ChangeKind, Flag, Schedule, ScheduleKind, Scope, Step, TargetGroup,
};
pub use seen::{Seen, SeenContext};
pub use stale::{StaleReason, constant, stale};
pub use view::{FlagsView, Shown};

#[cfg(test)]
mod testing {
    use super::*;
    use crate::ids::{FlagId, OrganizationId};

    /// A boolean flag of organization `o`.
    pub(super) fn flag(key: &str) -> Flag {
        Flag {
            id: FlagId::from(key),
            scope: Scope {
                organization: OrganizationId::from("o"),
                website: None,
            },
            created_by: None,
            fields: FlagFields {
                key: key.to_owned(),
                ..FlagFields::default()
            },
            held_back: false,
            created_ms: 0,
            updated_ms: 0,
            deleted_ms: None,
        }
    }
}

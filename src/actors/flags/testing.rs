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

//! Flags as readers are shown them.

use std::sync::Arc;

use sea_orm::ConnectionTrait;

use super::{stored_groups, written::Written};
use crate::actors::flags::{
    FlagError,
    engine::Compiled,
    fields::Status,
    model::{Flag, Scope},
    written::Groups,
};

/// A flag that is ready to be asked.
pub(super) fn compiled(flag: &Flag, groups: &Groups) -> Result<Arc<Compiled>, FlagError> {
    let ids = flag.fields.target_group_ids.iter();
    // A group that was deleted meanwhile targets nobody.
    let groups: Vec<_> = ids.filter_map(|id| groups.get(id).cloned()).collect();
    let compiled = Compiled::new(&flag.fields, &groups).map_err(FlagError::Invalid)?;
    Ok(Arc::new(compiled))
}

/// What flags have become, as it is shown.
pub(super) async fn written(
    db: &impl ConnectionTrait,
    scope: &Scope,
    flags: &[Flag],
) -> Result<Written, FlagError> {
    let groups = stored_groups::of(db, scope).await?;
    let mut written = Written {
        scope: scope.clone(),
        put: Vec::new(),
        gone: Vec::new(),
    };
    for flag in flags {
        let counts = flag.deleted_ms.is_none() && flag.fields.status == Status::Active;
        if counts {
            written.put.push(compiled(flag, &groups)?);
        } else {
            written.gone.push(flag.fields.key.clone());
        }
    }
    Ok(written)
}

//! What a change of flags is to readers.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    FlagError,
    engine::{Compiled, Group},
    fields::Status,
    model::{Flag, Scope},
};

/// What became of a write: by the public id of a website or organization, the flags that are there now and those that are
/// not any more.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) scope: Scope,
    pub(super) put: Vec<Arc<Compiled>>,
    pub(super) gone: Vec<String>,
}

/// Target groups by id.
pub(super) type Groups = BTreeMap<String, Arc<Group>>;

/// A flag that is ready to be asked.
pub(super) fn compiled(flag: &Flag, groups: &Groups) -> Result<Arc<Compiled>, FlagError> {
    let ids = flag.fields.target_group_ids.iter();
    // A group that was deleted meanwhile targets nobody.
    let groups: Vec<_> = ids.filter_map(|id| groups.get(id).cloned()).collect();
    let compiled = Compiled::new(&flag.fields, &groups)?;
    Ok(Arc::new(compiled))
}

/// What flags have become, as it is shown.
pub(super) fn written(
    scope: &Scope,
    flags: &[Flag],
    groups: &Groups,
) -> Result<Written, FlagError> {
    let mut written = Written {
        scope: scope.clone(),
        put: Vec::new(),
        gone: Vec::new(),
    };
    for flag in flags {
        let counts = flag.deleted_ms.is_none() && flag.fields.status == Status::Active;
        if counts {
            written.put.push(compiled(flag, groups)?);
        } else {
            written.gone.push(flag.fields.key.clone());
        }
    }
    Ok(written)
}

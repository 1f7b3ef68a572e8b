//! Changes of flags, compiled for readers.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    FlagError,
    engine::{Compiled, Group},
    fields::Status,
    model::{Flag, Scope},
};

#[derive(Debug)]
pub(super) struct FlagChanges {
    pub(super) scope: Scope,
    pub(super) put: Vec<Arc<Compiled>>,
    pub(super) gone: Vec<String>,
}

/// Target groups by id.
pub(super) type Groups = BTreeMap<String, Arc<Group>>;

pub(super) fn compile_flag(flag: &Flag, groups: &Groups) -> Result<Arc<Compiled>, FlagError> {
    let ids = flag.fields.target_group_ids.iter();
    // A deleted group targets no user.
    let groups: Vec<_> = ids.filter_map(|id| groups.get(id).cloned()).collect();
    let compiled = Compiled::new(&flag.fields, &groups)?;
    Ok(Arc::new(compiled))
}

pub(super) fn compile_changes(
    scope: &Scope,
    flags: &[Flag],
    groups: &Groups,
) -> Result<FlagChanges, FlagError> {
    let mut written = FlagChanges {
        scope: scope.clone(),
        put: Vec::new(),
        gone: Vec::new(),
    };
    for flag in flags {
        let counts = flag.deleted_ms.is_none() && flag.fields.status == Status::Active;
        if counts {
            written.put.push(compile_flag(flag, groups)?);
        } else {
            written.gone.push(flag.fields.key.clone());
        }
    }
    Ok(written)
}

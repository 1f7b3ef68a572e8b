//! What a change of flags is to readers.

use std::{collections::BTreeMap, sync::Arc};

use crate::actors::flags::{
    engine::{Compiled, Group},
    model::Scope,
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

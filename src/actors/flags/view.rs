//! What everyone may read without asking the actor: active flags, compiled, from memory; everything else from storage.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Map, Value};

use super::{
    FlagError, TargetGroup,
    engine::{Compiled, Flags, Group},
    fields::Status,
    groups,
    model::{Change, Flag, Schedule, Scope},
    repo, schedules,
    seen::Seen,
    work,
    written::Written,
};
use crate::{ids::OrganizationId, store::StateDb};

/// Active flags of a website, or of an organization.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// By key.
    pub flags: Flags,
    /// Stands for what all of them are.
    pub tag: u64,
    /// The website's or organization's public id.
    pub id: Box<str>,
    pub organization: Option<OrganizationId>,
    /// Whether it is for a website of that owner, rather than for the owner.
    pub is_website: bool,
}

impl Shown {
    /// How many of the moments at which answers change by themselves have passed.
    pub fn epoch(&self, now_ms: i64) -> usize {
        let passed = |flag: &Arc<Compiled>| flag.moments.partition_point(|at| *at <= now_ms);
        self.flags.values().map(passed).sum()
    }

    /// Whether requests themselves have a say.
    pub fn asks_request(&self) -> bool {
        self.flags.values().any(|flag| flag.asks_request)
    }
}

/// The read model of flags. A copy shares everything.
#[derive(Debug, Clone)]
pub struct FlagsView {
    shown: HashMap<Box<str>, Arc<Shown>>,
    seen: Arc<Seen>,
    pub(super) db: StateDb,
}

impl FlagsView {
    pub(super) fn new(db: StateDb) -> Self {
        Self {
            shown: HashMap::new(),
            seen: Arc::default(),
            db,
        }
    }

    /// Takes over who asked, which only memory knows.
    pub(super) fn keep_seen_of(&mut self, before: &Self) {
        self.seen = Arc::clone(&before.seen);
    }

    /// Active flags by the public id of their website or organization.
    pub fn shown(&self, id: &str) -> Option<&Arc<Shown>> {
        self.shown.get(id)
    }

    /// Who asked for flags lately.
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// A flag as it would be after a change, ready to be asked; `None` when it would not be active. Refuses what
    /// [`UpdateFlag`](super::UpdateFlag) would refuse, dependencies aside.
    pub async fn as_changed(
        &self,
        flag: &Flag,
        patch: &Map<String, Value>,
    ) -> Result<Option<Arc<Compiled>>, FlagError> {
        work::as_changed(self.db.reader(), flag, patch).await
    }

    /// The flag with this id, whoever owns it.
    pub async fn by_id(&self, id: &str) -> Result<Option<Flag>, FlagError> {
        repo::by_id(self.db.reader(), id).await
    }

    /// The flag with this key, unless it was deleted.
    pub async fn by_key(&self, scope: &Scope, key: &str) -> Result<Option<Flag>, FlagError> {
        let found = repo::by_key(self.db.reader(), scope, key).await?;
        Ok(found.filter(|flag| flag.deleted_ms.is_none()))
    }

    /// At most 200 flags, newest first.
    pub async fn list(
        &self,
        scope: &Scope,
        status: Option<Status>,
    ) -> Result<Vec<Flag>, FlagError> {
        repo::list(self.db.reader(), scope, status).await
    }

    /// Every active flag, ordered by key.
    pub async fn definitions(&self, scope: &Scope) -> Result<Vec<Flag>, FlagError> {
        let beside = repo::beside(self.db.reader(), scope).await?;
        let active = |flag: &Flag| flag.fields.status == Status::Active;
        Ok(beside.into_values().filter(active).collect())
    }

    /// At most 200 changes, last first.
    pub async fn changes(&self, flag: &Flag) -> Result<Vec<Change>, FlagError> {
        repo::changes(self.db.reader(), flag).await
    }

    /// Target groups of a website by name.
    pub async fn groups(&self, scope: &Scope) -> Result<Vec<TargetGroup>, FlagError> {
        groups::list(self.db.reader(), scope).await
    }

    /// The target group with this id, whoever owns it.
    pub async fn group(&self, id: &str) -> Result<Option<TargetGroup>, FlagError> {
        groups::by_id(self.db.reader(), id).await
    }

    /// The target groups of a flag, ready to be asked.
    pub async fn compiled_groups(&self, flag: &Flag) -> Result<Vec<Arc<Group>>, FlagError> {
        let mut groups = groups::of(self.db.reader(), &flag.scope).await?;
        let ids = flag.fields.target_group_ids.iter();
        Ok(ids.filter_map(|id| groups.remove(id)).collect())
    }

    /// What is planned for a flag.
    pub async fn schedules(&self, flag: &Flag) -> Result<Vec<Schedule>, FlagError> {
        schedules::of(self.db.reader(), flag).await
    }

    /// The plan with this id, whoever owns it.
    pub async fn schedule(&self, id: &str) -> Result<Option<Schedule>, FlagError> {
        schedules::by_id(self.db.reader(), id).await
    }

    /// Shows what was written.
    pub(super) fn adopt(&mut self, written: Written) {
        let id = written.scope.id();
        let mut shown = self
            .shown
            .get(id)
            .map(|shown| Shown::clone(shown))
            .unwrap_or_default();
        for key in &written.gone {
            if let Some(gone) = shown.flags.remove(key.as_str()) {
                shown.tag = shown.tag.wrapping_sub(gone.tag);
            }
        }
        for flag in written.put {
            shown.tag = shown.tag.wrapping_add(flag.tag);
            if let Some(before) = shown.flags.insert(flag.key.clone(), flag) {
                shown.tag = shown.tag.wrapping_sub(before.tag);
            }
        }
        if shown.flags.is_empty() {
            self.shown.remove(id);
            return;
        }
        shown.is_website = written.scope.website.is_some();
        let id: Box<str> = id.into();
        shown.id.clone_from(&id);
        shown.organization = Some(written.scope.organization);
        self.shown.insert(id, Arc::new(shown));
    }
}

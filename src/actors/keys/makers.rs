//! Keys of people who lose rights in an organization.
//!
//! A key opens no more than the role of the person who made it allows. The change of the role and the change of their keys are
//! one transaction, which belongs to the domain that changes the role.

use sea_orm::{QueryOrder as _, prelude::*};
use serde_json::json;

use super::{
    Keys, LiveKey, RereadKeys,
    draft::described,
    repo,
    rules::{self, RoleLimit},
};
use crate::{
    access::Role,
    actors::{
        audit::{self, Action, Actor, Entry},
        kit::Handle,
    },
    entities::api_key,
    ids::{KeyId, OrganizationId, UserId},
    store::{StateDb, StateError, state::Write},
};

/// A person who has fewer rights in an organization from now on.
#[derive(Debug, Clone, Copy)]
pub struct LostRights<'a> {
    pub organization: &'a OrganizationId,
    pub user: &'a UserId,
    /// The role that is left; `None` = the person is no member any more.
    pub role: Option<Role>,
    /// Whether keys beyond that role keep working. They belong to the organization then, and to no person.
    pub keep_keys: bool,
}

/// What became of a key whose maker lost rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum KeyOutcome {
    Ended,
    /// It lost the scopes that the person's role does not allow.
    Narrowed,
    /// An owner kept it: it works as before and belongs to no person.
    Kept,
}

impl KeyOutcome {
    /// The outcome as it is written on the wire and in the audit log.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// A key whose maker lost rights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AffectedKey {
    pub id: KeyId,
    pub name: String,
    /// The first characters of its secret.
    pub start: String,
    pub outcome: KeyOutcome,
}

/// Changes keys in the transaction of another domain; cheap to clone.
#[derive(Debug, Clone)]
pub struct MakerKeys {
    db: StateDb,
    keys: Handle<Keys>,
}

impl MakerKeys {
    /// The keys of this domain, and the database in its hands.
    pub fn new(db: StateDb, keys: Handle<Keys>) -> Self {
        Self { db, keys }
    }

    /// Keys of a test that has no other use for them.
    #[cfg(test)]
    pub(in crate::actors) async fn for_test(db: &StateDb, clock: &crate::clock::Clock) -> Self {
        use crate::actors::{kit, state_env::StateEnv};
        let env = StateEnv {
            db: db.clone(),
            clock: clock.clone(),
        };
        let policy = kit::RestartPolicy::default();
        let started = kit::supervise(env, &actix::Arbiter::current(), policy).await;
        let (keys, _) = started.expect("a fresh database");
        Self::new(db.clone(), keys)
    }

    /// Ends, narrows or keeps the keys that go beyond the role a person has left. Call [`Self::refresh`] after the commit.
    pub async fn limit(
        &self,
        write: &Write,
        by: &Actor,
        lost: LostRights<'_>,
        now_ms: i64,
    ) -> Result<Vec<AffectedKey>, StateError> {
        write.include(&self.db).await?;
        let made = api_key::Entity::within(lost.organization)
            .filter(api_key::COLUMN.created_by.eq(lost.user.as_str()))
            .filter(api_key::COLUMN.revoked_at.is_null())
            .order_by_asc(api_key::COLUMN.created_at)
            .order_by_asc(api_key::COLUMN.id)
            .all(&**write)
            .await?;
        let mut affected = Vec::new();
        for row in made {
            let before = repo::from_row(row)?;
            let Some((after, outcome)) = limited(&before, lost, now_ms) else {
                continue;
            };
            repo::update(&**write, &after).await?;
            audit::record(write, now_ms, entry(by, &before, &after, outcome)).await?;
            affected.push(AffectedKey {
                id: after.id().clone(),
                name: after.name,
                start: after.start,
                outcome,
            });
        }
        Ok(affected)
    }

    /// Has this process read the keys anew. Other processes learn of the change by the commit.
    pub async fn refresh(&self) {
        if let Err(error) = self.keys.ask(RereadKeys).await {
            // A domain that restarts reads them at its start.
            tracing::warn!(%error, "changed API keys were not read anew");
        }
    }
}

/// The key as it is from now on; `None` when it stays as it is.
fn limited(before: &LiveKey, lost: LostRights<'_>, now_ms: i64) -> Option<(LiveKey, KeyOutcome)> {
    let limited = rules::limited(&before.scopes, before.resources.as_ref(), lost.role);
    let mut after = LiveKey {
        updated_ms: now_ms,
        ..before.clone()
    };
    let outcome = match limited {
        RoleLimit::Unchanged => return None,
        _ if lost.keep_keys => {
            after.created_by = None;
            KeyOutcome::Kept
        }
        RoleLimit::Narrowed(scopes, resources) => {
            after.set_rights(scopes, resources);
            KeyOutcome::Narrowed
        }
        RoleLimit::Ended => {
            after.enabled = false;
            after.revoked_ms = Some(now_ms);
            KeyOutcome::Ended
        }
    };
    Some((after, outcome))
}

fn entry(by: &Actor, before: &LiveKey, after: &LiveKey, outcome: KeyOutcome) -> Entry {
    let action = match outcome {
        KeyOutcome::Ended => Action::KeyRevoke,
        KeyOutcome::Narrowed | KeyOutcome::Kept => Action::KeyUpdate,
    };
    let organization = before.organization().cloned();
    let mut details = json!({
        "name": before.name,
        "reason": "its maker lost rights",
        "outcome": outcome.as_str(),
        "maker": before.created_by,
    });
    if outcome == KeyOutcome::Narrowed {
        details["before"] = described(before);
        details["after"] = described(after);
    }
    Entry::new(organization, by.clone(), action, before.id().as_str()).with(details)
}

//! The one writer of keys.

use std::{sync::Arc, time::Duration};

use actix::{AsyncContext, Context};
use futures_util::future::LocalBoxFuture;

use super::{
    CreateKey, Decision, DeleteKey, KeyError, KeyUsed, KeysView, LiveKey, Manager, NewSecret,
    RevokeKey, RotateKey, UpdateKey, draft, repo, rules,
    usage::{self, PendingUses},
};
use crate::{
    access::{Permission, Role},
    actors::{
        audit::{self, Actor, Entry},
        kit::{Domain, Live, Reply, commit, handlers, run_exclusive},
        state_env::StateEnv,
    },
    entities::membership,
    store::{StateDb, state::Write},
};

/// How often the times of last use are written.
const TURN: Duration = Duration::from_secs(5);

/// The actor; its state is its view and the uses that are not stored yet.
#[derive(Debug)]
pub struct Keys {
    env: StateEnv,
    view: Arc<KeysView>,
    unstored: PendingUses,
}

impl Domain for Keys {
    const NAME: &'static str = "keys";
    type Env = StateEnv;
    type View = KeysView;

    async fn boot(env: StateEnv) -> anyhow::Result<Self> {
        let view = repo::load(env.db.settled().await?).await?;
        Ok(Self {
            env,
            view: Arc::new(view),
            unstored: PendingUses::default(),
        })
    }

    fn view(&self) -> Arc<KeysView> {
        Arc::clone(&self.view)
    }

    fn epoch_source(env: &StateEnv) -> Option<&StateDb> {
        Some(&env.db)
    }

    fn reread(&mut self, fresh: Self) {
        fresh.view.keep_use(&self.view);
        self.view = fresh.view;
    }

    fn started(_: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        context.run_interval(TURN, |live, context| {
            if live.unstored.is_empty() {
                return;
            }
            let marks = live.unstored.take();
            run_exclusive(
                context,
                usage::store(live.env.db.clone(), marks),
                |domain, marks| {
                    domain.unstored.settle(marks);
                },
            );
        });
    }

    fn drain(&mut self) -> LocalBoxFuture<'static, ()> {
        let marks = self.unstored.take();
        let db = self.env.db.clone();
        Box::pin(async move {
            usage::store(db, marks).await;
        })
    }
}

handlers! { Keys:
    decide CreateKey => Keys::create_key;
    decide UpdateKey => Keys::update_key;
    decide RevokeKey => Keys::revoke_key;
    decide RotateKey => Keys::rotate_key;
    decide DeleteKey => Keys::delete_key;
    now KeyUsed => |keys: &mut Live<Keys>, used: KeyUsed, _| keys.unstored.note(used.id, used.at_ms);
}

impl Keys {
    fn create_key(&mut self, message: CreateKey) -> Decision<NewSecret> {
        let now_ms = self.env.clock.now_ms();
        let by = message.by.clone();
        let (new, log) = draft::new(&self.view, message, now_ms)?;
        let row = Arc::clone(&new.key);
        let io = write(self.env.clone(), log, async move |write: &Write| {
            recheck_role(write, &by, &row).await?;
            Ok(repo::insert(&**write, &row).await?)
        });
        Ok(commit(io, |domain: &mut Self, ()| domain.adopt_new(new)))
    }

    fn update_key(&mut self, message: UpdateKey) -> Decision<Arc<LiveKey>> {
        let now_ms = self.env.clock.now_ms();
        let by = message.by.clone();
        let (key, log) = draft::changed(&self.view, message, now_ms)?;
        Ok(self.replace(by, key, log))
    }

    fn revoke_key(&mut self, message: RevokeKey) -> Decision<Arc<LiveKey>> {
        let now_ms = self.env.clock.now_ms();
        Ok(match draft::revoked(&self.view, &message, now_ms)? {
            (key, Some(log)) => self.replace(message.by, key, log),
            (key, None) => commit(std::future::ready(Ok(key)), |_, key| key),
        })
    }

    fn rotate_key(&mut self, message: RotateKey) -> Decision<NewSecret> {
        let now_ms = self.env.clock.now_ms();
        let (new, log) = draft::rotated(&self.view, &message, now_ms)?;
        let (row, before) = (Arc::clone(&new.key), self.current(&new.key));
        let io = write(self.env.clone(), log, async move |write: &Write| {
            recheck_role(write, &message.by, &row).await?;
            store_if_unchanged(write, before.as_deref(), &row).await
        });
        Ok(commit(io, |domain: &mut Self, ()| domain.adopt_new(new)))
    }

    fn delete_key(&mut self, message: DeleteKey) -> Decision<()> {
        let log = draft::deleted(&self.view, &message)?;
        let id = message.id.clone();
        let io = write(self.env.clone(), log, async move |write: &Write| {
            Ok(repo::delete(&**write, &id).await?)
        });
        Ok(commit(io, move |domain: &mut Self, ()| {
            Arc::make_mut(&mut domain.view).remove(&message.id);
        }))
    }
}

impl Keys {
    /// As [`Self::replace_view`], after some were erased.
    pub(super) fn replace_view_after(&mut self, (erased, view): (u64, Arc<KeysView>)) -> u64 {
        self.replace_view(view);
        erased
    }

    /// Takes over what was read anew.
    pub(super) fn replace_view(&mut self, view: Arc<KeysView>) {
        view.keep_use(&self.view);
        self.view = view;
    }

    fn current(&self, key: &LiveKey) -> Option<Arc<LiveKey>> {
        self.view.by_id(key.id().as_str()).cloned()
    }

    /// Stores a changed key and takes it into memory.
    fn replace(
        &self,
        by: Manager,
        key: Arc<LiveKey>,
        log: Entry,
    ) -> Reply<Self, Arc<LiveKey>, KeyError> {
        let (row, before) = (Arc::clone(&key), self.current(&key));
        let io = write(self.env.clone(), log, async move |write: &Write| {
            if row.revoked_ms.is_some() {
                // Ending a key is never refused, whatever else has changed.
                return Ok(repo::update(&**write, &row).await?);
            }
            recheck_role(write, &by, &row).await?;
            store_if_unchanged(write, before.as_deref(), &row).await
        });
        commit(io, |domain: &mut Self, ()| {
            Arc::make_mut(&mut domain.view).insert(Arc::clone(&key));
            key
        })
    }

    /// Takes a stored key with its new secret into memory.
    fn adopt_new(&mut self, new: NewSecret) -> NewSecret {
        Arc::make_mut(&mut self.view).insert(Arc::clone(&new.key));
        new
    }
}

/// A change and its entry in the audit log, both or neither.
async fn write(
    env: StateEnv,
    log: Entry,
    change: impl AsyncFnOnce(&Write) -> Result<(), KeyError>,
) -> Result<(), KeyError> {
    let write = env.db.begin().await?;
    change(&write).await?;
    audit::record(&write, env.clock.now_ms(), log).await?;
    Ok(write.commit().await?)
}

/// Refuses a key beyond the role that the person has at this moment, in the transaction that stores it. A person who lost
/// rights while the request was on its way gets no key that outlives them.
async fn recheck_role(write: &Write, by: &Manager, key: &LiveKey) -> Result<(), KeyError> {
    let (Some(_), Actor::User(user), Some(organization)) = (by.role, &by.actor, key.organization())
    else {
        return Ok(());
    };
    let role = membership::Entity::find_role(&**write, organization, user).await?;
    let role = role.as_deref().and_then(Role::parse);
    let role = role.filter(|role| role.may(Permission::KeysManage));
    rules::check_scopes(Some(role.ok_or(KeyError::NoLonger)?), &key.grant)
}

/// Stores a changed key, unless the stored one is another than the one that was changed: another domain writes keys, too.
async fn store_if_unchanged(
    write: &Write,
    before: Option<&LiveKey>,
    key: &LiveKey,
) -> Result<(), KeyError> {
    let stored = repo::by_id(&**write, key.id()).await?;
    let stored = stored.ok_or_else(|| KeyError::NotFound(key.id().clone()))?;
    if before.is_some_and(|before| !before.grants_same(&stored)) {
        return Err(KeyError::ChangedMeanwhile(key.id().clone()));
    }
    Ok(repo::update(&**write, key).await?)
}

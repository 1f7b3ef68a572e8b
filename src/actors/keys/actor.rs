//! The one writer of keys.

use std::{
    sync::{Arc, atomic::AtomicI64},
    time::Duration,
};

use actix::{AsyncContext, Context, Handler};
use futures_util::future::LocalBoxFuture;
use secrecy::ExposeSecret;

use super::{
    CreateKey, KeyError, KeyUsed, KeysView, LiveKey, NewSecret, RevokeKey, RotateKey, repo, rules,
    secret,
    usage::{self, Unstored},
    view::Usage,
};
use crate::{
    access::KeyGrant,
    actors::{
        digest::Digest,
        kit::{Domain, Live, Reply, commit, refuse, turn},
    },
    clock::Clock,
    ids::KeyId,
    store::StateDb,
};

/// How often the times of last use are written.
const TURN: Duration = Duration::from_secs(5);

/// What the domain needs.
#[derive(Debug, Clone)]
pub struct KeysEnv {
    /// The state database.
    pub db: StateDb,
    /// The time.
    pub clock: Clock,
}

/// The actor; its state is its view and the uses that are not stored yet.
#[derive(Debug)]
pub struct Keys {
    env: KeysEnv,
    view: Arc<KeysView>,
    unstored: Unstored,
}

impl Domain for Keys {
    const NAME: &'static str = "keys";
    type Env = KeysEnv;
    type View = KeysView;

    async fn boot(env: KeysEnv) -> anyhow::Result<Self> {
        let view = repo::load(env.db.writer()).await?;
        Ok(Self {
            env,
            view: Arc::new(view),
            unstored: Unstored::default(),
        })
    }

    fn view(&self) -> Arc<KeysView> {
        Arc::clone(&self.view)
    }

    fn started(_: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        context.run_interval(TURN, |live, context| {
            if live.unstored.is_empty() {
                return;
            }
            let marks = live.unstored.take();
            turn(
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

impl Handler<CreateKey> for Live<Keys> {
    type Result = Reply<Keys, NewSecret, KeyError>;

    fn handle(&mut self, message: CreateKey, _: &mut Context<Self>) -> Self::Result {
        match self.admit_new(message) {
            Ok(new) => commit(insert(self.env.db.clone(), new), Keys::adopt_new),
            Err(error) => refuse(error),
        }
    }
}

impl Handler<RevokeKey> for Live<Keys> {
    type Result = Reply<Keys, Arc<LiveKey>, KeyError>;

    fn handle(&mut self, message: RevokeKey, _: &mut Context<Self>) -> Self::Result {
        match self.admit_revocation(&message.id) {
            Ok(key) => commit(update(self.env.db.clone(), key), Keys::adopt),
            Err(error) => refuse(error),
        }
    }
}

impl Handler<RotateKey> for Live<Keys> {
    type Result = Reply<Keys, NewSecret, KeyError>;

    fn handle(&mut self, message: RotateKey, _: &mut Context<Self>) -> Self::Result {
        match self.admit_rotation(&message.id) {
            Ok(new) => commit(replace(self.env.db.clone(), new), Keys::adopt_new),
            Err(error) => refuse(error),
        }
    }
}

impl Handler<KeyUsed> for Live<Keys> {
    type Result = ();

    fn handle(&mut self, message: KeyUsed, _: &mut Context<Self>) {
        self.unstored.note(message.id, message.at_ms);
    }
}

impl Keys {
    fn admit_new(&self, message: CreateKey) -> Result<NewSecret, KeyError> {
        let now_ms = self.env.clock.now_ms();
        rules::admit(&message, now_ms)?;
        let (global, websites) = rules::rights(&message.scopes, message.resources.as_ref());
        let secret = secret::generate()?;
        let key = LiveKey {
            grant: Arc::new(KeyGrant {
                id: KeyId::new(),
                organization: message.organization,
                global,
                websites,
            }),
            name: message.name.trim().to_owned(),
            description: message.description,
            created_by: message.created_by,
            kind: message.kind,
            scopes: message.scopes,
            resources: message.resources,
            tags: message.tags,
            prefix: secret::PREFIX.to_owned(),
            start: secret::start(&secret),
            rate_limit: message.quota,
            enabled: true,
            expires_ms: message.expires_ms,
            revoked_ms: None,
            created_ms: now_ms,
            updated_ms: now_ms,
            digest: Digest::of(secret.expose_secret()),
            usage: Arc::new(Usage {
                last_ms: AtomicI64::new(0),
            }),
        };
        Ok(NewSecret {
            key: Arc::new(key),
            secret,
        })
    }

    fn admit_revocation(&self, id: &KeyId) -> Result<LiveKey, KeyError> {
        let key = self.find(id)?;
        let now_ms = self.env.clock.now_ms();
        Ok(LiveKey {
            enabled: false,
            revoked_ms: key.revoked_ms.or(Some(now_ms)),
            updated_ms: key.revoked_ms.map_or(now_ms, |_| key.updated_ms),
            ..key.clone()
        })
    }

    fn admit_rotation(&self, id: &KeyId) -> Result<NewSecret, KeyError> {
        let key = self.find(id)?;
        if key.revoked_ms.is_some() {
            return Err(KeyError::Revoked(id.clone()));
        }
        let secret = secret::generate()?;
        let key = LiveKey {
            start: secret::start(&secret),
            digest: Digest::of(secret.expose_secret()),
            updated_ms: self.env.clock.now_ms(),
            ..key.clone()
        };
        Ok(NewSecret {
            key: Arc::new(key),
            secret,
        })
    }

    fn find(&self, id: &KeyId) -> Result<&LiveKey, KeyError> {
        let key = self.view.by_id(id.as_str());
        Ok(key.ok_or_else(|| KeyError::NotFound(id.clone()))?)
    }

    /// Takes a stored key into memory.
    fn adopt(&mut self, key: LiveKey) -> Arc<LiveKey> {
        let key = Arc::new(key);
        Arc::make_mut(&mut self.view).insert(Arc::clone(&key));
        key
    }

    /// Takes a stored key with its new secret into memory.
    fn adopt_new(&mut self, new: NewSecret) -> NewSecret {
        Arc::make_mut(&mut self.view).insert(Arc::clone(&new.key));
        new
    }
}

async fn insert(db: StateDb, new: NewSecret) -> Result<NewSecret, KeyError> {
    let write = db.begin().await?;
    repo::insert(&*write, &new.key).await?;
    write.commit().await?;
    Ok(new)
}

async fn replace(db: StateDb, new: NewSecret) -> Result<NewSecret, KeyError> {
    let write = db.begin().await?;
    repo::update(&*write, &new.key).await?;
    write.commit().await?;
    Ok(new)
}

async fn update(db: StateDb, key: LiveKey) -> Result<LiveKey, KeyError> {
    let write = db.begin().await?;
    repo::update(&*write, &key).await?;
    write.commit().await?;
    Ok(key)
}

//! Keys through a supervised actor on a temporary database.

use std::{collections::BTreeMap, time::Duration};

use actix::Arbiter;
use sea_orm::EntityTrait;
use secrecy::{ExposeSecret, SecretString};
use tempfile::TempDir;

use super::{view::USED_EVERY_MS, *};
use crate::{
    access::Scope,
    actors::kit::{Child, Handle, RestartPolicy, drain_all, supervise},
    clock::Clock,
    entities::api_key,
    ids::{KeyId, WebsiteId},
    store::{StateDb, state::testing},
};

const NOW: i64 = 1_800_000_000_000;

struct House {
    _directory: TempDir,
    db: StateDb,
    keys: Handle<Keys>,
    child: Child,
}

impl House {
    async fn open() -> Self {
        let (directory, db) = testing::temporary().await;
        let (keys, child) = start(&db).await;
        Self {
            _directory: directory,
            db,
            keys,
            child,
        }
    }

    async fn restart(mut self) -> Self {
        end(self.child).await;
        (self.keys, self.child) = start(&self.db).await;
        self
    }

    fn open_with(&self, secret: &SecretString) -> Result<KeyId, KeyRefusal> {
        let view = self.keys.view();
        let key = view.authenticate(secret.expose_secret(), NOW)?;
        Ok(key.id().clone())
    }

    async fn stored(&self, id: &KeyId) -> api_key::Model {
        api_key::Entity::find_by_id(id.as_str())
            .one(self.db.reader())
            .await
            .unwrap()
            .unwrap()
    }
}

async fn start(db: &StateDb) -> (Handle<Keys>, Child) {
    let env = KeysEnv {
        db: db.clone(),
        clock: Clock::fixed(NOW),
    };
    let on = Arbiter::current();
    supervise(env, &on, RestartPolicy::default()).await.unwrap()
}

async fn end(child: Child) {
    let late = drain_all(vec![child], Duration::from_secs(5)).await;
    assert!(late.is_empty(), "{late:?}");
}

#[actix::test]
async fn a_key_opens_with_its_secret_and_nothing_of_it_is_stored() {
    let house = House::open().await;
    let website = WebsiteId::from("w");
    let draft = CreateKey {
        description: Some("for tests".to_owned()),
        kind: KeyKind::Automation,
        scopes: vec![Scope::TrackEvents],
        resources: Some(Resources {
            global: Vec::new(),
            websites: BTreeMap::from([(website.clone(), vec![Scope::ReadData])]),
        }),
        tags: vec!["ci".to_owned()],
        quota: KeyQuota {
            enabled: true,
            max: 7,
            window_seconds: 9,
        },
        expires_ms: Some(NOW + 1),
        ..CreateKey::named(" ci ")
    };
    let new = house.keys.ask(draft).await.unwrap();
    let before = format!("{:?}", new.key);
    let row = format!("{:?}", house.stored(new.key.id()).await);
    let text = new.secret.expose_secret();
    assert!(!row.contains(&text[12..]) && row.contains(&text[..8]));

    let house = house.restart().await;
    assert_eq!(house.open_with(&new.secret).as_ref(), Ok(new.key.id()));
    let view = house.keys.view();
    let key = view.by_id(new.key.id().as_str()).unwrap();
    assert_eq!(format!("{key:?}"), before, "a restart changes nothing");
    assert_eq!((key.name.as_str(), key.quota()), ("ci", Some((7, 9))));
    assert!(key.grant.holds_for(Scope::TrackEvents, &website));
    assert!(!key.grant.holds(Scope::TrackEvents));
    let expired = view.authenticate(text, NOW + 1).unwrap_err();
    assert_eq!(expired, KeyRefusal::Expired);
    end(house.child).await;
}

#[actix::test]
async fn a_revoked_key_is_dead_for_good() {
    let house = House::open().await;
    let new = house.keys.ask(CreateKey::named("k")).await.unwrap();
    let id = new.key.id().clone();
    let revoked = house.keys.ask(RevokeKey { id: id.clone() }).await.unwrap();
    assert_eq!(revoked.revoked_ms, Some(NOW));
    assert_eq!(house.open_with(&new.secret), Err(KeyRefusal::Revoked));
    house.keys.ask(RevokeKey { id: id.clone() }).await.unwrap();
    let rotated = house.keys.ask(RotateKey { id }).await;
    assert!(matches!(rotated, Err(KeyError::Revoked(_))));
    let house = house.restart().await;
    assert_eq!(house.open_with(&new.secret), Err(KeyRefusal::Revoked));
    end(house.child).await;
}

#[actix::test]
async fn a_rotated_key_has_the_same_id_and_another_secret() {
    let house = House::open().await;
    let new = house.keys.ask(CreateKey::named("k")).await.unwrap();
    let id = new.key.id().clone();
    let rotated = house.keys.ask(RotateKey { id: id.clone() }).await.unwrap();
    for _ in 0..2 {
        assert_eq!(house.open_with(&rotated.secret), Ok(id.clone()));
        assert_eq!(house.open_with(&new.secret), Err(KeyRefusal::Unknown));
    }
    let house = house.restart().await;
    assert_eq!(house.open_with(&rotated.secret), Ok(id));
    assert_eq!(house.open_with(&new.secret), Err(KeyRefusal::Unknown));
    end(house.child).await;
}

#[actix::test]
async fn unknown_keys_and_bad_fields_are_refused() {
    let house = House::open().await;
    let id = KeyId::from("nobody");
    let missing = house.keys.ask(RevokeKey { id: id.clone() }).await;
    assert!(matches!(missing, Err(KeyError::NotFound(_))));
    let missing = house.keys.ask(RotateKey { id }).await;
    assert!(matches!(missing, Err(KeyError::NotFound(_))));
    let refused = house.keys.ask(CreateKey::named("")).await;
    assert!(matches!(refused, Err(KeyError::Invalid(_))));
    let stranger = secret::generate().unwrap();
    assert_eq!(house.open_with(&stranger), Err(KeyRefusal::Unknown));
    end(house.child).await;
}

#[actix::test]
async fn the_last_use_is_due_once_in_300_seconds_and_stored_at_the_latest_when_draining() {
    let house = House::open().await;
    let new = house.keys.ask(CreateKey::named("k")).await.unwrap();
    let key = &new.key;
    assert!(key.use_is_due(NOW));
    assert!(!key.use_is_due(NOW + USED_EVERY_MS - 1));
    assert!(key.use_is_due(NOW + USED_EVERY_MS));

    for at_ms in [NOW, NOW + 5, NOW + 3] {
        let id = key.id().clone();
        house.keys.tell(KeyUsed { id, at_ms }).unwrap();
    }
    assert_eq!(house.stored(key.id()).await.last_used_at, None);
    let house = house.restart().await;
    let view = house.keys.view();
    let again = view.by_id(key.id().as_str()).unwrap();
    assert_eq!(again.last_used_ms(), Some(NOW + 5));

    // A change of the key keeps the mark.
    let id = key.id().clone();
    house.keys.ask(RotateKey { id }).await.unwrap();
    assert!(house.stored(key.id()).await.last_used_at.is_some());
    end(house.child).await;
}

//! Keys through a supervised actor on a temporary database.

use std::{collections::BTreeMap, time::Duration};

use actix::Arbiter;
use sea_orm::{ConnectionTrait, EntityTrait};
use secrecy::{ExposeSecret, SecretString};
use tempfile::TempDir;

use super::{live_key::USED_EVERY_MS, *};
use crate::{
    access::{Role, Scope},
    actors::{
        audit::Actor,
        error::CommonError,
        kit::{Child, Handle, RestartPolicy, drain_all, supervise},
        state_env::StateEnv,
    },
    clock::Clock,
    entities::{api_key, audit_entry},
    ids::{KeyId, OrganizationId, UserId, WebsiteId},
    store::{StateDb, state::testing},
};

const NOW: i64 = 1_800_000_000_000;

struct Fixture {
    _directory: TempDir,
    db: StateDb,
    keys: Handle<Keys>,
    child: Child,
}

impl Fixture {
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

    fn open_with(&self, secret: &SecretString) -> Result<KeyId, KeyRejection> {
        let view = self.keys.view();
        let key = view.authenticate(secret.expose_secret(), NOW)?;
        Ok(key.id().clone())
    }

    /// An organization, which keys refer to.
    async fn insert_organization(&self, id: &OrganizationId) {
        let insert = format!(
            "INSERT INTO organizations (id, key, name, slug, plan, created_at) \
             VALUES ('{id}', 1, 'O', 'o', 'free', '2026-01-01T00:00:00Z')"
        );
        self.db.writer().execute_unprepared(&insert).await.unwrap();
    }

    /// A member of an organization.
    async fn join(&self, organization: &OrganizationId, user: &UserId, role: &str) {
        let at = "'2026-01-01T00:00:00Z'";
        for insert in [
            format!(
                "INSERT INTO users (id, email, name, password_hash, email_verified, created_at, updated_at) \
                 VALUES ('{user}', '{user}@b', 'U', 'x', true, {at}, {at})"
            ),
            format!(
                "INSERT INTO memberships (organization_id, user_id, role, created_at) \
                 VALUES ('{organization}', '{user}', '{role}', {at})"
            ),
        ] {
            self.db.writer().execute_unprepared(&insert).await.unwrap();
        }
    }

    async fn stored(&self, id: &KeyId) -> api_key::Model {
        api_key::Entity::find_by_id(id.as_str())
            .one(self.db.reader())
            .await
            .unwrap()
            .unwrap()
    }
}

fn revoke(id: &KeyId) -> RevokeKey {
    RevokeKey {
        by: Manager::SYSTEM,
        id: id.clone(),
    }
}

fn rotate(id: &KeyId) -> RotateKey {
    RotateKey {
        by: Manager::SYSTEM,
        id: id.clone(),
    }
}

async fn start(db: &StateDb) -> (Handle<Keys>, Child) {
    let env = StateEnv {
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
    let fixture = Fixture::open().await;
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
    let new = fixture.keys.ask(draft).await.unwrap();
    let before = format!("{:?}", new.key);
    let row = format!("{:?}", fixture.stored(new.key.id()).await);
    let text = new.secret.expose_secret();
    assert!(!row.contains(&text[12..]) && row.contains(&text[..8]));

    let fixture = fixture.restart().await;
    assert_eq!(fixture.open_with(&new.secret).as_ref(), Ok(new.key.id()));
    let view = fixture.keys.view();
    let key = view.by_id(new.key.id().as_str()).unwrap();
    assert_eq!(format!("{key:?}"), before, "a restart changes nothing");
    assert_eq!((key.name.as_str(), key.quota()), ("ci", Some((7, 9))));
    assert!(key.grant.holds_for(Scope::TrackEvents, &website));
    assert!(!key.grant.holds(Scope::TrackEvents));
    let expired = view.authenticate(text, NOW + 1).unwrap_err();
    assert_eq!(expired, KeyRejection::Expired);
    end(fixture.child).await;
}

#[actix::test]
async fn a_revoked_key_is_dead_for_good() {
    let fixture = Fixture::open().await;
    let new = fixture.keys.ask(CreateKey::named("k")).await.unwrap();
    let id = new.key.id().clone();
    let revoked = fixture.keys.ask(revoke(&id)).await.unwrap();
    assert_eq!(revoked.revoked_ms, Some(NOW));
    assert_eq!(fixture.open_with(&new.secret), Err(KeyRejection::Revoked));
    fixture.keys.ask(revoke(&id)).await.unwrap();
    let rotated = fixture.keys.ask(rotate(&id)).await;
    assert!(matches!(rotated, Err(KeyError::Revoked(_))));
    let fixture = fixture.restart().await;
    assert_eq!(fixture.open_with(&new.secret), Err(KeyRejection::Revoked));
    end(fixture.child).await;
}

#[actix::test]
async fn a_rotated_key_has_the_same_id_and_another_secret() {
    let fixture = Fixture::open().await;
    let new = fixture.keys.ask(CreateKey::named("k")).await.unwrap();
    let id = new.key.id().clone();
    let rotated = fixture.keys.ask(rotate(&id)).await.unwrap();
    for _ in 0..2 {
        assert_eq!(fixture.open_with(&rotated.secret), Ok(id.clone()));
        assert_eq!(fixture.open_with(&new.secret), Err(KeyRejection::Unknown));
    }
    let fixture = fixture.restart().await;
    assert_eq!(fixture.open_with(&rotated.secret), Ok(id));
    assert_eq!(fixture.open_with(&new.secret), Err(KeyRejection::Unknown));
    end(fixture.child).await;
}

#[actix::test]
async fn unknown_keys_and_bad_fields_are_refused() {
    let fixture = Fixture::open().await;
    let id = KeyId::from("nobody");
    let missing = fixture.keys.ask(revoke(&id)).await;
    assert!(matches!(missing, Err(KeyError::NotFound(_))));
    let missing = fixture.keys.ask(rotate(&id)).await;
    assert!(matches!(missing, Err(KeyError::NotFound(_))));
    let refused = fixture.keys.ask(CreateKey::named("")).await;
    assert!(matches!(
        refused,
        Err(KeyError::Common(CommonError::Invalid(_)))
    ));
    let stranger = secret::generate().unwrap();
    assert_eq!(fixture.open_with(&stranger), Err(KeyRejection::Unknown));
    end(fixture.child).await;
}

#[actix::test]
async fn the_last_use_is_due_once_in_300_seconds_and_stored_at_the_latest_when_draining() {
    let fixture = Fixture::open().await;
    let new = fixture.keys.ask(CreateKey::named("k")).await.unwrap();
    let key = &new.key;
    assert!(key.use_is_due(NOW));
    assert!(!key.use_is_due(NOW + USED_EVERY_MS - 1));
    assert!(key.use_is_due(NOW + USED_EVERY_MS));

    for at_ms in [NOW, NOW + 5, NOW + 3] {
        let id = key.id().clone();
        fixture.keys.tell(KeyUsed { id, at_ms }).unwrap();
    }
    assert_eq!(fixture.stored(key.id()).await.last_used_at, None);
    let fixture = fixture.restart().await;
    let view = fixture.keys.view();
    let again = view.by_id(key.id().as_str()).unwrap();
    assert_eq!(again.last_used_ms(), Some(NOW + 5));

    // A change of the key keeps the mark.
    let id = key.id().clone();
    fixture.keys.ask(rotate(&id)).await.unwrap();
    assert!(fixture.stored(key.id()).await.last_used_at.is_some());
    end(fixture.child).await;
}

#[actix::test]
async fn every_change_is_in_the_audit_log_and_none_happens_without_its_entry() {
    let fixture = Fixture::open().await;
    let (organization, user) = (OrganizationId::from("o"), UserId::from("u"));
    fixture.insert_organization(&organization).await;
    fixture.join(&organization, &user, "owner").await;
    let by = Manager {
        actor: Actor::User(user.clone()),
        role: Some(Role::Owner),
    };
    let draft = CreateKey {
        by: by.clone(),
        organization: Some(organization.clone()),
        scopes: vec![Scope::ReadData],
        ..CreateKey::named("k")
    };
    let made = fixture.keys.ask(draft.clone()).await.unwrap();
    let id = made.key.id().clone();
    let change = KeyChange {
        name: Some("another".to_owned()),
        ..KeyChange::default()
    };
    let update = UpdateKey {
        by: by.clone(),
        id: id.clone(),
        change,
    };
    fixture.keys.ask(update.clone()).await.unwrap();
    let rotated = fixture.keys.ask(rotate(&id)).await.unwrap();
    fixture.keys.ask(revoke(&id)).await.unwrap();
    fixture.keys.ask(revoke(&id)).await.unwrap();
    let (delete_by, delete_id) = (by.clone(), id.clone());
    let delete = DeleteKey {
        by: delete_by,
        id: delete_id,
    };
    fixture.keys.ask(delete.clone()).await.unwrap();
    let again = fixture.keys.ask(delete).await;
    assert!(matches!(again, Err(KeyError::NotFound(_))));
    assert_eq!(
        fixture.open_with(&rotated.secret),
        Err(KeyRejection::Unknown)
    );

    let rows = audit_entry::Entity::within(&organization)
        .all(fixture.db.reader())
        .await
        .unwrap();
    let actions: Vec<&str> = rows.iter().rev().map(|row| row.action.as_str()).collect();
    let expected = [
        "key.create",
        "key.update",
        "key.rotate",
        "key.revoke",
        "key.delete",
    ];
    assert_eq!(actions, expected);
    assert!(rows.iter().all(|row| row.target_id == id.as_str()));
    assert_eq!(
        (rows[4].actor.as_str(), rows[4].actor_id.as_str()),
        ("user", "u")
    );
    for secret in [&made.secret, &rotated.secret] {
        let hidden = &secret.expose_secret()[8..];
        assert!(!format!("{rows:?}").contains(hidden));
    }

    // Threat T46: the log takes nothing, so nothing happens.
    let kept = fixture.keys.ask(draft.clone()).await.unwrap();
    let id = kept.key.id().clone();
    let blocked = "CREATE TRIGGER blocked BEFORE INSERT ON audit_entries \
                   BEGIN SELECT RAISE(ABORT, 'no'); END";
    fixture
        .db
        .writer()
        .execute_unprepared(blocked)
        .await
        .unwrap();
    let before = fixture.keys.view().owned_by(&organization).len();
    let delete = DeleteKey { by, id: id.clone() };
    assert!(matches!(
        fixture.keys.ask(draft).await,
        Err(KeyError::Common(CommonError::State(_)))
    ));
    let update = UpdateKey {
        id: id.clone(),
        ..update
    };
    assert!(matches!(
        fixture.keys.ask(update).await,
        Err(KeyError::Common(CommonError::State(_)))
    ));
    assert!(matches!(
        fixture.keys.ask(rotate(&id)).await,
        Err(KeyError::Common(CommonError::State(_)))
    ));
    assert!(matches!(
        fixture.keys.ask(revoke(&id)).await,
        Err(KeyError::Common(CommonError::State(_)))
    ));
    assert!(matches!(
        fixture.keys.ask(delete).await,
        Err(KeyError::Common(CommonError::State(_)))
    ));
    let fixture = fixture.restart().await;
    assert_eq!(fixture.open_with(&kept.secret), Ok(id.clone()));
    assert_eq!(fixture.keys.view().owned_by(&organization).len(), before);
    assert_eq!(fixture.stored(&id).await.name, "k");
    end(fixture.child).await;
}

//! What a key becomes, with the entry that the audit log gets: pure but for drawing secrets.

use std::sync::{Arc, atomic::AtomicI64};

use secrecy::ExposeSecret;
use serde_json::{Value, json};

use super::{
    CreateKey, DeleteKey, KeyError, KeyQuota, KeysView, LiveKey, Manager, NewSecret, RevokeKey,
    RotateKey, UpdateKey, live_key::Usage, rights, rules, secret,
};
use crate::{
    access::KeyGrant,
    actors::{
        audit::{Action, Actor, Entry},
        digest::Digest,
    },
    clock::iso_ms,
    ids::KeyId,
};

pub(super) fn new(
    view: &KeysView,
    message: CreateKey,
    now_ms: i64,
) -> Result<(NewSecret, Entry), KeyError> {
    rules::check_count(match (&message.organization, &message.created_by) {
        (Some(organization), _) => view.count_owned(organization),
        (None, Some(user)) => view.loose(user).len(),
        (None, None) => 0,
    })?;
    let secret = secret::generate()?;
    let (global, websites) = rights::rights(&message.scopes, message.resources.as_ref());
    let key = LiveKey {
        grant: Arc::new(KeyGrant {
            id: KeyId::new(),
            organization: message.organization,
            global,
            websites,
            person: None,
        }),
        name: message.name.trim().to_owned(),
        description: message.description,
        created_by: message.created_by,
        kind: message.kind,
        scopes: message.scopes,
        resources: message.resources,
        tags: message.tags,
        start: secret::start(&secret),
        rate_limit: message.quota,
        enabled: true,
        expires_ms: message.expires_ms,
        revoked_ms: None,
        created_ms: now_ms,
        updated_ms: now_ms,
        digest: Digest::from_secret(secret.expose_secret()),
        usage: Arc::new(Usage {
            last_ms: AtomicI64::new(0),
        }),
    };
    rules::admit(&key)?;
    rules::check_expiry(key.expires_ms, now_ms)?;
    rules::check_scopes(message.by.role, &key.grant)?;
    let log = entry(&message.by, Action::KeyCreate, &key).with(described(&key));
    let key = Arc::new(key);
    Ok((NewSecret { key, secret }, log))
}

/// A key with other fields.
pub(super) fn changed(
    view: &KeysView,
    message: UpdateKey,
    now_ms: i64,
) -> Result<(Arc<LiveKey>, Entry), KeyError> {
    let before = alive(view, &message.id)?;
    let change = message.change;
    let scopes = change.scopes.unwrap_or_else(|| before.scopes.clone());
    let resources = change.resources.apply(before.resources.as_ref());
    let (global, websites) = rights::rights(&scopes, resources.as_ref());
    rules::check_expiry(change.expires_ms.set().copied(), now_ms)?;
    let quota = before.rate_limit;
    let key = LiveKey {
        grant: Arc::new(KeyGrant {
            global,
            websites,
            ..(*before.grant).clone()
        }),
        name: change
            .name
            .map_or_else(|| before.name.clone(), |name| name.trim().to_owned()),
        description: change.description.apply(before.description.as_ref()),
        kind: change.kind.unwrap_or(before.kind),
        scopes,
        resources,
        tags: change.tags.unwrap_or_else(|| before.tags.clone()),
        rate_limit: KeyQuota {
            enabled: change.quota.enabled.unwrap_or(quota.enabled),
            max: change.quota.max.unwrap_or(quota.max),
            window_seconds: change.quota.window_seconds.unwrap_or(quota.window_seconds),
        },
        expires_ms: change.expires_ms.apply(before.expires_ms.as_ref()),
        enabled: change.enabled.unwrap_or(before.enabled),
        updated_ms: now_ms,
        ..before.clone()
    };
    rules::admit(&key)?;
    rules::check_scopes(message.by.role, &key.grant)?;
    let log = entry(&message.by, Action::KeyUpdate, &key)
        .with(json!({ "before": described(before), "after": described(&key) }));
    Ok((Arc::new(key), log))
}

/// A key at its end; without an entry when it had been revoked before.
pub(super) fn revoked(
    view: &KeysView,
    message: &RevokeKey,
    now_ms: i64,
) -> Result<(Arc<LiveKey>, Option<Entry>), KeyError> {
    let key = find(view, &message.id)?;
    if key.revoked_ms.is_some() {
        return Ok((Arc::clone(key), None));
    }
    let log = entry(&message.by, Action::KeyRevoke, key).with(json!({ "name": key.name }));
    let key = LiveKey {
        enabled: false,
        revoked_ms: Some(now_ms),
        updated_ms: now_ms,
        ..(**key).clone()
    };
    Ok((Arc::new(key), Some(log)))
}

/// A key with another secret. The person who gets it must be allowed all that it opens, and owns the key from then on.
pub(super) fn rotated(
    view: &KeysView,
    message: &RotateKey,
    now_ms: i64,
) -> Result<(NewSecret, Entry), KeyError> {
    let before = alive(view, &message.id)?;
    rules::check_scopes(message.by.role, &before.grant)?;
    let secret = secret::generate()?;
    let created_by = match &message.by.actor {
        Actor::User(user) => Some(user.clone()),
        // A secret that the program makes belongs to no person.
        _ => None,
    };
    let key = LiveKey {
        created_by,
        start: secret::start(&secret),
        digest: Digest::from_secret(secret.expose_secret()),
        updated_ms: now_ms,
        ..before.clone()
    };
    let log = entry(&message.by, Action::KeyRotate, &key).with(json!({
        "name": key.name,
        "start": { "before": before.start, "after": key.start },
        "maker": { "before": before.created_by, "after": key.created_by },
    }));
    let key = Arc::new(key);
    Ok((NewSecret { key, secret }, log))
}

/// What the log says of a key that goes away.
pub(super) fn deleted(view: &KeysView, message: &DeleteKey) -> Result<Entry, KeyError> {
    let key = find(view, &message.id)?;
    Ok(entry(&message.by, Action::KeyDelete, key).with(described(key)))
}

fn find<'v>(view: &'v KeysView, id: &KeyId) -> Result<&'v Arc<LiveKey>, KeyError> {
    let key = view.by_id(id.as_str());
    key.ok_or_else(|| KeyError::NotFound(id.clone()))
}

fn alive<'v>(view: &'v KeysView, id: &KeyId) -> Result<&'v LiveKey, KeyError> {
    let key = find(view, id)?;
    if key.revoked_ms.is_some() {
        return Err(KeyError::Revoked(id.clone()));
    }
    Ok(key)
}

fn entry(by: &Manager, action: Action, key: &LiveKey) -> Entry {
    let organization = key.organization().cloned();
    Entry::new(organization, by.actor.clone(), action, key.id().as_str())
}

/// A key in the audit log: what it was allowed, nothing of its secret but the start that everybody may see.
pub(super) fn described(key: &LiveKey) -> Value {
    json!({
        "name": key.name,
        "start": key.start,
        "type": key.kind,
        "enabled": key.enabled,
        "scopes": key.scopes,
        "resources": key.resources,
        "rateLimit": {
            "enabled": key.rate_limit.enabled,
            "max": key.rate_limit.max,
            "window": key.rate_limit.window_seconds,
        },
        "expiresAt": key.expires_ms.map(iso_ms),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        access::{Role, Scope},
        actors::{
            change::Change,
            error::CommonError,
            keys::{KeyChange, QuotaChange},
        },
    };

    const NOW: i64 = 1000;

    fn refused(error: &KeyError) -> &str {
        match error {
            KeyError::Common(CommonError::Invalid(issues)) => &issues[0].field,
            other => panic!("{other}"),
        }
    }

    fn holding(scopes: &[Scope]) -> (KeysView, KeyId) {
        let draft = CreateKey {
            scopes: scopes.to_vec(),
            ..CreateKey::named("good")
        };
        let (made, _) = new(&KeysView::default(), draft, NOW).unwrap();
        let id = made.key.id().clone();
        let mut view = KeysView::default();
        view.insert(made.key);
        (view, id)
    }

    fn by(role: Role) -> Manager {
        Manager {
            role: Some(role),
            ..Manager::SYSTEM
        }
    }

    #[test]
    fn each_field_is_refused_by_name() {
        type Change = fn(&mut CreateKey);
        let changes: [(&str, Change); 9] = [
            ("name", |key| key.name = " ".to_owned()),
            ("name", |key| key.name = "x".repeat(101)),
            ("description", |key| key.description = Some("x".repeat(501))),
            ("tags", |key| key.tags = vec!["t".to_owned(); 11]),
            ("tags", |key| key.tags = vec![String::new()]),
            ("rateLimit.max", |key| key.quota.max = 1_000_001),
            ("rateLimit.window", |key| key.quota.window_seconds = 86_401),
            ("expiresAt", |key| key.expires_ms = Some(NOW)),
            ("expiresAt", |key| key.expires_ms = Some(-1)),
        ];
        let view = KeysView::default();
        for (field, change) in changes {
            let mut key = CreateKey::named("good");
            change(&mut key);
            assert_eq!(refused(&new(&view, key, NOW).unwrap_err()), field);
        }
    }

    #[test]
    fn a_change_is_checked_like_a_new_key_and_leaves_the_rest() {
        let (view, id) = holding(&[Scope::ReadData]);
        let change = |change: KeyChange| {
            let message = UpdateKey {
                by: by(Role::Member),
                id: id.clone(),
                change,
            };
            changed(&view, message, NOW + 1)
        };
        let (key, log) = change(KeyChange {
            name: Some(" new ".to_owned()),
            quota: QuotaChange {
                enabled: Some(true),
                ..QuotaChange::default()
            },
            ..KeyChange::default()
        })
        .unwrap();
        assert_eq!((key.name.as_str(), key.quota()), ("new", Some((0, 0))));
        assert_eq!(key.digest, view.by_id(id.as_str()).unwrap().digest);
        assert_eq!(log.details["before"]["name"], "good");
        assert_eq!(log.details["after"]["name"], "new");
        let past = change(KeyChange {
            expires_ms: Change::Set(NOW),
            ..KeyChange::default()
        });
        assert_eq!(refused(&past.unwrap_err()), "expiresAt");
        let wider = change(KeyChange {
            scopes: Some(vec![Scope::ManageConfig]),
            ..KeyChange::default()
        });
        assert!(matches!(wider, Err(KeyError::BeyondRole(_))));
    }

    #[test]
    fn nobody_gets_the_secret_of_a_key_that_may_do_more_than_they() {
        let (view, id) = holding(&[Scope::ManageWebsites]);
        for (role, may) in [(Role::Member, false), (Role::Admin, true)] {
            let message = RotateKey {
                by: by(role),
                id: id.clone(),
            };
            assert_eq!(rotated(&view, &message, NOW).is_ok(), may);
            let message = UpdateKey {
                by: by(role),
                id: id.clone(),
                change: KeyChange {
                    name: Some("mine".to_owned()),
                    ..KeyChange::default()
                },
            };
            assert_eq!(changed(&view, message, NOW).is_ok(), may);
            // Taking rights away is for everybody who manages keys.
            let message = RevokeKey {
                by: by(role),
                id: id.clone(),
            };
            revoked(&view, &message, NOW).unwrap();
        }
    }
}

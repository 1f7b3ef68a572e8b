//! The tables of this domain.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sea_orm::{ActiveValue::Set, QuerySelect, prelude::*};

use super::{
    ProfileError, rules,
    rules::{Email, Patch},
    seal::Seal,
};
use crate::{
    clock::Clock,
    entities::{self, profile, profile_trait},
    ids::WebsiteKey,
};
#[derive(Debug, Clone, Copy)]
pub(super) struct ProfileRef<'a> {
    pub(super) website: WebsiteKey,
    pub(super) profile: &'a str,
}

/// When a call was made.
#[derive(Debug, Clone, Copy)]
pub(super) struct When {
    at: DateTime<Utc>,
    is_history: bool,
}

impl When {
    /// At this time of history, else now.
    pub(super) fn new(clock: &Clock, said: Option<DateTime<Utc>>) -> Self {
        Self {
            at: said.unwrap_or_else(|| clock.now()),
            is_history: said.is_some(),
        }
    }
}

/// Makes the profile if it is new, and changes what differs. History that is older than the profile only adds to it.
pub(super) async fn merge(
    db: &impl ConnectionTrait,
    seal: &Seal,
    who: ProfileRef<'_>,
    mut patch: Patch,
    when: When,
) -> Result<(), ProfileError> {
    let known = profile::Entity::find_by_id((who.website.0, who.profile.to_owned()))
        .lock_exclusive()
        .one(db)
        .await?;
    let before = match &known {
        Some(_) => traits(db, who).await?,
        None => BTreeMap::new(),
    };
    let is_newer = known
        .as_ref()
        .is_some_and(|known| when.at > known.updated_at);
    if let Some(known) = &known
        && when.is_history
        && when.at < known.updated_at
    {
        patch.only_add(&before, known.email_hash.is_some());
    }
    let changes = rules::changes(&before, patch.traits)?;
    let email = new_email(seal, who, known.as_ref(), patch.email)?;
    match &known {
        None => insert(db, when.at, who).await?,
        // How new history is decides about what comes after it.
        Some(_) if is_newer && (when.is_history || email.is_some() || !changes.is_empty()) => {
            let columns = profile::ActiveModel {
                updated_at: Set(when.at),
                ..Default::default()
            };
            update(db, who, columns).await?;
        }
        Some(_) => {}
    }
    if let Some(sealed) = email {
        let columns = profile::ActiveModel {
            email: Set(sealed.email),
            email_hash: Set(sealed.hash),
            ..Default::default()
        };
        update(db, who, columns).await?;
    }
    for (key, value) in &changes {
        set_trait(db, who, key, value.as_deref()).await?;
    }
    Ok(())
}

/// An address as its columns hold it.
#[derive(Default)]
struct SealedEmail {
    email: Option<Vec<u8>>,
    hash: Option<String>,
}

/// What to write of the address; `None` if it is unchanged, because identifying a person again must cost no write.
fn new_email(
    seal: &Seal,
    who: ProfileRef<'_>,
    known: Option<&profile::Model>,
    wanted: Email,
) -> Result<Option<SealedEmail>, ProfileError> {
    let text = match wanted {
        Email::Keep => return Ok(None),
        Email::Drop => {
            let gone = known.is_none_or(|row| row.email.is_none() && row.email_hash.is_none());
            return Ok((!gone).then(SealedEmail::default));
        }
        Email::Set(text) => text,
    };
    let held = known.and_then(|row| seal.open(who.website, who.profile, row.email.as_deref()?));
    if held.as_deref() == Some(&*text) {
        return Ok(None);
    }
    Ok(Some(SealedEmail {
        email: Some(seal.close(who.website, who.profile, &text)?),
        hash: Some(seal.finding(who.website, &text)),
    }))
}

async fn traits(
    db: &impl ConnectionTrait,
    who: ProfileRef<'_>,
) -> Result<BTreeMap<String, String>, DbErr> {
    let rows = profile_trait::Entity::find()
        .filter(profile_trait::COLUMN.website.eq(who.website.0))
        .filter(profile_trait::COLUMN.profile_id.eq(who.profile))
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|row| (row.key, row.value)).collect())
}

async fn insert(
    db: &impl ConnectionTrait,
    now: DateTime<Utc>,
    who: ProfileRef<'_>,
) -> Result<(), DbErr> {
    let row = profile::ActiveModel {
        website: Set(who.website.0),
        profile_id: Set(who.profile.to_owned()),
        email: Set(None),
        email_hash: Set(None),
        created_at: Set(now),
        updated_at: Set(now),
    };
    // Another process may have been faster.
    let unique = [profile::Column::Website, profile::Column::ProfileId];
    entities::insert_if_absent(db, row, unique).await.map(drop)
}

async fn update(
    db: &impl ConnectionTrait,
    who: ProfileRef<'_>,
    columns: profile::ActiveModel,
) -> Result<(), DbErr> {
    profile::Entity::update_many()
        .set(columns)
        .filter(profile::COLUMN.website.eq(who.website.0))
        .filter(profile::COLUMN.profile_id.eq(who.profile))
        .exec(db)
        .await
        .map(drop)
}

async fn set_trait(
    db: &impl ConnectionTrait,
    who: ProfileRef<'_>,
    key: &str,
    value: Option<&str>,
) -> Result<(), DbErr> {
    let id = (who.website.0, who.profile.to_owned(), key.to_owned());
    let Some(value) = value else {
        return profile_trait::Entity::delete_by_id(id)
            .exec(db)
            .await
            .map(drop);
    };
    let (website, profile_id, key) = id;
    let row = profile_trait::ActiveModel {
        website: Set(website),
        profile_id: Set(profile_id),
        key: Set(key),
        value: Set(value.to_owned()),
    };
    let unique = [
        profile_trait::Column::Website,
        profile_trait::Column::ProfileId,
        profile_trait::Column::Key,
    ];
    entities::upsert(db, row, unique, [profile_trait::Column::Value]).await
}

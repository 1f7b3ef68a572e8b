//! People who are forgotten: what is known of them goes at once, their events as soon as files are written again.
//!
//! A row in `profile_erasures` remembers who they were, because the rows that say which visitors they are go with the
//! others, and goes itself together with the receipt in the audit log.

use sea_orm::{ActiveValue::Set, prelude::*};
use serde_json::{Map, Value, json};

use super::{DueForErasure, FinishErasure, Forget, ProfileError, Profiles, ProfilesEnv};
use crate::{
    actors::{
        audit::{self, Action, Actor, Entry},
        kit::handlers,
    },
    clock::from_ms,
    entities::{self, profile, profile_erasure, profile_trait},
    events::{column::kind, deletion::Person},
};

handlers! { Profiles:
    commit Forget => forget;
    commit DueForErasure => find_due;
    commit FinishErasure => write_receipt;
}

async fn forget(env: ProfilesEnv, message: Forget) -> Result<(), ProfileError> {
    let write = env.db.begin().await?;
    remember(&*write, &message, env.clock.now_ms()).await?;
    let Person {
        website, profile, ..
    } = message.person;
    profile_trait::Entity::delete_many()
        .filter(profile_trait::COLUMN.website.eq(website))
        .filter(profile_trait::COLUMN.profile_id.eq(profile.as_str()))
        .exec(&*write)
        .await?;
    profile::Entity::delete_by_id((website, profile))
        .exec(&*write)
        .await?;
    Ok(write.commit().await?)
}

async fn find_due(env: ProfilesEnv, _: DueForErasure) -> Result<Vec<Forget>, ProfileError> {
    let rows = profile_erasure::Entity::find().all(env.db.reader()).await?;
    Ok(rows.into_iter().map(from_row).collect())
}

async fn write_receipt(
    env: ProfilesEnv,
    message: FinishErasure,
) -> Result<Option<i64>, ProfileError> {
    let write = env.db.begin().await?;
    let Forget {
        organization,
        person,
    } = message.erased;
    let gone = profile_erasure::Entity::delete_by_id((person.website, person.profile))
        .exec(&*write)
        .await?;
    let mut written = None;
    if gone.rows_affected > 0 {
        // The receipt does not say who it was.
        let target = person.website.to_string();
        let action = Action::ProfileErase;
        let mut receipt = Entry::within(&organization, Actor::System, action, target);
        let kinds = message.gone.iter();
        let kinds: Map<String, Value> = kinds
            .map(|(of, rows)| (kind::name(*of).to_owned(), json!(rows)))
            .collect();
        let events: u64 = message.gone.values().sum();
        receipt.details = json!({ "events": events, "kinds": kinds });
        written = Some(audit::record(&write, env.clock.now_ms(), receipt).await?);
    }
    write.commit().await?;
    Ok(written)
}

fn from_row(row: profile_erasure::Model) -> Forget {
    let visitors: Vec<u64> = serde_json::from_str(&row.visitors).unwrap_or_default();
    Forget {
        organization: row.organization_id.into(),
        person: Person {
            website: row.website,
            profile: row.profile_id,
            visitors: visitors.into_iter().collect(),
        },
    }
}

async fn remember(
    db: &impl ConnectionTrait,
    message: &Forget,
    now_ms: i64,
) -> Result<(), ProfileError> {
    let person = &message.person;
    let key = (person.website, person.profile.clone());
    let before = profile_erasure::Entity::find_by_id(key).one(db).await?;
    // Asked for twice, it is about the visitors of both times.
    let known = before.map(from_row).map(|known| known.person.visitors);
    let visitors: Vec<u64> = known
        .unwrap_or_default()
        .union(&person.visitors)
        .copied()
        .collect();
    let row = profile_erasure::ActiveModel {
        website: Set(person.website),
        profile_id: Set(person.profile.clone()),
        visitors: Set(json!(visitors).to_string()),
        organization_id: Set(message.organization.to_string()),
        asked_at: Set(from_ms(now_ms)),
    };
    let unique = [
        profile_erasure::Column::Website,
        profile_erasure::Column::ProfileId,
    ];
    let columns = [
        profile_erasure::Column::Visitors,
        profile_erasure::Column::OrganizationId,
    ];
    Ok(entities::upsert(db, row, unique, columns).await?)
}

//! The tables of alarms.

use std::collections::HashMap;

use sea_orm::{ActiveValue::Set, QueryOrder, prelude::*, sea_query::OnConflict};

use super::{
    Alarm, AlarmError, AlarmFields, AlarmsEnv, Destination, Endpoint,
    model::{self, Instance, Instances},
    rules,
};
use crate::{
    actors::{error::CommonError, seal::Sealer},
    clock::from_ms,
    entities::{self, alarm, alarm_destination, alarm_standing},
    ids::AlarmId,
};

/// The purpose of the key that seals endpoints.
const SEALING: &str = "pharos 2026-11 destinations of alarms";
/// Instances in one statement.
const ROWS_AT_ONCE: usize = 200;

/// Every alarm with its instances, for a booting domain. Alarms that cannot be read are logged and left out.
pub(super) async fn load_all(env: &AlarmsEnv) -> anyhow::Result<Vec<(Alarm, Instances)>> {
    let db = env.db.settled().await?;
    let sealer = Sealer::new(&env.secret, SEALING);
    let mut destinations: HashMap<String, Vec<alarm_destination::Model>> = HashMap::new();
    let rows = alarm_destination::Entity::find()
        .order_by_asc(alarm_destination::COLUMN.position)
        .all(db)
        .await?;
    for row in rows {
        destinations
            .entry(row.alarm_id.clone())
            .or_default()
            .push(row);
    }
    let mut standings: HashMap<String, Instances> = HashMap::new();
    for row in alarm_standing::Entity::find().all(db).await? {
        let instance: Instance = serde_json::from_str(&row.standing).unwrap_or_default();
        let own = standings.entry(row.alarm_id).or_default();
        own.insert(row.subject, instance);
    }
    let mut found = Vec::new();
    for row in alarm::Entity::find().all(db).await? {
        let id = row.id.clone();
        let own = destinations.remove(&id).unwrap_or_default();
        match from_rows(row, own, &sealer) {
            Ok(alarm) => found.push((alarm, standings.remove(&id).unwrap_or_default())),
            Err(error) => tracing::error!(%error, alarm.id = id, "an alarm is left out"),
        }
    }
    Ok(found)
}

fn from_rows(
    row: alarm::Model,
    destinations: Vec<alarm_destination::Model>,
    sealer: &Sealer,
) -> Result<Alarm, AlarmError> {
    let damaged = |why: String| CommonError::damaged("alarm", &row.id, why);
    let fields: AlarmFields =
        serde_json::from_str(&row.fields).map_err(|error| damaged(error.to_string()))?;
    let checked = rules::check_fields(fields).map_err(|issues| {
        let first = issues.into_iter().next();
        damaged(first.map_or_else(String::new, |issue| issue.message))
    })?;
    let destinations = destinations.into_iter().map(|row| destination(row, sealer));
    Ok(Alarm {
        destinations: destinations.collect::<Result<_, _>>()?,
        id: row.id.into(),
        organization: row.organization_id.into(),
        created_by: row.created_by.map(Into::into),
        fields: checked.fields,
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
        conditions: checked.conditions.into(),
        mute: checked.mute,
    })
}

fn destination(row: alarm_destination::Model, sealer: &Sealer) -> Result<Destination, AlarmError> {
    let damaged = |why: &str| CommonError::damaged("alarm", &row.alarm_id, why);
    let plain = sealer.open(&row.id, &row.sealed);
    let endpoint: Option<Endpoint> = plain.and_then(|plain| serde_json::from_slice(&plain).ok());
    let endpoint = endpoint.ok_or_else(|| {
        damaged("a destination was sealed with another `instance.key`, or is damaged")
    })?;
    Ok(Destination {
        id: row.id.into(),
        kind: row.kind.as_str().into(),
        endpoint,
        disabled: row.disabled,
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
    })
}

/// Writes an alarm with its destinations, new or changed.
pub(super) async fn put(
    env: &AlarmsEnv,
    db: &impl ConnectionTrait,
    one: &Alarm,
) -> Result<(), AlarmError> {
    let damaged = |error: serde_json::Error| CommonError::damaged("alarm", &one.id, error);
    let row = alarm::ActiveModel {
        id: Set(one.id.to_string()),
        organization_id: Set(one.organization.to_string()),
        website_id: Set(one.fields.website_id.clone()),
        created_by: Set(one.created_by.as_ref().map(ToString::to_string)),
        fields: Set(serde_json::to_string(&one.fields).map_err(damaged)?),
        enabled: Set(one.fields.enabled),
        created_at: Set(from_ms(one.created_ms)),
        updated_at: Set(from_ms(one.updated_ms)),
    };
    let changed = [
        alarm::Column::WebsiteId,
        alarm::Column::Fields,
        alarm::Column::Enabled,
        alarm::Column::UpdatedAt,
    ];
    entities::upsert(db, row, [alarm::Column::Id], changed).await?;
    alarm_destination::Entity::delete_many()
        .filter(alarm_destination::COLUMN.alarm_id.eq(one.id.as_str()))
        .exec(db)
        .await?;
    let sealer = Sealer::new(&env.secret, SEALING);
    for (position, to) in one.destinations.iter().enumerate() {
        let plain = serde_json::to_vec(&to.endpoint).map_err(damaged)?;
        let row = alarm_destination::ActiveModel {
            id: Set(to.id.to_string()),
            alarm_id: Set(one.id.to_string()),
            position: Set(position as i64),
            kind: Set(to.kind.as_str().to_owned()),
            sealed: Set(sealer.close(to.id.as_str(), &plain)?),
            disabled: Set(to.disabled.clone()),
            created_at: Set(from_ms(to.created_ms)),
            updated_at: Set(from_ms(to.updated_ms)),
        };
        entities::insert(db, row).await?;
    }
    Ok(())
}

/// Writes the instances of an alarm that stand otherwise than before, and deletes those that are gone: an alarm about every monitor has
/// hundreds, of which few change at once.
pub(super) async fn store_standings(
    db: &impl ConnectionTrait,
    id: &AlarmId,
    before: &Instances,
    after: &Instances,
) -> Result<(), AlarmError> {
    let own = alarm_standing::COLUMN.alarm_id.eq(id.as_str());
    let gone = before
        .keys()
        .filter(|subject| !after.contains_key(*subject));
    for gone in gone.collect::<Vec<_>>().chunks(ROWS_AT_ONCE) {
        let subjects = gone.iter().map(|subject| subject.as_str());
        alarm_standing::Entity::delete_many()
            .filter(own.clone())
            .filter(alarm_standing::COLUMN.subject.is_in(subjects))
            .exec(db)
            .await?;
    }
    let changed: Vec<_> = model::changed(before, after).collect();
    for changed in changed.chunks(ROWS_AT_ONCE) {
        let row = |(subject, instance): &(&String, &Instance)| {
            let standing = serde_json::to_string(instance)
                .map_err(|error| CommonError::damaged("alarm", id, error))?;
            Ok(alarm_standing::ActiveModel {
                alarm_id: Set(id.to_string()),
                subject: Set((*subject).clone()),
                standing: Set(standing),
            })
        };
        let rows: Result<Vec<_>, AlarmError> = changed.iter().map(row).collect();
        let key = [
            alarm_standing::Column::AlarmId,
            alarm_standing::Column::Subject,
        ];
        let replace = OnConflict::columns(key)
            .update_column(alarm_standing::Column::Standing)
            .to_owned();
        alarm_standing::Entity::insert_many(rows?)
            .on_conflict(replace)
            .exec_without_returning(db)
            .await?;
    }
    Ok(())
}

/// Deletes the instances of an alarm.
pub(super) async fn clear_standings(
    db: &impl ConnectionTrait,
    id: &AlarmId,
) -> Result<(), AlarmError> {
    alarm_standing::Entity::delete_many()
        .filter(alarm_standing::COLUMN.alarm_id.eq(id.as_str()))
        .exec(db)
        .await?;
    Ok(())
}

pub(super) async fn is_there(db: &impl ConnectionTrait, id: &AlarmId) -> Result<bool, DbErr> {
    let found = alarm::Entity::find_by_id(id.as_str().to_owned());
    Ok(found.count(db).await? > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::state::testing::temporary;

    /// Instances of numbered monitors, each with its name.
    fn instances(named: impl IntoIterator<Item = (usize, &'static str)>) -> Instances {
        let one = |(number, name): (usize, &str)| {
            let instance = Instance {
                name: name.to_owned(),
                ..Instance::default()
            };
            (format!("monitor-{number}"), instance)
        };
        named.into_iter().map(one).collect()
    }

    #[tokio::test]
    async fn what_is_stored_is_what_there_is_after_each_change() {
        let (_directory, db) = temporary().await;
        // The alarm itself and its organization do not matter here.
        let unbound = "PRAGMA foreign_keys = OFF";
        db.writer().execute_unprepared(unbound).await.unwrap();
        let id = AlarmId::new();
        let many = 2 * ROWS_AT_ONCE + 1;
        let steps = [
            instances((0..many).map(|number| (number, "first"))),
            instances(
                (0..many).map(|number| (number, if number % 2 == 0 { "first" } else { "second" })),
            ),
            instances((3..many + 3).map(|number| (number, "second"))),
            instances([(7, "second")]),
            Instances::new(),
        ];
        let mut before = Instances::new();
        for after in steps {
            store_standings(db.writer(), &id, &before, &after)
                .await
                .unwrap();
            let rows = alarm_standing::Entity::find()
                .all(db.writer())
                .await
                .unwrap();
            let stored = rows.into_iter().map(|row| {
                let instance = serde_json::from_str(&row.standing).unwrap();
                (row.subject, instance)
            });
            assert_eq!(stored.collect::<Instances>(), after);
            before = after;
        }
    }
}

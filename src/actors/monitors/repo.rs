//! The tables of monitors.

use std::{collections::HashMap, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sea_orm::{
    ActiveValue::Set,
    QueryOrder, QuerySelect,
    prelude::*,
    sea_query::{ExprTrait, OnConflict},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    Day, Kind, LiveState, Monitor, MonitorEntry, MonitorError, MonitorFields, MonitorsEnv,
    MonitorsView, Recent, Schedule, Standing, State, TransitionRecord,
    response_times::ResponseTimes,
    rules,
    view::{Memory, StateUpdate},
};
use crate::{
    actors::{error::CommonError, organizations::OrganizationsView, seal::Sealer},
    clock::from_ms,
    egress::Policy,
    entities::{self, monitor, monitor_day, monitor_transition},
    ids::{MonitorId, WebsiteKey},
    store::{StateDb, StateError},
};

/// The purpose of the key that seals requests, which hold passwords, tokens and secret headers.
const SEALING: &str = "pharos 2026-11 requests of monitors";

/// The column `fields`.
#[derive(Serialize, Deserialize)]
struct StoredFields {
    #[serde(flatten)]
    fields: MonitorFields,
    /// The sealed `request`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sealed: Option<String>,
    /// The sealed `steps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sealed_steps: Option<String>,
}

impl StoredFields {
    fn close(env: &MonitorsEnv, spec: &Monitor) -> Result<Self, MonitorError> {
        let mut fields = spec.fields.clone();
        let sealer = Sealer::new(&env.secret, SEALING);
        let request = fields.request.take();
        let steps = fields.steps.take();
        Ok(Self {
            fields,
            sealed: seal(&sealer, &spec.id, request.as_ref())?,
            sealed_steps: seal(&sealer, &spec.id, steps.as_ref())?,
        })
    }

    fn open(self, sealer: &Sealer, id: &str) -> Result<MonitorFields, &'static str> {
        Ok(MonitorFields {
            request: unseal(sealer, id, self.sealed)?,
            steps: unseal(sealer, id, self.sealed_steps)?,
            ..self.fields
        })
    }
}

fn seal(
    sealer: &Sealer,
    id: &MonitorId,
    value: Option<&impl Serialize>,
) -> Result<Option<String>, MonitorError> {
    let Some(value) = value else {
        return Ok(None);
    };
    let plain =
        serde_json::to_vec(value).map_err(|error| CommonError::damaged("monitor", id, error))?;
    Ok(Some(STANDARD.encode(sealer.close(id.as_str(), &plain)?)))
}

fn unseal<T: DeserializeOwned>(
    sealer: &Sealer,
    id: &str,
    sealed: Option<String>,
) -> Result<Option<T>, &'static str> {
    let Some(sealed) = sealed else {
        return Ok(None);
    };
    let plain = STANDARD.decode(sealed).ok();
    let plain = plain.and_then(|sealed| sealer.open(id, &sealed));
    let value = plain.and_then(|plain| serde_json::from_slice(&plain).ok());
    let damaged = "its request was sealed with another `instance.key`, or is damaged";
    value.map(Some).ok_or(damaged)
}

/// The column `standing`.
#[derive(Default, Serialize, Deserialize)]
struct StoredState {
    #[serde(flatten)]
    standing: Standing,
    #[serde(flatten)]
    memory: Memory,
    #[serde(default)]
    recent: Recent,
}

pub(super) struct LoadedMonitor {
    pub(super) monitored: Arc<MonitorEntry>,
    pub(super) next_slot: Option<i64>,
}

/// Every monitor of a live organization. Stored targets are valid, even if policy has changed since.
pub(super) async fn load_all(
    env: &MonitorsEnv,
    organizations: &OrganizationsView,
) -> anyhow::Result<Vec<LoadedMonitor>> {
    let sealer = Sealer::new(&env.secret, SEALING);
    let rows = monitor::Entity::find().all(env.db.settled().await?).await?;
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(owner) = organizations.tenant(&row.organization_id) else {
            continue;
        };
        let stored: StoredState = serde_json::from_str(&row.standing).unwrap_or_default();
        let live = LiveState {
            standing: stored.standing,
            last: row
                .last
                .as_deref()
                .and_then(|last| serde_json::from_str(last).ok()),
            recent: stored.recent,
            memory: stored.memory,
        };
        let next_slot = row.next_slot;
        let id = row.id.clone();
        let spec = match from_row(row, owner.key, &sealer) {
            Ok(spec) => spec,
            Err(error) => {
                tracing::error!(%error, monitor.id = id, "a monitor is left alone, because it cannot be read");
                continue;
            }
        };
        found.push(LoadedMonitor {
            monitored: Arc::new(MonitorEntry::new(Arc::new(spec), live)),
            next_slot,
        });
    }
    Ok(found)
}

fn from_row(
    row: monitor::Model,
    organization_key: crate::ids::OrganizationKey,
    sealer: &Sealer,
) -> Result<Monitor, MonitorError> {
    let damaged = |why: String| CommonError::damaged("monitor", &row.id, why);
    let unknown = || damaged(format!("unknown kind `{}`", row.kind));
    let kind = Kind::parse(&row.kind).ok_or_else(unknown)?;
    let kept: StoredFields =
        serde_json::from_str(&row.fields).map_err(|error| damaged(error.to_string()))?;
    let fields = kept
        .open(sealer, &row.id)
        .map_err(|why| damaged(why.to_owned()))?;
    let whole = MonitorFields {
        kind,
        url: Some(row.url.clone()),
        ..fields
    };
    let everywhere = [
        ipnet::Ipv4Net::default().into(),
        ipnet::Ipv6Net::default().into(),
    ];
    let open = Policy {
        allow: everywhere.into(),
        ..Policy::default()
    };
    let checked = rules::check_fields(whole, &open).map_err(|issues| {
        damaged(
            issues
                .first()
                .map_or_else(String::new, |issue| issue.message.clone()),
        )
    })?;
    Ok(Monitor {
        id: row.id.into(),
        key: WebsiteKey(row.key),
        organization: row.organization_id.into(),
        organization_key,
        website: row.website_id.map(Into::into),
        link: row.link_id.map(Into::into),
        created_by: row.created_by.map(Into::into),
        kind,
        url: row.url,
        fields: checked.fields.bare(),
        is_paused: row.is_paused,
        push_turn: row.push_turn,
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
        schedule: Schedule::new(checked.recurrence, row.key),
        spans: checked.spans,
    })
}

fn to_row(env: &MonitorsEnv, spec: &Monitor) -> Result<monitor::ActiveModel, MonitorError> {
    let fields = serde_json::to_string(&StoredFields::close(env, spec)?)
        .map_err(|error| CommonError::damaged("monitor", &spec.id, error))?;
    Ok(monitor::ActiveModel {
        id: Set(spec.id.to_string()),
        key: Set(spec.key.0),
        organization_id: Set(spec.organization.to_string()),
        website_id: Set(spec.website.as_ref().map(ToString::to_string)),
        link_id: Set(spec.link.as_ref().map(ToString::to_string)),
        created_by: Set(spec.created_by.as_ref().map(ToString::to_string)),
        kind: Set(spec.kind.as_str().to_owned()),
        url: Set(spec.url.clone()),
        fields: Set(fields),
        is_paused: Set(spec.is_paused),
        push_turn: Set(spec.push_turn),
        created_at: Set(from_ms(spec.created_ms)),
        updated_at: Set(from_ms(spec.updated_ms)),
        ..Default::default()
    })
}

pub(super) async fn insert(
    env: &MonitorsEnv,
    db: &impl ConnectionTrait,
    spec: &Monitor,
) -> Result<(), MonitorError> {
    let row = monitor::ActiveModel {
        next_slot: Set(None),
        standing: Set("{}".to_owned()),
        last: Set(None),
        ..to_row(env, spec)?
    };
    Ok(entities::insert(db, row).await?)
}

/// Writes the settings of a monitor; its state stays.
pub(super) async fn update(
    env: &MonitorsEnv,
    db: &impl ConnectionTrait,
    spec: &Monitor,
) -> Result<(), MonitorError> {
    entities::update(db, spec.id.as_str(), to_row(env, spec)?).await?;
    Ok(())
}

/// Writes the state of a monitor and its next slot. Whether the monitor exists.
pub(super) async fn store_standing(
    db: &impl ConnectionTrait,
    id: &MonitorId,
    after: &StateUpdate,
) -> Result<bool, DbErr> {
    let json =
        |value: serde_json::Result<String>| value.map_err(|error| DbErr::Custom(error.to_string()));
    let row = monitor::ActiveModel {
        next_slot: Set(after.mark),
        standing: Set(json(serde_json::to_string(&StoredState {
            standing: after.live.standing,
            memory: after.live.memory,
            recent: after.live.recent.clone(),
        }))?),
        last: Set(match &after.live.last {
            Some(last) => Some(json(serde_json::to_string(last))?),
            None => None,
        }),
        ..Default::default()
    };
    Ok(entities::update(db, id.as_str(), row).await? > 0)
}

pub(super) async fn add_day(
    db: &impl ConnectionTrait,
    id: &MonitorId,
    (day, times): (&Day, Option<&ResponseTimes>),
) -> Result<(), DbErr> {
    use monitor_day::Column;
    let row = monitor_day::ActiveModel {
        monitor_id: Set(id.to_string()),
        day: Set(day.day),
        ups: Set(day.ups as i32),
        downs: Set(day.downs as i32),
        up_ms: Set(day.up_ms),
        down_ms: Set(day.down_ms),
        response_ms: Set(day.response_ms),
        times: Set(times.map(ResponseTimes::pack)),
    };
    let own = |column: Column| Expr::col((monitor_day::Entity, column));
    let mut adding = OnConflict::columns([Column::MonitorId, Column::Day]);
    for (column, more) in [
        (Column::Ups, Value::from(day.ups as i32)),
        (Column::Downs, Value::from(day.downs as i32)),
        (Column::UpMs, Value::from(day.up_ms)),
        (Column::DownMs, Value::from(day.down_ms)),
        (Column::ResponseMs, Value::from(day.response_ms)),
    ] {
        adding.value(column, own(column).add(more));
    }
    if let Some(times) = times {
        adding.value(Column::Times, Expr::value(times.pack()));
    }
    monitor_day::Entity::insert(row)
        .on_conflict(adding)
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// The response times of today and yesterday, for a booting domain.
pub(super) async fn load_times(
    db: &impl ConnectionTrait,
    now_ms: i64,
) -> Result<HashMap<MonitorId, HashMap<i32, ResponseTimes>>, DbErr> {
    let today = now_ms.div_euclid(86_400_000) as i32;
    let rows = monitor_day::Entity::find()
        .filter(monitor_day::COLUMN.day.gte(today - 1))
        .filter(monitor_day::COLUMN.times.is_not_null())
        .all(db)
        .await?;
    let mut all: HashMap<MonitorId, HashMap<i32, ResponseTimes>> = HashMap::new();
    for row in rows {
        let times = ResponseTimes::unpack(&row.times.unwrap_or_default());
        all.entry(row.monitor_id.into())
            .or_default()
            .insert(row.day, times);
    }
    Ok(all)
}

pub(super) async fn insert_transition(
    db: &impl ConnectionTrait,
    id: &MonitorId,
    noted: &TransitionRecord,
) -> Result<(), DbErr> {
    let (class, error) = noted.error.clone().unzip();
    let row = monitor_transition::ActiveModel {
        id: Set(uuid::Uuid::now_v7().to_string()),
        monitor_id: Set(id.to_string()),
        at: Set(from_ms(noted.at_ms)),
        from_state: Set(noted.from.as_str().to_owned()),
        to_state: Set(noted.to.as_str().to_owned()),
        error_class: Set(class),
        error: Set(error),
        because_of: Set(noted.because_of.as_ref().map(ToString::to_string)),
    };
    entities::insert(db, row).await
}

fn to_day(row: monitor_day::Model) -> Day {
    Day {
        day: row.day,
        ups: row.ups.unsigned_abs(),
        downs: row.downs.unsigned_abs(),
        up_ms: row.up_ms,
        down_ms: row.down_ms,
        response_ms: row.response_ms,
        p95_ms: row
            .times
            .and_then(|packed| ResponseTimes::unpack(&packed).percentile(95)),
    }
}

impl MonitorsView {
    /// The days of a monitor from this one on (days since 1970-01-01), oldest first.
    pub async fn days(&self, id: &MonitorId, from: i32) -> Result<Vec<Day>, MonitorError> {
        let rows = monitor_day::Entity::find()
            .filter(monitor_day::COLUMN.monitor_id.eq(id.as_str()))
            .filter(monitor_day::COLUMN.day.gte(from))
            .order_by_asc(monitor_day::COLUMN.day)
            .all(self.db.reader())
            .await?;
        Ok(rows.into_iter().map(to_day).collect())
    }

    /// The sums of monitors' days from this one on.
    pub async fn sums(
        &self,
        ids: &[MonitorId],
        from: i32,
    ) -> Result<HashMap<MonitorId, Day>, MonitorError> {
        let ids = ids.iter().map(MonitorId::as_str);
        let rows = monitor_day::Entity::find()
            .filter(monitor_day::COLUMN.monitor_id.is_in(ids))
            .filter(monitor_day::COLUMN.day.gte(from))
            .all(self.db.reader())
            .await?;
        let mut sums: HashMap<MonitorId, Day> = HashMap::new();
        for row in rows {
            let id = MonitorId::from(row.monitor_id.as_str());
            sums.entry(id).or_default().add(&to_day(row));
        }
        Ok(sums)
    }

    /// The transitions of a monitor, newest first.
    pub async fn changes(
        &self,
        id: &MonitorId,
        most: u64,
    ) -> Result<Vec<TransitionRecord>, MonitorError> {
        let rows = monitor_transition::Entity::find()
            .filter(monitor_transition::COLUMN.monitor_id.eq(id.as_str()))
            .order_by_desc(monitor_transition::COLUMN.at)
            .order_by_desc(monitor_transition::COLUMN.id)
            .limit(most)
            .all(self.db.reader())
            .await?;
        let state = |text: String| State::parse(&text).unwrap_or_default();
        let noted = |row: monitor_transition::Model| TransitionRecord {
            at_ms: row.at.timestamp_millis(),
            from: state(row.from_state),
            to: state(row.to_state),
            error: row.error_class.zip(row.error),
            because_of: row.because_of.map(Into::into),
        };
        Ok(rows.into_iter().map(noted).collect())
    }
}

pub(super) async fn delete_older(db: StateDb, before_ms: i64) -> Result<(), StateError> {
    let write = db.begin().await?;
    monitor_transition::Entity::delete_many()
        .filter(monitor_transition::COLUMN.at.lt(from_ms(before_ms)))
        .exec(&*write)
        .await?;
    let day = before_ms.div_euclid(86_400_000) as i32;
    monitor_day::Entity::delete_many()
        .filter(monitor_day::COLUMN.day.lt(day))
        .exec(&*write)
        .await?;
    write.commit().await
}

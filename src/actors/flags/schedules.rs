//! Schedules of flags. Each step runs once, in order, however late.

use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect, prelude::*};
use serde_json::{Map, json};

use super::{
    CreateSchedule, DeleteSchedule, FlagError, FlagsEnv, FlagsView, UpdateFlag, UpdateSchedule,
    changes,
    compiled::FlagChanges,
    fields::FlagType,
    model::{Author, Flag, Schedule, ScheduleKind, Step},
    repo,
};
use crate::{
    actors::error::CommonError,
    clock::from_ms,
    entities::{self, flag_schedule},
    ids::{FlagId, FlagScheduleId, OrganizationId, UserId},
};

const MAX_STEPS: usize = 50;

impl FlagsView {
    /// The schedule with this id, of any organization.
    pub async fn schedule(&self, id: &str) -> Result<Option<Schedule>, FlagError> {
        find_by_id(self.db.reader(), id).await
    }

    pub async fn schedules(&self, flag: &Flag) -> Result<Vec<Schedule>, FlagError> {
        let rows = flag_schedule::Entity::within(&flag.scope.organization)
            .filter(flag_schedule::COLUMN.flag_id.eq(flag.id.as_str()))
            .order_by_asc(flag_schedule::COLUMN.due_at)
            .all(self.db.reader())
            .await?;
        rows.into_iter().map(from_row).collect()
    }
}

async fn find_by_id(db: &impl ConnectionTrait, id: &str) -> Result<Option<Schedule>, FlagError> {
    let row = entities::find::<flag_schedule::Entity>(db, id).await?;
    row.map(from_row).transpose()
}

async fn find(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    id: &FlagScheduleId,
) -> Result<Schedule, FlagError> {
    let found = find_by_id(db, id.as_str()).await?;
    found
        .filter(|schedule| schedule.organization == *organization)
        .ok_or_else(|| FlagError::NoSchedule(id.clone()))
}

/// When the next step of all schedules is due, Unix ms.
pub(super) async fn next_due(db: &impl ConnectionTrait) -> Result<Option<i64>, FlagError> {
    let first = flag_schedule::Entity::find()
        .filter(flag_schedule::COLUMN.done_at.is_null())
        .order_by_asc(flag_schedule::COLUMN.due_at)
        .one(db)
        .await?;
    Ok(first.map(|row| row.due_at.timestamp_millis()))
}

pub(super) async fn create(
    env: FlagsEnv,
    message: CreateSchedule,
) -> Result<(Schedule, Option<i64>), FlagError> {
    let write = env.db.begin().await?;
    let flag = repo::find(&*write, &message.organization, &message.flag).await?;
    let now_ms = env.clock.now_ms();
    let schedule = Schedule {
        id: FlagScheduleId::new(),
        organization: message.organization,
        flag: message.flag,
        kind: message.kind,
        steps: message.steps,
        next: 0,
        created_by: message.created_by,
        created_ms: now_ms,
        updated_ms: now_ms,
        done_ms: None,
    };
    let schedule = check_schedule(schedule, &flag)?;
    entities::insert(&*write, to_row(&schedule)?).await?;
    let next_due = next_due(&*write).await?;
    write.commit().await?;
    Ok((schedule, next_due))
}

pub(super) async fn update(
    env: FlagsEnv,
    message: UpdateSchedule,
) -> Result<(Schedule, Option<i64>), FlagError> {
    let write = env.db.begin().await?;
    let mut schedule = find(&*write, &message.organization, &message.id).await?;
    if schedule.done_ms.is_some() {
        let why = "This plan has been carried out: make another one";
        return Err(FlagError::invalid("id", why));
    }
    let flag = repo::find(&*write, &message.organization, &schedule.flag).await?;
    schedule.kind = message.kind.unwrap_or(schedule.kind);
    if let Some(steps) = message.steps {
        schedule.steps = steps;
        schedule.next = 0;
    }
    schedule.updated_ms = env.clock.now_ms();
    let schedule = check_schedule(schedule, &flag)?;
    entities::update(&*write, schedule.id.as_str(), to_row(&schedule)?).await?;
    let next_due = next_due(&*write).await?;
    write.commit().await?;
    Ok((schedule, next_due))
}

pub(super) async fn delete(
    env: FlagsEnv,
    message: DeleteSchedule,
) -> Result<((), Option<i64>), FlagError> {
    let write = env.db.begin().await?;
    let schedule = find(&*write, &message.organization, &message.id).await?;
    entities::delete::<flag_schedule::Entity>(&*write, schedule.id.as_str()).await?;
    let next_due = next_due(&*write).await?;
    write.commit().await?;
    Ok(((), next_due))
}

/// Checks a schedule and sorts its steps by time.
fn check_schedule(mut schedule: Schedule, flag: &Flag) -> Result<Schedule, FlagError> {
    let refuse = |field, message| Err(FlagError::invalid(field, message));
    schedule.steps.sort_by_key(|step| step.at_ms);
    if schedule.kind == ScheduleKind::UpdateRollout {
        if flag.fields.kind != FlagType::Rollout {
            return refuse("type", "only a flag of type `rollout` has a percentage");
        }
        if schedule.steps.is_empty() || schedule.steps.len() > MAX_STEPS {
            return refuse("rolloutSteps", "expected 1 to 50 steps");
        }
        let fits = |step: &Step| step.value.is_some_and(|value| value <= 100);
        if !schedule.steps.iter().all(fits) {
            return refuse("rolloutSteps", "every step has a `value` from 0 to 100");
        }
    } else if schedule.steps.len() != 1 {
        return refuse("scheduledAt", "required, and not there");
    }
    Ok(schedule)
}

/// Runs every due step in a transaction of its own. Returns when the next one is due.
pub(super) async fn run_due_steps(
    env: FlagsEnv,
) -> Result<(Vec<FlagChanges>, Option<i64>), FlagError> {
    let now_ms = env.clock.now_ms();
    let due = flag_schedule::Entity::find()
        .filter(flag_schedule::COLUMN.done_at.is_null())
        .filter(flag_schedule::COLUMN.due_at.lte(from_ms(now_ms)))
        .order_by_asc(flag_schedule::COLUMN.due_at)
        .limit(100)
        .all(env.db.reader())
        .await?;
    let mut all = Vec::new();
    for row in due {
        let write = env.db.begin().await?;
        all.extend(run_step(&*write, now_ms, from_row(row)?).await?);
        write.commit().await?;
    }
    Ok((all, next_due(env.db.writer()).await?))
}

/// Runs the due steps of a schedule. Of several missed steps only the last takes effect.
async fn run_step(
    db: &impl ConnectionTrait,
    now_ms: i64,
    mut schedule: Schedule,
) -> Result<Option<FlagChanges>, FlagError> {
    let due = schedule
        .steps
        .iter()
        .take_while(|step| step.at_ms <= now_ms);
    let due = due.count().max(schedule.next + 1).min(schedule.steps.len());
    let value = due.checked_sub(1).and_then(|last| schedule.steps.get(last));
    let value = value.and_then(|step| step.value);
    let mut patch = Map::new();
    match schedule.kind {
        ScheduleKind::Enable => drop(patch.insert("status".to_owned(), json!("active"))),
        ScheduleKind::Disable => drop(patch.insert("status".to_owned(), json!("inactive"))),
        ScheduleKind::UpdateRollout => {
            patch.insert("rolloutPercentage".to_owned(), json!(value));
        }
    }
    schedule.next = due;
    schedule.done_ms = (due >= schedule.steps.len()).then_some(now_ms);
    entities::update(db, schedule.id.as_str(), to_row(&schedule)?).await?;
    let update = UpdateFlag {
        organization: schedule.organization.clone(),
        id: schedule.flag.clone(),
        author: Author::Schedule(schedule.id.clone()),
        patch,
    };
    let before = match repo::find(db, &schedule.organization, &schedule.flag).await {
        Err(FlagError::NotFound(_)) => return Ok(None),
        found => found?,
    };
    match changes::change(db, now_ms, before, &update).await {
        // The flag has changed in the meantime, and a person has to look at it.
        Err(FlagError::Common(CommonError::Invalid(issues))) => {
            tracing::warn!(flag = %schedule.flag, ?issues, "what is planned for a flag cannot be done");
            Ok(None)
        }
        outcome => outcome.map(|(written, _)| Some(written)),
    }
}

fn to_row(schedule: &Schedule) -> Result<flag_schedule::ActiveModel, FlagError> {
    let wrong = |error: serde_json::Error| FlagError::damaged(&schedule.id, &error);
    let next = schedule
        .steps
        .get(schedule.next)
        .or_else(|| schedule.steps.last());
    let due_ms = next.map_or(schedule.updated_ms, |step| step.at_ms);
    Ok(flag_schedule::ActiveModel {
        id: Set(schedule.id.to_string()),
        organization_id: Set(schedule.organization.to_string()),
        flag_id: Set(schedule.flag.to_string()),
        kind: Set(serde_json::to_string(&schedule.kind).map_err(wrong)?),
        steps: Set(serde_json::to_string(&schedule.steps).map_err(wrong)?),
        next_step: Set(i32::try_from(schedule.next).unwrap_or(i32::MAX)),
        due_at: Set(from_ms(due_ms)),
        created_by: Set(schedule.created_by.as_ref().map(ToString::to_string)),
        created_at: Set(from_ms(schedule.created_ms)),
        updated_at: Set(from_ms(schedule.updated_ms)),
        done_at: Set(schedule.done_ms.map(from_ms)),
    })
}

fn from_row(row: flag_schedule::Model) -> Result<Schedule, FlagError> {
    let id = FlagScheduleId::from(row.id);
    let wrong = |error: serde_json::Error| FlagError::damaged(&id, &error);
    Ok(Schedule {
        organization: row.organization_id.into(),
        flag: FlagId::from(row.flag_id),
        kind: serde_json::from_str(&row.kind).map_err(wrong)?,
        steps: serde_json::from_str(&row.steps).map_err(wrong)?,
        next: usize::try_from(row.next_step).unwrap_or(0),
        created_by: row.created_by.map(UserId::from),
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
        done_ms: row.done_at.map(|at| at.timestamp_millis()),
        id,
    })
}

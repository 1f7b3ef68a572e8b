//! What is planned for flags: a plan has steps, and each is done once, in order, however late.

use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect, prelude::*};
use serde_json::{Map, json};

use super::{
    CreateSchedule, DeleteSchedule, FlagError, FlagsEnv, UpdateFlag, UpdateSchedule,
    fields::FlagType,
    model::{Author, Flag, Schedule, ScheduleKind, Step},
    repo, work,
    written::Written,
};
use crate::{
    actors::error::CommonError,
    clock::from_ms,
    entities::flag_schedule,
    ids::{FlagId, FlagScheduleId, OrganizationId, UserId},
};

const MAX_STEPS: usize = 50;

pub(super) async fn of(db: &impl ConnectionTrait, flag: &Flag) -> Result<Vec<Schedule>, FlagError> {
    let rows = flag_schedule::Entity::within(&flag.scope.organization)
        .filter(flag_schedule::COLUMN.flag_id.eq(flag.id.as_str()))
        .order_by_asc(flag_schedule::COLUMN.due_at)
        .all(db)
        .await?;
    rows.into_iter().map(from_row).collect()
}

pub(super) async fn by_id(
    db: &impl ConnectionTrait,
    id: &str,
) -> Result<Option<Schedule>, FlagError> {
    let row = flag_schedule::Entity::find_by_id(id.to_owned())
        .one(db)
        .await?;
    row.map(from_row).transpose()
}

async fn find(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    id: &FlagScheduleId,
) -> Result<Schedule, FlagError> {
    let found = by_id(db, id.as_str()).await?;
    found
        .filter(|plan| plan.organization == *organization)
        .ok_or_else(|| FlagError::NoSchedule(id.clone()))
}

/// When the next step of all plans is due, Unix ms.
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
    let plan = Schedule {
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
    let plan = check_plan(plan, &flag)?;
    flag_schedule::Entity::insert(to_row(&plan)?)
        .exec_without_returning(&*write)
        .await?;
    let next_due = next_due(&*write).await?;
    write.commit().await?;
    Ok((plan, next_due))
}

pub(super) async fn update(
    env: FlagsEnv,
    message: UpdateSchedule,
) -> Result<(Schedule, Option<i64>), FlagError> {
    let write = env.db.begin().await?;
    let mut plan = find(&*write, &message.organization, &message.id).await?;
    if plan.done_ms.is_some() {
        let why = "This plan has been carried out: make another one";
        return Err(FlagError::invalid("id", why));
    }
    let flag = repo::find(&*write, &message.organization, &plan.flag).await?;
    plan.kind = message.kind.unwrap_or(plan.kind);
    if let Some(steps) = message.steps {
        plan.steps = steps;
        plan.next = 0;
    }
    plan.updated_ms = env.clock.now_ms();
    let plan = check_plan(plan, &flag)?;
    save(&*write, &plan).await?;
    let next_due = next_due(&*write).await?;
    write.commit().await?;
    Ok((plan, next_due))
}

pub(super) async fn delete(
    env: FlagsEnv,
    message: DeleteSchedule,
) -> Result<((), Option<i64>), FlagError> {
    let write = env.db.begin().await?;
    let plan = find(&*write, &message.organization, &message.id).await?;
    flag_schedule::Entity::delete_by_id(plan.id.as_str().to_owned())
        .exec(&*write)
        .await?;
    let next_due = next_due(&*write).await?;
    write.commit().await?;
    Ok(((), next_due))
}

/// A plan that is in order, its steps by time.
fn check_plan(mut plan: Schedule, flag: &Flag) -> Result<Schedule, FlagError> {
    let refuse = |field, message| Err(FlagError::invalid(field, message));
    plan.steps.sort_by_key(|step| step.at_ms);
    if plan.kind == ScheduleKind::UpdateRollout {
        if flag.fields.kind != FlagType::Rollout {
            return refuse("type", "only a flag of type `rollout` has a percentage");
        }
        if plan.steps.is_empty() || plan.steps.len() > MAX_STEPS {
            return refuse("rolloutSteps", "expected 1 to 50 steps");
        }
        let fits = |step: &Step| step.value.is_some_and(|value| value <= 100);
        if !plan.steps.iter().all(fits) {
            return refuse("rolloutSteps", "every step has a `value` from 0 to 100");
        }
    } else if plan.steps.len() != 1 {
        return refuse("scheduledAt", "required, and not there");
    }
    Ok(plan)
}

/// Does every step that is due, each in a transaction of its own, and says when the next one is.
pub(super) async fn carry_out(env: FlagsEnv) -> Result<(Vec<Written>, Option<i64>), FlagError> {
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
        all.extend(step(&*write, now_ms, from_row(row)?).await?);
        write.commit().await?;
    }
    Ok((all, next_due(env.db.writer()).await?))
}

/// Does what is due of a plan: of several missed steps the last one, which is what everybody would see anyway.
async fn step(
    db: &impl ConnectionTrait,
    now_ms: i64,
    mut plan: Schedule,
) -> Result<Option<Written>, FlagError> {
    let due = plan.steps.iter().take_while(|step| step.at_ms <= now_ms);
    let due = due.count().max(plan.next + 1).min(plan.steps.len());
    let value = due.checked_sub(1).and_then(|last| plan.steps.get(last));
    let value = value.and_then(|step| step.value);
    let mut patch = Map::new();
    match plan.kind {
        ScheduleKind::Enable => drop(patch.insert("status".to_owned(), json!("active"))),
        ScheduleKind::Disable => drop(patch.insert("status".to_owned(), json!("inactive"))),
        ScheduleKind::UpdateRollout => {
            patch.insert("rolloutPercentage".to_owned(), json!(value));
        }
    }
    plan.next = due;
    plan.done_ms = (due >= plan.steps.len()).then_some(now_ms);
    save(db, &plan).await?;
    let update = UpdateFlag {
        organization: plan.organization.clone(),
        id: plan.flag.clone(),
        author: Author::Schedule(plan.id.clone()),
        patch,
    };
    let before = match repo::find(db, &plan.organization, &plan.flag).await {
        Err(FlagError::NotFound(_)) => return Ok(None),
        found => found?,
    };
    match work::change(db, now_ms, before, &update).await {
        // The flag has changed since, and has to be looked at by people.
        Err(FlagError::Common(CommonError::Invalid(issues))) => {
            tracing::warn!(flag = %plan.flag, ?issues, "what is planned for a flag cannot be done");
            Ok(None)
        }
        outcome => outcome.map(|(written, _)| Some(written)),
    }
}

async fn save(db: &impl ConnectionTrait, plan: &Schedule) -> Result<(), FlagError> {
    flag_schedule::Entity::update_many()
        .set(to_row(plan)?)
        .filter(flag_schedule::COLUMN.id.eq(plan.id.as_str()))
        .exec(db)
        .await?;
    Ok(())
}

fn to_row(plan: &Schedule) -> Result<flag_schedule::ActiveModel, FlagError> {
    let wrong = |error: serde_json::Error| FlagError::damaged(&plan.id, &error);
    let next = plan.steps.get(plan.next).or_else(|| plan.steps.last());
    let due_ms = next.map_or(plan.updated_ms, |step| step.at_ms);
    Ok(flag_schedule::ActiveModel {
        id: Set(plan.id.to_string()),
        organization_id: Set(plan.organization.to_string()),
        flag_id: Set(plan.flag.to_string()),
        kind: Set(serde_json::to_string(&plan.kind).map_err(wrong)?),
        steps: Set(serde_json::to_string(&plan.steps).map_err(wrong)?),
        next_step: Set(i32::try_from(plan.next).unwrap_or(i32::MAX)),
        due_at: Set(from_ms(due_ms)),
        created_by: Set(plan.created_by.as_ref().map(ToString::to_string)),
        created_at: Set(from_ms(plan.created_ms)),
        updated_at: Set(from_ms(plan.updated_ms)),
        done_at: Set(plan.done_ms.map(from_ms)),
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

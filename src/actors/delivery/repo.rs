//! The table of this domain.

use sea_orm::{
    ActiveValue::{NotSet, Set},
    Condition, QueryOrder, QuerySelect,
    prelude::*,
};

use crate::{
    clock::from_ms,
    entities::{
        self,
        outbox::{self, COLUMN, Column, Entity},
    },
};

/// It is tried when its time has come.
pub(super) const WAITING: &str = "waiting";
pub(super) const DELIVERED: &str = "delivered";
pub(super) const DEAD: &str = "dead";
/// It was given up because the receiver wants nothing any more.
pub(super) const GONE: &str = "gone";

/// What is due, longest due first.
pub(super) async fn find_due(
    db: &impl ConnectionTrait,
    now_ms: i64,
    limit: u64,
) -> Result<Vec<outbox::Model>, DbErr> {
    Entity::find()
        .filter(COLUMN.state.eq(WAITING))
        .filter(COLUMN.next_attempt_at.lte(from_ms(now_ms)))
        .order_by_asc(COLUMN.next_attempt_at)
        .limit(limit)
        .all(db)
        .await
}

/// Reserves these for a node until that time, Unix milliseconds.
pub(super) async fn take(
    db: &impl ConnectionTrait,
    due: &[outbox::Model],
    (node, until_ms): (&str, i64),
) -> Result<(), DbErr> {
    let ids = due.iter().map(|delivery| delivery.id.clone());
    Entity::update_many()
        .col_expr(Column::NextAttemptAt, Expr::value(from_ms(until_ms)))
        .col_expr(Column::TakenBy, Expr::value(node))
        .filter(COLUMN.id.is_in(ids))
        .exec(db)
        .await
        .map(drop)
}

/// Lets every node try from this time on, Unix milliseconds, what a node has reserved and not recorded.
pub(super) async fn free(db: &impl ConnectionTrait, node: &str, now_ms: i64) -> Result<(), DbErr> {
    let row = outbox::ActiveModel {
        next_attempt_at: Set(from_ms(now_ms)),
        taken_by: Set(None),
        ..Default::default()
    };
    Entity::update_many()
        .set(row)
        .filter(COLUMN.state.eq(WAITING))
        .filter(COLUMN.taken_by.eq(node))
        .exec(db)
        .await
        .map(drop)
}

/// How many wait, and how many were given up.
pub(super) async fn count(db: &impl ConnectionTrait) -> Result<(u64, u64), DbErr> {
    let waiting = Entity::find().filter(COLUMN.state.eq(WAITING));
    let dead = Entity::find().filter(COLUMN.state.is_in([DEAD, GONE]));
    Ok((waiting.count(db).await?, dead.count(db).await?))
}

/// Marks a delivery as delivered and deletes its payload, unless `keeps`: then it may be sent again.
pub(super) async fn mark_delivered(
    db: &impl ConnectionTrait,
    (id, keeps): (&str, bool),
    attempts: i32,
    now_ms: i64,
) -> Result<(), DbErr> {
    let row = outbox::ActiveModel {
        attempts: Set(attempts),
        taken_by: Set(None),
        ..ended(DELIVERED, keeps, now_ms)
    };
    entities::update(db, id, row).await.map(drop)
}

fn ended(state: &str, keeps: bool, now_ms: i64) -> outbox::ActiveModel {
    outbox::ActiveModel {
        state: Set(state.to_owned()),
        finished_at: Set(Some(from_ms(now_ms))),
        payload: if keeps { NotSet } else { Set(None) },
        ..Default::default()
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum NextStep {
    /// Another one, at this time, Unix milliseconds.
    Again(i64),
    Never,
    /// Nothing, because the receiver wants nothing any more.
    Gone,
}

/// Sends a delivery that ended again, under the same id; whether it can be.
pub(super) async fn requeue(
    db: &impl ConnectionTrait,
    id: &str,
    now_ms: i64,
) -> Result<bool, DbErr> {
    let done = Entity::update_many()
        .col_expr(Column::State, Expr::value(WAITING))
        .col_expr(Column::Attempts, Expr::value(0))
        .col_expr(Column::NextAttemptAt, Expr::value(from_ms(now_ms)))
        .col_expr(Column::FinishedAt, Expr::value(Option::<DateTimeUtc>::None))
        .filter(COLUMN.id.eq(id))
        .filter(COLUMN.state.ne(WAITING))
        .filter(COLUMN.payload.is_not_null())
        .exec(db)
        .await?;
    Ok(done.rows_affected > 0)
}

/// Deliveries whose keys begin like this.
pub(super) fn has_prefix(prefix: &str) -> Condition {
    // `~` sorts behind whatever keys are made of.
    Condition::all()
        .add(COLUMN.key.gte(prefix))
        .add(COLUMN.key.lt(format!("{prefix}~")))
}

/// Writes that a try failed, and what follows.
pub(super) async fn mark_failed(
    db: &impl ConnectionTrait,
    (id, keeps): (&str, bool),
    (attempts, error): (i32, &str),
    (after, now_ms): (NextStep, i64),
) -> Result<(), DbErr> {
    let next = match after {
        NextStep::Again(next_ms) => outbox::ActiveModel {
            next_attempt_at: Set(from_ms(next_ms)),
            ..Default::default()
        },
        NextStep::Never => ended(DEAD, keeps, now_ms),
        NextStep::Gone => ended(GONE, keeps, now_ms),
    };
    let row = outbox::ActiveModel {
        attempts: Set(attempts),
        last_error: Set(Some(error.to_owned())),
        taken_by: Set(None),
        ..next
    };
    entities::update(db, id, row).await.map(drop)
}

/// Deletes what ended long ago.
pub(super) async fn forget(
    db: &impl ConnectionTrait,
    (delivered_ms, dead_ms): (i64, i64),
) -> Result<(), DbErr> {
    for (state, before_ms) in [(DELIVERED, delivered_ms), (DEAD, dead_ms), (GONE, dead_ms)] {
        Entity::delete_many()
            .filter(COLUMN.state.eq(state))
            .filter(COLUMN.finished_at.lt(from_ms(before_ms)))
            .exec(db)
            .await?;
    }
    Ok(())
}

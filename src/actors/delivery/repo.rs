//! The table of this domain.

use sea_orm::{Condition, QueryOrder, QuerySelect, UpdateMany, prelude::*};

use crate::{
    clock::from_ms,
    entities::outbox::{self, COLUMN, Column, Entity},
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
    let freed = Entity::update_many()
        .col_expr(Column::NextAttemptAt, Expr::value(from_ms(now_ms)))
        .filter(COLUMN.state.eq(WAITING))
        .filter(COLUMN.taken_by.eq(node));
    release(freed).exec(db).await.map(drop)
}

fn release(update: UpdateMany<Entity>) -> UpdateMany<Entity> {
    update.col_expr(Column::TakenBy, Expr::value(Option::<String>::None))
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
    let done = Entity::update_many()
        .col_expr(Column::State, Expr::value(DELIVERED))
        .col_expr(Column::Attempts, Expr::value(attempts))
        .col_expr(Column::FinishedAt, Expr::value(from_ms(now_ms)))
        .filter(COLUMN.id.eq(id));
    release(clear_payload(done, keeps)).exec(db).await?;
    Ok(())
}

fn clear_payload(update: UpdateMany<Entity>, keeps: bool) -> UpdateMany<Entity> {
    if keeps {
        return update;
    }
    update.col_expr(Column::Payload, Expr::value(Option::<Vec<u8>>::None))
}

/// What follows a try that failed.
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
    let failed = Entity::update_many()
        .col_expr(Column::Attempts, Expr::value(attempts))
        .col_expr(Column::LastError, Expr::value(error))
        .filter(COLUMN.id.eq(id));
    let ended = |failed: UpdateMany<Entity>, state: &str| {
        let ended = failed
            .col_expr(Column::State, Expr::value(state))
            .col_expr(Column::FinishedAt, Expr::value(from_ms(now_ms)));
        clear_payload(ended, keeps)
    };
    let failed = match after {
        NextStep::Again(next_ms) => {
            failed.col_expr(Column::NextAttemptAt, Expr::value(from_ms(next_ms)))
        }
        NextStep::Never => ended(failed, DEAD),
        NextStep::Gone => ended(failed, GONE),
    };
    release(failed).exec(db).await?;
    Ok(())
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

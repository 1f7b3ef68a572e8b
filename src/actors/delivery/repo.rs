//! The table of this domain.

use sea_orm::{QueryOrder, QuerySelect, prelude::*};

use crate::{
    clock::from_ms,
    entities::outbox::{self, COLUMN, Column, Entity},
};

/// It is tried when its time has come.
pub(super) const WAITING: &str = "waiting";
/// It was delivered.
pub(super) const DELIVERED: &str = "delivered";
/// It was given up.
pub(super) const DEAD: &str = "dead";

/// What is due, longest due first.
pub(super) async fn due(
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

/// How many wait, and how many were given up.
pub(super) async fn counts(db: &impl ConnectionTrait) -> Result<(u64, u64), DbErr> {
    let waiting = Entity::find().filter(COLUMN.state.eq(WAITING));
    let dead = Entity::find().filter(COLUMN.state.eq(DEAD));
    Ok((waiting.count(db).await?, dead.count(db).await?))
}

/// Writes that a parcel was delivered; its payload is nobody's business any more.
pub(super) async fn delivered(
    db: &impl ConnectionTrait,
    id: &str,
    attempts: i32,
    now_ms: i64,
) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::State, Expr::value(DELIVERED))
        .col_expr(Column::Attempts, Expr::value(attempts))
        .col_expr(Column::Payload, Expr::value(Option::<Vec<u8>>::None))
        .col_expr(Column::FinishedAt, Expr::value(from_ms(now_ms)))
        .filter(COLUMN.id.eq(id))
        .exec(db)
        .await?;
    Ok(())
}

/// Writes that a try failed, and when the next one is; `None` = it is given up.
pub(super) async fn failed(
    db: &impl ConnectionTrait,
    id: &str,
    attempts: i32,
    error: &str,
    (next_ms, now_ms): (Option<i64>, i64),
) -> Result<(), DbErr> {
    let failed = Entity::update_many()
        .col_expr(Column::Attempts, Expr::value(attempts))
        .col_expr(Column::LastError, Expr::value(error))
        .filter(COLUMN.id.eq(id));
    let failed = match next_ms {
        Some(next_ms) => failed.col_expr(Column::NextAttemptAt, Expr::value(from_ms(next_ms))),
        None => failed
            .col_expr(Column::State, Expr::value(DEAD))
            .col_expr(Column::Payload, Expr::value(Option::<Vec<u8>>::None))
            .col_expr(Column::FinishedAt, Expr::value(from_ms(now_ms))),
    };
    failed.exec(db).await?;
    Ok(())
}

/// Deletes what ended long ago.
pub(super) async fn forget(
    db: &impl ConnectionTrait,
    (delivered_ms, dead_ms): (i64, i64),
) -> Result<(), DbErr> {
    for (state, before_ms) in [(DELIVERED, delivered_ms), (DEAD, dead_ms)] {
        Entity::delete_many()
            .filter(COLUMN.state.eq(state))
            .filter(COLUMN.finished_at.lt(from_ms(before_ms)))
            .exec(db)
            .await?;
    }
    Ok(())
}

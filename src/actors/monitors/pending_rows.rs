//! Rows of checks that are committed, but not in the event log yet, where several processes share the state.
//!
//! A commit marks a slot as done and stores its row for one process. Only the process with the same data directory writes that row to
//! its log, at once or after a restart, and the log recognizes rows that it has by their ids. A slot has one row in all logs together,
//! whenever a process dies or hangs.

use std::collections::HashSet;

use sea_orm::{
    ActiveValue::Set, Condition, QueryOrder, QuerySelect, QueryTrait, prelude::*,
    sea_query::OnConflict,
};

use super::{MonitorsEnv, error::BatchError, rows};
use crate::{
    entities::{
        monitor,
        monitor_row::{ActiveModel, COLUMN, Column, Entity, Model},
    },
    events::{record, store::Accepted},
};

/// Rows of one statement.
const AT_ONCE: usize = 500;

/// Stores the rows of a node's checks, in the transaction that marks their slots as done. Rows of deleted monitors are left out.
pub(super) async fn insert(
    db: &impl ConnectionTrait,
    node: &str,
    rows: &[Accepted],
) -> Result<(), DbErr> {
    for rows in rows.chunks(AT_ONCE) {
        let keys: HashSet<i64> = rows.iter().map(|row| row.event.website).collect();
        let there: Vec<i64> = monitor::Entity::find()
            .select_only()
            .column(monitor::Column::Key)
            .filter(monitor::COLUMN.key.is_in(keys))
            .into_tuple()
            .all(db)
            .await?;
        let rows = rows.iter().filter(|row| there.contains(&row.event.website));
        let rows: Vec<_> = rows
            .map(|row| to_row(node, row))
            .collect::<Result<_, _>>()?;
        if rows.is_empty() {
            continue;
        }
        let known = OnConflict::columns([Column::MonitorKey, Column::EventId])
            .do_nothing()
            .to_owned();
        Entity::insert_many(rows)
            .on_conflict(known)
            .exec_without_returning(db)
            .await?;
    }
    Ok(())
}

fn to_row(node: &str, row: &Accepted) -> Result<ActiveModel, DbErr> {
    let event = record::encode(&row.event, vec![record::SCHEMA]);
    Ok(ActiveModel {
        monitor_key: Set(row.event.website),
        event_id: Set(row.event_id.clone().unwrap_or_default()),
        node: Set(node.to_owned()),
        event: Set(event.map_err(|error| DbErr::Custom(error.to_string()))?),
    })
}

/// Writes pending rows of this data directory to the event log. Rows that cannot be written stay pending. A database of one process may
/// hold rows of several from before a move or a restore, and all of them are written here.
pub(super) async fn flush(env: MonitorsEnv) {
    if let Err(error) = flush_all(&env).await {
        tracing::warn!(%error, "results of checks are not in the event log yet");
    }
}

async fn flush_all(env: &MonitorsEnv) -> Result<(), BatchError> {
    loop {
        let pending = Entity::find()
            .apply_if(
                env.db.is_shared().then(|| env.db.node()),
                |pending, node| pending.filter(COLUMN.node.eq(node)),
            )
            .order_by_asc(Column::MonitorKey)
            .limit(AT_ONCE as u64)
            .all(env.db.writer())
            .await?;
        if pending.is_empty() {
            return Ok(());
        }
        // Rows that cannot be decoded are dropped, because they would block the others for ever.
        let rows: Vec<_> = pending.iter().filter_map(from_row).collect();
        rows::rows(env, &rows).await?;
        let written = pending.iter().fold(Condition::any(), |written, row| {
            let one = Condition::all().add(COLUMN.monitor_key.eq(row.monitor_key));
            written.add(one.add(COLUMN.event_id.eq(row.event_id.as_str())))
        });
        Entity::delete_many()
            .filter(written)
            .exec(env.db.writer())
            .await?;
    }
}

fn from_row(row: &Model) -> Option<Accepted> {
    let (version, event) = row.event.split_first()?;
    Some(Accepted {
        event: record::decode(*version, event, 0).ok()?,
        event_id: Some(row.event_id.clone()),
    })
}

//! Results that are committed and not in the event log yet, where several processes share the state.
//!
//! The commit says which process has done a slot, and leaves its row with it. Only the process over the same data directory
//! writes that row to its log, at once or when it is back: its log knows rows that it has by their ids. So a slot has one row
//! in all logs together, whenever a process dies or stands still.

use std::collections::HashSet;

use sea_orm::{
    ActiveValue::Set, Condition, QueryOrder, QuerySelect, QueryTrait, prelude::*,
    sea_query::OnConflict,
};

use super::{MonitorsEnv, after::BatchError, rows};
use crate::{
    entities::{
        monitor,
        monitor_row::{ActiveModel, COLUMN, Column, Entity, Model},
    },
    events::{record, store::Accepted},
};

/// Rows that are written, or read, at once.
const AT_ONCE: usize = 500;

/// Keeps the rows of checks for a node, as part of what makes the checks count. Rows of monitors that are gone are left out.
pub(super) async fn keep(
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
            .map(|row| row_of(node, row))
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

fn row_of(node: &str, row: &Accepted) -> Result<ActiveModel, DbErr> {
    let event = record::encode(&row.event, vec![record::SCHEMA]);
    Ok(ActiveModel {
        monitor_key: Set(row.event.website),
        event_id: Set(row.event_id.clone().unwrap_or_default()),
        node: Set(node.to_owned()),
        event: Set(event.map_err(|error| DbErr::Custom(error.to_string()))?),
    })
}

/// Writes to the event log whatever this process, or the one before it in its data directory, owes to it. What it cannot write
/// it still owes. A database that nobody shares has what several owed before it was moved or restored, and all of it is this one's.
pub(super) async fn pay(env: MonitorsEnv) {
    if let Err(error) = pay_all(&env).await {
        tracing::warn!(%error, "results of checks are not in the event log yet");
    }
}

async fn pay_all(env: &MonitorsEnv) -> Result<(), BatchError> {
    loop {
        let owed = Entity::find()
            .apply_if(env.db.is_shared().then(|| env.db.node()), |owed, node| {
                owed.filter(COLUMN.node.eq(node))
            })
            .order_by_asc(Column::MonitorKey)
            .limit(AT_ONCE as u64)
            .all(env.db.writer())
            .await?;
        if owed.is_empty() {
            return Ok(());
        }
        // What cannot be read is in the log of the program; it would be in the way for ever.
        let rows: Vec<_> = owed.iter().filter_map(event_of).collect();
        rows::rows(env, &rows).await?;
        let paid = owed.iter().fold(Condition::any(), |paid, row| {
            let one = Condition::all().add(COLUMN.monitor_key.eq(row.monitor_key));
            paid.add(one.add(COLUMN.event_id.eq(row.event_id.as_str())))
        });
        Entity::delete_many()
            .filter(paid)
            .exec(env.db.writer())
            .await?;
    }
}

fn event_of(row: &Model) -> Option<Accepted> {
    let (version, event) = row.event.split_first()?;
    Some(Accepted {
        event: record::decode(*version, event, 0).ok()?,
        event_id: Some(row.event_id.clone()),
    })
}

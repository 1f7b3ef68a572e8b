//! The manifest in the state database: which segments count, and how far they cover the log.

use std::sync::Arc;

use sea_orm::{ActiveValue::Set, QueryOrder, prelude::*};

use crate::{
    clock::Clock,
    entities::{self, event_cursor, event_segment},
    events::{
        extracts::ExtractRow,
        segments::{Manifest, SegmentRow, TenantIndex, file_name},
    },
    store::state::{StateDb, StateError},
};

const TABLE: &str = "events";
const ACTIVE: &str = "active";
const QUARANTINED: &str = "quarantined";

pub async fn load(db: &impl ConnectionTrait, node: &str) -> Result<Manifest, DbErr> {
    let rows = event_segment::Entity::find()
        .filter(event_segment::COLUMN.node.eq(node))
        .order_by_asc(event_segment::COLUMN.id)
        .all(db)
        .await?;
    let cursor = event_cursor::Entity::find_by_id(node.to_owned())
        .one(db)
        .await?;
    Ok(Manifest {
        segments: rows.into_iter().map(from_model).collect(),
        cursor: cursor.as_ref().map_or(0, |cursor| cursor.lsn as u64),
        version: cursor.map_or(0, |cursor| cursor.version as u64),
    })
}

/// Makes this the manifest of a node, whatever it had before.
pub async fn replace(
    db: &StateDb,
    clock: &Clock,
    node: &str,
    manifest: &Manifest,
) -> Result<(), StateError> {
    let write = db.begin_blind().await?;
    event_segment::Entity::delete_many()
        .filter(event_segment::COLUMN.node.eq(node))
        .exec(&*write)
        .await?;
    for row in &manifest.segments {
        insert(&*write, clock, node, row).await?;
    }
    event_cursor::Entity::delete_by_id(node.to_owned())
        .exec(&*write)
        .await?;
    let cursor = event_cursor::ActiveModel {
        node_id: Set(node.to_owned()),
        lsn: Set(manifest.cursor as i64),
        version: Set(manifest.version as i64),
    };
    entities::insert(&*write, cursor).await?;
    write.commit().await
}

/// Whether segments of other nodes are known.
pub async fn others(db: &impl ConnectionTrait, node: &str) -> Result<bool, DbErr> {
    let other = event_segment::Entity::find().filter(event_segment::COLUMN.node.ne(node));
    Ok(other.one(db).await?.is_some())
}

pub(super) async fn insert(
    db: &impl ConnectionTrait,
    clock: &Clock,
    node: &str,
    row: &SegmentRow,
) -> Result<(), DbErr> {
    let model = event_segment::ActiveModel {
        id: Set(row.id.clone()),
        file: Set(file_name(&row.id)),
        node: Set(node.to_owned()),
        tbl: Set(TABLE.to_owned()),
        website_min: Set(row.websites.0),
        website_max: Set(row.websites.1),
        time_min: Set(row.times.0),
        time_max: Set(row.times.1),
        aliases: Set(row.aliases),
        depth: Set(row.depth as i32),
        held: Set(row.tenants.encode()),
        rows: Set(row.rows as i64),
        bytes: Set(row.bytes as i64),
        first_lsn: Set(row.lsns.0 as i64),
        last_lsn: Set(row.lsns.1 as i64),
        level: Set(row.level as i32),
        schema: Set(row.schema),
        checksum: Set(row.checksum.clone()),
        extracts: Set(serde_json::to_string(&row.extracts).ok()),
        state: Set(if row.quarantined { QUARANTINED } else { ACTIVE }.to_owned()),
        created_at: Set(clock.now()),
    };
    entities::insert(db, model).await
}

/// Removes the rows of replaced segments. Rows that are missing were replaced by another life of the domain.
pub(super) async fn remove(db: &impl ConnectionTrait, ids: &[String]) -> Result<(), StateError> {
    let named = event_segment::COLUMN.id.is_in(ids.iter().cloned());
    let removed = event_segment::Entity::delete_many()
        .filter(named)
        .exec(db)
        .await?;
    if removed.rows_affected == ids.len() as u64 {
        return Ok(());
    }
    Err(moved_on())
}

/// Notes that files are damaged, or are not any more. Rows that are gone were replaced meanwhile, which is as well.
pub(super) async fn mark(
    db: &impl ConnectionTrait,
    ids: &[String],
    damaged: bool,
) -> Result<(), DbErr> {
    let state = if damaged { QUARANTINED } else { ACTIVE };
    event_segment::Entity::update_many()
        .col_expr(event_segment::Column::State, Expr::value(state))
        .filter(event_segment::COLUMN.id.is_in(ids.iter().cloned()))
        .exec(db)
        .await
        .map(drop)
}

/// Moves the cursor, in the same transaction as the segments that it speaks of, and counts the change of this
/// `version`. A cursor at another position was moved by a commit unknown here, or by a database that was rolled back:
/// its rows must not be written again.
pub(super) async fn advance(
    db: &impl ConnectionTrait,
    node: &str,
    version: u64,
    (from, to): (u64, u64),
) -> Result<(), StateError> {
    if from == 0 {
        begin(db, node).await?;
    }
    let moved = event_cursor::Entity::update_many()
        .col_expr(event_cursor::Column::Lsn, Expr::value(to as i64))
        .col_expr(
            event_cursor::Column::Version,
            Expr::value((version + 1) as i64),
        )
        .filter(event_cursor::COLUMN.node_id.eq(node))
        .filter(event_cursor::COLUMN.lsn.eq(from as i64))
        .filter(event_cursor::COLUMN.version.eq(version as i64))
        .exec(db)
        .await?;
    if moved.rows_affected == 1 {
        return Ok(());
    }
    Err(moved_on())
}

async fn begin(db: &impl ConnectionTrait, node: &str) -> Result<bool, DbErr> {
    let cursor = event_cursor::ActiveModel {
        node_id: Set(node.to_owned()),
        lsn: Set(0),
        version: Set(0),
    };
    entities::insert_if_absent(db, cursor, [event_cursor::Column::NodeId]).await
}

/// The memory is behind the manifest: the storekeeper has to boot.
fn moved_on() -> StateError {
    StateError::Unknown(DbErr::Custom("the manifest has moved on".to_owned()))
}

fn from_model(model: event_segment::Model) -> SegmentRow {
    SegmentRow {
        id: model.id,
        websites: (model.website_min, model.website_max),
        times: (model.time_min, model.time_max),
        aliases: model.aliases,
        rows: model.rows as u64,
        bytes: model.bytes as u64,
        lsns: (model.first_lsn as u64, model.last_lsn as u64),
        level: model.level as u32,
        depth: model.depth as u32,
        tenants: Arc::new(TenantIndex::decode(model.held.as_deref())),
        schema: model.schema,
        checksum: model.checksum,
        extracts: extracts(model.extracts.as_deref()),
        quarantined: model.state == QUARANTINED,
    }
}

/// Extracts that cannot be read are none: answers do without.
fn extracts(text: Option<&str>) -> Vec<ExtractRow> {
    text.and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default()
}

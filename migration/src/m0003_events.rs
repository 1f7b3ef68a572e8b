//! What the event store keeps in the state database: the manifest of segments, how far they reach, and the salts
//! of visitor hashing.

use sea_orm_migration::prelude::*;

use crate::columns::{index, integer, number, text, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.create_table(event_segments()).await?;
    manager
        .create_index(index(
            "event_segments_state",
            "event_segments",
            &["state", "node"],
        ))
        .await?;
    let cursors = Table::create()
        .table("event_cursors")
        .col(text("node_id").primary_key())
        .col(number("lsn"))
        .to_owned();
    manager.create_table(cursors).await?;
    let salts = Table::create()
        .table("salts")
        .col(integer("day").primary_key())
        .col(text("salt"))
        .col(time("created_at"))
        .to_owned();
    manager.create_table(salts).await
}

fn event_segments() -> TableCreateStatement {
    Table::create()
        .table("event_segments")
        .col(text("id").primary_key())
        .col(text("file").unique_key())
        .col(text("node"))
        .col(text("tbl"))
        .col(number("website_min"))
        .col(number("website_max"))
        .col(number("time_min"))
        .col(number("time_max"))
        .col(number("rows"))
        .col(number("bytes"))
        .col(number("first_lsn"))
        .col(number("last_lsn"))
        .col(integer("level"))
        .col(integer("schema"))
        .col(text("checksum"))
        .col(text("state"))
        .col(time("created_at"))
        .to_owned()
}

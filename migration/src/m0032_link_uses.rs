//! Clicks of links that end after some of them, counted for all processes together.

use sea_orm_migration::prelude::*;

use crate::columns::number;

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let link = ForeignKey::create()
        .from("link_uses", "link_key")
        .to("links", "key")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned();
    let uses = Table::create()
        .table("link_uses")
        .col(number("link_key").primary_key())
        .col(number("clicks"))
        .foreign_key(&mut link.clone())
        .to_owned();
    manager.create_table(uses).await
}

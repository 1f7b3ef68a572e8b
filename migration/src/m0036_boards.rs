//! Boards: pages with panels of several resources of an organization.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, text, text_or_null, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::create()
        .table("boards")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text("fields"))
        .col(text_or_null("created_by"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut cascade("boards", "organization_id", "organizations"))
        .to_owned();
    manager.create_table(table).await?;
    let listed = index(
        "boards_organization",
        "boards",
        &["organization_id", "created_at"],
    );
    manager.create_index(listed).await
}

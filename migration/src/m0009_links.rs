//! Short links and their folders.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, number, set_null, text, text_or_null, time, time_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.create_table(folders()).await?;
    manager.create_table(links()).await?;
    let unique = index(
        "link_folders_slug",
        "link_folders",
        &["organization_id", "slug"],
    )
    .unique()
    .to_owned();
    manager.create_index(unique).await?;
    for (name, columns) in [
        ("links_newest", &["organization_id", "created_at", "id"][..]),
        ("links_external", &["organization_id", "external_id"]),
        ("links_folder", &["folder_id"]),
    ] {
        manager.create_index(index(name, "links", columns)).await?;
    }
    Ok(())
}

fn folders() -> TableCreateStatement {
    Table::create()
        .table("link_folders")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text_or_null("created_by"))
        .col(text("name"))
        .col(text("slug"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut cascade(
            "link_folders",
            "organization_id",
            "organizations",
        ))
        .to_owned()
}

fn links() -> TableCreateStatement {
    Table::create()
        .table("links")
        .col(text("id").primary_key())
        .col(number("key").unique_key())
        .col(text("organization_id"))
        .col(text_or_null("created_by"))
        .col(text_or_null("folder_id"))
        .col(text("slug").unique_key())
        .col(text("name"))
        .col(text("target_url"))
        .col(text_or_null("target_domain"))
        .col(text_or_null("source_type"))
        .col(text_or_null("source_id"))
        .col(text_or_null("source_owner_id"))
        .col(text_or_null("external_id"))
        .col(text_or_null("deep_link_app"))
        .col(time_or_null("expires_at"))
        .col(text("details"))
        .col(ColumnDef::new("record").binary().not_null())
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut cascade("links", "organization_id", "organizations"))
        .foreign_key(&mut set_null("links", "folder_id", "link_folders"))
        .to_owned()
}

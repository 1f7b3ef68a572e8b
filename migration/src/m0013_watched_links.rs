//! Links whose targets are watched.

use sea_orm_migration::prelude::*;

use crate::columns::index;

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let watched = ColumnDef::new("watches_target")
        .boolean()
        .not_null()
        .default(false)
        .take();
    let links = Table::alter().table("links").add_column(watched).to_owned();
    manager.alter_table(links).await?;
    manager
        .create_index(index("links_watched", "links", &["watches_target"]))
        .await
}

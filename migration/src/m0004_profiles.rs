//! Identified people and their traits; segments that hold aliases.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use crate::columns::{flag, index, number, text, text_or_null, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.create_table(profiles()).await?;
    manager
        .create_index(index(
            "profiles_email",
            "profiles",
            &["website", "email_hash"],
        ))
        .await?;
    manager.create_table(profile_traits()).await?;
    if manager.get_database_backend() == DbBackend::Postgres {
        let values = manager.get_connection().execute_unprepared(BEGINNINGS);
        values.await?;
    } else {
        let columns = ["website", "key", "value"];
        let values = index("profile_traits_value", "profile_traits", &columns);
        manager.create_index(values).await?;
    }
    let aliases = Table::alter()
        .table("event_segments")
        .add_column(flag("aliases").default(false))
        .to_owned();
    manager.alter_table(aliases).await
}

/// `PostgreSQL` refuses entries of an index beyond 2,704 bytes; values are longer.
const BEGINNINGS: &str = "CREATE INDEX profile_traits_value ON profile_traits \
    (website, key, (substr(value, 1, 256) COLLATE \"C\"))";

fn profiles() -> TableCreateStatement {
    let website = ForeignKey::create()
        .from("profiles", "website")
        .to("websites", "key")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned();
    Table::create()
        .table("profiles")
        .col(number("website"))
        .col(text("profile_id"))
        .col(ColumnDef::new("email").binary())
        .col(text_or_null("email_hash"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .primary_key(Index::create().col("website").col("profile_id"))
        .foreign_key(&mut website.clone())
        .to_owned()
}

fn profile_traits() -> TableCreateStatement {
    let profile = ForeignKey::create()
        .from("profile_traits", ("website", "profile_id"))
        .to("profiles", ("website", "profile_id"))
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned();
    Table::create()
        .table("profile_traits")
        .col(number("website"))
        .col(text("profile_id"))
        .col(text("key"))
        .col(text("value"))
        .primary_key(Index::create().col("website").col("profile_id").col("key"))
        .foreign_key(&mut profile.clone())
        .to_owned()
}

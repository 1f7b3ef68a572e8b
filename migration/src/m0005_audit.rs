//! The audit log: rows in hash chains, one chain an organization, and the end of each chain.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use crate::columns::{number, text};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.create_table(entries()).await?;
    manager.create_table(heads()).await?;
    let db = manager.get_connection();
    let guards: &[&str] = match manager.get_database_backend() {
        DbBackend::Postgres => &POSTGRES,
        _ => &SQLITE,
    };
    for guard in guards {
        db.execute_unprepared(guard).await?;
    }
    Ok(())
}

/// The database refuses to change or delete entries.
const SQLITE: [&str; 2] = [
    "CREATE TRIGGER audit_entries_keep BEFORE UPDATE ON audit_entries \
     BEGIN SELECT RAISE(ABORT, 'audit rows are never changed'); END",
    "CREATE TRIGGER audit_entries_stay BEFORE DELETE ON audit_entries \
     BEGIN SELECT RAISE(ABORT, 'audit rows are never deleted'); END",
];

const POSTGRES: [&str; 2] = [
    "CREATE FUNCTION audit_entries_refuse() RETURNS trigger LANGUAGE plpgsql AS \
     $$ BEGIN RAISE EXCEPTION 'audit rows are never changed or deleted'; END $$",
    "CREATE TRIGGER audit_entries_keep BEFORE UPDATE OR DELETE ON audit_entries \
     FOR EACH ROW EXECUTE FUNCTION audit_entries_refuse()",
];

fn entries() -> TableCreateStatement {
    Table::create()
        .table("audit_entries")
        .col(text("chain"))
        .col(number("seq"))
        .col(number("at_ms"))
        .col(text("actor"))
        .col(text("actor_id"))
        .col(text("action"))
        .col(text("target"))
        .col(text("target_id"))
        .col(text("details"))
        .col(text("previous"))
        .col(text("hash"))
        .primary_key(Index::create().col("chain").col("seq"))
        .to_owned()
}

fn heads() -> TableCreateStatement {
    Table::create()
        .table("audit_heads")
        .col(text("chain").primary_key())
        .col(number("seq"))
        .col(text("hash"))
        .to_owned()
}

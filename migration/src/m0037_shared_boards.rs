//! Share links and scheduled reports of boards, beside those of websites.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, integer, text, text_or_null, time, time_or_null};

/// Names of the tables while they are made anew, because `SQLite` cannot let a column be null that could not.
const OLD: [&str; 2] = ["shares_before", "scheduled_reports_before"];

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for (table, old) in ["shares", "scheduled_reports"].into_iter().zip(OLD) {
        let rename = Table::rename().table(table, old).to_owned();
        manager.rename_table(rename).await?;
    }
    manager.create_table(shares()).await?;
    manager.create_table(scheduled_reports()).await?;
    let shares = [
        "id",
        "website_id",
        "slug",
        "fields",
        "password_hash",
        "created_by",
        "created_at",
        "updated_at",
    ];
    move_rows(manager, (OLD[0], "shares"), &shares).await?;
    let reports = [
        "id",
        "website_id",
        "frequency",
        "timezone",
        "hour",
        "finding",
        "sealed",
        "asked_at",
        "confirmed_at",
        "next_at",
        "created_by",
        "created_at",
    ];
    move_rows(manager, (OLD[1], "scheduled_reports"), &reports).await?;
    for (name, table, columns) in [
        (
            "shares_website",
            "shares",
            &["website_id", "created_at"][..],
        ),
        ("shares_board", "shares", &["board_id", "created_at"]),
        (
            "scheduled_reports_website",
            "scheduled_reports",
            &["website_id"],
        ),
        (
            "scheduled_reports_board",
            "scheduled_reports",
            &["board_id"],
        ),
        ("scheduled_reports_due", "scheduled_reports", &["next_at"]),
    ] {
        manager.create_index(index(name, table, columns)).await?;
    }
    Ok(())
}

fn shares() -> TableCreateStatement {
    Table::create()
        .table("shares")
        .col(text("id").primary_key())
        .col(text_or_null("website_id"))
        .col(text_or_null("board_id"))
        .col(text("slug").unique_key())
        .col(text("fields"))
        .col(text_or_null("password_hash"))
        .col(text_or_null("created_by"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut cascade("shares", "website_id", "websites"))
        .foreign_key(&mut cascade("shares", "board_id", "boards"))
        .to_owned()
}

fn scheduled_reports() -> TableCreateStatement {
    Table::create()
        .table("scheduled_reports")
        .col(text("id").primary_key())
        .col(text_or_null("website_id"))
        .col(text_or_null("board_id"))
        .col(text("frequency"))
        .col(text("timezone"))
        .col(integer("hour"))
        .col(text("finding").unique_key())
        .col(ColumnDef::new("sealed").binary().not_null())
        .col(time("asked_at"))
        .col(time_or_null("confirmed_at"))
        .col(time("next_at"))
        .col(text_or_null("created_by"))
        .col(time("created_at"))
        .foreign_key(&mut cascade("scheduled_reports", "website_id", "websites"))
        .foreign_key(&mut cascade("scheduled_reports", "board_id", "boards"))
        .to_owned()
}

/// Moves the columns of all rows to another table, and deletes the first.
async fn move_rows(
    manager: &SchemaManager<'_>,
    (from, to): (&'static str, &'static str),
    columns: &[&'static str],
) -> Result<(), DbErr> {
    let rows = Query::select()
        .columns(columns.iter().copied())
        .from(from)
        .to_owned();
    let insert = Query::insert()
        .into_table(to)
        .columns(columns.iter().copied())
        .select_from(rows)
        .map_err(|error| DbErr::Custom(error.to_string()))?
        .to_owned();
    manager.execute(insert).await?;
    manager
        .drop_table(Table::drop().table(from).to_owned())
        .await
}

//! How people like to read, and what they have to say; people who asked to be forgotten, until their events are erased.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, number, text, text_or_null, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let preferences = Table::create()
        .table("user_preferences")
        .col(text("user_id").primary_key())
        .col(text("id"))
        .col(text("timezone"))
        .col(text("date_format"))
        .col(text("time_format"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut cascade("user_preferences", "user_id", "users"))
        .to_owned();
    manager.create_table(preferences).await?;
    let feedback = Table::create()
        .table("feedback")
        .col(text("id").primary_key())
        .col(text("user_id"))
        .col(text_or_null("organization_id"))
        .col(text("title"))
        .col(text("description"))
        .col(text("category"))
        .col(time("created_at"))
        .foreign_key(&mut cascade("feedback", "user_id", "users"))
        .to_owned();
    manager.create_table(feedback).await?;
    let key = Index::create().col("website").col("profile_id").to_owned();
    let erasures = Table::create()
        .table("profile_erasures")
        .col(number("website"))
        .col(text("profile_id"))
        .col(text("visitors"))
        .col(text("organization_id"))
        .col(time("asked_at"))
        .primary_key(&mut key.clone())
        .to_owned();
    manager.create_table(erasures).await?;
    let listed = index("feedback_of", "feedback", &["user_id", "created_at"]);
    manager.create_index(listed).await
}

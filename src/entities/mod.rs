//! The rows of the state database: one `SeaORM` entity a file, and no logic.
//!
//! Only the domain that owns a table touches its entity. A table of an organization has a tenant door,
//! `Entity::within(organization)`: queries on behalf of a caller start there, which makes it hard to forget the filter.
//! A booting domain reads whole tables.

use sea_orm::{Iterable as _, PrimaryKeyToColumn as _, prelude::*, sea_query::OnConflict};

use crate::ids::OrganizationId;

pub mod acme_account;
pub mod acme_certificate;
pub mod acme_challenge;
pub mod acme_order;
pub mod agent_chat;
pub mod agent_memory;
pub mod agent_message;
pub mod alarm;
pub mod alarm_destination;
pub mod alarm_standing;
pub mod api_key;
pub mod audit_entry;
pub mod audit_head;
pub mod backup_code;
pub mod board;
mod by_id;
pub mod deleted_link;
pub mod error_status;
pub mod event_cursor;
pub mod event_import;
pub mod event_segment;
pub mod feedback;
pub mod flag;
pub mod flag_change;
pub mod flag_schedule;
pub mod former_host;
pub mod host;
pub mod identity;
pub mod import;
pub mod invitation;
pub mod link;
pub mod link_folder;
pub mod link_use;
pub mod membership;
pub mod monitor;
pub mod monitor_ask;
pub mod monitor_day;
pub mod monitor_probe;
pub mod monitor_report;
pub mod monitor_row;
pub mod monitor_transition;
pub mod moved_website;
pub mod oauth_app;
pub mod oauth_grant;
pub mod oauth_token;
pub mod organization;
pub mod outbox;
pub mod passkey;
pub mod password_reset;
pub mod profile;
pub mod profile_erasure;
pub mod profile_trait;
pub mod provisioned;
pub mod salt;
pub mod scheduled_report;
pub mod scim_group;
pub mod scim_member;
pub mod scim_token;
pub mod scim_user;
pub mod second_factor;
pub mod session;
pub mod share;
pub mod spent_challenge;
pub mod sso_domain;
pub mod sso_provider;
pub mod status_page;
pub mod status_page_subscriber;
pub mod study;
pub mod target_group;
pub mod user;
pub mod user_preferences;
pub mod website;
pub mod website_protocol;

pub use by_id::{delete, find};
/// Lists the entities: none has hooks around its writes.
macro_rules! without_hooks {
    ($($entity:ident)*) => {
        $(impl ActiveModelBehavior for $entity::ActiveModel {})*
    };
}

without_hooks! {
    acme_account acme_certificate acme_challenge acme_order agent_chat agent_memory agent_message alarm alarm_destination alarm_standing api_key
    audit_entry audit_head backup_code board deleted_link error_status event_cursor event_import event_segment feedback flag
    flag_change flag_schedule former_host host identity import invitation link link_folder link_use membership monitor
    monitor_ask monitor_day monitor_probe monitor_report monitor_row monitor_transition moved_website oauth_app oauth_grant oauth_token organization outbox
    passkey password_reset profile profile_erasure profile_trait provisioned salt scheduled_report
    scim_group scim_member scim_token scim_user second_factor session share spent_challenge sso_domain sso_provider status_page status_page_subscriber study target_group user user_preferences website
    website_protocol
}

/// Gives a table of an organization its tenant door.
macro_rules! within_organization {
    ($($entity:ident)*) => {
        $(impl $entity::Entity {
            /// The rows of one organization.
            pub fn within(organization: &OrganizationId) -> Select<Self> {
                Self::find().filter($entity::COLUMN.organization_id.eq(organization.as_str()))
            }
        })*
    };
}

within_organization! {
    api_key board flag flag_change flag_schedule host invitation link link_folder membership scim_group scim_token scim_user sso_domain sso_provider
    target_group
}

/// Stores a new row as it is.
pub async fn insert<A: ActiveModelTrait>(db: &impl ConnectionTrait, row: A) -> Result<(), DbErr> {
    A::Entity::insert(row)
        .exec_without_returning(db)
        .await
        .map(drop)
}

/// Stores a new row, unless another one has its values in the `unique` columns. Whether it was stored.
pub async fn insert_if_absent<A: ActiveModelTrait>(
    db: &impl ConnectionTrait,
    row: A,
    unique: impl IntoIterator<Item = <A::Entity as EntityTrait>::Column>,
) -> Result<bool, DbErr> {
    let keep = OnConflict::columns(unique).do_nothing().to_owned();
    let inserted = A::Entity::insert(row)
        .on_conflict(keep)
        .exec_without_returning(db)
        .await;
    match inserted {
        Ok(rows) => Ok(rows > 0),
        Err(DbErr::RecordNotInserted) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Stores a row. If another one has its values in the `unique` columns, that row gets the values of `columns`.
pub async fn upsert<A: ActiveModelTrait>(
    db: &impl ConnectionTrait,
    row: A,
    unique: impl IntoIterator<Item = <A::Entity as EntityTrait>::Column>,
    columns: impl IntoIterator<Item = <A::Entity as EntityTrait>::Column>,
) -> Result<(), DbErr> {
    let replace = OnConflict::columns(unique)
        .update_columns(columns)
        .to_owned();
    A::Entity::insert(row)
        .on_conflict(replace)
        .exec_without_returning(db)
        .await
        .map(drop)
}

/// Sets the columns of the row with this id, which is the only column of its primary key. How many rows there were.
pub async fn update<A: ActiveModelTrait>(
    db: &impl ConnectionTrait,
    id: &str,
    columns: A,
) -> Result<u64, DbErr> {
    let mut update = A::Entity::update_many().set(columns);
    for key in <A::Entity as EntityTrait>::PrimaryKey::iter() {
        update = update.filter(key.into_column().eq(id));
    }
    Ok(update.exec(db).await?.rows_affected)
}

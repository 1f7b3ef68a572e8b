//! Providers that organizations added.

use sea_orm::{ActiveValue::Set, QueryOrder, prelude::*};

use crate::{
    access::Role,
    actors::organizations::{SsoProvider, SsoProviderFields},
    clock::from_ms,
    entities::{self, sso_provider},
    ids::OrganizationId,
};

/// `None` for a damaged row: such a provider signs no one in.
fn read(row: sso_provider::Model) -> Option<SsoProvider> {
    let join_role = match row.join_role.as_deref() {
        Some(role) => Some(Role::parse(role)?),
        None => None,
    };
    Some(SsoProvider {
        id: row.id,
        organization: row.organization_id.into(),
        fields: SsoProviderFields {
            label: row.label,
            issuer: row.issuer,
            client_id: row.client_id,
            scopes: row.scopes,
            groups_claim: row.groups_claim,
            roles: serde_json::from_str(&row.roles).ok()?,
            join_role,
            is_enabled: row.is_enabled,
        },
        sealed_secret: row.sealed_secret,
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
    })
}

fn row(provider: &SsoProvider) -> Result<sso_provider::ActiveModel, DbErr> {
    let fields = &provider.fields;
    let roles = serde_json::to_string(&fields.roles);
    Ok(sso_provider::ActiveModel {
        id: Set(provider.id.clone()),
        organization_id: Set(provider.organization.to_string()),
        label: Set(fields.label.clone()),
        issuer: Set(fields.issuer.clone()),
        client_id: Set(fields.client_id.clone()),
        sealed_secret: Set(provider.sealed_secret.clone()),
        scopes: Set(fields.scopes.clone()),
        groups_claim: Set(fields.groups_claim.clone()),
        roles: Set(roles.map_err(|error| DbErr::Json(error.to_string()))?),
        join_role: Set(fields.join_role.map(|role| role.as_str().to_owned())),
        is_enabled: Set(fields.is_enabled),
        created_at: Set(from_ms(provider.created_ms)),
        updated_at: Set(from_ms(provider.updated_ms)),
    })
}

/// The providers of an organization, oldest first.
pub(crate) async fn list(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
) -> Result<Vec<SsoProvider>, DbErr> {
    let rows = sso_provider::Entity::within(organization)
        .order_by_asc(sso_provider::COLUMN.created_at)
        .order_by_asc(sso_provider::COLUMN.id)
        .all(db)
        .await?;
    Ok(rows.into_iter().filter_map(read).collect())
}

pub(crate) async fn find(
    db: &impl ConnectionTrait,
    id: &str,
) -> Result<Option<SsoProvider>, DbErr> {
    let row = sso_provider::Entity::find_by_id(id).one(db).await?;
    Ok(row.and_then(read))
}

pub(crate) async fn insert(db: &impl ConnectionTrait, provider: &SsoProvider) -> Result<(), DbErr> {
    entities::insert(db, row(provider)?).await
}

pub(crate) async fn update(db: &impl ConnectionTrait, provider: &SsoProvider) -> Result<(), DbErr> {
    let row = row(provider)?;
    sso_provider::Entity::update(row).exec(db).await.map(drop)
}

pub(crate) async fn delete(db: &impl ConnectionTrait, id: &str) -> Result<bool, DbErr> {
    entities::delete::<sso_provider::Entity>(db, id).await
}

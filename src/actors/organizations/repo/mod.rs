//! The tables of this domain.

pub(super) mod factors;
pub(super) mod identities;
pub(super) mod invitations;
pub(super) mod members;
pub(super) mod passkeys;
pub(super) mod people;
pub(super) mod resets;
pub(super) mod scim;
pub(super) mod sessions;
pub(super) mod sso_domains;
pub(super) mod sso_providers;
pub(super) mod tenants;

use std::{collections::HashMap, sync::Arc};

use sea_orm::{QueryOrder, prelude::*};

use super::{OrganizationError, OrganizationsView, SecondFactors};
use crate::{
    access::{Member, Role},
    entities::{membership, organization, session, user},
    store::{StateDb, state::Write},
};

/// One transaction: everything that `work` writes, or nothing.
pub(super) async fn write<T>(
    db: StateDb,
    work: impl AsyncFnOnce(&Write) -> Result<T, OrganizationError>,
) -> Result<T, OrganizationError> {
    let write = db.begin().await?;
    let value = work(&write).await?;
    write.commit().await?;
    Ok(value)
}

pub(super) async fn load(
    db: &impl ConnectionTrait,
    now_ms: i64,
) -> Result<OrganizationsView, DbErr> {
    let organizations = organization::Entity::find().all(db).await?;
    let mut view = OrganizationsView {
        installed: !organizations.is_empty(),
        ..OrganizationsView::default()
    };
    for row in organizations {
        if row.deleted_at.is_none() {
            view.insert_organization(row.into());
        }
    }
    let mut memberships = memberships(db, &view).await?;
    let (apps, passkeys) = (factors::all(db).await?, passkeys::owners(db).await?);
    for row in user::Entity::find().all(db).await? {
        let own = memberships.remove(&row.id).unwrap_or_default();
        let second_factors = SecondFactors {
            app: apps.contains(&row.id),
            passkey: passkeys.contains(&row.id),
        };
        let person = people::person(row, own, second_factors);
        view.people.insert(person.id.clone(), Arc::new(person));
        // Perhaps all of their organizations were erased.
        view.installed = true;
    }
    for row in session::Entity::find().all(db).await? {
        let Some(session) = sessions::live(row, &view) else {
            continue;
        };
        if session.is_alive(now_ms) {
            view.insert_session(Arc::new(session));
        }
    }
    Ok(view)
}

async fn memberships(
    db: &impl ConnectionTrait,
    view: &OrganizationsView,
) -> Result<HashMap<String, Vec<Member>>, DbErr> {
    let rows = membership::Entity::find()
        .order_by_asc(membership::COLUMN.created_at)
        .all(db)
        .await?;
    let mut by_user: HashMap<String, Vec<Member>> = HashMap::new();
    for row in rows {
        let Some(organization) = view.organization(&row.organization_id) else {
            continue;
        };
        let Some(role) = Role::parse(&row.role) else {
            tracing::error!(
                user.id = row.user_id,
                "unknown role `{}` in a membership is ignored",
                row.role
            );
            continue;
        };
        by_user.entry(row.user_id).or_default().push(Member {
            organization: organization.tenant.id.clone(),
            role,
        });
    }
    Ok(by_user)
}

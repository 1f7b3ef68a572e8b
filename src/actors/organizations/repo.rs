//! The tables of this domain.

use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicI64},
};

use sea_orm::{ActiveValue::Set, Condition, QueryOrder, prelude::*};

use super::view::{IDLE_MS, LiveSession, Organization, OrganizationsView, Person};
use crate::{
    access::{Member, Role, SessionGrant, authorize::Tenant},
    actors::digest::Digest,
    clock::from_ms,
    entities::{membership, organization, session, user},
    ids::{OrganizationKey, SessionId, UserId},
};

/// Everything that is alive.
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
            let organization = Organization::from(row);
            view.organizations
                .insert(organization.tenant.id.clone(), Arc::new(organization));
        }
    }
    let mut memberships = memberships(db, &view).await?;
    for row in user::Entity::find().all(db).await? {
        let own = memberships.remove(&row.id).unwrap_or_default();
        let person = person(row, own);
        view.people.insert(person.id.clone(), Arc::new(person));
    }
    for row in session::Entity::find().all(db).await? {
        let Some(session) = live_session(row, &view) else {
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

/// The account's person and password hash.
pub(super) async fn credentials(
    db: &impl ConnectionTrait,
    account: &str,
) -> Result<Option<(UserId, String)>, DbErr> {
    let row = user::Entity::find()
        .filter(user::COLUMN.email.eq(account))
        .one(db)
        .await?;
    Ok(row.map(|row| (row.id.into(), row.password_hash)))
}

/// Whether any organization was ever made.
pub(super) async fn is_installed(db: &impl ConnectionTrait) -> Result<bool, DbErr> {
    Ok(organization::Entity::find().one(db).await?.is_some())
}

/// Stores an organization with its owner.
pub(super) async fn insert_organization(
    db: &impl ConnectionTrait,
    organization: organization::Model,
    owner: user::Model,
) -> Result<(), DbErr> {
    let membership = membership::ActiveModel {
        organization_id: Set(organization.id.clone()),
        user_id: Set(owner.id.clone()),
        role: Set(Role::Owner.as_str().to_owned()),
        created_at: Set(organization.created_at),
    };
    let organization = organization::ActiveModel::from(organization).reset_all();
    organization::Entity::insert(organization)
        .exec_without_returning(db)
        .await?;
    user::Entity::insert(user::ActiveModel::from(owner).reset_all())
        .exec_without_returning(db)
        .await?;
    membership::Entity::insert(membership)
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Stores an organization and its owner anew, under their ids.
pub(super) async fn update_organization(
    db: &impl ConnectionTrait,
    organization: organization::Model,
    owner: user::Model,
) -> Result<(), DbErr> {
    let organization = organization::ActiveModel::from(organization).reset_all();
    organization::Entity::update(organization).exec(db).await?;
    let owner = user::ActiveModel::from(owner).reset_all();
    user::Entity::update(owner).exec(db).await?;
    Ok(())
}

/// Stores a session, and clears away what of the person's sessions is over.
pub(super) async fn insert_session(
    db: &impl ConnectionTrait,
    session: session::Model,
) -> Result<(), DbErr> {
    let now = session.created_at;
    let idle_since = now - chrono::TimeDelta::milliseconds(IDLE_MS);
    session::Entity::delete_many()
        .filter(session::COLUMN.user_id.eq(session.user_id.as_str()))
        .filter(
            Condition::any()
                .add(session::COLUMN.expires_at.lte(now))
                .add(session::COLUMN.last_seen_at.lte(idle_since)),
        )
        .exec(db)
        .await?;
    session::Entity::insert(session::ActiveModel::from(session).reset_all())
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Removes a session.
pub(super) async fn delete_session(db: &impl ConnectionTrait, id: &SessionId) -> Result<(), DbErr> {
    session::Entity::delete_by_id(id.as_str()).exec(db).await?;
    Ok(())
}

/// Writes when a session was last used.
pub(super) async fn mark_seen(
    db: &impl ConnectionTrait,
    id: &SessionId,
    seen_ms: i64,
) -> Result<(), DbErr> {
    session::Entity::update_many()
        .col_expr(session::Column::LastSeenAt, Expr::value(from_ms(seen_ms)))
        .filter(session::COLUMN.id.eq(id.as_str()))
        .exec(db)
        .await?;
    Ok(())
}

impl From<organization::Model> for Organization {
    fn from(row: organization::Model) -> Self {
        Self {
            tenant: Tenant {
                id: row.id.into(),
                key: OrganizationKey(row.key),
            },
            name: row.name,
            slug: row.slug,
            plan: row.plan,
            created_ms: row.created_at.timestamp_millis(),
        }
    }
}

/// A stored person with the memberships that were found.
pub(super) fn person(row: user::Model, memberships: Vec<Member>) -> Person {
    Person {
        id: row.id.into(),
        email: row.email,
        name: row.name,
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
        memberships,
    }
}

/// A stored session with what its person may do; `None` when either is damaged or gone.
pub(super) fn live_session(row: session::Model, view: &OrganizationsView) -> Option<LiveSession> {
    let person = view.people.get(row.user_id.as_str())?;
    let seen_ms = row.last_seen_at.timestamp_millis();
    let active = row
        .active_organization_id
        .map(crate::ids::OrganizationId::from)
        .filter(|active| {
            person
                .memberships
                .iter()
                .any(|member| member.organization == *active)
        });
    Some(LiveSession {
        grant: Arc::new(SessionGrant {
            id: row.id.into(),
            user: person.id.clone(),
            active_organization: active,
            memberships: person.memberships.clone(),
        }),
        created_ms: row.created_at.timestamp_millis(),
        expires_ms: row.expires_at.timestamp_millis(),
        user_agent: row.user_agent,
        digest: Digest::from_hex(&row.token_hash)?,
        last_seen_ms: AtomicI64::new(seen_ms),
        written_seen_ms: AtomicI64::new(seen_ms),
    })
}

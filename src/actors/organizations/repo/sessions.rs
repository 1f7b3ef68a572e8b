//! Sessions.

use std::sync::Arc;

use sea_orm::{ActiveValue::Set, Condition, prelude::*, sea_query::IntoCondition};

use crate::{
    access::SessionGrant,
    actors::{
        digest::Digest,
        organizations::{
            LiveSession, OrganizationsView, SignInMethod,
            model::{IDLE_MS, Use},
        },
    },
    clock::from_ms,
    entities::{self, session},
    ids::{OrganizationId, SessionId, UserId},
};

/// Stores a session, and clears away what of the person's sessions is over.
pub(crate) async fn insert(
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
    entities::insert(db, session::ActiveModel::from(session).reset_all()).await
}

pub(crate) async fn delete(db: &impl ConnectionTrait, id: &SessionId) -> Result<(), DbErr> {
    session::Entity::delete_by_id(id.as_str()).exec(db).await?;
    Ok(())
}

/// Removes a person's sessions, but for one.
pub(crate) async fn delete_all(
    db: &impl ConnectionTrait,
    user: &UserId,
    but: Option<&SessionId>,
) -> Result<(), DbErr> {
    let mut ended =
        session::Entity::delete_many().filter(session::COLUMN.user_id.eq(user.as_str()));
    if let Some(but) = but {
        ended = ended.filter(session::COLUMN.id.ne(but.as_str()));
    }
    ended.exec(db).await?;
    Ok(())
}

/// Removes a person's sessions that began in one way.
pub(crate) async fn delete_by_method(
    db: &impl ConnectionTrait,
    user: &UserId,
    method: &SignInMethod,
) -> Result<(), DbErr> {
    session::Entity::delete_many()
        .filter(session::COLUMN.user_id.eq(user.as_str()))
        .filter(session::COLUMN.method.eq(method.to_text()))
        .exec(db)
        .await?;
    Ok(())
}

/// Gives a session another token: the old one is worth nothing.
pub(crate) async fn set_token(
    db: &impl ConnectionTrait,
    id: &SessionId,
    digest: Digest,
) -> Result<(), DbErr> {
    let row = session::ActiveModel {
        token_hash: Set(digest.to_hex()),
        ..Default::default()
    };
    entities::update(db, id.as_str(), row).await.map(drop)
}

pub(crate) async fn set_active(
    db: &impl ConnectionTrait,
    id: &SessionId,
    organization: Option<&OrganizationId>,
) -> Result<(), DbErr> {
    let row = session::ActiveModel {
        active_organization_id: Set(organization.map(ToString::to_string)),
        ..Default::default()
    };
    entities::update(db, id.as_str(), row).await.map(drop)
}

/// Ends the work of these sessions in an organization.
pub(super) async fn leave(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    sessions: impl IntoCondition,
) -> Result<(), DbErr> {
    let row = session::ActiveModel {
        active_organization_id: Set(None),
        ..Default::default()
    };
    let works_there = session::COLUMN.active_organization_id;
    session::Entity::update_many()
        .set(row)
        .filter(works_there.eq(organization.as_str()))
        .filter(sessions)
        .exec(db)
        .await
        .map(drop)
}

pub(crate) async fn mark_seen(
    db: &impl ConnectionTrait,
    id: &SessionId,
    seen_ms: i64,
) -> Result<(), DbErr> {
    session::Entity::update_many()
        .col_expr(session::Column::LastSeenAt, Expr::value(from_ms(seen_ms)))
        .filter(session::COLUMN.id.eq(id.as_str()))
        // Another process may have seen a later use.
        .filter(session::COLUMN.last_seen_at.lt(from_ms(seen_ms)))
        .exec(db)
        .await?;
    Ok(())
}

pub(crate) fn row(session: &LiveSession) -> session::Model {
    let grant = &session.grant;
    session::Model {
        id: grant.id.to_string(),
        token_hash: session.digest.to_hex(),
        user_id: grant.user.to_string(),
        active_organization_id: grant.active_organization.as_ref().map(ToString::to_string),
        created_at: from_ms(session.created_ms),
        last_seen_at: from_ms(session.last_seen_ms()),
        expires_at: from_ms(session.expires_ms),
        user_agent: session.user_agent.clone(),
        method: session.method.to_text(),
        provider_session: session.provider_session.clone(),
    }
}

/// A stored session with what its person may do; `None` when either is damaged or gone.
pub(crate) fn live(row: session::Model, view: &OrganizationsView) -> Option<LiveSession> {
    let person = view.people.get(row.user_id.as_str())?;
    let method = SignInMethod::parse(&row.method)?;
    let memberships = view.granted(person, &method);
    let active = row.active_organization_id.map(OrganizationId::from);
    let is_member = |id: &OrganizationId| memberships.iter().any(|own| own.organization == *id);
    Some(LiveSession {
        grant: Arc::new(SessionGrant {
            id: row.id.into(),
            user: person.id.clone(),
            active_organization: active.filter(is_member),
            memberships,
        }),
        created_ms: row.created_at.timestamp_millis(),
        expires_ms: row.expires_at.timestamp_millis(),
        user_agent: row.user_agent,
        method,
        provider_session: row.provider_session,
        digest: Digest::from_hex(&row.token_hash)?,
        used: Use::at(row.last_seen_at.timestamp_millis()),
    })
}

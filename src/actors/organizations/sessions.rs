//! How sessions begin, are kept up and end.

use std::sync::{Arc, atomic::AtomicI64, atomic::Ordering};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use super::{
    OrganizationError, OrganizationsView, SignedIn,
    messages::OpenSession,
    repo,
    view::{ABSOLUTE_MS, LiveSession},
};
use crate::{
    access::SessionGrant,
    actors::{digest::Digest, random},
    clock::from_ms,
    entities::session,
    ids::SessionId,
    store::{StateDb, StateError},
};

/// Characters of the browser's name that are kept.
const MAX_USER_AGENT: usize = 512;

/// A new session for a person whose password was right: the row to store and what to answer.
pub(super) fn draft(
    view: &OrganizationsView,
    open: OpenSession,
    now_ms: i64,
) -> Result<(session::Model, SignedIn), OrganizationError> {
    let person = view
        .person(&open.user)
        .ok_or(OrganizationError::WrongCredentials)?;
    let token = URL_SAFE_NO_PAD.encode(random::bytes::<32>()?);
    let active = person.memberships.first();
    let session = LiveSession {
        grant: Arc::new(SessionGrant {
            id: SessionId::new(),
            user: person.id.clone(),
            active_organization: active.map(|member| member.organization.clone()),
            memberships: person.memberships.clone(),
        }),
        created_ms: now_ms,
        expires_ms: now_ms + ABSOLUTE_MS,
        user_agent: open
            .user_agent
            .map(|agent| agent.chars().take(MAX_USER_AGENT).collect()),
        digest: Digest::of(&token),
        last_seen_ms: AtomicI64::new(now_ms),
        written_seen_ms: AtomicI64::new(now_ms),
    };
    let signed_in = SignedIn {
        token: token.into(),
        person: Arc::clone(person),
        session: Arc::new(session),
    };
    Ok((row(&signed_in.session), signed_in))
}

fn row(session: &LiveSession) -> session::Model {
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
    }
}

/// Stores a new session.
pub(super) async fn save(db: StateDb, row: session::Model) -> Result<(), OrganizationError> {
    let write = db.begin().await?;
    repo::insert_session(&*write, row).await?;
    Ok(write.commit().await?)
}

/// Ends a session in storage.
pub(super) async fn end(db: StateDb, id: SessionId) -> Result<SessionId, OrganizationError> {
    let write = db.begin().await?;
    repo::delete_session(&*write, &id).await?;
    write.commit().await?;
    Ok(id)
}

/// The sessions that were used at least `every_ms` after what is stored of them.
pub(super) fn unstored_use(view: &OrganizationsView, every_ms: i64) -> Vec<Arc<LiveSession>> {
    let unstored = |session: &&Arc<LiveSession>| {
        let written_ms = session.written_seen_ms.load(Ordering::Relaxed);
        session.last_seen_ms() >= written_ms + every_ms
    };
    view.sessions.values().filter(unstored).cloned().collect()
}

/// Stores when these sessions were used, in one transaction. A failure is logged; the next turn tries again.
pub(super) async fn store_use(db: StateDb, used: Vec<Arc<LiveSession>>) {
    if used.is_empty() {
        return;
    }
    if let Err(error) = write_use(&db, &used).await {
        tracing::warn!(%error, sessions = used.len(), "the last use of sessions is not stored yet");
    }
}

async fn write_use(db: &StateDb, used: &[Arc<LiveSession>]) -> Result<(), StateError> {
    let seen: Vec<i64> = used.iter().map(|session| session.last_seen_ms()).collect();
    let write = db.begin().await?;
    for (session, seen_ms) in used.iter().zip(&seen) {
        repo::mark_seen(&*write, &session.grant.id, *seen_ms).await?;
    }
    write.commit().await?;
    for (session, seen_ms) in used.iter().zip(seen) {
        session.written_seen_ms.store(seen_ms, Ordering::Relaxed);
    }
    Ok(())
}

/// Drops what is over from memory; storage follows when the person signs in again.
pub(super) fn forget_ended(view: &mut Arc<OrganizationsView>, now_ms: i64) {
    let ended: Vec<SessionId> = view
        .sessions
        .values()
        .filter(|session| !session.is_alive(now_ms))
        .map(|session| session.grant.id.clone())
        .collect();
    if ended.is_empty() {
        return;
    }
    let view = Arc::make_mut(view);
    for id in &ended {
        view.remove_session(id);
    }
}

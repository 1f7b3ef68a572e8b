//! How sessions begin, are kept up and end.

use std::sync::{Arc, atomic::Ordering};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sea_orm::DbErr;
use secrecy::SecretString;
use serde_json::json;

use super::{
    LiveSession, OrganizationsView, Person, SignInMethod, SignedIn,
    model::{ABSOLUTE_MS, Use},
    repo,
};
use crate::{
    access::SessionGrant,
    actors::{
        audit::{self, Action, Actor, Entry},
        digest::Digest,
        random::{self, NoRandomness},
    },
    ids::SessionId,
    store::{StateDb, StateError, state::Write},
};

/// Other processes read anew when a session was used if what they know is this old, milliseconds. Sessions are over
/// when they were not used for far longer.
const TOLD_EVERY_MS: i64 = 24 * 60 * 60 * 1000;
/// Characters of the browser's name that are kept.
const MAX_USER_AGENT: usize = 512;

/// 256 random bits, and what is kept of them.
pub(super) fn token() -> Result<(SecretString, Digest), NoRandomness> {
    let token = URL_SAFE_NO_PAD.encode(random::bytes::<32>()?);
    let digest = Digest::from_secret(&token);
    Ok((token.into(), digest))
}

/// How and where a person signs in.
#[derive(Debug)]
pub(super) struct Origin {
    pub(super) method: SignInMethod,
    /// The provider's ID of its own session, or the passkey that was used.
    pub(super) provider_session: Option<String>,
    /// What the browser calls itself.
    pub(super) user_agent: Option<String>,
}

impl Origin {
    /// A sign-in with a password.
    pub(super) fn password(user_agent: Option<String>) -> Self {
        Self {
            method: SignInMethod::Password,
            provider_session: None,
            user_agent,
        }
    }
}

/// A new session of a person who has shown who they are. It starts in the oldest organization that it has access to.
pub(super) fn open(
    view: &OrganizationsView,
    person: Arc<Person>,
    origin: Origin,
    now_ms: i64,
) -> Result<SignedIn, NoRandomness> {
    let (token, digest) = token()?;
    let memberships = view.granted(&person, &origin.method);
    let active = memberships.first();
    let session = LiveSession {
        grant: Arc::new(SessionGrant {
            id: SessionId::new(),
            user: person.id.clone(),
            active_organization: active.map(|member| member.organization.clone()),
            memberships,
        }),
        created_ms: now_ms,
        expires_ms: now_ms + ABSOLUTE_MS,
        user_agent: (origin.user_agent).map(|agent| agent.chars().take(MAX_USER_AGENT).collect()),
        method: origin.method,
        provider_session: origin.provider_session,
        digest,
        used: Use::at(now_ms),
    };
    Ok(SignedIn {
        token,
        person,
        session: Arc::new(session),
    })
}

/// Stores a new session, with the sign-in in the audit log.
pub(super) async fn store(write: &Write, session: &LiveSession, now_ms: i64) -> Result<(), DbErr> {
    repo::sessions::insert(&**write, repo::sessions::row(session)).await?;
    record_sign_in(write, session, now_ms).await
}

/// Removes ended sessions from storage; `Organizations::forget_sessions` follows.
pub(super) async fn delete(write: &Write, ended: &[SessionId]) -> Result<(), DbErr> {
    for session in ended {
        repo::sessions::delete(&**write, session).await?;
    }
    Ok(())
}

/// Writes the sign-in into the log of every organization that the session has access to, or into the one of none.
async fn record_sign_in(write: &Write, session: &LiveSession, now_ms: i64) -> Result<(), DbErr> {
    let grant = &session.grant;
    let (method, provider) = session.method.parts();
    let organizations = grant.memberships.iter();
    let mut logs: Vec<_> = organizations
        .map(|member| Some(member.organization.clone()))
        .collect();
    if logs.is_empty() {
        logs.push(None);
    }
    for organization in logs {
        let actor = Actor::User(grant.user.clone());
        let entry = Entry::new(
            organization,
            actor,
            Action::SessionCreate,
            grant.id.as_str(),
        );
        let details = json!({ "method": method, "provider": provider });
        audit::record(write, now_ms, entry.with(details)).await?;
    }
    Ok(())
}

/// The same session under a new token, which makes the old one worthless.
pub(super) fn renewed(
    view: &OrganizationsView,
    session: &LiveSession,
    person: Arc<Person>,
) -> Result<SignedIn, NoRandomness> {
    let (token, digest) = token()?;
    let active = session.grant.active_organization.clone();
    let memberships = view.granted(&person, &session.method);
    let session = LiveSession {
        digest,
        ..session.regranted(memberships, active)
    };
    Ok(SignedIn {
        token,
        person,
        session: Arc::new(session),
    })
}

/// The sessions that were used at least `every_ms` after what is stored of them.
pub(super) fn unstored_use(view: &OrganizationsView, every_ms: i64) -> Vec<Arc<LiveSession>> {
    let unstored = |session: &&Arc<LiveSession>| {
        let written_ms = session.used.written_ms.load(Ordering::Relaxed);
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
    let known = |session: &Arc<LiveSession>| session.used.written_ms.load(Ordering::Relaxed);
    let is_news = (used.iter().zip(&seen)).any(|(one, seen)| *seen >= known(one) + TOLD_EVERY_MS);
    let write = db.begin_blind().await?;
    for (session, seen_ms) in used.iter().zip(&seen) {
        repo::sessions::mark_seen(&*write, &session.grant.id, *seen_ms).await?;
    }
    if is_news {
        write.commit().await?;
    } else {
        write.commit_quietly().await?;
    }
    for (session, seen_ms) in used.iter().zip(seen) {
        session.used.written_ms.store(seen_ms, Ordering::Relaxed);
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

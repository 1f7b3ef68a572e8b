//! Opening a session with a passkey.

use std::sync::Arc;

use actix::Addr;

use crate::{
    actors::{
        audit::Action,
        kit::{Live, ask, commit, handlers},
        organizations::{
            Decision, OrganizationError, Organizations, Passkey, SignInMethod, SignInWithPasskey,
            SignedIn, Work,
            messages::OpenWithPasskey,
            repo::{self, write},
            sessions::{self, Origin},
            trail,
        },
    },
    passkeys::PasskeyUse,
    store::state::Write,
};

handlers! { Organizations:
    beside SignInWithPasskey => |_: &mut Organizations, message, actor| sign_in(message, actor);
    decide OpenWithPasskey => Organizations::open_with_passkey;
}

fn sign_in(message: SignInWithPasskey, actor: Addr<Live<Organizations>>) -> Work<SignedIn> {
    Box::pin(async move {
        let opened = ask(&actor, OpenWithPasskey(message)).await?;
        opened.ok_or(OrganizationError::PasskeyRefused)
    })
}

impl Organizations {
    fn open_with_passkey(&mut self, message: OpenWithPasskey) -> Decision<Option<SignedIn>> {
        let (message, now_ms) = (message.0, self.env.clock.now_ms());
        let (passkey, used) = (message.passkey, message.used);
        let person = self.view.person(&passkey.user);
        let person = Arc::clone(person.ok_or(OrganizationError::PasskeyRefused)?);
        let pending = message.waiting.as_ref();
        let pending = pending
            .and_then(|token| self.pending_sign_in(token, now_ms))
            .filter(|(_, whose)| whose.id == person.id)
            .map(|(pending, _)| pending);
        let mut origin = match &pending {
            Some(pending) => pending.origin(message.user_agent),
            None => Origin {
                method: SignInMethod::Passkey,
                provider_session: None,
                user_agent: message.user_agent,
            },
        };
        if let Some(name) = self.view.only_provider(&person, &origin.method) {
            return Err(OrganizationError::ProviderRequired(name));
        }
        if pending.as_ref().is_none_or(|one| one.provider.is_none()) {
            origin.provider_session = Some(passkey.id.clone());
        }
        let view = Arc::clone(&self.view);
        let signed_in = sessions::open(&view, Arc::clone(&person), origin, now_ms)?;
        let (user, set_ms) = (person.id.clone(), pending.as_ref().map(|one| one.set_ms));
        let challenge = message.challenge;
        let io = write(self.env.db.clone(), async move |write| {
            if !repo::passkeys::spend(&**write, &challenge, now_ms).await? {
                return Err(OrganizationError::ChallengeOver);
            }
            if let Some(pending) = pending {
                pending.recheck(write, &view, &person).await?;
            }
            if !mark_used(write, &passkey, used, now_ms).await? {
                return Ok(None);
            }
            sessions::store(write, &signed_in.session, now_ms).await?;
            Ok(Some(signed_in))
        });
        Ok(commit(io, move |domain: &mut Self, signed_in| {
            let signed_in = signed_in?;
            if let Some(set_ms) = set_ms {
                domain.adopt_password_time(&user, set_ms);
            }
            let session = Arc::clone(&signed_in.session);
            Arc::make_mut(&mut domain.view).insert_session(session);
            Some(signed_in)
        }))
    }
}

/// Notes a use. One whose counter went back is in the audit log, and opens nothing.
async fn mark_used(
    write: &Write,
    passkey: &Passkey,
    used: PasskeyUse,
    now_ms: i64,
) -> Result<bool, OrganizationError> {
    let (user, id) = (&passkey.user, passkey.id.as_str());
    if repo::passkeys::mark_used(&**write, id, used, now_ms).await? {
        return Ok(true);
    }
    let known = repo::passkeys::find(&**write, user, id).await?;
    known.ok_or(OrganizationError::PasskeyRefused)?;
    tracing::warn!(passkey = id, "the counter of a passkey went back");
    let why = serde_json::json!({ "reason": "counter" });
    let what = (Action::PasskeyRefuse, id);
    trail::record(write, user, what, Some(why), now_ms).await?;
    Ok(false)
}

//! Proving that one has the second factor: what a sign-in waits for, and what turns a new factor on.

use std::sync::Arc;

use actix::Addr;
use secrecy::ExposeSecret as _;

use super::{Vault, totp};
use crate::{
    actors::{
        kit::{Live, ask, commit, handlers},
        organizations::{
            Claim, Code, Decision, OrganizationError, Organizations, Person, ProveFactor, SignedIn,
            Work,
            attempts::Subject,
            messages::SpendCode,
            repo::{self, write},
            sessions,
            vault::PendingSignIn,
        },
    },
    ids::UserId,
    store::state::Write,
};

/// Who says that they have the factor.
struct FactorClaim {
    person: Arc<Person>,
    /// The session that goes on, or that is opened.
    signed_in: SignedIn,
    /// The sign-in that it completes; `None` in a session.
    pending: Option<PendingSignIn>,
}

handlers! { Organizations:
    beside ProveFactor => Organizations::prove_factor;
    decide SpendCode => Organizations::spend_code;
}

impl Organizations {
    fn prove_factor(&mut self, message: ProveFactor, actor: Addr<Live<Self>>) -> Work<SignedIn> {
        let claimed = self.read_claim(&message, self.env.clock.now_ms());
        let attempts = self.passwords.attempts.clone();
        Box::pin(async move {
            let subject = Subject::Code(claimed?.person.id.clone());
            attempts.admit(&subject).await?;
            let signed_in = ask(&actor, SpendCode(message)).await?;
            attempts.clear(&subject).await;
            Ok(signed_in)
        })
    }

    fn spend_code(&mut self, message: SpendCode) -> Decision<SignedIn> {
        let (message, now_ms) = (message.0, self.env.clock.now_ms());
        let claimed = self.read_claim(&message, now_ms)?;
        let user = claimed.person.id.clone();
        let (vault, code, view) = (self.vault.clone(), message.code, Arc::clone(&self.view));
        let io = write(self.env.db.clone(), async move |write| {
            let user = &claimed.person.id;
            let session = &claimed.signed_in.session;
            if let Some(pending) = &claimed.pending {
                pending.recheck(write, &view, &claimed.person).await?;
                spend(write, (&vault, user), &code, true, now_ms).await?;
                sessions::store(write, session, now_ms).await?;
            } else {
                spend(write, (&vault, user), &code, false, now_ms).await?;
                let (id, digest) = (&session.grant.id, session.digest);
                repo::sessions::set_token(&**write, id, digest).await?;
            }
            let factors = repo::factors::of_person(&**write, user).await?;
            Ok((claimed, factors))
        });
        Ok(commit(
            io,
            move |domain: &mut Self, (mut claimed, factors)| {
                if let Some(pending) = &claimed.pending {
                    domain.adopt_password_time(&user, pending.set_ms);
                }
                let session = Arc::clone(&claimed.signed_in.session);
                Arc::make_mut(&mut domain.view).insert_session(session);
                domain.set_second_factors(&user, factors);
                Arc::make_mut(&mut claimed.signed_in.person).second_factors = factors;
                claimed.signed_in
            },
        ))
    }

    /// Whose code it is said to be, with the session that it is for.
    fn read_claim(
        &self,
        message: &ProveFactor,
        now_ms: i64,
    ) -> Result<FactorClaim, OrganizationError> {
        match &message.claim {
            Claim::Waiting(token) => {
                let (pending, person) = self
                    .pending_sign_in(token, now_ms)
                    .ok_or(OrganizationError::NotWaiting)?;
                let agent = message.user_agent.clone();
                Ok(FactorClaim {
                    signed_in: sessions::open(
                        &self.view,
                        Arc::clone(&person),
                        pending.origin(agent),
                        now_ms,
                    )?,
                    person,
                    pending: Some(pending),
                })
            }
            Claim::Session(id) => {
                let session = self.view.session_by_id(id);
                let session = session.ok_or(OrganizationError::SessionOver)?;
                let person = Arc::clone(self.signed_in(&session.grant.user)?);
                Ok(FactorClaim {
                    signed_in: sessions::renewed(&self.view, session, Arc::clone(&person))?,
                    person,
                    pending: None,
                })
            }
        }
    }
}

/// Uses a code up. `on` = some factor has to be on; else the app's first code turns it on.
async fn spend(
    write: &Write,
    (vault, user): (&Vault, &UserId),
    code: &Code,
    on: bool,
    now_ms: i64,
) -> Result<(), OrganizationError> {
    let (factor, is_on) = repo::factors::read(&**write, user).await?;
    if on && !is_on.any() {
        return Err(OrganizationError::NotWaiting);
    }
    if !is_on.any() && factor.is_none() {
        return Err(OrganizationError::NoFactor);
    }
    let good = match (code, factor) {
        (Code::App(given), Some(factor)) if is_on.app || !on => {
            let secret = vault.open(user, &factor.sealed_secret);
            let secret = secret.ok_or(OrganizationError::DamagedFactor)?;
            match totp::matching_step(&secret, given.expose_secret(), now_ms, factor.last_step) {
                Some(step) => repo::factors::take_step(&**write, user, step, now_ms).await?,
                None => false,
            }
        }
        (Code::Backup(given), _) if is_on.any() => {
            let hash = vault.hash(user, given.expose_secret());
            repo::factors::take_code(&**write, user, &hash).await?
        }
        (Code::App(_) | Code::Backup(_), _) => false,
    };
    if good {
        return Ok(());
    }
    Err(OrganizationError::WrongCode)
}

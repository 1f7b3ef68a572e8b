//! Adding a passkey.

use std::sync::Arc;

use secrecy::SecretString;
use uuid::Uuid;

use crate::{
    actors::{
        audit::Action,
        error::write_error,
        kit::{commit, handlers},
        organizations::{
            AddPasskey, AddedPasskey, Decision, OrganizationError, Organizations, Passkey,
            PasskeyApplicant, SecondFactors, StartPasskey, Work, factors,
            repo::{self, write},
            rules, trail,
            vault::Vault,
        },
    },
    ids::UserId,
    store::state::Write,
};

/// Passkeys of a person.
const MAX: usize = 20;

handlers! { Organizations:
    beside StartPasskey => |domain: &mut Organizations, message, _| domain.start_passkey(message);
    decide AddPasskey => Organizations::add_passkey;
}

impl Organizations {
    fn start_passkey(&mut self, message: StartPasskey) -> Work<PasskeyApplicant> {
        let proven = self.prove_presence(&message.session, message.password);
        let (view, db) = (Arc::clone(&self.view), self.env.db.clone());
        Box::pin(async move {
            let user = proven.await?;
            let person = view.person(&user).ok_or(OrganizationError::SessionOver)?;
            let own = list(db.reader(), &user).await?;
            Ok(PasskeyApplicant {
                email: person.email.clone(),
                name: person.name.clone(),
                credentials: own.into_iter().map(|one| one.credential_id).collect(),
                user,
            })
        })
    }

    fn add_passkey(&mut self, message: AddPasskey) -> Decision<AddedPasskey> {
        let user = self.live_session(&message.session)?.grant.user.clone();
        let name = match message.name.trim() {
            "" => "Passkey".to_owned(),
            given => rules::name(given)?,
        };
        let (vault, now_ms) = (self.vault.clone(), self.env.clock.now_ms());
        let credential = message.credential;
        let passkey = Passkey {
            id: Uuid::now_v7().to_string(),
            user: user.clone(),
            name,
            credential_id: credential.id,
            credential: credential.stored,
            counter: credential.counter,
            can_be_synced: credential.can_be_synced,
            is_backed_up: credential.is_backed_up,
            created_ms: now_ms,
            last_used_ms: None,
        };
        let challenge = message.challenge;
        let io = write(self.env.db.clone(), async move |write| {
            if !repo::passkeys::spend(&**write, &challenge, now_ms).await? {
                return Err(OrganizationError::ChallengeOver);
            }
            list(&**write, &passkey.user).await?;
            let before = repo::factors::of_person(&**write, &passkey.user).await?;
            // An authenticator has it already, perhaps for another person.
            let stored = repo::passkeys::insert(&**write, &passkey).await;
            stored.map_err(|error| write_error(error, OrganizationError::PasskeyKnown))?;
            let codes = first_codes(write, &vault, (&passkey.user, before)).await?;
            let action = Action::PasskeyCreate;
            trail::record(write, &passkey.user, (action, &passkey.id), None, now_ms).await?;
            let added = AddedPasskey { passkey, codes };
            Ok((added, before))
        });
        Ok(commit(io, move |domain: &mut Self, (added, before)| {
            let factors = SecondFactors {
                passkey: true,
                ..before
            };
            domain.set_second_factors(&user, factors);
            added
        }))
    }
}

/// A person's passkeys, if there may be one more.
async fn list(
    db: &impl sea_orm::ConnectionTrait,
    user: &UserId,
) -> Result<Vec<Passkey>, OrganizationError> {
    let own = repo::passkeys::list(db, user).await?;
    if own.len() >= MAX {
        return Err(OrganizationError::TooMany(
            "You have 20 passkeys. Remove one first.",
        ));
    }
    Ok(own)
}

/// New backup codes for a person who was asked for nothing but the password before.
async fn first_codes(
    write: &Write,
    vault: &Vault,
    (user, before): (&UserId, SecondFactors),
) -> Result<Vec<SecretString>, OrganizationError> {
    if before.any() {
        return Ok(Vec::new());
    }
    factors::replace_codes(write, vault, user).await
}

//! Setting up a second factor and taking it away. Each needs the password, which is checked beside the mailbox.

use super::{Vault, replace_codes, totp};
use crate::{
    actors::{
        kit::{commit, handlers},
        organizations::{
            Decision, FactorChange, FactorSecrets, ManageFactor, OrganizationError, Organizations,
            Work,
            messages::ChangeFactor,
            repo::{self, write},
        },
        random,
    },
    ids::UserId,
    store::state::Write,
};

handlers! { Organizations:
    prepare ManageFactor => Organizations::manage_factor;
    decide ChangeFactor => Organizations::change_factor;
}

impl Organizations {
    fn manage_factor(&mut self, message: ManageFactor) -> Work<ChangeFactor> {
        let passwords = self.passwords.clone();
        Box::pin(async move {
            let (user, password) = (&message.user, message.password);
            Ok(ChangeFactor {
                known: passwords.confirm(user, password, "password").await?,
                issuer: message.issuer,
                change: message.change,
            })
        })
    }

    fn change_factor(&mut self, message: ChangeFactor) -> Decision<FactorSecrets> {
        let (known, change) = (message.known, message.change);
        let email = self.confirmed(&known, "password")?.email.clone();
        let vault = self.vault.clone();
        let (user, now_ms) = (known.user, self.env.clock.now_ms());
        let whose = user.clone();
        let io = write(self.env.db.clone(), async move |write| {
            let shown = |secret: &[u8]| Some(totp::uri(secret, &message.issuer, &email).into());
            match change {
                FactorChange::Enable => {
                    let secret = new_factor(write, &vault, &user, now_ms).await?;
                    let codes = replace_codes(write, &vault, &user).await?;
                    let uri = shown(&secret);
                    Ok((FactorSecrets { uri, codes }, None))
                }
                FactorChange::Disable => {
                    repo::factors::delete_app(&**write, &user).await?;
                    let left = repo::factors::settle(&**write, &user).await?;
                    Ok((FactorSecrets::default(), Some(left)))
                }
                FactorChange::Reveal => {
                    let factor = repo::factors::find(&**write, &user).await?;
                    let factor = factor.ok_or(OrganizationError::NoFactor)?;
                    let secret = vault.open(&user, &factor.sealed_secret);
                    let secret = secret.ok_or(OrganizationError::DamagedFactor)?;
                    let (uri, codes) = (shown(&secret), Vec::new());
                    Ok((FactorSecrets { uri, codes }, None))
                }
                FactorChange::NewCodes => {
                    if !repo::factors::of_person(&**write, &user).await?.any() {
                        return Err(OrganizationError::NoFactor);
                    }
                    let codes = replace_codes(write, &vault, &user).await?;
                    Ok((FactorSecrets { uri: None, codes }, None))
                }
            }
        });
        Ok(commit(io, move |domain: &mut Self, (shown, left)| {
            if let Some(left) = left {
                domain.set_second_factors(&whose, left);
            }
            shown
        }))
    }
}

/// Stores a new secret, in place of one that was never confirmed.
async fn new_factor(
    write: &Write,
    vault: &Vault,
    user: &UserId,
    now_ms: i64,
) -> Result<Vec<u8>, OrganizationError> {
    let before = repo::factors::find(&**write, user).await?;
    if before.is_some_and(|factor| factor.confirmed_at.is_some()) {
        return Err(OrganizationError::FactorThere);
    }
    repo::factors::delete_app(&**write, user).await?;
    let secret = random::bytes::<{ totp::SECRET }>()?;
    let sealed = vault.close(user, &secret)?;
    repo::factors::insert(&**write, user, sealed, now_ms).await?;
    Ok(secret.to_vec())
}

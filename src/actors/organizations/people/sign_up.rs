//! New accounts: of strangers where sign-up is open, and of invited people.

use std::sync::Arc;

use secrecy::ExposeSecret;

use crate::{
    actors::{
        error::write_error,
        kit::{commit, handlers},
        organizations::{
            Decision, OrganizationError, Organizations, SecondFactors, SignUp, SignedIn, Work,
            messages::StoreAccount,
            repo::{self, write},
            rules,
            sessions::{self, Origin},
            tenants::joining,
        },
    },
    entities::user,
    ids::UserId,
};

handlers! { Organizations:
    prepare SignUp => Organizations::sign_up;
    decide StoreAccount => Organizations::store_account;
}

impl Organizations {
    fn sign_up(&mut self, message: SignUp) -> Work<StoreAccount> {
        let (account, passwords) = (self.admit_account(&message), self.passwords.clone());
        let (view, now_ms) = (Arc::clone(&self.view), self.env.clock.now_ms());
        Box::pin(async move {
            let account = account?;
            if let Some(token) = &message.invitation {
                let (db, token) = (passwords.db.reader(), token.expose_secret());
                // Checked again when it is stored; here because a wrong token must cost no hash.
                joining::open_for_stranger(db, &view, token, &account.email, now_ms).await?;
            }
            Ok(StoreAccount {
                account,
                language: message.language,
                invitation: message.invitation,
                password_hash: passwords.hasher.hash(message.password).await?,
                user_agent: message.user_agent,
            })
        })
    }

    fn store_account(&mut self, message: StoreAccount) -> Decision<SignedIn> {
        let (view, now) = (Arc::clone(&self.view), self.env.clock.now());
        let plans = self.env.options.plans.load_full();
        let io = write(self.env.db.clone(), async move |write| {
            let (user, now_ms) = (UserId::new(), now.timestamp_millis());
            let row = user::Model {
                id: user.to_string(),
                email: message.account.email,
                name: message.account.name,
                password_hash: message.password_hash,
                email_verified: false,
                password_changed_at: None,
                language: message.language.map(|language| language.code().to_owned()),
                break_glass: false,
                created_at: now,
                updated_at: now,
            };
            let stored = repo::people::insert(&**write, row.clone()).await;
            // The address is unique, whatever was known a moment ago.
            stored.map_err(|error| write_error(error, OrganizationError::EmailTaken))?;
            let mut memberships = Vec::new();
            if let Some(token) = &message.invitation {
                let (token, email) = (token.expose_secret(), &row.email);
                let found =
                    joining::open_for_stranger(&**write, &view, token, email, now_ms).await?;
                let found = joining::join(write, (&view, &plans), found, &user, now_ms).await?;
                memberships.push(found.membership());
            }
            let person = Arc::new(repo::people::person(
                row,
                memberships,
                SecondFactors::default(),
            ));
            let signed_in =
                sessions::open(&view, person, Origin::password(message.user_agent), now_ms)?;
            sessions::store(write, &signed_in.session, now_ms).await?;
            Ok(signed_in)
        });
        Ok(commit(io, |domain: &mut Self, signed_in| {
            let view = Arc::make_mut(&mut domain.view);
            view.insert_person(Arc::clone(&signed_in.person));
            view.insert_session(Arc::clone(&signed_in.session));
            signed_in
        }))
    }

    fn admit_account(&self, message: &SignUp) -> Result<rules::Account, OrganizationError> {
        if !self.env.options.open && message.invitation.is_none() {
            return Err(OrganizationError::SignUpClosed);
        }
        let account = rules::new_account(&message.name, &message.email)?;
        rules::new_password(&message.password, "password")?;
        let known = self.view.person_by_email(&account.email).is_some();
        // Whether there is an account is for those who may make one.
        if known && self.env.options.open {
            return Err(OrganizationError::EmailTaken);
        }
        Ok(account)
    }
}

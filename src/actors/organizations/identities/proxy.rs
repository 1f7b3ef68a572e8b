//! Opening a session for a person whom a trusted proxy names.

use std::sync::Arc;

use super::accounts::{self, Applicant};
use crate::{
    actors::{
        kit::{commit, handlers},
        organizations::{
            Decision, OrganizationError, Organizations, Person, SignInByProxy, SignInMethod,
            SignedIn,
            repo::write,
            rules,
            sessions::{self, Origin},
        },
    },
    oidc::CreateAccounts,
};

handlers! { Organizations:
    decide SignInByProxy => Organizations::sign_in_by_proxy;
}

impl Organizations {
    fn sign_in_by_proxy(&mut self, message: SignInByProxy) -> Decision<SignedIn> {
        let applicant = Applicant {
            email: rules::account(&message.email).ok_or(OrganizationError::NoAddress)?,
            name: None,
            is_verified: true,
            is_trusted: true,
            create: CreateAccounts::Invited,
        };
        let (view, now_ms) = (Arc::clone(&self.view), self.env.clock.now_ms());
        let plans = self.env.options.plans.load_full();
        let io = write(self.env.db.clone(), async move |write| {
            let person = match view.person_by_email(&applicant.email) {
                Some(person) => Person::clone(person),
                None => accounts::create(write, (&view, &plans), &applicant, now_ms).await?,
            };
            let origin = Origin {
                method: SignInMethod::Proxy,
                provider_session: None,
                user_agent: message.user_agent,
            };
            if let Some(name) = view.only_provider(&person, &origin.method) {
                return Err(OrganizationError::ProviderRequired(name));
            }
            let signed_in = sessions::open(&view, Arc::new(person), origin, now_ms)?;
            sessions::store(write, &signed_in.session, now_ms).await?;
            Ok(signed_in)
        });
        Ok(commit(io, Self::adopt_sign_in))
    }
}

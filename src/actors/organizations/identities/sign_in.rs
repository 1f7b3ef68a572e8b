//! Opening a session for a person whom a provider has signed in.

use std::sync::Arc;

use crate::{
    actors::{
        audit::Action,
        kit::{commit, handlers},
        organizations::{
            Decision, OrganizationError, Organizations, Person, SignInMethod, SignInWithProvider,
            SignedIn, repo,
            sessions::{self, Origin},
        },
    },
    oidc::assign,
};

use super::{
    accounts::{self, Applicant},
    links,
    roles::RoleSync,
};

handlers! { Organizations:
    decide SignInWithProvider => Organizations::sign_in_with_provider;
}

impl Organizations {
    fn sign_in_with_provider(&mut self, message: SignInWithProvider) -> Decision<SignedIn> {
        let (view, now_ms) = (Arc::clone(&self.view), self.env.clock.now_ms());
        let plans = self.env.options.plans.load_full();
        let io = self.env.clone().write_with_keys(async move |write, keys| {
            let proven = &message.proven;
            let known = repo::identities::find(&**write, proven).await?;
            let is_new = known.is_none();
            let mut person = if let Some((link, user)) = known {
                repo::identities::mark_used(&**write, &link, now_ms).await?;
                Person::clone(view.person(&user).ok_or(OrganizationError::SessionOver)?)
            } else {
                let applicant = Applicant::new(&message)?;
                let person = match view.person_by_email(&applicant.email) {
                    Some(person) => applicant.admit_owner(person)?,
                    None => accounts::create(write, (&view, &plans), &applicant, now_ms).await?,
                };
                links::store(write, &person.id, proven, now_ms).await?;
                person
            };
            let sync = RoleSync {
                write,
                keys,
                view: &view,
                plans: &plans,
                provider: &proven.provider,
                now_ms,
            };
            let assigned = assign(&message.roles, &proven.identity.groups);
            if sync.run(&mut person, assigned).await? {
                repo::sessions::delete_all(&**write, &person.id, None).await?;
            }
            if is_new {
                // The organizations that groups have just given know of it, too.
                let action = Action::IdentityLink;
                links::record(write, &person.id, action, &proven.provider, now_ms).await?;
            }
            let method = SignInMethod::Provider(proven.provider.clone());
            let origin = Origin {
                provider_session: proven.identity.session.clone(),
                user_agent: message.user_agent.clone(),
                method,
            };
            let person = Arc::new(person);
            if let Some(name) = view.only_provider(&person, &origin.method) {
                return Err(OrganizationError::ProviderRequired(name));
            }
            let signed_in = sessions::open(&view, person, origin, now_ms)?;
            sessions::store(write, &signed_in.session, now_ms).await?;
            Ok(signed_in)
        });
        Ok(commit(io, Self::adopt_sign_in))
    }

    /// Takes a person and their new session in. Sessions end whose person has other roles than they had.
    pub(super) fn adopt_sign_in(&mut self, signed_in: SignedIn) -> SignedIn {
        self.adopt_person(&signed_in.person);
        let view = Arc::make_mut(&mut self.view);
        view.insert_session(Arc::clone(&signed_in.session));
        signed_in
    }

    /// Takes a person in. Sessions end whose person has other roles than they had.
    pub(super) fn adopt_person(&mut self, person: &Arc<Person>) {
        let known = self.view.person(&person.id);
        let changed = known.is_some_and(|known| known.memberships != person.memberships);
        let view = Arc::make_mut(&mut self.view);
        if changed {
            view.end_sessions(&person.id, |_| true);
        }
        view.insert_person(Arc::clone(person));
    }
}

//! Signing in at a provider that an organization added. What such a provider may do is in `sso`.

use std::{collections::BTreeMap, sync::Arc};

use secrecy::SecretString;

use super::{accounts, links, roles::RoleSync};
use crate::{
    actors::{
        audit::Action,
        kit::{commit, handlers},
        organizations::{
            Decision, OrganizationError, Organizations, Person, ProvenIdentity, SecondFactors,
            SignInMethod, SignInOutcome, SignInWithSso, SignedIn, SsoError, repo,
            sessions::{self, Origin},
            sso::ActiveProvider,
            tenants::joining,
            vault::PendingProvider,
        },
    },
    ids::UserId,
    oidc::assign,
};

handlers! { Organizations:
    decide SignInWithSso => Organizations::sign_in_with_sso;
}

/// What a sign-in came to.
enum Stored {
    Session(SignedIn),
    /// The second factor is due, and the token goes on with it.
    Waits(Arc<Person>, SecretString, SecondFactors),
    /// Their groups have just ended the membership.
    Left(Arc<Person>),
}

impl Organizations {
    fn sign_in_with_sso(&mut self, message: SignInWithSso) -> Decision<Option<SignInOutcome>> {
        let (view, now_ms) = (Arc::clone(&self.view), self.env.clock.now_ms());
        let plans = self.env.options.plans.load_full();
        let vault = self.vault.clone();
        let io = self.env.clone().write_with_keys(async move |write, keys| {
            let proven = message.proven;
            let name = proven.provider.clone();
            let active = ActiveProvider::find(&**write, &view, &name).await?;
            let sync = RoleSync {
                write,
                keys,
                view: &view,
                plans: &plans,
                provider: &name,
                now_ms,
            };
            let sign_in = SsoSignIn {
                sync,
                active: &active,
                proven: &proven,
            };
            let (person, is_member) = sign_in.admit().await?;
            if !is_member {
                return Ok(Stored::Left(person));
            }
            let session = proven.identity.session.clone();
            let origin = Origin {
                method: SignInMethod::Provider(name.clone()),
                provider_session: session.clone(),
                user_agent: message.user_agent,
            };
            if let Some(name) = view.only_provider(&person, &origin.method) {
                return Err(OrganizationError::ProviderRequired(name));
            }
            let factors = repo::factors::of_person(&**write, &person.id).await?;
            if factors.any() {
                let account = repo::people::by_id(&**write, &person.id).await?;
                let set_ms = account.ok_or(OrganizationError::SessionOver)?.set_ms;
                let began = Some(PendingProvider { name, session });
                let token = vault.wait_after(&person.id, set_ms, began, now_ms)?;
                return Ok(Stored::Waits(person, token, factors));
            }
            let signed_in = sessions::open(&view, person, origin, now_ms)?;
            sessions::store(write, &signed_in.session, now_ms).await?;
            Ok(Stored::Session(signed_in))
        });
        Ok(commit(io, Self::adopt_sso))
    }

    fn adopt_sso(&mut self, stored: Stored) -> Option<SignInOutcome> {
        match stored {
            Stored::Session(signed_in) => {
                Some(SignInOutcome::Session(self.adopt_sign_in(signed_in)))
            }
            Stored::Waits(person, token, factors) => {
                self.adopt_person(&person);
                Some(SignInOutcome::Waits { token, factors })
            }
            Stored::Left(person) => {
                self.adopt_person(&person);
                None
            }
        }
    }
}

/// A sign-in, in its transaction.
struct SsoSignIn<'a> {
    sync: RoleSync<'a>,
    active: &'a ActiveProvider,
    proven: &'a ProvenIdentity,
}

impl SsoSignIn<'_> {
    /// The person whose account it is, and whether they are a member of the provider's organization now.
    async fn admit(&self) -> Result<(Arc<Person>, bool), OrganizationError> {
        let (write, now_ms) = (self.sync.write, self.sync.now_ms);
        let email = self.active.vouched_address(self.proven)?;
        let known = repo::identities::find(&**write, self.proven).await?;
        let mut person = self.find_account(&email, known.as_ref()).await?;
        self.active.admit(&person)?;
        let is_first = known.is_none() && self.link(&person).await?;
        let is_member = self.join(&mut person, is_first).await?;
        let before = self.sync.view.person(&person.id);
        if before.is_some_and(|before| before.memberships != person.memberships) {
            repo::sessions::delete_all(&**write, &person.id, None).await?;
        }
        if known.is_none() {
            let (user, provider) = (&person.id, self.sync.provider);
            links::record(write, user, Action::IdentityLink, provider, now_ms).await?;
        }
        Ok((Arc::new(person), is_member))
    }

    /// The account that is linked, or has the address; a new one if there is none.
    async fn find_account(
        &self,
        email: &str,
        known: Option<&(String, UserId)>,
    ) -> Result<Person, OrganizationError> {
        let RoleSync {
            write,
            view,
            now_ms,
            ..
        } = self.sync;
        if let Some((link, user)) = known {
            repo::identities::mark_used(&**write, link, now_ms).await?;
            let person = view.person(user).ok_or(OrganizationError::SessionOver)?;
            return Ok(Person::clone(person));
        }
        if let Some(person) = view.person_by_email(email) {
            return Ok(Person::clone(person));
        }
        let name = self.proven.identity.name.clone();
        accounts::insert_account(write, email, name, now_ms).await
    }

    /// Links the account; whether it was never linked to this provider before.
    async fn link(&self, person: &Person) -> Result<bool, OrganizationError> {
        let write = self.sync.write;
        let linked = repo::identities::list(&**write, &person.id).await?;
        let own = |provider: &str| provider == self.sync.provider;
        let earlier = linked.iter().find(|one| own(&one.provider));
        if let Some(earlier) = earlier {
            // The provider knows the person by another subject now. Who was removed meanwhile stays out.
            repo::identities::delete(&**write, &earlier.id).await?;
        }
        links::store(write, &person.id, self.proven, self.sync.now_ms).await?;
        Ok(earlier.is_none())
    }

    /// Makes the person a member, or gives them the role of their groups. Whether they are a member then.
    async fn join(&self, person: &mut Person, is_first: bool) -> Result<bool, OrganizationError> {
        let sync = &self.sync;
        let provider = &self.active.provider;
        let (organization, id) = (&provider.organization, provider.organization.as_str());
        let was_member = person.role_in(id).is_some();
        if !was_member {
            self.accept_invitation(person).await?;
        }
        let before = person.role_in(id);
        let rules = provider.role_rules();
        if before.is_none() || !rules.is_empty() {
            let source = repo::members::find_provider(&**sync.write, organization, &person.id);
            let joins = match source.await? {
                _ if before.is_none() => is_first,
                source => source.as_deref() == Some(sync.provider),
            };
            let groups = &self.proven.identity.groups;
            let given = assign(&rules, groups).remove(organization).flatten();
            let given = given.or(provider.fields.join_role.filter(|_| joins));
            let assigned = BTreeMap::from([(organization.clone(), given)]);
            sync.run(person, assigned).await?;
        }
        let is_member = person.role_in(id).is_some();
        if !is_member && !was_member {
            return Err(OrganizationError::Sso(SsoError::NotAMember));
        }
        Ok(is_member)
    }

    /// Accepts the open invitation of the person's address to the provider's organization, if there is one.
    async fn accept_invitation(&self, person: &mut Person) -> Result<(), OrganizationError> {
        let RoleSync {
            write,
            view,
            plans,
            now_ms,
            ..
        } = self.sync;
        let open = repo::invitations::open_for(&**write, &person.email, now_ms).await?;
        let mut usable = open.into_iter().filter(|one| {
            one.organization == self.active.provider.organization && view.may_still_grant(one)
        });
        if let Some(invitation) = usable.next() {
            let user = person.id.clone();
            let found = joining::join(write, (view, plans), invitation, &user, now_ms).await?;
            person.memberships.push(found.membership());
        }
        Ok(())
    }
}

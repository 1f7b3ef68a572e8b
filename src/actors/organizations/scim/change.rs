//! What a change may do, and what it did: one for each transaction.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    access::{Permission, Role, plans::Plans},
    actors::{
        audit::Actor,
        delivery::Outbox,
        keys::MakerKeys,
        organizations::{
            LostAccess, OrganizationError, Organizations, OrganizationsEnv, OrganizationsView,
            Person, Provisioner, ScimUser,
        },
    },
    ids::{OrganizationId, ScimTokenId, UserId},
    store::state::Write,
};

/// Everything that a change needs to know before its transaction begins.
pub(super) struct Premises {
    pub(super) view: Arc<OrganizationsView>,
    pub(super) plans: Arc<Plans>,
    pub(super) outbox: Option<Outbox>,
    pub(super) organization: OrganizationId,
    /// With whose rights it is done.
    pub(super) by: UserId,
    /// The token of the provider; `None` = the person does it.
    pub(super) token: Option<ScimTokenId>,
    pub(super) authority: Role,
    pub(super) now_ms: i64,
}

pub(super) struct Change<'a> {
    pub(super) premises: &'a Premises,
    pub(super) write: &'a Write,
    pub(super) keys: &'a MakerKeys,
    /// How many owners the organization has left.
    pub(super) owners: usize,
    pub(super) done: Done,
}

/// What a change did, for memory.
#[derive(Default)]
pub(super) struct Done {
    /// People with other memberships, and whether their sessions end.
    people: Vec<(Arc<Person>, bool)>,
    /// Whether an email waits.
    pub(super) has_mailed: bool,
}

impl Organizations {
    /// What a provider's change needs, if the member who made its token may still do it.
    pub(super) fn provisioning(&self, by: &Provisioner) -> Result<Premises, OrganizationError> {
        let premises = self.scim_premises(&by.maker, &by.organization);
        let premises = premises.map_err(|_| OrganizationError::SessionOver)?;
        Ok(Premises {
            token: Some(by.token.clone()),
            ..premises
        })
    }

    pub(super) fn scim_premises(
        &self,
        by: &UserId,
        organization: &OrganizationId,
    ) -> Result<Premises, OrganizationError> {
        Ok(Premises {
            authority: self.require_permission(Permission::MembersManage, by, organization)?,
            view: Arc::clone(&self.view),
            plans: self.env.options.plans.load_full(),
            outbox: self.env.mail.clone(),
            organization: organization.clone(),
            by: by.clone(),
            token: None,
            now_ms: self.env.clock.now_ms(),
        })
    }

    /// Takes in what a change did.
    pub(super) fn adopt_scim(&mut self, done: Done) {
        let view = Arc::make_mut(&mut self.view);
        for (person, ends_sessions) in done.people {
            if ends_sessions {
                view.end_sessions(&person.id, |_| true);
            }
            view.insert_person(person);
        }
        if done.has_mailed
            && let Some(outbox) = &self.env.mail
        {
            outbox.ring();
        }
    }
}

impl Premises {
    /// Does a change in one transaction.
    pub(super) async fn run<T>(
        self,
        env: OrganizationsEnv,
        work: impl AsyncFnOnce(&mut Change<'_>) -> Result<T, OrganizationError>,
    ) -> Result<(T, Done), OrganizationError> {
        let premises = &self;
        env.write_with_keys(async move |write, keys| {
            let mut change = Change {
                premises,
                write,
                keys,
                owners: premises.view.owners(&premises.organization).len(),
                done: Done::default(),
            };
            let value = work(&mut change).await?;
            Ok((value, change.done))
        })
        .await
    }

    /// Who the audit log names.
    pub(super) fn actor(&self) -> Actor {
        match &self.token {
            Some(token) => Actor::Scim(token.clone()),
            None => Actor::User(self.by.clone()),
        }
    }

    /// The account of a user, if there is one, and its role in the organization.
    pub(super) fn account(&self, user: &ScimUser) -> (Option<&Arc<Person>>, Option<Role>) {
        let person = self.view.person_by_email(&user.account);
        let role = person.and_then(|person| person.role_in(self.organization.as_str()));
        (person, role)
    }
}

impl Change<'_> {
    pub(super) fn require_authority(&self, role: Role) -> Result<(), OrganizationError> {
        if self.premises.authority.may_assign(role) {
            Ok(())
        } else {
            Err(OrganizationError::ScimOwners)
        }
    }

    /// Counts an owner who is none from now on, unless it is the last one.
    pub(super) fn lose_owner(&mut self) -> Result<(), OrganizationError> {
        if self.owners < 2 {
            return Err(OrganizationError::LastOwner);
        }
        self.owners -= 1;
        Ok(())
    }

    pub(super) fn take_in(&mut self, person: Person, ends_sessions: bool) {
        self.done.people.push((Arc::new(person), ends_sessions));
    }
}

/// Details of an entry in the audit log.
pub(super) fn details(user: &ScimUser, details: Value, lost: &LostAccess) -> Value {
    let mut details = lost.details(details);
    details["scimUser"] = json!(user.id);
    details
}

//! What the domain is made of: what it needs, what the operator decides, and what only its writer knows.

use std::sync::Arc;

use arc_swap::ArcSwap;

use super::{
    Devices, OrganizationError, OrganizationsView, Person, passwords::Passwords,
    repo::people::Credentials, vault::Vault,
};
use crate::{
    access::plans::Plans,
    actors::{delivery::Outbox, keys::MakerKeys, seal::opaque_debug},
    clock::Clock,
    ids::UserId,
    store::{InstanceSecret, StateDb, limits::Admission},
};

#[derive(Clone)]
pub struct OrganizationsEnv {
    pub db: StateDb,
    pub clock: Clock,
    /// What the operator has decided.
    pub options: PeopleOptions,
    /// Where emails are put, if mail is sent.
    pub mail: Option<Outbox>,
    pub secret: InstanceSecret,
    /// The keys that people made, which end with their rights.
    pub keys: MakerKeys,
    /// Counts wrong passwords and codes, for all processes.
    pub admission: Arc<dyn Admission>,
}

opaque_debug!(OrganizationsEnv);

/// What the operator decides about people and organizations.
#[derive(Debug, Clone)]
pub struct PeopleOptions {
    /// Whether strangers may make accounts.
    pub open: bool,
    pub plan: String,
    /// What plans allow; reloadable.
    pub plans: Arc<ArcSwap<Plans>>,
}

impl Default for PeopleOptions {
    fn default() -> Self {
        Self {
            open: false,
            plan: "free".to_owned(),
            plans: Arc::default(),
        }
    }
}

/// The actor; its state is its view, plus what only a writer needs.
#[derive(Debug)]
pub struct Organizations {
    pub(super) env: OrganizationsEnv,
    pub(super) view: Arc<OrganizationsView>,
    pub(super) passwords: Passwords,
    pub(super) devices: Devices,
    pub(super) vault: Vault,
}

impl Organizations {
    /// A person whose session sent a message.
    pub(super) fn signed_in(&self, user: &UserId) -> Result<&Arc<Person>, OrganizationError> {
        let person = self.view.person(user);
        person.ok_or(OrganizationError::SessionOver)
    }

    /// A person who has just given the password, unless it has changed since. `field` is its place in the request.
    pub(super) fn confirmed(
        &self,
        known: &Credentials,
        field: &'static str,
    ) -> Result<&Arc<Person>, OrganizationError> {
        let person = self.signed_in(&known.user)?;
        if person.password_set_ms > known.set_ms {
            return Err(OrganizationError::WrongPassword(field));
        }
        Ok(person)
    }
}

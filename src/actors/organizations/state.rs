//! What the domain is made of: what it needs, what the operator decides, and what only its writer knows.

use std::sync::Arc;

use actix::MailboxError;
use arc_swap::ArcSwap;

use super::{Devices, OrganizationError, OrganizationsView, attempts::Attempts, vault::Vault};
use crate::{
    access::plans::Plans,
    actors::{
        delivery::Outbox,
        keys::MakerKeys,
        kit::{Domain as _, Unavailable},
        password::Hasher,
    },
    clock::Clock,
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

impl std::fmt::Debug for OrganizationsEnv {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("OrganizationsEnv(…)")
    }
}

/// What the operator decides about people and organizations.
#[derive(Debug, Clone)]
pub struct PeopleOptions {
    /// Whether strangers may make accounts.
    pub open: bool,
    /// The plan of new organizations.
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
    pub(super) db: StateDb,
    pub(super) clock: Clock,
    pub(super) view: Arc<OrganizationsView>,
    pub(super) attempts: Attempts,
    pub(super) devices: Devices,
    pub(super) hasher: Hasher,
    pub(super) options: PeopleOptions,
    pub(super) mail: Option<Outbox>,
    pub(super) vault: Vault,
    pub(super) keys: MakerKeys,
}

/// The answer to a message that a handler's own work sent to the actor.
pub(super) fn came_back<T>(
    answer: Result<Result<T, OrganizationError>, MailboxError>,
) -> Result<T, OrganizationError> {
    answer.unwrap_or_else(|_| Err(Unavailable::Restarting(Organizations::NAME).into()))
}

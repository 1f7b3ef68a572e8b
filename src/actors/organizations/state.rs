//! What the domain is made of: what it needs, what the operator decides, and what only its writer knows.

use std::sync::Arc;

use arc_swap::ArcSwap;

use super::{Devices, OrganizationsView, passwords::Passwords, vault::Vault};
use crate::{
    access::plans::Plans,
    actors::{delivery::Outbox, keys::MakerKeys, seal::opaque_debug},
    clock::Clock,
    egress::Egress,
    ids::SessionId,
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
    /// The way to name servers, which say whose a domain is.
    pub egress: Egress,
}

opaque_debug!(OrganizationsEnv);

#[derive(Debug, Clone)]
pub struct PeopleOptions {
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
    /// Takes ended sessions out of memory.
    pub(super) fn forget_sessions(&mut self, ended: &[SessionId]) {
        let view = Arc::make_mut(&mut self.view);
        for session in ended {
            view.remove_session(session);
        }
    }
}

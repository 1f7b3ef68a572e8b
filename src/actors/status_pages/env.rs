//! What the domain needs.

use crate::{
    actors::{delivery::Outbox, kit::Handle, monitors::Monitors, organizations::Organizations},
    clock::Clock,
    egress::Egress,
    store::{InstanceSecret, StateDb},
};

#[derive(Clone)]
pub struct StatusPagesEnv {
    pub db: StateDb,
    pub clock: Clock,
    /// The owners of pages.
    pub organizations: Handle<Organizations>,
    /// What is on pages.
    pub monitors: Handle<Monitors>,
    /// Where messages to subscribers are put.
    pub outbox: Outbox,
    /// Whether emails leave at all.
    pub sends_mail: bool,
    /// What may be reached.
    pub egress: Egress,
    pub secret: InstanceSecret,
    /// `{base_url}`.
    pub base_url: String,
}

impl std::fmt::Debug for StatusPagesEnv {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("StatusPagesEnv(…)")
    }
}

//! What the domain needs.

use crate::{
    actors::{kit::Handle, organizations::Organizations},
    clock::Clock,
    events::store::EventStore,
    store::StateDb,
};

#[derive(Clone)]
pub struct WebsitesEnv {
    pub db: StateDb,
    pub clock: Clock,
    pub organizations: Handle<Organizations>,
    /// Where rows are, which follow a website to its next owner.
    pub events: EventStore,
}

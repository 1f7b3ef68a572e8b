use super::{
    Alarm,
    machine::Signal,
    notice::{self, Alert, Sending},
};
use crate::{
    actors::{
        delivery::{Channels, Outbox, Senders},
        error::CommonError,
        kit::Handle,
        monitors::Monitors,
        organizations::Organizations,
        websites::Websites,
    },
    clock::Clock,
    egress::Egress,
    events::store::EventStore,
    store::{InstanceSecret, StateDb, state::Write},
};

#[derive(Clone)]
pub struct AlarmsEnv {
    pub db: StateDb,
    pub clock: Clock,
    pub events: EventStore,
    pub egress: Egress,
    pub organizations: Handle<Organizations>,
    pub websites: Handle<Websites>,
    pub monitors: Handle<Monitors>,
    pub outbox: Outbox,
    pub senders: Senders,
    pub channels: Channels,
    pub secret: InstanceSecret,
    pub base_url: String,
}

impl AlarmsEnv {
    /// Puts the messages about an alarm's signals into the outbox.
    pub(super) async fn send_signals(
        &self,
        write: &Write,
        alarm: &Alarm,
        signals: &[(Alert, Signal)],
        now_ms: i64,
    ) -> Result<(), CommonError> {
        let id = uuid::Uuid::now_v7().to_string();
        let organizations = self.organizations.view();
        let sending = Sending {
            base_url: &self.base_url,
            now_ms,
            organizations: &organizations,
            channels: &self.channels,
        };
        for delivery in notice::deliveries(alarm, signals, &id, &sending) {
            self.outbox.put(write, delivery, now_ms).await?;
        }
        Ok(())
    }
}

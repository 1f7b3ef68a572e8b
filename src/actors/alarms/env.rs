use super::{
    Alarm,
    dispatch::Message,
    notice::{self, Sending},
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
    /// Puts the messages about an alarm into the outbox.
    pub(super) async fn send_messages(
        &self,
        write: &Write,
        alarm: &Alarm,
        messages: &[Message],
        now_ms: i64,
    ) -> Result<(), CommonError> {
        let organizations = self.organizations.view();
        let sending = Sending {
            base_url: &self.base_url,
            now_ms,
            organizations: &organizations,
        };
        for delivery in notice::deliveries(alarm, messages, &sending) {
            self.outbox.put(write, delivery, now_ms).await?;
        }
        Ok(())
    }
}

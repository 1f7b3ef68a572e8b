use std::{collections::HashMap, sync::Arc};

use super::{
    Alarm, AlarmError, AlarmsEnv, Destination, InstanceStatus,
    model::{Instance, Instances},
    notice,
    notice::Sending,
};
use crate::{
    actors::delivery::{self, Channels, DeliveryRecord, Failure},
    ids::{AlarmId, OrganizationId},
};

/// Listed deliveries of a destination.
const MAX_LOGGED: u64 = 50;

#[derive(Clone)]
pub struct AlarmsView {
    pub(super) alarms: HashMap<AlarmId, Arc<Alarm>>,
    pub(super) instances: HashMap<AlarmId, Arc<Instances>>,
    pub(super) env: AlarmsEnv,
}

impl AlarmsView {
    /// The alarm with this id, of any organization.
    pub fn by_id(&self, id: &str) -> Option<&Arc<Alarm>> {
        self.alarms.get(id)
    }

    /// Alarms of an organization, newest first.
    pub fn by_organization(&self, organization: &OrganizationId) -> Vec<Arc<Alarm>> {
        let own = |one: &&Arc<Alarm>| one.organization == *organization;
        let mut all: Vec<_> = self.alarms.values().filter(own).cloned().collect();
        all.sort_by(|a, b| (b.created_ms, &b.id).cmp(&(a.created_ms, &a.id)));
        all
    }

    /// The status of every subject of an alarm.
    pub fn standings(&self, id: &AlarmId) -> Vec<InstanceStatus> {
        let status = |(subject, one): (&String, &Instance)| InstanceStatus {
            subject: subject.clone(),
            name: one.name.clone(),
            phase: one.standing.phase,
            since_ms: one.standing.since_ms,
            acknowledged: one.standing.acknowledged,
            evidence: one.evidence.clone(),
        };
        let own = self.instances.get(id);
        own.into_iter()
            .flat_map(|own| own.iter().map(status))
            .collect()
    }

    /// What destinations can be.
    pub fn channels(&self) -> &Channels {
        &self.env.channels
    }

    /// Whether destinations can be email addresses.
    pub fn sends_mail(&self) -> bool {
        self.env.senders.delivers_mail()
    }

    /// Sends a test to a destination at once.
    pub async fn try_out(&self, alarm: &Alarm, to: &Destination) -> Result<(), Failure> {
        let sending = Sending {
            base_url: &self.env.base_url,
            now_ms: self.env.clock.now_ms(),
            organizations: &self.env.organizations.view(),
        };
        let test = notice::test_delivery(alarm, to, &sending);
        self.env.senders.try_out(test).await
    }

    /// The last deliveries of an alarm with their destinations, newest first.
    pub async fn deliveries(
        &self,
        alarm: &Alarm,
    ) -> Result<Vec<(Destination, DeliveryRecord)>, AlarmError> {
        let mut all = Vec::new();
        for to in &alarm.destinations {
            let logged = delivery::log(&self.env.db, &to.key_prefix(), MAX_LOGGED).await?;
            all.extend(logged.into_iter().map(|one| (to.clone(), one)));
        }
        all.sort_by_key(|(_, one)| std::cmp::Reverse((one.created_ms, one.id.clone())));
        Ok(all)
    }
}

//! What everyone may read without asking the actor.

use std::{collections::HashMap, sync::Arc};

use super::{
    Alarm, AlarmError, AlarmFields, AlarmsEnv, Destination, Past, Shown, backtest,
    model::{Instance, Instances},
    notice,
};
use crate::{
    actors::delivery::{self, DeliveryRecord, Failure},
    ids::{AlarmId, OrganizationId},
};

/// Deliveries of a destination that are shown.
const MAX_LOGGED: u64 = 50;

#[derive(Debug, Clone)]
pub struct AlarmsView {
    pub(super) alarms: HashMap<AlarmId, Arc<Alarm>>,
    pub(super) instances: HashMap<AlarmId, Arc<Instances>>,
    pub(super) env: AlarmsEnv,
}

impl AlarmsView {
    /// The alarm with this id, whoever owns it.
    pub fn by_id(&self, id: &str) -> Option<&Arc<Alarm>> {
        self.alarms.get(id)
    }

    /// Alarms of an organization, newest first.
    pub fn of(&self, organization: &OrganizationId) -> Vec<Arc<Alarm>> {
        let own = |one: &&Arc<Alarm>| one.organization == *organization;
        let mut all: Vec<_> = self.alarms.values().filter(own).cloned().collect();
        all.sort_by(|a, b| (b.created_ms, &b.id).cmp(&(a.created_ms, &a.id)));
        all
    }

    /// How an alarm stands about each of its things.
    pub fn standings(&self, id: &AlarmId) -> Vec<Shown> {
        let shown = |(subject, one): (&String, &Instance)| Shown {
            subject: subject.clone(),
            name: one.name.clone(),
            phase: one.standing.phase,
            since_ms: one.standing.since_ms,
            acknowledged: one.standing.acknowledged,
            evidence: one.evidence.clone(),
        };
        let own = self.instances.get(id);
        own.into_iter()
            .flat_map(|own| own.iter().map(shown))
            .collect()
    }

    /// Tries out a destination of an alarm at once.
    ///
    /// # Errors
    /// Why it was not reached.
    pub async fn try_out(&self, alarm: &Alarm, to: &Destination) -> Result<(), Failure> {
        let now_ms = self.env.clock.now_ms();
        let trial = notice::trial(alarm, to, (&self.env.base_url, now_ms));
        self.env.senders.try_out(trial).await
    }

    /// What became of the last messages of an alarm, newest first, with whom they were for.
    pub async fn deliveries(
        &self,
        alarm: &Alarm,
    ) -> Result<Vec<(Destination, DeliveryRecord)>, AlarmError> {
        let mut all = Vec::new();
        for to in &alarm.destinations {
            let logged = delivery::log(&self.env.db, &notice::prefix(to), MAX_LOGGED).await?;
            all.extend(logged.into_iter().map(|one| (to.clone(), one)));
        }
        all.sort_by_key(|(_, one)| std::cmp::Reverse((one.created_ms, one.id.clone())));
        Ok(all)
    }

    /// What an alarm would have done in the last days.
    ///
    /// # Errors
    /// It is not in order, or its query fails.
    pub async fn past(
        &self,
        organization: OrganizationId,
        fields: AlarmFields,
        days: i64,
    ) -> Result<Past, AlarmError> {
        backtest::past(&self.env, organization, fields, days).await
    }
}

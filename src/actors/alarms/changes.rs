//! Making, changing and deleting alarms: what is admitted, and what is written.

use std::sync::Arc;

use super::{
    Alarm, AlarmError, AlarmFields, Alarms, AlarmsEnv, ChangeAlarm, Changed, CreateAlarm,
    RotateSecret, evaluate::closed, model::Instances, notice, repo, rules,
};
use crate::{
    actors::{
        delivery::{ChannelRules, new_secret},
        error::CommonError,
        patch::patched,
    },
    ids::{AlarmId, DestinationId},
    store::state::Write,
};

/// For how long messages are signed with the former secret too.
const GRACE_MS: i64 = 86_400_000;

/// A change, and whether what was known of the alarm does not hold any more.
#[derive(Debug)]
pub(super) struct Admitted {
    pub(super) alarm: Alarm,
    pub(super) secrets: Vec<(DestinationId, String)>,
    /// As it was, with what was known, when that ends.
    pub(super) before: Option<(Arc<Alarm>, Arc<Instances>)>,
}

impl Alarms {
    fn channel_rules(&self) -> ChannelRules {
        ChannelRules {
            policy: self.env.egress.policy(),
            bases: self.env.bases.clone(),
            mail: self.env.senders.delivers_mail(),
        }
    }

    pub(super) fn find(&self, id: &AlarmId) -> Result<Arc<Alarm>, AlarmError> {
        let found = self.view.by_id(id.as_str()).cloned();
        found.ok_or_else(|| AlarmError::NotFound(id.clone()))
    }

    /// A new alarm that is in order.
    pub(super) fn admit_new(&self, message: CreateAlarm) -> Result<Admitted, AlarmError> {
        let organizations = self.env.organizations.view();
        if !organizations.is_live(&message.organization) {
            return Err(CommonError::NoOrganization(message.organization).into());
        }
        let now_ms = self.env.clock.now_ms();
        let ready = rules::check_fields(message.fields)?;
        let websites = self.env.websites.view();
        let website = ready.fields.website_id.as_deref();
        websites.require_own(&message.organization, website)?;
        let said = message.destinations;
        let (destinations, secrets) =
            rules::check_destinations(said, &[], &self.channel_rules(), now_ms)?;
        let alarm = Alarm {
            id: AlarmId::new(),
            organization: message.organization,
            created_by: message.created_by,
            fields: ready.fields,
            destinations,
            created_ms: now_ms,
            updated_ms: now_ms,
            conditions: ready.conditions.into(),
            mute: ready.mute,
        };
        Ok(Admitted {
            alarm,
            secrets,
            before: None,
        })
    }

    /// An alarm as it is after a change.
    pub(super) fn admit_change(&self, message: ChangeAlarm) -> Result<Admitted, AlarmError> {
        let before = self.find(&message.id)?;
        let now_ms = self.env.clock.now_ms();
        let fields: AlarmFields = patched(("alarm", &before.fields), &message.fields, "")?;
        let ready = rules::check_fields(fields)?;
        let websites = self.env.websites.view();
        let website = ready.fields.website_id.as_deref();
        websites.require_own(&before.organization, website)?;
        let (destinations, secrets) = match message.destinations {
            Some(said) => rules::check_destinations(
                said,
                &before.destinations,
                &self.channel_rules(),
                now_ms,
            )?,
            None => (before.destinations.clone(), Vec::new()),
        };
        let about = |fields: &AlarmFields| {
            (
                fields.enabled,
                fields.trigger_type,
                fields.trigger_conditions.clone(),
                fields.website_id.clone(),
            )
        };
        let anew = about(&before.fields) != about(&ready.fields);
        let alarm = Alarm {
            fields: ready.fields,
            destinations,
            updated_ms: now_ms,
            conditions: ready.conditions.into(),
            mute: ready.mute,
            ..before.as_ref().clone()
        };
        Ok(Admitted {
            alarm,
            secrets,
            before: anew.then(|| self.known(&before)),
        })
    }

    /// An alarm with another secret for one of its webhooks.
    pub(super) fn admit_rotation(&self, message: &RotateSecret) -> Result<Admitted, AlarmError> {
        let before = self.find(&message.id)?;
        let now_ms = self.env.clock.now_ms();
        let mut alarm = before.as_ref().clone();
        let unknown = || AlarmError::NoDestination(message.destination.clone());
        let mut all = alarm.destinations.iter_mut();
        let to = all.find(|one| one.id.as_str() == message.destination);
        let to = to.ok_or_else(unknown)?;
        let Some(former) = to.place.config.secret.take() else {
            return Err(CommonError::Refused("Only webhooks have a secret").into());
        };
        let secret = new_secret()?;
        to.place.former = Some((former, now_ms + GRACE_MS));
        to.place.config.secret = Some(secret.clone());
        to.updated_ms = now_ms;
        let secrets = vec![(to.id.clone(), secret)];
        Ok(Admitted {
            alarm,
            secrets,
            before: None,
        })
    }

    /// An alarm with what is known of it.
    pub(super) fn known(&self, alarm: &Arc<Alarm>) -> (Arc<Alarm>, Arc<Instances>) {
        let known = self.view.instances.get(&alarm.id).cloned();
        (Arc::clone(alarm), known.unwrap_or_default())
    }

    pub(super) fn adopt(&mut self, admitted: Admitted) -> Changed {
        let alarm = Arc::new(admitted.alarm);
        if admitted.before.is_some() {
            self.begin_anew(&alarm.id);
        }
        let view = Arc::make_mut(&mut self.view);
        view.alarms.insert(alarm.id.clone(), Arc::clone(&alarm));
        Changed {
            alarm,
            secrets: admitted.secrets,
        }
    }
}

/// Writes an alarm as it is from now on.
pub(super) async fn put(env: AlarmsEnv, admitted: Admitted) -> Result<Admitted, AlarmError> {
    let write = env.db.begin().await?;
    if let Some((before, known)) = &admitted.before {
        take_back(&env, &write, before, known).await?;
        repo::store_standings(&*write, &before.id, &Instances::new()).await?;
    }
    repo::put(&env, &*write, &admitted.alarm).await?;
    write.commit().await?;
    env.outbox.ring();
    Ok(admitted)
}

pub(super) async fn delete(
    env: AlarmsEnv,
    (alarm, known): (Arc<Alarm>, Arc<Instances>),
) -> Result<AlarmId, AlarmError> {
    let write = env.db.begin().await?;
    take_back(&env, &write, &alarm, &known).await?;
    repo::delete(&*write, &alarm.id).await?;
    write.commit().await?;
    env.outbox.ring();
    Ok(alarm.id.clone())
}

/// Tells whoever believes that it goes off that nobody looks any more.
async fn take_back(
    env: &AlarmsEnv,
    write: &Write,
    alarm: &Alarm,
    known: &Instances,
) -> Result<(), AlarmError> {
    let now_ms = env.clock.now_ms();
    let id = uuid::Uuid::now_v7().to_string();
    let told = closed(known, now_ms);
    for delivery in notice::deliveries(alarm, &told, (&id, &env.base_url, now_ms)) {
        env.outbox.put(write, delivery, now_ms).await?;
    }
    Ok(())
}

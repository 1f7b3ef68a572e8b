//! Creates, changes and deletes alarms: admission and writes.

use std::{collections::HashMap, sync::Arc};

use super::{
    Alarm, AlarmError, AlarmFields, Alarms, AlarmsEnv, ChangeAlarm, CreateAlarm, RotateSecret,
    SavedAlarm,
    dispatch::{Message, Moment},
    evaluate::resolve_all,
    model::Instances,
    repo, round, rules,
};
use crate::{
    actors::{
        delivery::{ChannelRules, new_secret},
        error::CommonError,
        patch::patched,
    },
    entities::{self, alarm},
    ids::{AlarmId, DestinationId},
    store::state::Write,
};

/// How long messages are also signed with the former secret, milliseconds.
const GRACE_MS: i64 = 86_400_000;

#[derive(Debug)]
pub(super) struct Admitted {
    pub(super) alarm: Alarm,
    pub(super) secrets: Vec<(DestinationId, String)>,
    /// The alarm with its instances before the change, if the change resets them.
    pub(super) before: Option<(Arc<Alarm>, Arc<Instances>)>,
    /// The messages about those, once they are stored.
    pub(super) messages: Vec<Message>,
}

impl Alarms {
    fn channel_rules(&self) -> ChannelRules {
        ChannelRules {
            policy: self.env.egress.policy(),
            channels: self.env.channels.clone(),
            mail: self.env.senders.delivers_mail(),
        }
    }

    pub(super) fn find(&self, id: &AlarmId) -> Result<Arc<Alarm>, AlarmError> {
        let found = self.view.by_id(id.as_str()).cloned();
        found.ok_or_else(|| AlarmError::NotFound(id.clone()))
    }

    pub(super) fn admit_new(&self, message: CreateAlarm) -> Result<Admitted, AlarmError> {
        let organizations = self.env.organizations.view();
        organizations.require_tenant(&message.organization)?;
        let now_ms = self.env.clock.now_ms();
        let checked = rules::check_fields(message.fields)?;
        let websites = self.env.websites.view();
        let website = checked.fields.website_id.as_deref();
        websites.require_own(&message.organization, website)?;
        let (destinations, secrets) =
            rules::check_destinations(message.destinations, &[], &self.channel_rules(), now_ms)?;
        let alarm = Alarm {
            id: AlarmId::new(),
            organization: message.organization,
            created_by: message.created_by,
            fields: checked.fields,
            destinations,
            created_ms: now_ms,
            updated_ms: now_ms,
            conditions: checked.conditions.into(),
            mute: checked.mute,
        };
        Ok(Admitted {
            alarm,
            secrets,
            before: None,
            messages: Vec::new(),
        })
    }

    pub(super) fn admit_change(&self, message: ChangeAlarm) -> Result<Admitted, AlarmError> {
        let before = self.find(&message.id)?;
        let now_ms = self.env.clock.now_ms();
        let fields: AlarmFields = patched(("alarm", &before.fields), &message.fields, "")?;
        let checked = rules::check_fields(fields)?;
        let websites = self.env.websites.view();
        let website = checked.fields.website_id.as_deref();
        websites.require_own(&before.organization, website)?;
        let (destinations, secrets) = match message.destinations {
            Some(fields) => rules::check_destinations(
                fields,
                &before.destinations,
                &self.channel_rules(),
                now_ms,
            )?,
            None => (before.destinations.clone(), Vec::new()),
        };
        let triggers = |fields: &AlarmFields| {
            (
                fields.enabled,
                fields.trigger_type,
                fields.trigger_conditions.clone(),
                fields.website_id.clone(),
            )
        };
        let is_reset = triggers(&before.fields) != triggers(&checked.fields);
        let alarm = Alarm {
            fields: checked.fields,
            destinations,
            updated_ms: now_ms,
            conditions: checked.conditions.into(),
            mute: checked.mute,
            ..before.as_ref().clone()
        };
        Ok(Admitted {
            alarm,
            secrets,
            before: is_reset.then(|| self.with_instances(&before)),
            messages: Vec::new(),
        })
    }

    pub(super) fn admit_rotation(&self, message: &RotateSecret) -> Result<Admitted, AlarmError> {
        let before = self.find(&message.id)?;
        let now_ms = self.env.clock.now_ms();
        let mut alarm = before.as_ref().clone();
        let unknown = || AlarmError::NoDestination(message.destination.clone());
        let mut all = alarm.destinations.iter_mut();
        let to = all.find(|one| one.id.as_str() == message.destination);
        let to = to.ok_or_else(unknown)?;
        let Some(former) = to.endpoint.config.secret.take() else {
            return Err(CommonError::refused("Only webhooks have a secret").into());
        };
        let secret = new_secret()?;
        to.endpoint.former = Some((former, now_ms + GRACE_MS));
        to.endpoint.config.secret = Some(secret.clone());
        to.updated_ms = now_ms;
        let secrets = vec![(to.id.clone(), secret)];
        Ok(Admitted {
            alarm,
            secrets,
            before: None,
            messages: Vec::new(),
        })
    }

    pub(super) fn with_instances(&self, alarm: &Arc<Alarm>) -> (Arc<Alarm>, Arc<Instances>) {
        let instances = self.view.instances.get(&alarm.id).cloned();
        (Arc::clone(alarm), instances.unwrap_or_default())
    }

    pub(super) fn adopt(&mut self, admitted: Admitted) -> SavedAlarm {
        let alarm = Arc::new(admitted.alarm);
        let now_ms = self.env.clock.now_ms();
        round::note_sent(&mut self.sent, &alarm, &admitted.messages, now_ms);
        if admitted.before.is_some() {
            self.reset(&alarm.id);
        }
        let view = Arc::make_mut(&mut self.view);
        view.alarms.insert(alarm.id.clone(), Arc::clone(&alarm));
        SavedAlarm {
            alarm,
            secrets: admitted.secrets,
        }
    }
}

pub(super) async fn put(env: AlarmsEnv, mut admitted: Admitted) -> Result<Admitted, AlarmError> {
    let write = env.db.begin().await?;
    if let Some((before, instances)) = &admitted.before {
        admitted.messages = send_resolved(&env, &write, before, instances).await?;
        repo::clear_standings(&*write, &before.id).await?;
    }
    repo::put(&env, &*write, &admitted.alarm).await?;
    write.commit().await?;
    env.outbox.ring();
    Ok(admitted)
}

pub(super) async fn delete(
    env: AlarmsEnv,
    (alarm, instances): (Arc<Alarm>, Arc<Instances>),
) -> Result<AlarmId, AlarmError> {
    let write = env.db.begin().await?;
    send_resolved(&env, &write, &alarm, &instances).await?;
    entities::delete::<alarm::Entity>(&*write, alarm.id.as_str()).await?;
    write.commit().await?;
    env.outbox.ring();
    Ok(alarm.id.clone())
}

/// Puts a resolved message into the outbox for every alert that was sent, also in quiet hours and above a rate limit.
async fn send_resolved(
    env: &AlarmsEnv,
    write: &Write,
    alarm: &Alarm,
    instances: &Instances,
) -> Result<Vec<Message>, AlarmError> {
    let now_ms = env.clock.now_ms();
    let id = uuid::Uuid::now_v7().to_string();
    let moment = Moment {
        now_ms,
        id: &id,
        channels: &env.channels,
        failures: &HashMap::new(),
        sent: &HashMap::new(),
        is_last: true,
    };
    let messages = resolve_all(alarm, instances, &moment);
    env.send_messages(write, alarm, &messages, now_ms).await?;
    Ok(messages)
}

use std::sync::Arc;

use super::{
    Acknowledge, AlarmError, Alarms, ChangeAlarm, CreateAlarm, DeleteAlarm, RotateSecret,
    SavedAlarm,
    changes::{self, Admitted},
    repo,
};
use crate::{
    actors::{
        error::CommonError,
        kit::{Decision, commit, handlers},
    },
    ids::AlarmId,
};

type Answer<T> = Decision<Alarms, T, AlarmError>;

handlers! { Alarms:
    decide CreateAlarm => |alarms, message| alarms.put(alarms.admit_new(message));
    decide ChangeAlarm => |alarms, message| alarms.put(alarms.admit_change(message));
    decide RotateSecret => |alarms, message| alarms.put(alarms.admit_rotation(&message));
    decide DeleteAlarm => Alarms::delete;
    decide Acknowledge => Alarms::acknowledge;
}

impl Alarms {
    fn put(&self, admitted: Result<Admitted, AlarmError>) -> Answer<SavedAlarm> {
        let written = changes::put(self.env.clone(), admitted?);
        Ok(commit(written, Self::adopt))
    }

    fn delete(&mut self, message: DeleteAlarm) -> Answer<()> {
        let alarm = self.find(&message.id)?;
        let deleted = changes::delete(self.env.clone(), self.with_instances(&alarm));
        Ok(commit(deleted, |domain: &mut Self, id: AlarmId| {
            domain.reset(&id);
            Arc::make_mut(&mut domain.view).alarms.remove(&id);
        }))
    }

    fn acknowledge(&mut self, message: Acknowledge) -> Answer<()> {
        let alarm = self.find(&message.id)?;
        let (_, known) = self.with_instances(&alarm);
        let mut instances = known.as_ref().clone();
        let mut any = false;
        for (subject, instance) in &mut instances {
            let is_meant = message.subject.as_ref().is_none_or(|own| own == subject);
            if is_meant && instance.standing.phase.is_firing() {
                instance.standing.acknowledged = true;
                any = true;
            }
        }
        if !any {
            return Err(CommonError::refused("The alert isn't firing").into());
        }
        let (env, id) = (self.env.clone(), message.id);
        let stored = async move {
            let write = env.db.begin().await?;
            repo::store_standings(&*write, &id, &known, &instances).await?;
            write.commit().await?;
            Ok((id, instances))
        };
        Ok(commit(stored, |domain: &mut Self, (id, instances)| {
            let view = Arc::make_mut(&mut domain.view);
            view.instances.insert(id, Arc::new(instances));
        }))
    }
}

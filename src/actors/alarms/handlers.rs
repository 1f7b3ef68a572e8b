//! Answers to what is asked of the domain.

use std::sync::Arc;

use actix::{Context, Handler};

use super::{
    Acknowledge, AlarmError, Alarms, ChangeAlarm, Changed, CreateAlarm, DeleteAlarm, RotateSecret,
    changes, repo,
};
use crate::{
    actors::kit::{Live, Reply, commit, refuse},
    ids::AlarmId,
};

type Answer<T> = Reply<Alarms, T, AlarmError>;

fn put(live: &Live<Alarms>, admitted: Result<changes::Admitted, AlarmError>) -> Answer<Changed> {
    match admitted {
        Ok(admitted) => commit(changes::put(live.env.clone(), admitted), Alarms::adopt),
        Err(error) => refuse(error),
    }
}

impl Handler<CreateAlarm> for Live<Alarms> {
    type Result = Answer<Changed>;

    fn handle(&mut self, message: CreateAlarm, _: &mut Context<Self>) -> Self::Result {
        put(self, self.admit_new(message))
    }
}

impl Handler<ChangeAlarm> for Live<Alarms> {
    type Result = Answer<Changed>;

    fn handle(&mut self, message: ChangeAlarm, _: &mut Context<Self>) -> Self::Result {
        put(self, self.admit_change(message))
    }
}

impl Handler<RotateSecret> for Live<Alarms> {
    type Result = Answer<Changed>;

    fn handle(&mut self, message: RotateSecret, _: &mut Context<Self>) -> Self::Result {
        put(self, self.admit_rotation(&message))
    }
}

impl Handler<DeleteAlarm> for Live<Alarms> {
    type Result = Answer<()>;

    fn handle(&mut self, message: DeleteAlarm, _: &mut Context<Self>) -> Self::Result {
        let alarm = match self.find(&message.id) {
            Ok(alarm) => alarm,
            Err(error) => return refuse(error),
        };
        let deleted = changes::delete(self.env.clone(), self.known(&alarm));
        commit(deleted, |domain: &mut Alarms, id: AlarmId| {
            domain.begin_anew(&id);
            Arc::make_mut(&mut domain.view).alarms.remove(&id);
        })
    }
}

impl Handler<Acknowledge> for Live<Alarms> {
    type Result = Answer<()>;

    fn handle(&mut self, message: Acknowledge, _: &mut Context<Self>) -> Self::Result {
        let alarm = match self.find(&message.id) {
            Ok(alarm) => alarm,
            Err(error) => return refuse(error),
        };
        let (_, known) = self.known(&alarm);
        let mut instances = known.as_ref().clone();
        let mut any = false;
        for (subject, instance) in &mut instances {
            let meant = message.subject.as_ref().is_none_or(|own| own == subject);
            if meant && instance.standing.phase.is_firing() {
                instance.standing.acknowledged = true;
                any = true;
            }
        }
        if !any {
            return refuse(AlarmError::Refused("The alarm does not go off"));
        }
        let (env, id) = (self.env.clone(), alarm.id.clone());
        let stored = async move {
            let write = env.db.begin().await?;
            repo::stand(&*write, &id, &instances).await?;
            write.commit().await?;
            Ok((id, instances))
        };
        commit(stored, |domain: &mut Alarms, (id, instances)| {
            let view = Arc::make_mut(&mut domain.view);
            view.instances.insert(id, Arc::new(instances));
        })
    }
}

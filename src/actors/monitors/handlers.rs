use std::sync::Arc;

use actix::Context;
use tokio::sync::oneshot;

use super::{
    ChangeMonitor, CheckNow, CreateMonitor, DeleteMonitor, Kind, Monitor, MonitorError, Monitors,
    PauseMonitor, RecordSignal, RenewPush, TransferMonitors, changes,
};
use crate::actors::{
    error::CommonError,
    kit::{Decision, Live, commit, commit_exclusive, handlers},
};

type Answer<T> = Decision<Monitors, T, MonitorError>;

handlers! { Monitors:
    decide CreateMonitor => Monitors::create;
    decide ChangeMonitor => Monitors::change;
    decide DeleteMonitor => Monitors::delete;
    decide PauseMonitor => Monitors::pause;
    decide RenewPush => Monitors::renew_push;
    decide TransferMonitors => Monitors::transfer;
    now CheckNow => Live::<Monitors>::check;
    now RecordSignal => Live::<Monitors>::record_signal;
}

impl Monitors {
    fn create(&mut self, message: CreateMonitor) -> Answer<Arc<Monitor>> {
        let spec = self.admit_new(message)?;
        let written = changes::insert(self.env.clone(), spec);
        Ok(commit(written, Self::adopt_new))
    }

    fn change(&mut self, message: ChangeMonitor) -> Answer<Arc<Monitor>> {
        let spec = self.admit_change(&message)?;
        let written = changes::update(self.env.clone(), spec);
        Ok(commit(written, Self::adopt_change))
    }

    fn delete(&mut self, message: DeleteMonitor) -> Answer<()> {
        let key = self.find(&message.id)?.key.0;
        let deleted = changes::delete(self.env.db.clone(), message.id);
        Ok(commit(deleted, move |domain: &mut Self, id| {
            domain.forget(key, &id);
        }))
    }

    fn pause(&mut self, message: PauseMonitor) -> Answer<Arc<Monitor>> {
        let before = self.find(&message.id)?;
        if before.is_paused == message.pause {
            let why = if message.pause {
                "Schedule is already paused"
            } else {
                "Schedule is not paused"
            };
            return Err(CommonError::refused(why).into());
        }
        let now_ms = self.env.clock.now_ms();
        let spec = Monitor {
            is_paused: message.pause,
            updated_ms: now_ms,
            asked_ms: if message.pause { None } else { Some(now_ms) },
            ..before.as_ref().clone()
        };
        let written = changes::update(self.env.clone(), spec);
        Ok(commit(written, Self::adopt_pause))
    }

    fn renew_push(&mut self, message: RenewPush) -> Answer<Arc<Monitor>> {
        let before = self.find(&message.id)?;
        if before.kind != Kind::Push {
            let why = "Only push monitors have a heartbeat URL";
            return Err(CommonError::refused(why).into());
        }
        let spec = Monitor {
            push_turn: before.push_turn + 1,
            updated_ms: self.env.clock.now_ms(),
            ..before.as_ref().clone()
        };
        let written = changes::update(self.env.clone(), spec);
        Ok(commit(written, Self::adopt_change))
    }
}

impl Live<Monitors> {
    pub(super) fn check(
        &mut self,
        CheckNow { id }: CheckNow,
        context: &mut Context<Self>,
    ) -> Result<oneshot::Receiver<()>, MonitorError> {
        let spec = self.find(&id)?;
        if spec.is_paused {
            return Err(CommonError::refused("Schedule is paused").into());
        }
        if spec.kind == Kind::Push {
            let why = "Push monitors can't be checked. Your program sends the heartbeat.";
            return Err(CommonError::refused(why).into());
        }
        if !self.env.db.is_leader() {
            return Ok(self.forward(&spec.id, None));
        }
        if spec.has_probes() {
            return Ok(self.ask_places(&spec, context));
        }
        let (done, stored) = oneshot::channel();
        self.waiting.entry(spec.key.0).or_default().push(done);
        let now_ms = self.env.clock.now_ms();
        self.planner.ask(spec.key.0, now_ms);
        self.pump(context);
        Ok(stored)
    }

    /// Probes are asked by a change of the monitor, which other processes learn of, too.
    fn ask_places(&mut self, spec: &Monitor, context: &mut Context<Self>) -> oneshot::Receiver<()> {
        let (done, stored) = oneshot::channel();
        self.waiting.entry(spec.key.0).or_default().push(done);
        let now_ms = self.env.clock.now_ms();
        let spec = Monitor {
            updated_ms: now_ms,
            asked_ms: Some(now_ms),
            ..spec.clone()
        };
        let written = changes::update(self.env.clone(), spec);
        commit_exclusive(
            context,
            written,
            |domain: &mut Monitors, written| match written {
                Ok(spec) => drop(domain.adopt_change(spec)),
                // Who waits gets the next slot.
                Err(error) => tracing::warn!(%error, "places are not asked for a check"),
            },
        );
        stored
    }

    pub(super) fn record_signal(
        &mut self,
        RecordSignal { id, signal }: RecordSignal,
        context: &mut Context<Self>,
    ) -> Result<oneshot::Receiver<()>, MonitorError> {
        let spec = self.find(&id)?;
        let (done, stored) = oneshot::channel();
        if spec.is_paused || spec.kind != Kind::Push {
            let _ = done.send(());
            return Ok(stored);
        }
        if !self.env.db.is_leader() {
            return Ok(self.forward(&spec.id, Some(signal)));
        }
        self.beat(&spec, signal);
        self.batch.waiting.push(done);
        self.write(context);
        Ok(stored)
    }
}

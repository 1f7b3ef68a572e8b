//! Answers to what is asked of the domain.

use std::sync::Arc;

use actix::{Context, Handler};
use tokio::sync::oneshot;

use super::{
    Beat, ChangeMonitor, CheckNow, CreateMonitor, DeleteMonitor, Kind, Monitor, MonitorError,
    Monitors, PauseMonitor, RenewPush, changes,
};
use crate::actors::kit::{Live, Reply, commit, refuse};

impl Handler<CreateMonitor> for Live<Monitors> {
    type Result = Reply<Monitors, Arc<Monitor>, MonitorError>;

    fn handle(&mut self, message: CreateMonitor, _: &mut Context<Self>) -> Self::Result {
        match self.admit_new(message) {
            Ok(spec) => commit(changes::insert(self.env.clone(), spec), Monitors::adopt_new),
            Err(error) => refuse(error),
        }
    }
}

impl Handler<ChangeMonitor> for Live<Monitors> {
    type Result = Reply<Monitors, Arc<Monitor>, MonitorError>;

    fn handle(&mut self, message: ChangeMonitor, _: &mut Context<Self>) -> Self::Result {
        match self.admit_change(&message) {
            Ok(spec) => commit(
                changes::update(self.env.clone(), spec),
                Monitors::adopt_change,
            ),
            Err(error) => refuse(error),
        }
    }
}

impl Handler<DeleteMonitor> for Live<Monitors> {
    type Result = Reply<Monitors, (), MonitorError>;

    fn handle(&mut self, message: DeleteMonitor, _: &mut Context<Self>) -> Self::Result {
        match self.find(&message.id) {
            Ok(spec) => {
                let deleted = changes::delete(self.env.db.clone(), message.id);
                commit(deleted, move |domain: &mut Monitors, id| {
                    domain.forget(spec.key.0, &id);
                })
            }
            Err(error) => refuse(error),
        }
    }
}

impl Handler<PauseMonitor> for Live<Monitors> {
    type Result = Reply<Monitors, Arc<Monitor>, MonitorError>;

    fn handle(&mut self, message: PauseMonitor, _: &mut Context<Self>) -> Self::Result {
        match self.find(&message.id) {
            Ok(spec) if spec.is_paused == message.pause => {
                refuse(MonitorError::Already(if message.pause {
                    "Schedule is already paused"
                } else {
                    "Schedule is not paused"
                }))
            }
            Ok(spec) => {
                let spec = Monitor {
                    is_paused: message.pause,
                    updated_ms: self.env.clock.now_ms(),
                    ..spec.as_ref().clone()
                };
                commit(
                    changes::update(self.env.clone(), spec),
                    Monitors::adopt_pause,
                )
            }
            Err(error) => refuse(error),
        }
    }
}

impl Handler<RenewPush> for Live<Monitors> {
    type Result = Reply<Monitors, Arc<Monitor>, MonitorError>;

    fn handle(&mut self, message: RenewPush, _: &mut Context<Self>) -> Self::Result {
        match self.find(&message.id) {
            Ok(spec) if spec.kind == Kind::Push => {
                let spec = Monitor {
                    push_turn: spec.push_turn + 1,
                    updated_ms: self.env.clock.now_ms(),
                    ..spec.as_ref().clone()
                };
                commit(
                    changes::update(self.env.clone(), spec),
                    Monitors::adopt_change,
                )
            }
            Ok(_) => refuse(MonitorError::Already(
                "Only push monitors have an address that is called",
            )),
            Err(error) => refuse(error),
        }
    }
}

impl Handler<CheckNow> for Live<Monitors> {
    type Result = Result<oneshot::Receiver<()>, MonitorError>;

    fn handle(&mut self, message: CheckNow, context: &mut Context<Self>) -> Self::Result {
        self.check(&message, context)
    }
}

impl Handler<Beat> for Live<Monitors> {
    type Result = Result<oneshot::Receiver<()>, MonitorError>;

    fn handle(&mut self, message: Beat, context: &mut Context<Self>) -> Self::Result {
        self.heard_of(&message, context)
    }
}

impl Live<Monitors> {
    pub(super) fn check(
        &mut self,
        message: &CheckNow,
        context: &mut Context<Self>,
    ) -> Result<oneshot::Receiver<()>, MonitorError> {
        let spec = self.find(&message.id)?;
        if spec.is_paused {
            return Err(MonitorError::Already("Schedule is paused"));
        }
        if spec.kind == Kind::Push {
            return Err(MonitorError::Already(
                "A push monitor is not checked: the watched program calls us",
            ));
        }
        if !self.env.db.is_leader() {
            return Ok(self.pass_on(&spec.id, None));
        }
        let (done, stored) = oneshot::channel();
        self.waiting.entry(spec.key.0).or_default().push(done);
        let now_ms = self.env.clock.now_ms();
        self.planner.ask(spec.key.0, now_ms);
        self.pump(context);
        Ok(stored)
    }

    pub(super) fn heard_of(
        &mut self,
        message: &Beat,
        context: &mut Context<Self>,
    ) -> Result<oneshot::Receiver<()>, MonitorError> {
        let spec = self.find(&message.id)?;
        let (done, stored) = oneshot::channel();
        if spec.is_paused || spec.kind != Kind::Push {
            let _ = done.send(());
            return Ok(stored);
        }
        if !self.env.db.is_leader() {
            return Ok(self.pass_on(&spec.id, Some(message.signal)));
        }
        self.beat(&spec, message.signal);
        self.batch.waiting.push(done);
        self.write(context);
        Ok(stored)
    }
}

//! Forwards checks and heartbeats through the database to the process that checks.

use std::time::Duration;

use actix::Context;
use sea_orm::{ActiveValue::Set, QueryOrder as _, QuerySelect as _, prelude::*};
use tokio::sync::oneshot;

use super::{CheckNow, Monitors, MonitorsEnv, RecordSignal, Signal};
use crate::{
    actors::kit::{Live, read_beside},
    entities::{
        self,
        monitor_ask::{self, COLUMN, Column, Entity},
    },
    ids::MonitorId,
    store::StateDb,
};

/// How often forwarded requests and their completion are polled.
pub(super) const POLL: Duration = Duration::from_millis(200);
/// Requests that are read at once.
const MAX_REQUESTS: u64 = 500;

const CHECK: &str = "check";
const SIGNALS: [(&str, Signal); 3] = [
    ("start", Signal::Start),
    ("finish", Signal::Finish),
    ("fail", Signal::Fail),
];

impl Monitors {
    /// Forwards a request. The receiver resolves when it was handled.
    pub(super) fn forward(
        &mut self,
        monitor: &MonitorId,
        signal: Option<Signal>,
    ) -> oneshot::Receiver<()> {
        let (done, stored) = oneshot::channel();
        let named = |one: &&(&str, Signal)| Some(one.1) == signal;
        let what = SIGNALS.iter().find(named).map_or(CHECK, |one| one.0);
        let ask = monitor_ask::ActiveModel {
            id: Set(uuid::Uuid::now_v7().to_string()),
            monitor_id: Set(monitor.to_string()),
            what: Set(what.to_owned()),
        };
        let db = self.env.db.clone();
        self.background.spawn(async move {
            match insert_and_wait(&db, ask).await {
                Ok(()) => {
                    let _ = done.send(());
                }
                Err(error) => tracing::warn!(%error, "what a monitor was asked for is lost"),
            }
        });
        stored
    }
}

/// Inserts a request and waits until it is deleted.
async fn insert_and_wait(db: &StateDb, ask: monitor_ask::ActiveModel) -> Result<(), DbErr> {
    let id = ask.id.clone().unwrap();
    entities::insert(db.writer(), ask).await?;
    loop {
        tokio::time::sleep(POLL).await;
        let waits = Entity::find_by_id(id.clone()).count(db.writer()).await?;
        if waits == 0 {
            return Ok(());
        }
    }
}

/// Handles the requests of other processes.
pub(super) fn poll(live: &mut Live<Monitors>, context: &mut Context<Live<Monitors>>) {
    if !live.env.db.is_shared() || !live.env.db.is_leader() || live.is_reading {
        return;
    }
    live.is_reading = true;
    let env = live.env.clone();
    let read = async move { read(&env).await };
    read_beside(context, read, |live: &mut Live<Monitors>, read, context| {
        live.is_reading = false;
        if !live.env.db.is_leader() {
            return;
        }
        match read {
            Ok(asks) => live.handle_forwarded(asks, context),
            Err(error) => tracing::debug!(%error, "what others were asked for is read later"),
        }
    });
}

async fn read(env: &MonitorsEnv) -> Result<Vec<monitor_ask::Model>, DbErr> {
    let all = Entity::find().order_by_asc(COLUMN.id).limit(MAX_REQUESTS);
    all.all(env.db.writer()).await
}

impl Live<Monitors> {
    fn handle_forwarded(&mut self, asks: Vec<monitor_ask::Model>, context: &mut Context<Self>) {
        self.forwarded
            .retain(|id| asks.iter().any(|one| one.id == *id));
        for ask in asks {
            if !self.forwarded.insert(ask.id.clone()) {
                continue;
            }
            let id = MonitorId::from(ask.monitor_id.as_str());
            let signal = SIGNALS.iter().find(|one| one.0 == ask.what);
            let begun = match signal {
                Some((_, signal)) => {
                    let signal = *signal;
                    self.record_signal(RecordSignal { id, signal }, context)
                }
                None => self.check(CheckNow { id }, context),
            };
            let db = self.env.db.clone();
            self.tasks.spawn(async move {
                // A request that is refused has nothing to wait for.
                if let Ok(stored) = begun
                    && stored.await.is_err()
                {
                    return;
                }
                let gone = Entity::delete_many().filter(Column::Id.eq(ask.id));
                if let Err(error) = gone.exec(db.writer()).await {
                    tracing::debug!(%error, "what others were asked for is done once more");
                }
            });
        }
    }
}

//! What a process is asked for that checks nothing, because another one does: it is passed on through the database.

use std::time::Duration;

use actix::{ActorFutureExt as _, AsyncContext as _, Context, fut};
use sea_orm::{ActiveValue::Set, QueryOrder as _, QuerySelect as _, prelude::*};
use tokio::sync::oneshot;

use super::{Beat, CheckNow, Monitors, MonitorsEnv, Signal};
use crate::{
    actors::kit::Live,
    entities::monitor_ask::{self, COLUMN, Column, Entity},
    ids::MonitorId,
    store::StateDb,
};

/// How often it is looked for what was passed on, and for what became of it.
pub(super) const LOOK: Duration = Duration::from_millis(200);
/// As much is taken at a time.
const MAX: u64 = 500;

const CHECK: &str = "check";
const SIGNALS: [(&str, Signal); 3] = [
    ("start", Signal::Start),
    ("finish", Signal::Finish),
    ("fail", Signal::Fail),
];

impl Monitors {
    /// Has the process that checks do this; what comes back resolves when it has.
    pub(super) fn pass_on(
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
        self.passing.spawn(async move {
            match put(&db, ask).await {
                Ok(()) => {
                    let _ = done.send(());
                }
                Err(error) => tracing::warn!(%error, "what a monitor was asked for is lost"),
            }
        });
        stored
    }
}

/// Passes it on, and waits until it is done or nobody waits any more.
async fn put(db: &StateDb, ask: monitor_ask::ActiveModel) -> Result<(), DbErr> {
    let id = ask.id.clone().unwrap();
    Entity::insert(ask)
        .exec_without_returning(db.writer())
        .await?;
    loop {
        tokio::time::sleep(LOOK).await;
        let waits = Entity::find_by_id(id.clone()).count(db.writer()).await?;
        if waits == 0 {
            return Ok(());
        }
    }
}

/// Does what others were asked for.
pub(super) fn look(live: &mut Live<Monitors>, context: &mut Context<Live<Monitors>>) {
    if !live.env.db.is_shared() || !live.env.db.is_leader() || live.is_reading {
        return;
    }
    live.is_reading = true;
    let env = live.env.clone();
    let read = async move { read(&env).await };
    context.spawn(
        fut::wrap_future::<_, Live<Monitors>>(read).map(|read, live, context| {
            live.is_reading = false;
            match read {
                Ok(asks) => live.take(asks, context),
                Err(error) => tracing::debug!(%error, "what others were asked for is read later"),
            }
        }),
    );
}

async fn read(env: &MonitorsEnv) -> Result<Vec<monitor_ask::Model>, DbErr> {
    let all = Entity::find().order_by_asc(COLUMN.id).limit(MAX);
    all.all(env.db.writer()).await
}

impl Live<Monitors> {
    fn take(&mut self, asks: Vec<monitor_ask::Model>, context: &mut Context<Self>) {
        self.taken.retain(|id| asks.iter().any(|one| one.id == *id));
        for ask in asks {
            if !self.taken.insert(ask.id.clone()) {
                continue;
            }
            let id = MonitorId::from(ask.monitor_id.as_str());
            let signal = SIGNALS.iter().find(|one| one.0 == ask.what);
            let begun = match signal {
                Some((_, signal)) => {
                    let beat = Beat {
                        id,
                        signal: *signal,
                    };
                    self.take_signal(&beat, context)
                }
                None => self.check(&CheckNow { id }, context),
            };
            let db = self.env.db.clone();
            self.tasks.spawn(async move {
                // Whoever cannot be asked has nothing to wait for.
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

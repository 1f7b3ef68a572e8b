//! The one writer of flags.

use std::{sync::Arc, time::Duration};

use actix::{AsyncContext, Context};

use super::{
    CreateFlag, CreateGroup, CreateSchedule, DeleteFlag, DeleteGroup, DeleteSchedule, FlagError,
    FlagsView, UpdateFlag, UpdateGroup, UpdateSchedule, env::FlagsEnv, groups, repo, schedules,
    work,
};
use crate::{
    actors::{
        flags::written::{Written, compiled},
        kit::{Domain, Live, handlers, run_exclusive},
    },
    store::StateDb,
};

/// How often it is looked whether a plan is due.
const LOOK: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct Flags {
    env: FlagsEnv,
    view: Arc<FlagsView>,
    /// When the next plan is due, Unix ms.
    next_due: Option<i64>,
}

impl Domain for Flags {
    const NAME: &'static str = "flags";
    type Env = FlagsEnv;
    type View = FlagsView;

    async fn boot(env: FlagsEnv) -> anyhow::Result<Self> {
        let db = env.db.settled().await?;
        let mut view = FlagsView::new(env.db.clone());
        let groups = groups::all(db).await?;
        for flag in repo::active(db).await? {
            match compiled(&flag, &groups) {
                Ok(one) => view.adopt(Written {
                    scope: flag.scope.clone(),
                    put: vec![one],
                    gone: Vec::new(),
                }),
                Err(error) => tracing::error!(flag = %flag.id, %error, "a flag is left out"),
            }
        }
        Ok(Self {
            next_due: schedules::next_due(db).await?,
            view: Arc::new(view),
            env,
        })
    }

    fn view(&self) -> Arc<FlagsView> {
        Arc::clone(&self.view)
    }

    fn epoch_source(env: &FlagsEnv) -> Option<&StateDb> {
        Some(&env.db)
    }

    fn reread(&mut self, mut fresh: Self) {
        Arc::make_mut(&mut fresh.view).keep_seen_of(&self.view);
        *self = fresh;
    }

    fn started(_: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        context.run_interval(LOOK, |live, context| {
            let now_ms = live.env.clock.now_ms();
            if live.next_due.is_some_and(|due| due <= now_ms) && live.env.db.is_leader() {
                run_exclusive(context, schedules::carry_out(live.env.clone()), Flags::done);
            }
        });
    }
}

impl Flags {
    /// Shows what was written.
    fn adopt<T>(&mut self, (written, answer): (Written, T)) -> T {
        Arc::make_mut(&mut self.view).adopt(written);
        answer
    }

    /// Keeps when the next plan of all is due.
    fn plan<T>(&mut self, (answer, next_due): (T, Option<i64>)) -> T {
        self.next_due = next_due;
        answer
    }

    /// Shows what plans have done.
    fn done(&mut self, outcome: Result<(Vec<Written>, Option<i64>), FlagError>) {
        match outcome {
            Ok((written, next_due)) => {
                self.next_due = next_due;
                let view = Arc::make_mut(&mut self.view);
                for written in written {
                    view.adopt(written);
                }
            }
            Err(error) => tracing::warn!(%error, "what is planned for flags waits"),
        }
    }
}

handlers! { Flags:
    commit CreateFlag => work::create, Flags::adopt;
    commit UpdateFlag => work::update, Flags::adopt;
    commit DeleteFlag => work::delete, Flags::adopt;
    commit CreateGroup => groups::create;
    commit UpdateGroup => groups::update, Flags::adopt;
    commit DeleteGroup => groups::delete, Flags::adopt;
    commit CreateSchedule => schedules::create, Flags::plan;
    commit UpdateSchedule => schedules::update, Flags::plan;
    commit DeleteSchedule => schedules::delete, Flags::plan;
}

//! The actor of flags.

use std::{sync::Arc, time::Duration};

use actix::{AsyncContext, Context};

use super::{
    CreateFlag, CreateGroup, CreateSchedule, DeleteFlag, DeleteGroup, DeleteSchedule, FlagError,
    FlagsView, UpdateFlag, UpdateGroup, UpdateSchedule, changes, env::FlagsEnv, groups, repo,
    schedules,
};
use crate::{
    actors::{
        flags::compiled::{FlagChanges, compile_flag},
        kit::{Domain, Live, handlers, run_exclusive},
    },
    store::StateDb,
};

/// How often due schedules are looked for.
const LOOK: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct Flags {
    env: FlagsEnv,
    view: Arc<FlagsView>,
    /// When the next step of a schedule is due, Unix ms.
    next_due: Option<i64>,
}

impl Domain for Flags {
    const NAME: &'static str = "flags";
    type Env = FlagsEnv;
    type View = FlagsView;

    async fn boot(env: FlagsEnv) -> anyhow::Result<Self> {
        let db = env.db.settled().await?;
        let mut view = FlagsView::new(env.db.clone());
        let groups = groups::load_all_compiled(db).await?;
        for flag in repo::active(db).await? {
            match compile_flag(&flag, &groups) {
                Ok(one) => view.adopt(FlagChanges {
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
        Arc::make_mut(&mut fresh.view).keep_recent_contexts(&self.view);
        *self = fresh;
    }

    fn started(_: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        context.run_interval(LOOK, |live, context| {
            let now_ms = live.env.clock.now_ms();
            if live.next_due.is_some_and(|due| due <= now_ms) && live.env.db.is_leader() {
                run_exclusive(
                    context,
                    schedules::run_due_steps(live.env.clone()),
                    Flags::adopt_steps,
                );
            }
        });
    }
}

impl Flags {
    fn adopt<T>(&mut self, (written, answer): (FlagChanges, T)) -> T {
        Arc::make_mut(&mut self.view).adopt(written);
        answer
    }

    fn set_next_due<T>(&mut self, (answer, next_due): (T, Option<i64>)) -> T {
        self.next_due = next_due;
        answer
    }

    fn adopt_steps(&mut self, outcome: Result<(Vec<FlagChanges>, Option<i64>), FlagError>) {
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
    commit CreateFlag => changes::create, Flags::adopt;
    commit UpdateFlag => changes::update, Flags::adopt;
    commit DeleteFlag => changes::delete, Flags::adopt;
    commit CreateGroup => groups::create;
    commit UpdateGroup => groups::update, Flags::adopt;
    commit DeleteGroup => groups::delete, Flags::adopt;
    commit CreateSchedule => schedules::create, Flags::set_next_due;
    commit UpdateSchedule => schedules::update, Flags::set_next_due;
    commit DeleteSchedule => schedules::delete, Flags::set_next_due;
}

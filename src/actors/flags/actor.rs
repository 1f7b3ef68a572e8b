//! The one writer of flags.

use std::{sync::Arc, time::Duration};

use actix::{AsyncContext, Context, Handler};

use super::{
    CreateFlag, CreateGroup, CreateSchedule, DeleteFlag, DeleteGroup, DeleteSchedule, Flag,
    FlagError, FlagsView, Schedule, TargetGroup, UpdateFlag, UpdateGroup, UpdateSchedule,
    env::FlagsEnv, groups, repo, schedules, stored_groups, work,
};
use crate::{
    actors::{
        flags::{shown::compiled, written::Written},
        kit::{Domain, Live, Reply, commit, run_exclusive},
    },
    store::StateDb,
};

/// How often it is looked whether a plan is due.
const LOOK: Duration = Duration::from_secs(1);

/// The actor.
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
        let groups = stored_groups::all(db).await?;
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

impl Handler<CreateFlag> for Live<Flags> {
    type Result = Reply<Flags, Flag, FlagError>;

    fn handle(&mut self, message: CreateFlag, _: &mut Context<Self>) -> Self::Result {
        commit(work::create(self.env.clone(), message), Flags::adopt)
    }
}

impl Handler<UpdateFlag> for Live<Flags> {
    type Result = Reply<Flags, Flag, FlagError>;

    fn handle(&mut self, message: UpdateFlag, _: &mut Context<Self>) -> Self::Result {
        commit(work::update(self.env.clone(), message), Flags::adopt)
    }
}

impl Handler<DeleteFlag> for Live<Flags> {
    type Result = Reply<Flags, (), FlagError>;

    fn handle(&mut self, message: DeleteFlag, _: &mut Context<Self>) -> Self::Result {
        commit(work::delete(self.env.clone(), message), Flags::adopt)
    }
}

impl Handler<CreateGroup> for Live<Flags> {
    type Result = Reply<Flags, TargetGroup, FlagError>;

    fn handle(&mut self, message: CreateGroup, _: &mut Context<Self>) -> Self::Result {
        let made = groups::create(self.env.clone(), message);
        commit(made, |_: &mut Flags, group| group)
    }
}

impl Handler<UpdateGroup> for Live<Flags> {
    type Result = Reply<Flags, TargetGroup, FlagError>;

    fn handle(&mut self, message: UpdateGroup, _: &mut Context<Self>) -> Self::Result {
        commit(groups::update(self.env.clone(), message), Flags::adopt)
    }
}

impl Handler<DeleteGroup> for Live<Flags> {
    type Result = Reply<Flags, (), FlagError>;

    fn handle(&mut self, message: DeleteGroup, _: &mut Context<Self>) -> Self::Result {
        commit(groups::delete(self.env.clone(), message), Flags::adopt)
    }
}

/// A plan, and when the next one of all is due.
type Planned<T> = (T, Option<i64>);

impl Flags {
    fn plan<T>(&mut self, (answer, next_due): Planned<T>) -> T {
        self.next_due = next_due;
        answer
    }
}

impl Handler<CreateSchedule> for Live<Flags> {
    type Result = Reply<Flags, Schedule, FlagError>;

    fn handle(&mut self, message: CreateSchedule, _: &mut Context<Self>) -> Self::Result {
        commit(schedules::create(self.env.clone(), message), Flags::plan)
    }
}

impl Handler<UpdateSchedule> for Live<Flags> {
    type Result = Reply<Flags, Schedule, FlagError>;

    fn handle(&mut self, message: UpdateSchedule, _: &mut Context<Self>) -> Self::Result {
        commit(schedules::update(self.env.clone(), message), Flags::plan)
    }
}

impl Handler<DeleteSchedule> for Live<Flags> {
    type Result = Reply<Flags, (), FlagError>;

    fn handle(&mut self, message: DeleteSchedule, _: &mut Context<Self>) -> Self::Result {
        commit(schedules::delete(self.env.clone(), message), Flags::plan)
    }
}

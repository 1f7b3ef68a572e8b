//! The one writer of imports.

use std::{sync::Arc, time::Duration};

use actix::{AsyncContext, Context};
use tokio::{sync::Notify, task::JoinSet};

use super::{
    ApplyImport, BeginFile, CancelImport, CreateImport, Import, ImportsEnv, ImportsError,
    ImportsView, NoteFile, PlanImport, Status, lifecycle,
    live::LiveImports,
    messages::{FailImport, NoteFileId, NotePlan, Tidy},
    notes::{begin_file, fail, note_file, note_file_id, note_plan},
    repo,
    uploads::Uploads,
    worker::{Notes, Worker},
};
use crate::{
    actors::kit::{Decision, Domain, Live, commit, handlers},
    ids::ImportId,
};

/// How often uploads are looked for that were left alone.
const TIDY: Duration = Duration::from_mins(10);

pub struct Imports {
    env: ImportsEnv,
    view: Arc<ImportsView>,
    /// Wakes the workers.
    due: Arc<[Notify; 2]>,
    /// Tasks of their own: while the actor waits for a change, it polls nothing else, and a worker that was just given the only
    /// connection would keep it from that change.
    workers: JoinSet<()>,
}

impl Domain for Imports {
    const NAME: &'static str = "imports";
    type Env = ImportsEnv;
    type View = ImportsView;

    async fn boot(env: ImportsEnv) -> anyhow::Result<Self> {
        let view = ImportsView {
            db: env.db.clone(),
            uploads: Arc::new(Uploads::new(
                env.options.directory.clone(),
                env.clock.clone(),
            )),
            live: Arc::new(LiveImports::default()),
            max_bytes: env.options.max_bytes,
            node: env.events.node(),
        };
        Ok(Self {
            env,
            view: Arc::new(view),
            due: Arc::default(),
            workers: JoinSet::new(),
        })
    }

    fn view(&self) -> Arc<ImportsView> {
        Arc::clone(&self.view)
    }

    fn started(live: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        if !live.env.options.is_serving {
            return;
        }
        for (at, status) in [Status::Planning, Status::Importing]
            .into_iter()
            .enumerate()
        {
            let worker = Worker {
                env: live.env.clone(),
                view: Arc::clone(&live.view),
                notes: Notes {
                    plan: context.address().recipient(),
                    begin: context.address().recipient(),
                    file_id: context.address().recipient(),
                    file: context.address().recipient(),
                    failure: context.address().recipient(),
                },
                status,
            };
            let due = Arc::clone(&live.due);
            live.workers
                .spawn_local(async move { worker.work(&due[at]).await });
        }
        context.notify(Tidy);
        context.run_interval(TIDY, |_, context| context.notify(Tidy));
    }
}

handlers! { Imports:
    decide CreateImport => create;
    decide PlanImport => plan;
    decide ApplyImport => apply;
    decide CancelImport => cancel;
    decide Tidy => tidy;
    commit BeginFile => begin_file;
    commit NoteFile => note_file;
    commit NoteFileId => note_file_id;
    commit NotePlan => note_plan;
    commit FailImport => fail;
}

/// The reply of a change of one import: the import as it is then.
fn change(
    domain: &mut Imports,
    id: ImportId,
    work: impl AsyncFnOnce(&ImportsEnv, &ImportsView, Import) -> Result<(), ImportsError> + 'static,
) -> Decision<Imports, Import, ImportsError> {
    let (env, view, due) = (
        domain.env.clone(),
        Arc::clone(&domain.view),
        Arc::clone(&domain.due),
    );
    let io = async move {
        let row = repo::find(env.db.writer(), &id).await?;
        let import = view.complete(row).await?;
        work(&env, &view, import).await?;
        let row = repo::find(env.db.writer(), &id).await?;
        view.complete(row).await
    };
    Ok(commit(io, move |_, import| {
        due.iter().for_each(Notify::notify_one);
        import
    }))
}

fn create(domain: &mut Imports, message: CreateImport) -> Decision<Imports, Import, ImportsError> {
    let (env, view) = (domain.env.clone(), Arc::clone(&domain.view));
    let io = async move { lifecycle::insert(&env, &view, message).await };
    Ok(commit(io, |_, import| import))
}

fn plan(domain: &mut Imports, message: PlanImport) -> Decision<Imports, Import, ImportsError> {
    change(domain, message.0, lifecycle::plan)
}

fn apply(domain: &mut Imports, message: ApplyImport) -> Decision<Imports, Import, ImportsError> {
    change(domain, message.0, lifecycle::apply)
}

fn cancel(domain: &mut Imports, message: CancelImport) -> Decision<Imports, Import, ImportsError> {
    change(domain, message.0, lifecycle::cancel)
}

/// Ends what was left alone, and removes files that belong to no import.
fn tidy(domain: &mut Imports, _: Tidy) -> Decision<Imports, (), ImportsError> {
    let (env, view) = (domain.env.clone(), Arc::clone(&domain.view));
    let io = async move { lifecycle::end_abandoned(&env, &view).await };
    Ok(commit(io, |_, ()| ()))
}

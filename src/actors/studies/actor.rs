//! The one writer of studies.

use std::sync::Arc;

use actix::{Context, Handler};

use super::{CreateStudy, DeleteStudy, Studies, Study, StudyError, UpdateStudy, repo, rules};
use crate::{
    actors::kit::{Domain, Live, Reply, commit, refuse},
    clock::Clock,
    store::StateDb,
};

#[derive(Debug, Clone)]
pub struct LibraryEnv {
    pub db: StateDb,
    pub clock: Clock,
}

/// The actor; everything that it knows is in storage.
#[derive(Debug)]
pub struct Library {
    env: LibraryEnv,
    view: Arc<Studies>,
}

impl Domain for Library {
    const NAME: &'static str = "studies";
    type Env = LibraryEnv;
    type View = Studies;

    async fn boot(env: LibraryEnv) -> anyhow::Result<Self> {
        Ok(Self {
            view: Arc::new(Studies::new(env.db.clone())),
            env,
        })
    }

    fn view(&self) -> Arc<Studies> {
        Arc::clone(&self.view)
    }
}

impl Handler<CreateStudy> for Live<Library> {
    type Result = Reply<Library, Study, StudyError>;

    fn handle(&mut self, message: CreateStudy, _: &mut Context<Self>) -> Self::Result {
        let checked = rules::checked(message.saved);
        let saved = match checked {
            Ok(saved) => saved,
            Err(issues) => return refuse(StudyError::Invalid(issues)),
        };
        let message = CreateStudy { saved, ..message };
        commit(
            create(self.env.clone(), message),
            |_: &mut Library, made| made,
        )
    }
}

impl Handler<UpdateStudy> for Live<Library> {
    type Result = Reply<Library, Study, StudyError>;

    fn handle(&mut self, message: UpdateStudy, _: &mut Context<Self>) -> Self::Result {
        commit(
            update(self.env.clone(), message),
            |_: &mut Library, changed| changed,
        )
    }
}

impl Handler<DeleteStudy> for Live<Library> {
    type Result = Reply<Library, (), StudyError>;

    fn handle(&mut self, message: DeleteStudy, _: &mut Context<Self>) -> Self::Result {
        commit(delete(self.env.clone(), message), |_: &mut Library, ()| {})
    }
}

async fn create(env: LibraryEnv, message: CreateStudy) -> Result<Study, StudyError> {
    let kind = message.saved.kind();
    let write = env.db.begin().await?;
    if repo::count(&*write, &message.website, kind).await? >= rules::MAX {
        return Err(StudyError::TooMany {
            kind,
            most: rules::MAX,
        });
    }
    let study = repo::insert(&*write, message, env.clock.now_ms()).await?;
    write.commit().await?;
    Ok(study)
}

async fn update(env: LibraryEnv, message: UpdateStudy) -> Result<Study, StudyError> {
    let write = env.db.begin().await?;
    let before = repo::find(&*write, message.kind, &message.id).await?;
    let before = before.ok_or_else(|| StudyError::NotFound(message.kind, message.id.clone()))?;
    let saved = rules::patched(&before.saved, &message.patch).map_err(StudyError::Invalid)?;
    let after = Study {
        saved,
        updated_ms: env.clock.now_ms(),
        ..before
    };
    repo::change(&*write, &after).await?;
    write.commit().await?;
    Ok(after)
}

async fn delete(env: LibraryEnv, message: DeleteStudy) -> Result<(), StudyError> {
    let write = env.db.begin().await?;
    let gone = repo::delete(&*write, message.kind, &message.id, env.clock.now_ms()).await?;
    if !gone {
        return Err(StudyError::NotFound(message.kind, message.id));
    }
    write.commit().await?;
    Ok(())
}

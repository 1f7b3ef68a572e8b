//! The one writer of studies.

use std::sync::Arc;

use super::{CreateStudy, DeleteStudy, Studies, Study, StudyError, UpdateStudy, repo, rules};
use crate::actors::{
    kit::{Domain, handlers},
    state_env::StateEnv,
};

/// The actor; everything that it knows is in storage.
#[derive(Debug)]
pub struct Library {
    view: Arc<Studies>,
}

impl Domain for Library {
    const NAME: &'static str = "studies";
    type Env = StateEnv;
    type View = Studies;

    async fn boot(env: StateEnv) -> anyhow::Result<Self> {
        Ok(Self {
            view: Arc::new(Studies::new(env.db)),
        })
    }

    fn view(&self) -> Arc<Studies> {
        Arc::clone(&self.view)
    }
}

handlers! { Library:
    commit CreateStudy => create;
    commit UpdateStudy => update;
    commit DeleteStudy => delete;
}

async fn create(env: StateEnv, message: CreateStudy) -> Result<Study, StudyError> {
    let saved = rules::checked(message.saved)?;
    let message = CreateStudy { saved, ..message };
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

async fn update(env: StateEnv, message: UpdateStudy) -> Result<Study, StudyError> {
    let write = env.db.begin().await?;
    let before = repo::find(&*write, message.kind, &message.id).await?;
    let before = before.ok_or_else(|| StudyError::NotFound(message.kind, message.id.clone()))?;
    let saved = rules::patched(&before.saved, &message.patch)?;
    let after = Study {
        saved,
        updated_ms: env.clock.now_ms(),
        ..before
    };
    repo::change(&*write, &after).await?;
    write.commit().await?;
    Ok(after)
}

async fn delete(env: StateEnv, message: DeleteStudy) -> Result<(), StudyError> {
    let write = env.db.begin().await?;
    let gone = repo::delete(&*write, message.kind, &message.id, env.clock.now_ms()).await?;
    if !gone {
        return Err(StudyError::NotFound(message.kind, message.id));
    }
    write.commit().await?;
    Ok(())
}

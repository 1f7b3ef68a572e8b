//! The one writer of saved definitions.

use std::sync::Arc;

use super::{
    CreateDefinition, DefinitionError, DefinitionsView, DeleteDefinition, SavedDefinition,
    UpdateDefinition, repo, rules,
};
use crate::actors::{
    kit::{Domain, handlers},
    state_env::StateEnv,
};

/// The actor; everything that it knows is in storage.
#[derive(Debug)]
pub struct Definitions {
    view: Arc<DefinitionsView>,
}

impl Domain for Definitions {
    const NAME: &'static str = "studies";
    type Env = StateEnv;
    type View = DefinitionsView;

    async fn boot(env: StateEnv) -> anyhow::Result<Self> {
        Ok(Self {
            view: Arc::new(DefinitionsView::new(env.db)),
        })
    }

    fn view(&self) -> Arc<DefinitionsView> {
        Arc::clone(&self.view)
    }
}

handlers! { Definitions:
    commit CreateDefinition => create;
    commit UpdateDefinition => update;
    commit DeleteDefinition => delete;
}

async fn create(
    env: StateEnv,
    message: CreateDefinition,
) -> Result<SavedDefinition, DefinitionError> {
    let saved = rules::checked(message.saved)?;
    let message = CreateDefinition { saved, ..message };
    let kind = message.saved.kind();
    let write = env.db.begin().await?;
    if repo::count(&*write, &message.website, kind).await? >= rules::MAX {
        return Err(DefinitionError::TooMany {
            kind,
            most: rules::MAX,
        });
    }
    let definition = repo::insert(&*write, message, env.clock.now_ms()).await?;
    write.commit().await?;
    Ok(definition)
}

async fn update(
    env: StateEnv,
    message: UpdateDefinition,
) -> Result<SavedDefinition, DefinitionError> {
    let write = env.db.begin().await?;
    let before = repo::find(&*write, message.kind, &message.id).await?;
    let before =
        before.ok_or_else(|| DefinitionError::NotFound(message.kind, message.id.clone()))?;
    let saved = rules::patched(&before.saved, &message.patch)?;
    let after = SavedDefinition {
        saved,
        updated_ms: env.clock.now_ms(),
        ..before
    };
    repo::change(&*write, &after).await?;
    write.commit().await?;
    Ok(after)
}

async fn delete(env: StateEnv, message: DeleteDefinition) -> Result<(), DefinitionError> {
    let write = env.db.begin().await?;
    let gone = repo::delete(&*write, message.kind, &message.id, env.clock.now_ms()).await?;
    if !gone {
        return Err(DefinitionError::NotFound(message.kind, message.id));
    }
    write.commit().await?;
    Ok(())
}

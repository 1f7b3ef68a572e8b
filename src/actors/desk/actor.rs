//! The one writer of feedback and preferences.

use std::sync::Arc;

use super::{
    DeskError, Drawer, Feedback, Preferences, SetPreferences, SubmitFeedback, error::MAX, repo,
    rules,
};
use crate::{
    actors::kit::{Domain, handlers},
    clock::Clock,
    store::StateDb,
};

#[derive(Debug, Clone)]
pub struct DeskEnv {
    pub db: StateDb,
    pub clock: Clock,
}

/// The actor; everything that it knows is in storage.
#[derive(Debug)]
pub struct Desk {
    view: Arc<Drawer>,
}

impl Domain for Desk {
    const NAME: &'static str = "desk";
    type Env = DeskEnv;
    type View = Drawer;

    async fn boot(env: DeskEnv) -> anyhow::Result<Self> {
        Ok(Self {
            view: Arc::new(Drawer::new(env.db)),
        })
    }

    fn view(&self) -> Arc<Drawer> {
        Arc::clone(&self.view)
    }
}

handlers! { Desk:
    commit SetPreferences => set;
    commit SubmitFeedback => keep;
}

async fn set(env: DeskEnv, message: SetPreferences) -> Result<Preferences, DeskError> {
    let now_ms = env.clock.now_ms();
    let write = env.db.begin().await?;
    let known = repo::preferences(&*write, &message.user).await?;
    let before = match known {
        Some(before) => before,
        None => repo::begin(&*write, &message.user, now_ms).await?,
    };
    let mut after = rules::changed(before.clone(), message)?;
    if after != before {
        after.updated_ms = now_ms;
        repo::change(&*write, &after).await?;
    }
    write.commit().await?;
    Ok(after)
}

async fn keep(env: DeskEnv, message: SubmitFeedback) -> Result<Feedback, DeskError> {
    let message = rules::admit(message)?;
    let write = env.db.begin().await?;
    if repo::count(&*write, &message.user).await? >= MAX {
        return Err(DeskError::TooMany);
    }
    let feedback = repo::insert(&*write, message, env.clock.now_ms()).await?;
    write.commit().await?;
    Ok(feedback)
}

//! What is written: a page with what is told of it, all of it or nothing.

use std::sync::Arc;

use super::{StatusPage, StatusPageError, StatusPagesEnv, repo, subscribers};
use crate::{actors::delivery, ids::StatusPageId, store::StateDb};

/// Writes a page with what that is worth telling.
pub(super) async fn put(
    env: StatusPagesEnv,
    before: Option<Arc<StatusPage>>,
    page: StatusPage,
) -> Result<StatusPage, StatusPageError> {
    let write = env.db.begin().await?;
    repo::put(&*write, &page).await?;
    let news = subscribers::news(before.as_deref(), &page);
    let rings = subscribers::tell(&env, &write, &page, &news).await?;
    write.commit().await?;
    if rings {
        env.outbox.ring();
    }
    Ok(page)
}

/// Deletes a page with its subscribers and with all that they have not been told yet.
pub(super) async fn delete(db: StateDb, id: StatusPageId) -> Result<StatusPageId, StatusPageError> {
    let write = db.begin().await?;
    repo::delete(&*write, &id).await?;
    delivery::forget_about(&write, &subscribers::prefix(&id)).await?;
    write.commit().await?;
    Ok(id)
}

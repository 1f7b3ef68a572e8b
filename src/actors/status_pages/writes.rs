//! Writes and deletes pages with the messages about them, in one transaction.

use std::sync::Arc;

use super::{StatusPage, StatusPageError, StatusPagesEnv, repo, subscribers};
use crate::{
    actors::delivery,
    entities::{self, status_page},
    ids::StatusPageId,
    store::StateDb,
};

pub(super) async fn put(
    env: StatusPagesEnv,
    before: Option<Arc<StatusPage>>,
    page: StatusPage,
) -> Result<StatusPage, StatusPageError> {
    let write = env.db.begin().await?;
    repo::put(&*write, &page).await?;
    let news = subscribers::news(before.as_deref(), &page);
    let rings = subscribers::notify_subscribers(&env, &write, &page, &news).await?;
    write.commit().await?;
    if rings {
        env.outbox.ring();
    }
    Ok(page)
}

/// Deletes a page with its subscribers and their pending messages.
pub(super) async fn delete(db: StateDb, id: StatusPageId) -> Result<StatusPageId, StatusPageError> {
    let write = db.begin().await?;
    entities::delete::<status_page::Entity>(&*write, id.as_str()).await?;
    delivery::forget_about(&write, &subscribers::page_prefix(&id)).await?;
    write.commit().await?;
    Ok(id)
}

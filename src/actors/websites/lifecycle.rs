//! How websites go, come back, and change their client id.

use std::sync::Arc;

use super::{
    Decision, DeleteWebsite, DueForErasure, DueWebsite, EraseWebsites, FindDeleted, RestoreWebsite,
    RotateTracking, Website, WebsiteError, Websites, WebsitesEnv, WebsitesView, repo,
};
use crate::{
    actors::{
        audit::{self, Action, Actor, Entry},
        kit::handlers,
    },
    ids::{ClientId, OrganizationId},
};

handlers! { Websites:
    commit DeleteWebsite => delete, Websites::replace_view;
    commit RestoreWebsite => restore, Websites::replace_view_with;
    commit FindDeleted => find_deleted;
    commit DueForErasure => find_due;
    commit EraseWebsites => erase;
    decide RotateTracking => Websites::rotate_tracking;
}

async fn delete(env: WebsitesEnv, message: DeleteWebsite) -> Result<WebsitesView, WebsiteError> {
    let write = env.db.begin().await?;
    if !repo::delete(&*write, &message.id, env.clock.now_ms()).await? {
        return Err(WebsiteError::NotFound(message.id));
    }
    write.commit().await?;
    repo::reload(&env).await
}

async fn restore(
    env: WebsitesEnv,
    message: RestoreWebsite,
) -> Result<(WebsitesView, Arc<Website>), WebsiteError> {
    let write = env.db.begin().await?;
    if !repo::restore(&*write, &message.id, env.clock.now_ms()).await? {
        return Err(WebsiteError::NotFound(message.id));
    }
    write.commit().await?;
    let view = repo::reload(&env).await?;
    let website = repo::find_in(&view, &message.id)?;
    Ok((view, website))
}

async fn find_deleted(
    env: WebsitesEnv,
    message: FindDeleted,
) -> Result<Option<OrganizationId>, WebsiteError> {
    let now_ms = env.clock.now_ms();
    Ok(repo::owner_of_deleted(env.db.reader(), &message.id, now_ms).await?)
}

async fn find_due(env: WebsitesEnv, _: DueForErasure) -> Result<Vec<DueWebsite>, WebsiteError> {
    Ok(repo::due(env.db.reader(), env.clock.now_ms()).await?)
}

async fn erase(env: WebsitesEnv, message: EraseWebsites) -> Result<(), WebsiteError> {
    let write = env.db.begin().await?;
    for website in message.websites {
        if repo::erase_one(&*write, &website).await? {
            let (owner, id) = (&website.organization, website.id.as_str());
            let receipt = Entry::within(owner, Actor::System, Action::WebsiteErase, id);
            audit::record(&write, env.clock.now_ms(), receipt).await?;
        }
    }
    Ok(write.commit().await?)
}

impl Websites {
    fn rotate_tracking(&mut self, message: RotateTracking) -> Decision<Arc<Website>> {
        let mut website = self.draft(&message.id)?;
        website.client_id = ClientId::new();
        Ok(self.store(website))
    }
}

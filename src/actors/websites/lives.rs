//! How websites go, come back, and change their client id.

use std::sync::Arc;

use actix::{Context, Handler};

use super::{
    DeleteWebsite, DueForErasure, DueWebsite, EraseWebsites, FindDeleted, RestoreWebsite,
    RotateTracking, Website, WebsiteError, Websites, WebsitesView, actor::update, repo,
};
use crate::{
    actors::{
        audit::{self, Action, Actor, Entry},
        kit::{Live, Reply, commit, refuse},
    },
    ids::{ClientId, OrganizationId, WebsiteId},
    store::StateError,
};

impl Handler<DeleteWebsite> for Live<Websites> {
    type Result = Reply<Websites, (), WebsiteError>;

    fn handle(&mut self, message: DeleteWebsite, _: &mut Context<Self>) -> Self::Result {
        let env = self.env.clone();
        let io = async move {
            let write = env.db.begin().await?;
            if !repo::delete(&*write, &message.id, env.clock.now_ms()).await? {
                return Err(WebsiteError::NotFound(message.id));
            }
            write.commit().await?;
            read(&env).await
        };
        commit(io, |domain: &mut Websites, view| {
            domain.view = Arc::new(view);
        })
    }
}

impl Handler<RestoreWebsite> for Live<Websites> {
    type Result = Reply<Websites, Arc<Website>, WebsiteError>;

    fn handle(&mut self, message: RestoreWebsite, _: &mut Context<Self>) -> Self::Result {
        let env = self.env.clone();
        let io = async move {
            let write = env.db.begin().await?;
            if !repo::restore(&*write, &message.id, env.clock.now_ms()).await? {
                return Err(WebsiteError::NotFound(message.id));
            }
            write.commit().await?;
            let view = read(&env).await?;
            let website = found(&view, &message.id)?;
            Ok((view, website))
        };
        commit(io, |domain: &mut Websites, (view, website)| {
            domain.view = Arc::new(view);
            website
        })
    }
}

impl Handler<FindDeleted> for Live<Websites> {
    type Result = Reply<Websites, Option<OrganizationId>, WebsiteError>;

    fn handle(&mut self, message: FindDeleted, _: &mut Context<Self>) -> Self::Result {
        let env = self.env.clone();
        let io = async move {
            let now_ms = env.clock.now_ms();
            Ok(repo::owner_of_deleted(env.db.reader(), &message.id, now_ms).await?)
        };
        commit(io, |_: &mut Websites, owner| owner)
    }
}

impl Handler<DueForErasure> for Live<Websites> {
    type Result = Reply<Websites, Vec<DueWebsite>, WebsiteError>;

    fn handle(&mut self, _: DueForErasure, _: &mut Context<Self>) -> Self::Result {
        let env = self.env.clone();
        let io = async move { Ok(repo::due(env.db.reader(), env.clock.now_ms()).await?) };
        commit(io, |_: &mut Websites, due| due)
    }
}

impl Handler<EraseWebsites> for Live<Websites> {
    type Result = Reply<Websites, (), WebsiteError>;

    fn handle(&mut self, message: EraseWebsites, _: &mut Context<Self>) -> Self::Result {
        let env = self.env.clone();
        let io = async move {
            let write = env.db.begin().await?;
            for website in message.websites {
                if repo::erase_one(&*write, &website).await? {
                    let (owner, id) = (Some(website.organization), website.id.to_string());
                    let receipt = Entry::new(owner, Actor::System, Action::WebsiteErase, id);
                    audit::record(&write, env.clock.now_ms(), receipt).await?;
                }
            }
            Ok(write.commit().await?)
        };
        commit(io, |_: &mut Websites, ()| ())
    }
}

impl Handler<RotateTracking> for Live<Websites> {
    type Result = Reply<Websites, Arc<Website>, WebsiteError>;

    fn handle(&mut self, message: RotateTracking, _: &mut Context<Self>) -> Self::Result {
        match self.draft(&message.id) {
            Ok(mut website) => {
                website.client_id = ClientId::new();
                commit(update(self.env.db.clone(), website), Websites::adopt)
            }
            Err(error) => refuse(error),
        }
    }
}

/// Everything anew, behind a write that happened.
pub(super) async fn read(env: &super::WebsitesEnv) -> Result<WebsitesView, WebsiteError> {
    let view = repo::load(env.db.writer(), &env.organizations.view()).await;
    Ok(view.map_err(StateError::Unknown)?)
}

pub(super) fn found(view: &WebsitesView, id: &WebsiteId) -> Result<Arc<Website>, WebsiteError> {
    let website = view.by_id(id.as_str()).cloned();
    website.ok_or_else(|| WebsiteError::NotFound(id.clone()))
}

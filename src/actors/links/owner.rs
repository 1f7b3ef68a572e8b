//! Links follow their owner: those of a deleted organization lead nowhere, those of one that came back lead on.

use actix::{Context, Handler};

use super::{FollowOwner, LinkError, Links, LinksEnv, repo, view::Written};
use crate::{
    actors::kit::{Live, Reply, commit},
    entities::link,
};

impl Handler<FollowOwner> for Live<Links> {
    type Result = Reply<Links, (), LinkError>;

    fn handle(&mut self, message: FollowOwner, _: &mut Context<Self>) -> Self::Result {
        let followed = follow(self.env().clone(), message);
        commit(followed, |links: &mut Links, written| {
            links.adopt(written);
        })
    }
}

/// The owner's links, as what is there now or as what has gone.
async fn follow(env: LinksEnv, message: FollowOwner) -> Result<Written, LinkError> {
    env.db.tell().await?;
    let owner = message.organization;
    let organizations = env.organizations.view();
    let rows = link::Entity::within(&owner).all(env.db.writer()).await?;
    let Some(tenant) = organizations.tenant(owner.as_str()) else {
        let gone = rows.into_iter().map(|row| row.record.into());
        return Ok(Written {
            gone: gone.collect(),
            ..Written::default()
        });
    };
    let put = rows.into_iter().map(|row| repo::record_of(row, tenant.key));
    Ok(Written {
        put: put.collect::<Result<_, _>>()?,
        ..Written::default()
    })
}

//! Links follow their owner: those of a deleted organization lead nowhere, those of one that came back lead on.

use super::{FollowOwner, LinkError, Links, LinksEnv, repo, view::Written};
use crate::{actors::kit::handlers, entities::link};

handlers! { Links:
    commit FollowOwner => follow, Links::show;
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

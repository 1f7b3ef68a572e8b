//! Removes the links of a deleted organization from memory, and adds them again when it comes back.

use super::{FollowOwner, LinkError, Links, LinksEnv, repo, view::LinkChanges};
use crate::{actors::kit::handlers, entities::link};

handlers! { Links:
    commit FollowOwner => follow, Links::show;
}

async fn follow(env: LinksEnv, message: FollowOwner) -> Result<LinkChanges, LinkError> {
    env.db.tell().await?;
    let owner = message.organization;
    let organizations = env.organizations.view();
    let rows = link::Entity::within(&owner).all(env.db.writer()).await?;
    let Some(tenant) = organizations.tenant(owner.as_str()) else {
        let gone = rows.into_iter().map(|row| row.record.into());
        return Ok(LinkChanges {
            removed: gone.collect(),
            ..LinkChanges::default()
        });
    };
    let put = rows.into_iter().map(|row| repo::pack_row(row, tenant.key));
    Ok(LinkChanges {
        put: put.collect::<Result<_, _>>()?,
        ..LinkChanges::default()
    })
}

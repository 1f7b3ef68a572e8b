//! Websites that change hands.
//!
//! Rows of events carry the number of who owned the website when they came. A row of `moved_websites` gives those of a
//! website to its present owner; the event store gets all of them at boot and after every change, and no row is written
//! again ([`crate::events::moves`]).

use std::sync::Arc;

use sea_orm::ActiveValue::Set;
use serde_json::json;

use super::{
    Decision, TransferWebsite, Website, WebsiteError, Websites, WebsitesEnv, WebsitesView, repo,
    transferred::tell,
};
use crate::{
    access::plans::Allowance,
    actors::{
        audit::{self, Action, Actor, Entry},
        error::CommonError,
        kit::{commit, handlers},
    },
    clock::from_ms,
    entities::{self, moved_website},
    ids::OrganizationId,
    store::StateError,
};

/// A website on its way.
struct Move {
    by: Actor,
    from: OrganizationId,
    before: i64,
    website: Website,
    allowance: Option<Allowance>,
}

handlers! { Websites:
    decide TransferWebsite => Websites::transfer_website;
}

impl Websites {
    fn transfer_website(&mut self, message: TransferWebsite) -> Decision<Arc<Website>> {
        let one = self.admit_transfer(message)?;
        let io = carry_out(self.env.clone(), one);
        Ok(commit(io, Self::replace_view_with))
    }

    fn admit_transfer(&self, message: TransferWebsite) -> Result<Move, WebsiteError> {
        let mut website = self.draft(&message.id)?;
        let organizations = self.env.organizations.view();
        let owner = organizations.tenant(message.to.as_str());
        let owner = owner.ok_or(CommonError::NoOrganization(message.to))?;
        if owner.id == website.organization {
            return Err(WebsiteError::AlreadyThere);
        }
        if self.view.with_domain(&owner.id, &website.domain).is_some() {
            return Err(WebsiteError::DomainTaken(website.domain));
        }
        let from = std::mem::replace(&mut website.organization, owner.id);
        let before = std::mem::replace(&mut website.organization_key, owner.key).0;
        Ok(Move {
            by: message.by,
            from,
            before,
            website,
            allowance: message.allowance,
        })
    }
}

async fn carry_out(
    env: WebsitesEnv,
    one: Move,
) -> Result<(WebsitesView, Arc<Website>), WebsiteError> {
    let website = &one.website;
    let now_ms = env.clock.now_ms();
    let write = env.db.begin().await?;
    if let Some(allowance) = one.allowance {
        repo::check_allowance(&*write, &website.organization, allowance).await?;
    }
    repo::update(&*write, website).await?;
    let row = moved_website::ActiveModel {
        website: Set(website.key.0),
        organization: Set(one.before),
        moved_at: Set(from_ms(now_ms)),
    };
    let unique = [
        moved_website::Column::Website,
        moved_website::Column::Organization,
    ];
    entities::upsert(&*write, row, unique, [moved_website::Column::MovedAt]).await?;
    for owner in [&one.from, &website.organization] {
        let (by, id) = (one.by.clone(), website.id.as_str());
        let entry = Entry::within(owner, by, Action::WebsiteTransfer, id);
        let details = json!({ "from": one.from, "to": website.organization });
        audit::record(&write, now_ms, entry.with(details)).await?;
    }
    write.commit().await?;
    // Committed: if it cannot be read back now, boot reads it.
    tell(&env).await.map_err(StateError::Unknown)?;
    let view = repo::reload(&env).await?;
    let website = repo::find_in(&view, &website.id)?;
    Ok((view, website))
}

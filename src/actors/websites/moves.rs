//! Websites that change hands.
//!
//! Rows of events carry the number of who owned the website when they came. A row of `moved_websites` says that those of a
//! website belong to whoever has it now; the event store is told of all of them, at boot and after every change, and no row is
//! written again ([`crate::events::transfers`]).

use std::sync::Arc;

use sea_orm::{ActiveValue::Set, prelude::*, sea_query::OnConflict};
use serde_json::json;

use super::{
    Decision, TransferWebsite, Website, WebsiteError, Websites, WebsitesEnv, WebsitesView,
    lives::{found, read},
    moved::tell,
    repo,
};
use crate::{
    access::plans::Allowance,
    actors::{
        audit::{self, Action, Actor, Entry},
        error::CommonError,
        kit::{commit, handlers},
    },
    clock::from_ms,
    entities::moved_website,
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
        Ok(commit(io, Self::show_one))
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
        repo::room(&*write, &website.organization, allowance).await?;
    }
    repo::update(&*write, website).await?;
    let row = moved_website::ActiveModel {
        website: Set(website.key.0),
        organization: Set(one.before),
        moved_at: Set(from_ms(now_ms)),
    };
    let columns = [
        moved_website::Column::Website,
        moved_website::Column::Organization,
    ];
    let again = OnConflict::columns(columns)
        .update_column(moved_website::Column::MovedAt)
        .to_owned();
    moved_website::Entity::insert(row)
        .on_conflict(again)
        .exec_without_returning(&*write)
        .await?;
    for owner in [&one.from, &website.organization] {
        let id = website.id.to_string();
        let action = Action::WebsiteTransfer;
        let mut entry = Entry::new(Some(owner.clone()), one.by.clone(), action, id);
        entry.details = json!({ "from": one.from, "to": website.organization });
        audit::record(&write, now_ms, entry).await?;
    }
    write.commit().await?;
    // Committed: whoever cannot read it back now reads it at boot.
    tell(&env).await.map_err(StateError::Unknown)?;
    let view = read(&env).await?;
    let website = found(&view, &website.id)?;
    Ok((view, website))
}

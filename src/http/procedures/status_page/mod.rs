//! `/statusPage/*`.

pub mod bodies;
pub mod incidents;
pub mod pages;
pub mod public;
pub mod subscribers;
pub mod wire;

use std::sync::Arc;

use super::{Call, Group};
use crate::{
    access::Permission,
    actors::status_pages::{Change, ChangePage, StatusPage},
    fault::Fault,
    store::limits::{Bucket, Identity, Rate},
};

/// Every procedure of status pages is in it.
pub(super) const GROUP: Group = Group::new("statusPage", "StatusPage");

const fn rate(max: u32) -> Rate {
    Rate {
        bucket: Bucket::Page,
        max,
        window_ms: 60_000,
    }
}

procedures! { GROUP + pages + incidents + subscribers; }

async fn admit(call: &Call, page: Option<&str>, most: u32) -> Result<(), Fault> {
    let secret = &call.shared.secret;
    let caller = match call.address {
        Some(address) => address.identity(secret, "pages"),
        None => Identity::from_name("pages", ""),
    };
    call.limit(caller, rate(most)).await?;
    if let Some(page) = page {
        call.limit(Identity::from_name("page", page), rate(120))
            .await?;
    }
    Ok(())
}

async fn change(call: &Call, page: &StatusPage, change: Change) -> Result<Arc<StatusPage>, Fault> {
    let message = ChangePage {
        id: page.id.clone(),
        change,
    };
    Ok(call.shared.status_pages.ask(message).await?)
}

/// A page that the caller may see or change.
fn find(call: &Call, permission: Permission, id: &str) -> Result<Arc<StatusPage>, Fault> {
    let found = call.shared.status_pages.view().by_id(id).cloned();
    owned(call, permission, ("StatusPage", id), found)
}

/// Whether the caller may read a page by its organization's leave: who is signed in, or a key.
pub(in crate::http) fn is_member(call: &Call, page: &StatusPage) -> bool {
    let about = ("StatusPage", page.id.as_str());
    call.authorize_found(Permission::StatusPageRead, about, Some(page), |page| {
        &page.organization
    })
    .is_ok()
}

fn owned(
    call: &Call,
    permission: Permission,
    thing: (&'static str, &str),
    found: Option<Arc<StatusPage>>,
) -> Result<Arc<StatusPage>, Fault> {
    call.authorize_found(permission, thing, found, |page| &page.organization)
}

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
    access::{OrganizationAccess, Permission, authorize},
    actors::status_pages::{Change, ChangePage, StatusPage},
    fault::{Classify, Fault},
    store::limits::{Bucket, Demand, Identity, Rate},
};

/// Every procedure of status pages is in it.
pub(super) const GROUP: Group = Group {
    router: "statusPage",
    path: "statusPage",
    tag: "StatusPage",
};

const fn rate(max: u32) -> Rate {
    Rate {
        bucket: Bucket::Page,
        max,
        window_ms: 60_000,
    }
}

procedures! { GROUP + pages + incidents + subscribers; }

async fn admit(call: &Call, page: Option<&str>, most: u32) -> Result<(), Fault> {
    // There is no slot to hold: the demand bounds no concurrency.
    let secret = &call.shared.secret;
    let caller = match call.address {
        Some(address) => address.identity(secret, "pages"),
        None => Identity::of("pages", ""),
    };
    let admission = &call.shared.admission;
    let _ = admission
        .admit(Demand::new(caller).rate(Some(rate(most))))
        .await?;
    if let Some(page) = page {
        let identity = Identity::of("page", page);
        let _ = admission
            .admit(Demand::new(identity).rate(Some(rate(120))))
            .await?;
    }
    Ok(())
}

async fn change(call: &Call, page: &StatusPage, change: Change) -> Result<Arc<StatusPage>, Fault> {
    let message = ChangePage {
        id: page.id.clone(),
        change,
    };
    let changed = call.shared.status_pages.ask(message).await;
    changed.map_err(Classify::classify)
}

/// A page that the caller may see or change.
fn find(
    call: &Call,
    permission: Permission,
    id: &str,
) -> Result<(Arc<StatusPage>, OrganizationAccess), Fault> {
    let found = call.shared.status_pages.view().by_id(id).cloned();
    owned(call, permission, ("StatusPage", id), found)
}

fn owned(
    call: &Call,
    permission: Permission,
    (what, id): (&'static str, &str),
    found: Option<Arc<StatusPage>>,
) -> Result<(Arc<StatusPage>, OrganizationAccess), Fault> {
    let organizations = call.shared.organizations.view();
    let live = found.filter(|page| organizations.is_live(&page.organization));
    let owner = live.as_ref().map(|page| &page.organization);
    let proof = authorize::owned(&call.caller, permission, (what, id), owner)?;
    let page = live.ok_or_else(|| Fault::not_found(what, id))?;
    Ok((page, proof))
}

//! `/statusPage/*`.

mod bodies;
mod incidents;
mod pages;
mod public;
mod subscribers;
mod wire;

use std::sync::Arc;

use super::{Call, Group, Needs, Procedure};
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

pub(super) fn procedures() -> Vec<Procedure> {
    [of_pages(), of_incidents(), of_subscribers()].concat()
}

fn of_pages() -> Vec<Procedure> {
    const READ: Needs = Needs::Permission(Permission::StatusPageRead);
    const WRITE: Needs = Needs::Permission(Permission::StatusPageWrite);
    let public = "Get what the world sees of a page; nobody has to sign in";
    let listed = "List the slugs of all pages; nobody has to sign in";
    let settings = "Change how a monitor is shown on its page";
    let upload = "Always refused, with what to do instead: pictures are shown by their addresses (`logoUrl`, `faviconUrl`)";
    let transfer = "Hand a page to another organization, with its monitors unless said otherwise";
    vec![
        GROUP
            .procedure("getBySlug", Needs::Nothing, public, pages::by_slug)
            .reading(),
        GROUP
            .procedure("listPublic", Needs::Nothing, listed, pages::list_public)
            .reading(),
        GROUP
            .procedure("list", READ, "List pages, newest first", pages::list)
            .reading(),
        GROUP
            .procedure("get", READ, "Get a page and its monitors", pages::get)
            .reading(),
        GROUP.procedure("create", WRITE, "Create a page", pages::create),
        GROUP.procedure("update", WRITE, "Change a page", pages::update),
        GROUP.procedure("delete", WRITE, "Delete a page", pages::delete),
        GROUP.procedure("transfer", WRITE, transfer, pages::transfer),
        GROUP.procedure("addMonitor", WRITE, "Put a monitor on a page", pages::add),
        GROUP.procedure(
            "removeMonitor",
            WRITE,
            "Take a monitor off a page",
            pages::remove,
        ),
        GROUP.procedure("updateMonitorSettings", WRITE, settings, pages::settings),
        GROUP.procedure("createAssetUploadUrl", WRITE, upload, pages::upload),
    ]
}

fn of_incidents() -> Vec<Procedure> {
    const READ: Needs = Needs::Permission(Permission::StatusPageRead);
    const WRITE: Needs = Needs::Permission(Permission::StatusPageWrite);
    let create = "Tell of an incident, or of maintenance that is planned (`startsAt`, `endsAt`)";
    let learned = "Say what was learned of an incident that is over";
    let update = "Say something about an incident, which stands so from now on";
    vec![
        GROUP.procedure("createIncident", WRITE, create, incidents::create_incident),
        GROUP.procedure("updateIncident", WRITE, update, incidents::update_incident),
        GROUP.procedure("setPostmortem", WRITE, learned, incidents::set_postmortem),
        GROUP.procedure(
            "deleteIncident",
            WRITE,
            "Delete an incident",
            incidents::delete_incident,
        ),
        GROUP
            .procedure(
                "listIncidents",
                READ,
                "List incidents, newest first",
                incidents::list_incidents,
            )
            .reading(),
    ]
}

fn of_subscribers() -> Vec<Procedure> {
    const WRITE: Needs = Needs::Permission(Permission::StatusPageWrite);
    let removed = "Take a subscriber off a page; fine as well when there is none";
    vec![
        GROUP
            .procedure(
                "listSubscribers",
                WRITE,
                "List who follows a page, with their addresses",
                subscribers::list,
            )
            .reading(),
        GROUP.procedure("removeSubscriber", WRITE, removed, subscribers::remove),
    ]
}

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

//! `/imports/*`: definitions and events out of files of other products.
//!
//! `plan…` says what a file would create, `apply…` creates it. Both judge in the same way; the second calls the
//! procedures of each kind with the caller's rights. What is there is left alone, so the same file can be applied again.
//!
//! A file of events may be of any size. It is an import with an upload, a plan and a progress of its own ([`events`]).

mod events;
mod flags;
mod links;
mod monitors;
mod outcome;
mod pages;
mod run;
mod wire;

pub(in crate::http) use self::events::find as find_import;
pub use self::events::{APPLY, CANCEL, CREATE, CreateBody, GET, ImportBody, ImportOut, LIST, PLAN};
use self::run::{Family, Run};
pub use self::wire::{
    Encoding, FileBody, FlagsBody, ItemOut, LinksBody, MonitorsBody, OmissionOut, Outcome, PlanOut,
};
use super::{Call, Group};
use crate::{
    access::Permission,
    fault::Fault,
    importers::{Plan, Source},
};

/// Every procedure of imports is in it.
const GROUP: Group = Group::new("imports", "Organizations");

procedures! { GROUP + events;
    PLAN_LINKS = "planLinks", reads(LinkWrite), plan_links(LinksBody) -> PlanOut:
        "List the short links that a file of another product would create";
    APPLY_LINKS = "applyLinks", acts(LinkWrite), apply_links(LinksBody) -> PlanOut:
        "Create the short links in a file of another product; those that exist stay";
    PLAN_MONITORS = "planMonitors", reads(MonitorWrite), plan_monitors(MonitorsBody) -> PlanOut:
        "List the monitors and status pages that a file of another product would create";
    APPLY_MONITORS = "applyMonitors", acts(MonitorWrite), apply_monitors(MonitorsBody) -> PlanOut:
        "Create the monitors and status pages in a file of another product; those that exist stay";
    PLAN_FLAGS = "planFlags", reads(FlagWrite), plan_flags(FlagsBody) -> PlanOut:
        "List the flags that a file of another product would create";
    APPLY_FLAGS = "applyFlags", acts(FlagWrite), apply_flags(FlagsBody) -> PlanOut:
        "Create the flags in a file of another product; those that exist stay";
}

async fn plan_links(call: Call, body: LinksBody) -> Result<PlanOut, Fault> {
    links(&call, &body, false).await
}

async fn apply_links(call: Call, body: LinksBody) -> Result<PlanOut, Fault> {
    links(&call, &body, true).await
}

async fn plan_monitors(call: Call, body: MonitorsBody) -> Result<PlanOut, Fault> {
    monitors(&call, &body, false).await
}

async fn apply_monitors(call: Call, body: MonitorsBody) -> Result<PlanOut, Fault> {
    monitors(&call, &body, true).await
}

async fn plan_flags(call: Call, body: FlagsBody) -> Result<PlanOut, Fault> {
    flags(&call, &body, false).await
}

async fn apply_flags(call: Call, body: FlagsBody) -> Result<PlanOut, Fault> {
    flags(&call, &body, true).await
}

async fn links(call: &Call, body: &LinksBody, apply: bool) -> Result<PlanOut, Fault> {
    let proof = call.authorize(Permission::LinkWrite, body.organization_id.as_deref())?;
    let bytes = body.file.bytes()?;
    let source = Source::new(&bytes, call.shared.clock.now_ms());
    let plan = body.format.read(&source).map_err(wire::refuse)?;
    Run::new(call, proof.organization(), apply)
        .all(plan, Family::Organization)
        .await
}

async fn monitors(call: &Call, body: &MonitorsBody, apply: bool) -> Result<PlanOut, Fault> {
    let proof = call.authorize(Permission::MonitorWrite, body.organization_id.as_deref())?;
    let bytes = wire::definitions(body.file.bytes()?).await?;
    let source = Source::new(&bytes, call.shared.clock.now_ms());
    let plan = body.format.read(&source).map_err(wire::refuse)?;
    Run::new(call, proof.organization(), apply)
        .all(plan, Family::Organization)
        .await
}

async fn flags(call: &Call, body: &FlagsBody, apply: bool) -> Result<PlanOut, Fault> {
    let scope = super::flags::scope::writable(call, &body.scope)?;
    let bytes = body.file.bytes()?;
    let source = Source {
        environment: body.environment.as_deref(),
        ..Source::new(&bytes, call.shared.clock.now_ms())
    };
    let plan: Plan = body.format.read(&source).map_err(wire::refuse)?;
    let organization = scope.organization.clone();
    Run::new(call, &organization, apply)
        .all(plan, Family::Flags(scope))
        .await
}

//! Pages and the monitors on them.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    GROUP, admit,
    bodies::{
        CreateBody, LogoBody, MonitorBody, SettingsBody, SlugBody, StatusPageIdBody, TransferBody,
        UpdateBody,
    },
    change, find, is_member, owned,
    public::PublicOut,
    wire::{ListedOut, PageOut, SlugOut, WholePageOut},
};
use crate::{
    access::{Permission, authorize, plans::PlanResource},
    actors::status_pages::{Change, CreatePage, DeletePage, Logo, PageFields, TransferPage},
    fault::{Fault, Issue},
    http::procedures::{
        Call, FAILED,
        bodies::{EmptyBody, OrganizationBody},
        success::Success,
    },
    ids::{MonitorId, OrganizationId},
};

procedures! { GROUP;
    GET_BY_SLUG = "getBySlug", reads(Nothing), by_slug(SlugBody) -> PublicOut:
        "Get the public view of a page; needs no authentication, unless the page is private";
    LIST_PUBLIC = "listPublic", reads(Nothing), list_public(EmptyBody) -> Vec<SlugOut>:
        "List the slugs of all public pages; needs no authentication";
    LIST = "list", reads(StatusPageRead), list(OrganizationBody) -> Vec<PageOut>: "List pages, newest first";
    GET = "get", reads(StatusPageRead), get(StatusPageIdBody) -> WholePageOut: "Get a page and its monitors";
    CREATE = "create", changes(StatusPageWrite), create(CreateBody) -> PageOut: "Create a page";
    UPDATE = "update", changes(StatusPageWrite), update(UpdateBody, check) -> PageOut: "Change a page";
    DELETE = "delete", changes(StatusPageWrite), delete(StatusPageIdBody) -> Success: "Delete a page";
    TRANSFER = "transfer", changes(StatusPageWrite), transfer(TransferBody) -> Success:
        "Transfer a page to another organization, with its monitors by default";
    ADD_MONITOR = "addMonitor", changes(StatusPageWrite), add(MonitorBody) -> ListedOut: "Add a monitor to a page";
    REMOVE_MONITOR = "removeMonitor", changes(StatusPageWrite), remove(MonitorBody) -> Success:
        "Remove a monitor from a page";
    UPDATE_MONITOR_SETTINGS = "updateMonitorSettings", changes(StatusPageWrite),
        settings(SettingsBody, check) -> ListedOut:
        "Change how a monitor is shown on its page";
    CREATE_ASSET_UPLOAD_URL = "createAssetUploadUrl", acts(StatusPageWrite), upload(StatusPageIdBody) -> Success:
        "Always refused, with what to do instead: upload with `setLogo`, or set `logoUrl` and `faviconUrl`";
    SET_LOGO = "setLogo", changes(StatusPageWrite), set_logo(LogoBody) -> PageOut:
        "Upload the logo of a page, or remove it";
}

pub(super) async fn by_slug(call: Call, body: SlugBody) -> Result<PublicOut, Fault> {
    let view = call.shared.status_pages.view();
    let page = view.by_slug(&body.slug);
    admit(&call, page.map(|page| page.id.as_str()), 600).await?;
    let page = page.filter(|page| page.access().is_public() || is_member(&call, page));
    let page = page.ok_or_else(|| Fault::not_found("StatusPage", &body.slug))?;
    Ok(PublicOut::new(&call.shared, &view.snapshot(page)))
}

pub(super) async fn list_public(call: Call, _: EmptyBody) -> Result<Vec<SlugOut>, Fault> {
    admit(&call, None, 60).await?;
    let all = call.shared.status_pages.view().public();
    Ok(all.iter().map(|page| SlugOut::new(page)).collect())
}

pub(super) async fn list(call: Call, body: OrganizationBody) -> Result<Vec<PageOut>, Fault> {
    let proof = call.authorize(Permission::StatusPageRead, body.organization_id.as_deref())?;
    let all = call
        .shared
        .status_pages
        .view()
        .by_organization(proof.organization());
    Ok(all.iter().map(|page| PageOut::new(page)).collect())
}

pub(super) async fn get(call: Call, body: StatusPageIdBody) -> Result<WholePageOut, Fault> {
    let page = find(&call, Permission::StatusPageRead, &body.status_page_id)?;
    Ok(WholePageOut::new(&call.shared, &page))
}

pub(super) async fn create(call: Call, body: CreateBody) -> Result<PageOut, Fault> {
    let proof = call.authorize(Permission::StatusPageWrite, body.organization_id.as_deref())?;
    let fields = PageFields::read(&body.fields.0);
    let mut fields = fields.map_err(|issues| Fault::issues(FAILED, issues))?;
    if !body.fields.0.contains_key("slug") {
        fields.slug = call.shared.status_pages.view().free_slug(&fields.name);
    }
    let view = call.shared.status_pages.view();
    let message = CreatePage {
        organization: proof.organization().clone(),
        password_hash: view.hash_password(fields.password.take()).await?,
        fields,
    };
    let made = call.shared.status_pages.ask(message).await?;
    Ok(PageOut::new(&made))
}

pub(super) async fn update(call: Call, body: UpdateBody) -> Result<PageOut, Fault> {
    let page = find(&call, Permission::StatusPageWrite, &body.status_page_id)?;
    let (view, mut fields) = (call.shared.status_pages.view(), body.fields.0);
    let password = view.hash_patched_password(&mut fields).await?;
    let changed = change(&call, &page, Change::Fields(fields, password)).await?;
    Ok(PageOut::new(&changed))
}

pub(super) async fn delete(call: Call, body: StatusPageIdBody) -> Result<Success, Fault> {
    let page = find(&call, Permission::StatusPageWrite, &body.status_page_id)?;
    let id = page.id.clone();
    call.shared.status_pages.ask(DeletePage { id }).await?;
    Ok(Success::YES)
}

pub(super) async fn transfer(call: Call, body: TransferBody) -> Result<Success, Fault> {
    let page = find(&call, Permission::StatusPageWrite, &body.status_page_id)?;
    let target = OrganizationId::from(body.target_organization_id);
    let proof = authorize::organization(&call.caller, Permission::StatusPageWrite, &target)?;
    let with_monitors = body.include_monitors.unwrap_or(true);
    if with_monitors && page.organization != *proof.organization() {
        authorize::organization(&call.caller, Permission::MonitorWrite, proof.organization())?;
        authorize::organization(&call.caller, Permission::MonitorWrite, &page.organization)?;
    }
    let to = proof.organization().clone();
    let message = TransferPage {
        id: page.id.clone(),
        with_monitors,
        allowance: call.shared.allowance(&to, PlanResource::Monitors),
        to,
    };
    call.shared.status_pages.ask(message).await?;
    Ok(Success::YES)
}

/// Files are not sent to an address of their own.
pub(super) async fn upload(call: Call, body: StatusPageIdBody) -> Result<Success, Fault> {
    find(&call, Permission::StatusPageWrite, &body.status_page_id)?;
    let message = "Upload a logo with `setLogo`, or set `logoUrl` and `faviconUrl` to https URLs";
    let issue = Issue::new("unsupported", "statusPageId", message);
    Err(Fault::issues(message, vec![issue]))
}

pub(super) async fn set_logo(call: Call, body: LogoBody) -> Result<PageOut, Fault> {
    let page = find(&call, Permission::StatusPageWrite, &body.status_page_id)?;
    let read = |data: String| {
        let bytes = STANDARD.decode(data);
        let bytes = bytes.map_err(|_| Issue::new("invalid", "data", "`data` isn't base64"))?;
        Logo::new(&bytes)
    };
    let logo = body.data.map(read).transpose();
    let logo = logo.map_err(|issue| Fault::issues(FAILED, vec![issue]))?;
    let changed = change(&call, &page, Change::Logo(logo)).await?;
    Ok(PageOut::new(&changed))
}

pub(super) async fn add(call: Call, body: MonitorBody) -> Result<ListedOut, Fault> {
    let page = find(&call, Permission::StatusPageWrite, &body.status_page_id)?;
    let monitor = MonitorId::from(body.uptime_schedule_id.as_str());
    let changed = change(&call, &page, Change::AddMonitor(monitor.clone())).await?;
    let mut listed = changed.monitors.iter();
    let one = listed.find(|one| one.monitor == monitor);
    let one = one.ok_or_else(|| Fault::not_found("UptimeSchedule", monitor))?;
    Ok(ListedOut::new(&call.shared, &changed, one))
}

pub(super) async fn remove(call: Call, body: MonitorBody) -> Result<Success, Fault> {
    let page = find(&call, Permission::StatusPageWrite, &body.status_page_id)?;
    let monitor = MonitorId::from(body.uptime_schedule_id);
    change(&call, &page, Change::RemoveMonitor(monitor)).await?;
    Ok(Success::YES)
}

pub(super) async fn settings(call: Call, body: SettingsBody) -> Result<ListedOut, Fault> {
    let found = call.shared.status_pages.view();
    let found = found.with_monitor(&body.monitor_id).cloned();
    let thing = ("StatusPageMonitor", body.monitor_id.as_str());
    let page = owned(&call, Permission::StatusPageWrite, thing, found)?;
    let set = Change::MonitorSettings(body.monitor_id.clone(), body.fields.0);
    let changed = change(&call, &page, set).await?;
    let one = changed
        .monitors
        .iter()
        .find(|one| one.id == body.monitor_id);
    let one = one.ok_or_else(|| Fault::not_found("StatusPageMonitor", body.monitor_id))?;
    Ok(ListedOut::new(&call.shared, &changed, one))
}

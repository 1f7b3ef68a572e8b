//! `/organizations/*`. Organizations, members and invitations themselves are under `/api/auth/organization/`.

use std::{sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group, Input, Needs, Procedure,
    notifications::{NotificationsChange, NotificationsOut},
    session_of,
};
use crate::{
    access::{Permission, Role, authorize, plans::Counted},
    actors::{
        audit::Actor,
        organizations::{
            ClearExpired, Organization, OrganizationChange, RestoreOrganization, UpdateOrganization,
        },
    },
    events::statement::QueryError,
    fault::{Fault, Kind},
    http::organizations::{
        settle,
        shapes::{InvitationOut, OrganizationOut},
    },
    ids::OrganizationId,
};

/// Every procedure of organizations is in it.
const GROUP: Group = Group {
    router: "organizations",
    path: "organizations",
    tag: "Organizations",
};

pub(super) fn procedures() -> Vec<Procedure> {
    use Permission::{MembersManage, MembersRead, OrganizationRead, OrganizationUpdate};
    let needs = Needs::Permission;
    vec![
        GROUP.procedure(
            "updateAvatarSeed",
            needs(OrganizationUpdate),
            "Change what an organization's generated picture is drawn from",
            update_avatar_seed,
        ),
        GROUP.procedure(
            "getEmailNotificationSettings",
            needs(OrganizationRead),
            "Get which mails the people of an organization get",
            get_notifications,
        ),
        GROUP.procedure(
            "updateEmailNotificationSettings",
            needs(OrganizationUpdate),
            "Change which mails the people of an organization get",
            update_notifications,
        ),
        GROUP.procedure(
            "getPendingInvitations",
            needs(MembersRead),
            "List the open invitations of an organization, newest first",
            pending,
        ),
        GROUP.procedure(
            "getUserPendingInvitations",
            Needs::Session,
            "List the open invitations of the person",
            own_pending,
        ),
        GROUP.procedure(
            "clearExpiredInvitations",
            needs(MembersManage),
            "Delete the invitations that were not accepted in time",
            clear_expired,
        ),
        GROUP.procedure(
            "restore",
            Needs::Session,
            "Bring a deleted organization back, within 7 days; for those who owned it",
            restore,
        ),
        GROUP.procedure(
            "getUsage",
            Needs::Session,
            "Get how many of the events that the plan allows in a month are used",
            usage,
        ),
        GROUP.procedure(
            "getBillingContext",
            needs(OrganizationRead),
            "Get the plan that limits come from",
            billing,
        ),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WhichBody {
    /// The organization.
    organization_id: String,
}

impl Input for WhichBody {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MaybeBody {
    /// The organization; by default the key's, or the session's active one.
    organization_id: Option<String>,
}

impl Input for MaybeBody {}

#[derive(Debug, Deserialize, JsonSchema)]
struct NothingBody {}

impl Input for NothingBody {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SeedBody {
    /// The organization.
    organization_id: String,
    /// 1 to 100 characters.
    seed: String,
}

impl Input for SeedBody {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PendingBody {
    /// The organization.
    organization_id: String,
    /// Whether those that were not accepted in time are listed too.
    #[serde(default)]
    include_expired: bool,
}

impl Input for PendingBody {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NotificationsBody {
    /// The organization; by default the key's, or the session's active one.
    organization_id: Option<String>,
    /// What changes; what is not named stays as it is.
    #[serde(default)]
    settings: NotificationsChange,
}

impl Input for NotificationsBody {}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChangedOrganization")]
struct ChangedOut {
    organization: OrganizationOut,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ClearedInvitations")]
struct ClearedOut {
    deleted: u64,
}

/// How many of the events that the plan allows in a calendar month (UTC) are used.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Usage")]
struct UsageOut {
    /// Whether the plan limits nothing.
    unlimited: bool,
    /// Whether people can change the plan by themselves; here its operator does.
    can_user_upgrade: bool,
    /// The figures; without them nothing is limited on this installation (`plans.enabled`).
    #[serde(flatten)]
    figures: Option<FiguresOut>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UsageFigures")]
struct FiguresOut {
    /// Events of this month so far.
    used: u64,
    /// Events that the plan allows in a month; null for as many as there are.
    limit: Option<u64>,
    /// Events that are left, 0 where nothing is limited.
    balance: u64,
    /// Events that are left; null for as many as there are.
    remaining: Option<u64>,
    /// Events that the plan includes, 0 where nothing is limited.
    included_usage: u64,
    /// Whether events beyond the limit are taken: never.
    overage_allowed: bool,
    /// Whether the events of the whole organization count: always.
    is_organization_usage: bool,
    /// The plan that allows more, where there is one.
    next_plan: Option<String>,
}

/// The plan that limits come from.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BillingContext")]
struct BillingContextOut {
    plan_id: String,
    is_organization: bool,
    can_user_upgrade: bool,
    has_active_subscription: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BillingContextBody {
    /// A website, whose organization is meant; by default the key's organization, or the session's active one.
    website_id: Option<String>,
}

impl Input for BillingContextBody {}

/// The organization, if the caller may do this with it.
fn find(
    call: &Call,
    permission: Permission,
    named: Option<&str>,
) -> Result<Arc<Organization>, Fault> {
    let id = call.organization(named)?;
    authorize::organization(&call.caller, permission, &id)?;
    let view = call.shared.organizations.view();
    let found = view.organization(id.as_str()).cloned();
    found.ok_or_else(|| Fault::not_found("Organization", id.as_str()))
}

async fn change(
    call: &Call,
    organization: &Organization,
    change: OrganizationChange,
) -> Result<Arc<Organization>, Fault> {
    let message = UpdateOrganization {
        by: Actor::from(&call.caller),
        organization: organization.tenant.id.clone(),
        change,
    };
    Ok(call.shared.organizations.ask(message).await?)
}

async fn update_avatar_seed(call: Call, body: SeedBody) -> Result<ChangedOut, Fault> {
    let named = Some(body.organization_id.as_str());
    let found = find(&call, Permission::OrganizationUpdate, named)?;
    let seed = OrganizationChange {
        avatar_seed: Some(body.seed),
        ..OrganizationChange::default()
    };
    let changed = change(&call, &found, seed).await?;
    Ok(ChangedOut {
        organization: (&*changed).into(),
    })
}

async fn get_notifications(call: Call, body: MaybeBody) -> Result<NotificationsOut, Fault> {
    let named = body.organization_id.as_deref();
    let found = find(&call, Permission::OrganizationRead, named)?;
    Ok(found.notifications.clone().unwrap_or_default().into())
}

async fn update_notifications(
    call: Call,
    body: NotificationsBody,
) -> Result<NotificationsOut, Fault> {
    let named = body.organization_id.as_deref();
    let found = find(&call, Permission::OrganizationUpdate, named)?;
    let now = found.notifications.clone().unwrap_or_default();
    let notifications = OrganizationChange {
        notifications: Some(body.settings.on(now)?),
        ..OrganizationChange::default()
    };
    let changed = change(&call, &found, notifications).await?;
    Ok(changed.notifications.clone().unwrap_or_default().into())
}

async fn pending(call: Call, body: PendingBody) -> Result<Vec<InvitationOut>, Fault> {
    let named = Some(body.organization_id.as_str());
    let found = find(&call, Permission::MembersRead, named)?;
    let id = &found.tenant.id;
    let seen_by = session_of(&call)?.role_in(id).unwrap_or(Role::Viewer);
    let now_ms = call.shared.clock.now_ms();
    let all = call.shared.records.invitations(id).await?;
    let shown = all
        .iter()
        .filter(|one| one.is_pending() && (body.include_expired || one.is_open(now_ms)));
    Ok(shown.map(|one| InvitationOut::of(one, seen_by)).collect())
}

async fn own_pending(call: Call, _: NothingBody) -> Result<Vec<InvitationOut>, Fault> {
    let user = &session_of(&call)?.user;
    let own = call.shared.records.open_invitations(user).await?;
    Ok(own
        .iter()
        .map(|one| InvitationOut::of(one, Role::Owner))
        .collect())
}

async fn clear_expired(call: Call, body: WhichBody) -> Result<ClearedOut, Fault> {
    let named = Some(body.organization_id.as_str());
    let found = find(&call, Permission::MembersManage, named)?;
    let message = ClearExpired {
        organization: found.tenant.id.clone(),
    };
    let deleted = call.shared.organizations.ask(message).await?;
    Ok(ClearedOut { deleted })
}

async fn restore(call: Call, body: WhichBody) -> Result<ChangedOut, Fault> {
    let message = RestoreOrganization {
        by: session_of(&call)?.user.clone(),
        organization: OrganizationId::from(body.organization_id),
    };
    let restored = call.shared.organizations.ask(message).await?;
    settle(&call.shared, &restored.tenant.id).await?;
    Ok(ChangedOut {
        organization: (&*restored).into(),
    })
}

async fn usage(call: Call, body: MaybeBody) -> Result<UsageOut, Fault> {
    session_of(&call)?;
    let mut out = UsageOut {
        unlimited: true,
        can_user_upgrade: false,
        figures: None,
    };
    if !call.shared.plans.load().enabled {
        return Ok(out);
    }
    let named = body.organization_id.as_deref();
    let tenant = &find(&call, Permission::OrganizationRead, named)?.tenant;
    let (owner, now_ms) = (tenant.key.0, call.shared.clock.now_ms());
    let used = call.shared.usage.used(owner, now_ms).await;
    let used = used.map_err(uncounted)?;
    let allowance = call.shared.allowance(&tenant.id, Counted::Events);
    let limit = allowance.as_ref().map(|allowance| allowance.limit);
    let remaining = limit.map(|limit| limit.saturating_sub(used));
    out.unlimited = limit.is_none();
    out.figures = Some(FiguresOut {
        used,
        limit,
        balance: remaining.unwrap_or(0),
        remaining,
        included_usage: limit.unwrap_or(0),
        overage_allowed: false,
        is_organization_usage: true,
        next_plan: allowance.and_then(|allowance| allowance.next_plan),
    });
    Ok(out)
}

fn uncounted(error: QueryError) -> Fault {
    let retry_after = Duration::from_secs(5);
    let kind = Kind::Unavailable { retry_after };
    let mut fault = Fault::new(kind, "Events cannot be counted at this moment");
    fault.cause = Some(error.into());
    fault
}

async fn billing(call: Call, body: BillingContextBody) -> Result<BillingContextOut, Fault> {
    let found = match &body.website_id {
        Some(website) => {
            let (_, proof) = super::websites::find(&call, Permission::WebsiteRead, website)?;
            find(
                &call,
                Permission::OrganizationRead,
                Some(proof.organization().as_str()),
            )?
        }
        None => find(&call, Permission::OrganizationRead, None)?,
    };
    Ok(BillingContextOut {
        plan_id: found.plan.clone(),
        is_organization: true,
        can_user_upgrade: false,
        has_active_subscription: false,
    })
}

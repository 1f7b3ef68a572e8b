//! `/organizations/*`. Organizations, members and invitations themselves are under `/api/auth/organization/`.

use std::{sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group,
    bodies::{EmptyBody, OrganizationBody, OrganizationIdBody},
    notifications::{NotificationsChange, NotificationsOut},
    require_session,
};
use crate::{
    access::{Permission, Role, authorize, plans::PlanResource},
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
const GROUP: Group = Group::new("organizations", "Organizations");

procedures! { GROUP;
    UPDATE_AVATAR_SEED = "updateAvatarSeed", acts(OrganizationUpdate),
        update_avatar_seed(SeedBody) -> ChangedOut:
        "Change the seed of an organization's generated picture";
    GET_EMAIL_NOTIFICATION_SETTINGS = "getEmailNotificationSettings", acts(OrganizationRead),
        get_notifications(OrganizationBody) -> NotificationsOut:
        "Get the email notification settings of an organization";
    UPDATE_EMAIL_NOTIFICATION_SETTINGS = "updateEmailNotificationSettings", acts(OrganizationUpdate),
        update_notifications(NotificationsBody) -> NotificationsOut:
        "Change the email notification settings of an organization";
    GET_PENDING_INVITATIONS = "getPendingInvitations", acts(MembersRead),
        pending(PendingBody) -> Vec<InvitationOut>:
        "List the open invitations of an organization, newest first";
    GET_USER_PENDING_INVITATIONS = "getUserPendingInvitations", acts(Session),
        own_pending(EmptyBody) -> Vec<InvitationOut>:
        "List your open invitations";
    CLEAR_EXPIRED_INVITATIONS = "clearExpiredInvitations", acts(MembersManage),
        clear_expired(OrganizationIdBody) -> ClearedOut:
        "Delete expired invitations";
    RESTORE = "restore", acts(Session), restore(OrganizationIdBody) -> ChangedOut:
        "Restore a deleted organization within 7 days; for its owners";
    GET_USAGE = "getUsage", acts(Session), usage(OrganizationBody) -> UsageOut:
        "Get the events used this month, and how many the plan allows";
    GET_BILLING_CONTEXT = "getBillingContext", acts(OrganizationRead),
        billing(BillingContextBody) -> BillingContextOut:
        "Get the plan that limits come from";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeedBody {
    pub organization_id: String,
    /// 1 to 100 characters.
    pub seed: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingBody {
    pub organization_id: String,
    /// Whether those that were not accepted in time are listed too.
    #[serde(default)]
    pub include_expired: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotificationsBody {
    /// The organization; by default the key's, or the session's active one.
    pub organization_id: Option<String>,
    /// What changes; what is not named stays as it is.
    #[serde(default)]
    pub settings: NotificationsChange,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChangedOrganization")]
pub struct ChangedOut {
    pub organization: OrganizationOut,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ClearedInvitations")]
pub struct ClearedOut {
    pub deleted: u64,
}

/// How many of the events that the plan allows in a calendar month (UTC) are used.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Usage")]
pub struct UsageOut {
    /// Whether the plan limits nothing.
    pub unlimited: bool,
    /// Whether people can change the plan by themselves; here its operator does.
    pub can_user_upgrade: bool,
    /// The figures; without them nothing is limited on this installation (`plans.enabled`).
    #[serde(flatten)]
    pub figures: Option<FiguresOut>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UsageFigures")]
pub struct FiguresOut {
    /// Events of this month so far.
    pub used: u64,
    /// Events that the plan allows in a month; null for as many as there are.
    pub limit: Option<u64>,
    /// Events that are left, 0 where nothing is limited.
    pub balance: u64,
    /// Events that are left; null for as many as there are.
    pub remaining: Option<u64>,
    /// Events that the plan includes, 0 where nothing is limited.
    pub included_usage: u64,
    /// Whether events beyond the limit are taken: never.
    pub overage_allowed: bool,
    /// Whether the events of the whole organization count: always.
    pub is_organization_usage: bool,
    /// The plan that allows more, where there is one.
    pub next_plan: Option<String>,
}

/// The plan that limits come from.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BillingContext")]
pub struct BillingContextOut {
    pub plan_id: String,
    pub is_organization: bool,
    pub can_user_upgrade: bool,
    pub has_active_subscription: bool,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BillingContextBody {
    /// A website, whose organization is meant; by default the key's organization, or the session's active one.
    pub website_id: Option<String>,
}

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

async fn get_notifications(call: Call, body: OrganizationBody) -> Result<NotificationsOut, Fault> {
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
    let seen_by = require_session(&call)?.role_in(id).unwrap_or(Role::Viewer);
    let now_ms = call.shared.clock.now_ms();
    let all = call.shared.records.invitations(id).await?;
    let shown = all
        .iter()
        .filter(|one| one.is_pending() && (body.include_expired || one.is_open(now_ms)));
    Ok(shown.map(|one| InvitationOut::new(one, seen_by)).collect())
}

async fn own_pending(call: Call, _: EmptyBody) -> Result<Vec<InvitationOut>, Fault> {
    let user = &require_session(&call)?.user;
    let own = call.shared.records.open_invitations(user).await?;
    Ok(own
        .iter()
        .map(|one| InvitationOut::new(one, Role::Owner))
        .collect())
}

async fn clear_expired(call: Call, body: OrganizationIdBody) -> Result<ClearedOut, Fault> {
    let named = Some(body.organization_id.as_str());
    let found = find(&call, Permission::MembersManage, named)?;
    let organization = found.tenant.id.clone();
    let deleted = call
        .shared
        .organizations
        .ask(ClearExpired { organization })
        .await?;
    Ok(ClearedOut { deleted })
}

async fn restore(call: Call, body: OrganizationIdBody) -> Result<ChangedOut, Fault> {
    let message = RestoreOrganization {
        by: require_session(&call)?.user.clone(),
        organization: OrganizationId::from(body.organization_id),
    };
    let restored = call.shared.organizations.ask(message).await?;
    settle(&call.shared, &restored.tenant.id).await?;
    Ok(ChangedOut {
        organization: (&*restored).into(),
    })
}

async fn usage(call: Call, body: OrganizationBody) -> Result<UsageOut, Fault> {
    require_session(&call)?;
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
    let allowance = call.shared.allowance(&tenant.id, PlanResource::Events);
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

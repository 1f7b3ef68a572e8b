//! How organizations, members and invitations are written.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    access::Role,
    actors::organizations::{Invitation, Membership, Organization, OrganizationsView},
    clock::iso_ms,
    http::people::shapes::LostAccessOut,
};

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationOut {
    id: String,
    name: String,
    /// Its name in URLs.
    slug: String,
    /// Address of its picture.
    logo: Option<String>,
    /// What its generated picture is drawn from.
    avatar_seed: Option<String>,
    /// The plan that its limits come from.
    plan: String,
    created_at: String,
}

impl From<&Organization> for OrganizationOut {
    fn from(organization: &Organization) -> Self {
        Self {
            id: organization.tenant.id.to_string(),
            name: organization.name.clone(),
            slug: organization.slug.clone(),
            logo: organization.logo.clone(),
            avatar_seed: organization.avatar_seed.clone(),
            plan: organization.plan.clone(),
            created_at: iso_ms(organization.created_ms),
        }
    }
}

/// Who a member is.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct MemberUserOut {
    pub(in crate::http) id: String,
    pub(in crate::http) name: String,
    /// Null for viewers: they do not see addresses.
    pub(in crate::http) email: Option<String>,
    pub(in crate::http) image: Option<String>,
}

/// A member of an organization.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct MemberOut {
    /// What the member is named by: the person's id.
    pub(in crate::http) id: String,
    pub(in crate::http) organization_id: String,
    pub(in crate::http) user_id: String,
    /// `owner`, `admin`, `member` or `viewer`.
    pub(in crate::http) role: &'static str,
    /// When the person joined.
    pub(in crate::http) created_at: String,
    pub(in crate::http) user: MemberUserOut,
}

impl MemberOut {
    /// A member as a person with the role `seen_by` sees them.
    pub(in crate::http) fn new(
        view: &OrganizationsView,
        organization: &str,
        member: &Membership,
        seen_by: Role,
    ) -> Option<Self> {
        let person = view.person(&member.user)?;
        Some(Self {
            id: member.user.to_string(),
            organization_id: organization.to_owned(),
            user_id: member.user.to_string(),
            role: member.role.as_str(),
            created_at: iso_ms(member.since_ms),
            user: MemberUserOut {
                id: member.user.to_string(),
                name: person.name.clone(),
                email: sees_addresses(seen_by).then(|| person.email.clone()),
                image: None,
            },
        })
    }
}

/// A member with a new role.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RoleChangedOut {
    #[serde(flatten)]
    pub(super) member: MemberOut,
    #[serde(flatten)]
    pub(super) lost: LostAccessOut,
}

/// A member who is none any more.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RemovedOut {
    /// Always true.
    pub(super) status: bool,
    #[serde(flatten)]
    pub(super) lost: LostAccessOut,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvitationOut {
    pub id: String,
    pub organization_id: String,
    /// Null for viewers: they do not see addresses.
    pub email: Option<String>,
    /// The role of the person who accepts it.
    pub role: &'static str,
    /// `pending`, `accepted`, `rejected` or `canceled`.
    pub status: &'static str,
    /// Until when it may be accepted.
    pub expires_at: String,
    pub created_at: String,
    /// Null when the account is gone.
    pub inviter_id: Option<String>,
}

impl InvitationOut {
    /// An invitation as a person with the role `seen_by` sees it.
    pub(in crate::http) fn new(invitation: &Invitation, seen_by: Role) -> Self {
        Self {
            id: invitation.id.to_string(),
            organization_id: invitation.organization.to_string(),
            email: sees_addresses(seen_by).then(|| invitation.email.clone()),
            role: invitation.role.as_str(),
            status: invitation.status.as_str(),
            expires_at: iso_ms(invitation.expires_ms),
            created_at: iso_ms(invitation.created_ms),
            inviter_id: invitation.inviter.as_ref().map(ToString::to_string),
        }
    }
}

/// Whether members' addresses are for this role.
fn sees_addresses(role: Role) -> bool {
    role != Role::Viewer
}

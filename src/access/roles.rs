//! Roles and what they may do: the one table.
//!
//! A [`Permission`] is an action on a kind of resource. [`Permission::held_by`] says which roles have it,
//! [`Permission::scope`] which scope gives an API key the same; where there is none, keys never may. From these two follows
//! what a person may grant a key ([`Role::may_grant`]): never more than their own role may do.

use serde::{Deserialize, Serialize};

use super::Scope;

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Role {
    /// Reads everything but secrets, keys, audit and members' addresses.
    Viewer,
    /// Reads everything, makes and configures most things.
    Member,
    /// Everything but the organization itself and its owners.
    Admin,
    Owner,
}

impl Role {
    /// Every role, the one with the fewest rights first.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Member, Self::Admin, Self::Owner];

    /// The role as stored and written on the wire.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// Reads a stored role.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    /// Whether people with this role have the right.
    pub const fn may(self, permission: Permission) -> bool {
        permission.held_by(self)
    }

    /// Whether people with this role may give a key the scope: they may do all that it allows.
    pub fn may_grant(self, scope: Scope) -> bool {
        self.may(Permission::KeysManage)
            && Permission::ALL
                .iter()
                .filter(|permission| permission.scope() == Some(scope))
                .all(|permission| self.may(*permission))
    }

    /// Whether people with this role may give or take the role `other`. Owners are
    /// made and changed by owners alone.
    pub fn may_assign(self, other: Self) -> bool {
        let needed = match other {
            Self::Owner => Permission::OwnersManage,
            Self::Viewer | Self::Member | Self::Admin => Permission::MembersManage,
        };
        self.may(needed)
    }
}

/// An action on a kind of resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::VariantArray)]
pub enum Permission {
    /// See a website, its analytics, goals, funnels and annotations.
    WebsiteRead,
    /// Change a website's settings, goals, funnels and annotations.
    WebsiteConfigure,
    /// Create, publish, move and delete websites.
    WebsiteManage,
    /// See, make, change and end API keys ("website-configure permission" in messages).
    KeysManage,
    /// See short links.
    LinkRead,
    /// Create, change and delete short links.
    LinkWrite,
    /// See monitors and their checks.
    MonitorRead,
    /// Create, change, pause and delete monitors.
    MonitorWrite,
    /// See status pages as their editors do.
    StatusPageRead,
    /// Create, change and delete status pages and incidents.
    StatusPageWrite,
    /// See flags, their rules and target groups.
    FlagRead,
    /// Create, change and delete flags and target groups.
    FlagWrite,
    /// See boards; each panel as far as its resource may be seen.
    BoardRead,
    /// Create, change, share and delete boards.
    BoardWrite,
    /// See alarms and their destinations, without secrets.
    AlarmRead,
    /// Create, change, try and delete alarms.
    AlarmWrite,
    /// See the organization and its usage.
    OrganizationRead,
    /// Change the organization's name and settings.
    OrganizationUpdate,
    /// Delete the organization, restore it or hand it to another owner.
    OrganizationDelete,
    /// See who the members are; their addresses are members' addresses and not for viewers.
    MembersRead,
    /// Invite people, remove them and change their roles, except where owners are concerned.
    MembersManage,
    /// Make and unmake owners.
    OwnersManage,
    /// See and export the audit log.
    AuditRead,
    /// Begin, continue and delete one's own conversations with an agent.
    ChatWrite,
}

impl Permission {
    /// The right that comes with this one in it, although its scope is another: who may change flags may see them.
    pub const fn implied_by(self) -> Option<Self> {
        match self {
            Self::FlagRead => Some(Self::FlagWrite),
            _ => None,
        }
    }

    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The scope that gives an API key the same right, `None` where keys never may.
    pub const fn scope(self) -> Option<Scope> {
        Some(match self {
            Self::WebsiteRead
            | Self::BoardRead
            | Self::FlagRead
            | Self::AlarmRead
            | Self::OrganizationRead => Scope::ReadData,
            Self::WebsiteConfigure | Self::WebsiteManage | Self::BoardWrite => {
                Scope::ManageWebsites
            }
            Self::LinkRead => Scope::ReadLinks,
            Self::LinkWrite => Scope::WriteLinks,
            Self::MonitorRead => Scope::ReadMonitors,
            Self::MonitorWrite => Scope::WriteMonitors,
            Self::StatusPageRead => Scope::ReadStatusPages,
            Self::StatusPageWrite => Scope::WriteStatusPages,
            Self::FlagWrite => Scope::ManageFlags,
            Self::AlarmWrite | Self::OrganizationUpdate | Self::ChatWrite => Scope::ManageConfig,
            Self::KeysManage
            | Self::OrganizationDelete
            | Self::MembersRead
            | Self::MembersManage
            | Self::OwnersManage
            | Self::AuditRead => return None,
        })
    }

    /// Whether people with this role have the right.
    pub const fn held_by(self, role: Role) -> bool {
        match self {
            Self::WebsiteRead
            | Self::LinkRead
            | Self::MonitorRead
            | Self::StatusPageRead
            | Self::FlagRead
            | Self::BoardRead
            | Self::AlarmRead
            | Self::OrganizationRead
            | Self::MembersRead
            | Self::ChatWrite => true,
            Self::WebsiteConfigure
            | Self::KeysManage
            | Self::LinkWrite
            | Self::MonitorWrite
            | Self::StatusPageWrite
            | Self::FlagWrite
            | Self::BoardWrite
            | Self::AlarmWrite => !matches!(role, Role::Viewer),
            Self::WebsiteManage
            | Self::OrganizationUpdate
            | Self::MembersManage
            | Self::AuditRead => matches!(role, Role::Owner | Role::Admin),
            Self::OrganizationDelete | Self::OwnersManage => matches!(role, Role::Owner),
        }
    }

    /// The right in words, for refusals: what of, and which.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::WebsiteRead => ("website", "read"),
            Self::WebsiteConfigure => ("website", "configure"),
            Self::WebsiteManage => ("website", "manage"),
            Self::KeysManage => ("API key", "configure"),
            Self::LinkRead => ("link", "read"),
            Self::LinkWrite => ("link", "write"),
            Self::MonitorRead => ("monitor", "read"),
            Self::MonitorWrite => ("monitor", "write"),
            Self::StatusPageRead => ("status page", "read"),
            Self::StatusPageWrite => ("status page", "write"),
            Self::FlagRead => ("flag", "read"),
            Self::FlagWrite => ("flag", "write"),
            Self::BoardRead => ("board", "read"),
            Self::BoardWrite => ("board", "write"),
            Self::AlarmRead => ("alarm", "read"),
            Self::AlarmWrite => ("alarm", "write"),
            Self::OrganizationRead => ("organization", "read"),
            Self::OrganizationUpdate => ("organization", "update"),
            Self::OrganizationDelete => ("organization", "delete"),
            Self::MembersRead => ("member", "read"),
            Self::MembersManage => ("member", "manage"),
            Self::OwnersManage => ("owner", "manage"),
            Self::AuditRead => ("audit log", "read"),
            Self::ChatWrite => ("chat", "write"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The promised table, typed again: per permission the roles that have it.
    const CONTRACT: &[(&str, &[Permission])] = {
        use Permission as P;
        &[
            (
                "viewer member admin owner",
                &[
                    P::WebsiteRead,
                    P::LinkRead,
                    P::MonitorRead,
                    P::StatusPageRead,
                    P::FlagRead,
                    P::BoardRead,
                    P::AlarmRead,
                    P::OrganizationRead,
                    P::MembersRead,
                    P::ChatWrite,
                ],
            ),
            (
                "member admin owner",
                &[
                    P::WebsiteConfigure,
                    P::KeysManage,
                    P::LinkWrite,
                    P::MonitorWrite,
                    P::StatusPageWrite,
                    P::FlagWrite,
                    P::BoardWrite,
                    P::AlarmWrite,
                ],
            ),
            (
                "admin owner",
                &[
                    P::WebsiteManage,
                    P::OrganizationUpdate,
                    P::MembersManage,
                    P::AuditRead,
                ],
            ),
            ("owner", &[P::OrganizationDelete, P::OwnersManage]),
        ]
    };

    #[test]
    fn every_permission_is_held_by_exactly_the_roles_of_the_contract() {
        let mut seen = 0;
        for (roles, permissions) in CONTRACT {
            for permission in *permissions {
                seen += 1;
                assert!(Permission::ALL.contains(permission));
                for role in Role::ALL {
                    let named = roles.split(' ').any(|name| name == role.as_str());
                    assert_eq!(role.may(*permission), named, "{role:?} {permission:?}");
                }
            }
        }
        assert_eq!(seen, Permission::ALL.len());
    }

    #[test]
    fn a_higher_role_has_every_right_of_a_lower_one() {
        for &permission in Permission::ALL {
            for pair in Role::ALL.windows(2) {
                assert!(!pair[0].may(permission) || pair[1].may(permission));
            }
        }
    }

    #[test]
    fn nobody_grants_more_than_they_may_do() {
        use Scope::{ManageConfig, ManageWebsites};
        for scope in Scope::ALL {
            let not_for_members = matches!(scope, ManageWebsites | ManageConfig);
            assert!(!Role::Viewer.may_grant(scope), "{scope:?}");
            assert_eq!(Role::Member.may_grant(scope), !not_for_members, "{scope:?}");
            assert!(Role::Admin.may_grant(scope) && Role::Owner.may_grant(scope));
        }
    }

    #[test]
    fn every_scope_but_ingestion_stands_for_a_permission() {
        for scope in Scope::ALL {
            let stands = Permission::ALL
                .iter()
                .any(|permission| permission.scope() == Some(scope));
            assert_eq!(stands, scope != Scope::TrackEvents, "{scope:?}");
        }
    }

    #[test]
    fn only_owners_make_owners_and_admins_make_the_rest() {
        for (role, may) in [
            (Role::Viewer, [false; 4]),
            (Role::Member, [false; 4]),
            (Role::Admin, [true, true, true, false]),
            (Role::Owner, [true; 4]),
        ] {
            assert_eq!(Role::ALL.map(|other| role.may_assign(other)), may);
        }
        assert_eq!(Role::parse("owner"), Some(Role::Owner));
        assert_eq!(Role::parse("Owner"), None);
    }
}

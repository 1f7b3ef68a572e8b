//! From a person's groups to their roles. Pure.

use std::collections::BTreeMap;

use crate::{access::Role, ids::OrganizationId};

/// A group of a provider and the role that it gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleRule {
    pub group: String,
    pub organization: OrganizationId,
    pub role: Role,
}

impl RoleRule {
    /// Reads `organization-id:role`; `None` for anything else.
    pub fn parse(group: &str, text: &str) -> Option<Self> {
        let (organization, role) = text.rsplit_once(':')?;
        let organization = organization.trim();
        Some(Self {
            group: group.to_owned(),
            organization: (!organization.is_empty()).then(|| organization.into())?,
            role: Role::parse(role.trim())?,
        })
    }
}

/// The role in each organization that the rules name: the highest that one of the groups gives, or none.
pub fn assign(rules: &[RoleRule], groups: &[String]) -> BTreeMap<OrganizationId, Option<Role>> {
    let mut roles: BTreeMap<OrganizationId, Option<Role>> = BTreeMap::new();
    for rule in rules {
        let given = groups.contains(&rule.group).then_some(rule.role);
        let role = roles.entry(rule.organization.clone()).or_default();
        *role = (*role).max(given);
    }
    roles
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_rule_names_an_organization_and_a_role() {
        let rule = RoleRule::parse("admins", "org-1:admin").unwrap();
        assert_eq!(
            (rule.group.as_str(), rule.organization.as_str(), rule.role),
            ("admins", "org-1", Role::Admin)
        );
        for wrong in ["", "org-1", "org-1:", ":admin", "org-1:boss", "org-1:Admin"] {
            assert_eq!(RoleRule::parse("g", wrong), None, "{wrong}");
        }
    }

    fn rules() -> impl Strategy<Value = Vec<RoleRule>> {
        let role = prop::sample::select(vec![Role::Viewer, Role::Member, Role::Admin, Role::Owner]);
        let rule = (0..4_u8, 0..3_u8, role).prop_map(|(group, organization, role)| RoleRule {
            group: format!("g{group}"),
            organization: OrganizationId::from(format!("o{organization}")),
            role,
        });
        prop::collection::vec(rule, 0..8)
    }

    proptest! {
        #[test]
        fn the_highest_role_of_the_groups_counts_in_every_organization_that_is_named(
            rules in rules(),
            groups in prop::collection::vec("g[0-5]", 0..4),
        ) {
            let assigned = assign(&rules, &groups);
            for organization in ["o0", "o1", "o2"] {
                let own = rules.iter().filter(|rule| rule.organization.as_str() == organization);
                let given = own.clone().filter(|rule| groups.contains(&rule.group));
                let highest = given.map(|rule| rule.role).max();
                let found = assigned.get(&OrganizationId::from(organization.to_owned()));
                prop_assert_eq!(found.is_some(), own.count() > 0);
                prop_assert_eq!(found.copied().flatten(), highest);
            }
        }

        #[test]
        fn neither_order_nor_repetition_matters(
            rules in rules(),
            groups in prop::collection::vec("g[0-5]", 0..4),
        ) {
            let reversed: Vec<_> = rules.iter().rev().cloned().collect();
            let doubled = [groups.clone(), groups.clone()].concat();
            prop_assert_eq!(assign(&rules, &groups), assign(&reversed, &doubled));
        }
    }
}

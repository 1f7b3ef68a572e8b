//! Who sees a status page or a shared dashboard: everyone, or the visitors that its organization lets in.

use std::net::IpAddr;

use super::networks::Networks;

/// What a page asks of visitors who are no members of its organization.
#[derive(Debug, Clone, Copy)]
pub struct PageAccess<'a> {
    pub members_only: bool,
    pub allowed_ips: &'a Networks,
    pub has_password: bool,
}

/// Why a visitor doesn't see a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barrier {
    /// Only members see it, signed in.
    MembersOnly,
    /// The visitor's address isn't on the list.
    Address,
    /// The password has to be entered.
    Password,
}

impl PageAccess<'_> {
    /// Whether anyone sees it.
    pub fn is_public(&self) -> bool {
        !self.members_only && !self.has_password && self.allowed_ips.is_empty()
    }

    /// What keeps a visitor from this address away. A visitor has to meet each condition that is set; `knows_password` is asked
    /// last.
    pub fn barrier(
        &self,
        address: Option<IpAddr>,
        knows_password: impl FnOnce() -> bool,
    ) -> Option<Barrier> {
        let is_allowed = self.allowed_ips.is_empty()
            || address.is_some_and(|address| self.allowed_ips.contains(address));
        if self.members_only {
            Some(Barrier::MembersOnly)
        } else if !is_allowed {
            Some(Barrier::Address)
        } else if self.has_password && !knows_password() {
            Some(Barrier::Password)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_visitor_has_to_meet_each_condition() {
        let office: Networks = serde_json::from_value(json!(["203.0.113.0/24"])).unwrap();
        let anywhere = Networks::default();
        let inside: IpAddr = "203.0.113.7".parse().unwrap();
        let outside: IpAddr = "192.0.2.1".parse().unwrap();
        for (members_only, allowed_ips, has_password, address, knows, barrier) in [
            (false, &anywhere, false, None, false, None),
            (false, &office, false, Some(inside), false, None),
            (
                false,
                &office,
                false,
                Some(outside),
                true,
                Some(Barrier::Address),
            ),
            (false, &office, false, None, true, Some(Barrier::Address)),
            (false, &anywhere, true, None, false, Some(Barrier::Password)),
            (false, &anywhere, true, None, true, None),
            (
                false,
                &office,
                true,
                Some(inside),
                false,
                Some(Barrier::Password),
            ),
            (
                false,
                &office,
                true,
                Some(outside),
                true,
                Some(Barrier::Address),
            ),
            (false, &office, true, Some(inside), true, None),
            (
                true,
                &office,
                true,
                Some(inside),
                true,
                Some(Barrier::MembersOnly),
            ),
        ] {
            let access = PageAccess {
                members_only,
                allowed_ips,
                has_password,
            };
            assert_eq!(access.barrier(address, || knows), barrier, "{access:?}");
            assert_eq!(
                access.is_public(),
                !members_only && !has_password && allowed_ips.is_empty()
            );
        }
    }
}

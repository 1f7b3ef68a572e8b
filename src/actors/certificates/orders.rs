//! The orders of the last hours: a limit of all, and what one organization may use of it.

use std::collections::HashMap;

use super::rules::MAX_ORDERS;
use crate::ids::OrganizationId;

/// How many orders each owner has begun in the last hours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RecentOrders {
    all: u64,
    /// By organization; the installation's own hosts have none.
    of: HashMap<String, u64>,
}

impl RecentOrders {
    pub(super) fn new(counts: impl IntoIterator<Item = (Option<String>, u64)>) -> Self {
        let mut orders = Self::default();
        for (owner, count) in counts {
            orders.all += count;
            if let Some(owner) = owner {
                *orders.of.entry(owner).or_default() += count;
            }
        }
        orders
    }

    pub(super) const fn all(&self) -> u64 {
        self.all
    }

    pub(super) fn count_of(&self, owner: Option<&OrganizationId>) -> u64 {
        let count = owner.and_then(|owner| self.of.get(owner.as_str()));
        count.copied().unwrap_or_default()
    }

    /// Whether the owner may begin another one. An organization uses no more than it leaves to all others, so one with thousands
    /// of hosts stops at half of what there is, and the next one finds the other half.
    pub(super) fn fits(&self, owner: Option<&OrganizationId>) -> bool {
        self.count_of(owner) < MAX_ORDERS.saturating_sub(self.all)
    }

    /// Counts one that begins.
    pub(super) fn add(&mut self, owner: Option<&OrganizationId>) {
        self.all += 1;
        if let Some(owner) = owner {
            *self.of.entry(owner.as_str().to_owned()).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Orders until no more fit; how many.
    fn exhaust(orders: &mut RecentOrders, owner: Option<&str>) -> u64 {
        let owner = owner.map(OrganizationId::from);
        let before = orders.all();
        while orders.fits(owner.as_ref()) {
            orders.add(owner.as_ref());
        }
        orders.all() - before
    }

    #[test]
    fn an_organization_leaves_half_of_what_there_is_to_others() {
        let mut orders = RecentOrders::default();
        assert_eq!(exhaust(&mut orders, Some("first")), 125);
        assert_eq!(exhaust(&mut orders, Some("first")), 0);
        assert_eq!(exhaust(&mut orders, Some("second")), 63);
        assert_eq!(exhaust(&mut orders, Some("third")), 31);
        assert_eq!(exhaust(&mut orders, None), 31, "the installation's own");
        assert_eq!(orders.all(), MAX_ORDERS);
    }
}

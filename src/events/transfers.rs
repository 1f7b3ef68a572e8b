//! Websites, links and monitors that were transferred: their earlier rows carry the number of a former owner.

use std::collections::{BTreeMap, BTreeSet};

use super::statement::Scope;

/// The owner of a website that was transferred, and its former owners, by their numbers in rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transfer {
    pub owner: i64,
    pub former_owners: BTreeSet<i64>,
}

/// Every website that was transferred, by its number in rows. No row is rewritten: a website's number never changes, so it
/// alone decides who owns a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transfers(BTreeMap<i64, Transfer>);

impl FromIterator<(i64, Transfer)> for Transfers {
    fn from_iter<T: IntoIterator<Item = (i64, Transfer)>>(transfers: T) -> Self {
        Self(transfers.into_iter().collect())
    }
}

impl Transfers {
    /// Whether an organization owns a row, given as the organization and the website that it carries.
    pub fn owns(&self, organization: i64, row: (i64, i64)) -> bool {
        let (carried, website) = row;
        let owner = self
            .0
            .get(&website)
            .map_or(carried, |transfer| transfer.owner);
        owner == organization
    }

    /// The SQL condition that selects the rows of a scope's owner.
    pub fn condition(&self, scope: &Scope) -> String {
        let own = scope.organization;
        if let Some(website) = scope.website {
            let transfer = self.0.get(&website);
            return if transfer.is_some_and(|transfer| transfer.owner == own) {
                format!("website = {website}")
            } else {
                format!("website = {website} AND organization = {own}")
            };
        }
        let list = |is_listed: &dyn Fn(&Transfer) -> bool| {
            let listed = self.0.iter().filter(|(_, transfer)| is_listed(transfer));
            let numbers: Vec<String> = listed.map(|(website, _)| website.to_string()).collect();
            numbers.join(", ")
        };
        let gained = list(&|transfer| transfer.owner == own);
        let lost = list(&|transfer| transfer.owner != own && transfer.former_owners.contains(&own));
        let mut condition = format!("organization = {own}");
        if !lost.is_empty() {
            condition = format!("{condition} AND website NOT IN ({lost})");
        }
        if !gained.is_empty() {
            condition = format!("({condition} OR website IN ({gained}))");
        }
        condition
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: i64 = 1;
    const B: i64 = 2;
    const C: i64 = 3;

    fn transfers(list: &[(i64, i64, &[i64])]) -> Transfers {
        let transfers = list.iter().map(|(website, owner, former_owners)| {
            let former_owners = former_owners.iter().copied().collect();
            (
                *website,
                Transfer {
                    owner: *owner,
                    former_owners,
                },
            )
        });
        transfers.collect()
    }

    fn condition(transfers: &Transfers, organization: i64, website: Option<i64>) -> String {
        transfers.condition(&Scope {
            organization,
            website,
            from: 0,
            to: 1,
        })
    }

    #[test]
    fn nothing_changes_for_who_has_nothing_to_do_with_it() {
        let transfers = transfers(&[(7, B, &[A])]);
        assert_eq!(condition(&transfers, C, None), "organization = 3");
        assert_eq!(
            condition(&transfers, C, Some(9)),
            "website = 9 AND organization = 3"
        );
        assert_eq!(
            condition(&Transfers::default(), A, None),
            "organization = 1"
        );
    }

    #[test]
    fn rows_follow_their_website() {
        let transfers = transfers(&[(7, B, &[A]), (8, B, &[A])]);
        assert_eq!(
            condition(&transfers, A, None),
            "organization = 1 AND website NOT IN (7, 8)"
        );
        assert_eq!(
            condition(&transfers, B, None),
            "(organization = 2 OR website IN (7, 8))"
        );
        assert_eq!(condition(&transfers, B, Some(7)), "website = 7");
        assert_eq!(
            condition(&transfers, A, Some(7)),
            "website = 7 AND organization = 1"
        );
        assert!(
            transfers.owns(B, (A, 7)) && !transfers.owns(A, (A, 7)) && transfers.owns(A, (A, 9))
        );
    }

    #[test]
    fn what_comes_back_is_whole_again() {
        let transfers = transfers(&[(7, A, &[A, B])]);
        assert_eq!(
            condition(&transfers, A, None),
            "(organization = 1 OR website IN (7))"
        );
        assert_eq!(
            condition(&transfers, B, None),
            "organization = 2 AND website NOT IN (7)"
        );
        assert!(transfers.owns(A, (B, 7)));
    }
}

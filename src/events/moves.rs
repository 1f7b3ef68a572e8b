//! Things that have changed hands: their earlier rows carry another organization's number, and belong to who has them now.

use std::collections::{BTreeMap, BTreeSet};

use super::statement::Scope;

/// Whose a website is, and whose it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moved {
    /// Number of the organization that has it.
    pub owner: i64,
    /// Numbers of those that had it.
    pub before: BTreeSet<i64>,
}

/// Every website that has changed hands, by its number in rows. Rows are not written again: the number of a website is its
/// own for ever, so that it says by itself whose rows these are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moves(BTreeMap<i64, Moved>);

impl FromIterator<(i64, Moved)> for Moves {
    fn from_iter<T: IntoIterator<Item = (i64, Moved)>>(moved: T) -> Self {
        Self(moved.into_iter().collect())
    }
}

impl Moves {
    /// Whether a row is one of an organization.
    pub fn is_of(&self, organization: i64, row: (i64, i64)) -> bool {
        let (carried, website) = row;
        let owner = self.0.get(&website).map_or(carried, |moved| moved.owner);
        owner == organization
    }

    /// The condition on whose rows a scope means.
    pub fn condition(&self, scope: &Scope) -> String {
        let own = scope.organization;
        if let Some(website) = scope.website {
            let came = self.0.get(&website).is_some_and(|moved| moved.owner == own);
            return if came {
                format!("website = {website}")
            } else {
                format!("website = {website} AND organization = {own}")
            };
        }
        let numbers = |which: &dyn Fn(&Moved) -> bool| {
            let found = self.0.iter().filter(|(_, moved)| which(moved));
            let found: Vec<String> = found.map(|(website, _)| website.to_string()).collect();
            found.join(", ")
        };
        let here = numbers(&|moved| moved.owner == own);
        let away = numbers(&|moved| moved.owner != own && moved.before.contains(&own));
        let mut condition = format!("organization = {own}");
        if !away.is_empty() {
            condition = format!("{condition} AND website NOT IN ({away})");
        }
        if !here.is_empty() {
            condition = format!("({condition} OR website IN ({here}))");
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

    fn moves(list: &[(i64, i64, &[i64])]) -> Moves {
        let moved = list.iter().map(|(website, owner, before)| {
            let before = before.iter().copied().collect();
            (
                *website,
                Moved {
                    owner: *owner,
                    before,
                },
            )
        });
        moved.collect()
    }

    fn of(moves: &Moves, organization: i64, website: Option<i64>) -> String {
        moves.condition(&Scope {
            organization,
            website,
            from: 0,
            to: 1,
        })
    }

    #[test]
    fn nothing_changes_for_who_has_nothing_to_do_with_it() {
        let moves = moves(&[(7, B, &[A])]);
        assert_eq!(of(&moves, C, None), "organization = 3");
        assert_eq!(of(&moves, C, Some(9)), "website = 9 AND organization = 3");
        assert_eq!(of(&Moves::default(), A, None), "organization = 1");
    }

    #[test]
    fn rows_follow_their_website() {
        let moves = moves(&[(7, B, &[A]), (8, B, &[A])]);
        assert_eq!(
            of(&moves, A, None),
            "organization = 1 AND website NOT IN (7, 8)"
        );
        assert_eq!(
            of(&moves, B, None),
            "(organization = 2 OR website IN (7, 8))"
        );
        assert_eq!(of(&moves, B, Some(7)), "website = 7");
        assert_eq!(of(&moves, A, Some(7)), "website = 7 AND organization = 1");
        assert!(moves.is_of(B, (A, 7)) && !moves.is_of(A, (A, 7)) && moves.is_of(A, (A, 9)));
    }

    #[test]
    fn what_comes_back_is_whole_again() {
        let moves = moves(&[(7, A, &[A, B])]);
        assert_eq!(of(&moves, A, None), "(organization = 1 OR website IN (7))");
        assert_eq!(
            of(&moves, B, None),
            "organization = 2 AND website NOT IN (7)"
        );
        assert!(moves.is_of(A, (B, 7)));
    }
}

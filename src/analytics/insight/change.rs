//! Two numbers of two periods of the same length, and lists of them.

/// From here on a single change is called significant: chance alone does so once in a hundred.
const SURE: f64 = 2.58;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The number now minus the number before.
    pub by: f64,
    /// The same in percent of the number before; `None` where there was nothing.
    pub percent: Option<f64>,
}

pub fn change(current: f64, previous: f64) -> Change {
    let by = current - previous;
    Change {
        by,
        percent: (previous != 0.0).then(|| 100.0 * by / previous),
    }
}

/// By how many standard deviations two counts differ, if both scatter as counts do.
pub fn deviations(current: f64, previous: f64) -> f64 {
    let together = current + previous;
    if together <= 0.0 {
        return 0.0;
    }
    (current - previous) / together.sqrt()
}

/// What a deviation has to exceed where so many are looked at: of many numbers some change by chance alone.
pub fn threshold(looked_at: usize) -> f64 {
    SURE.max((2.0 * (looked_at.max(1) as f64).ln()).sqrt())
}

/// One name with its counts in both periods.
#[derive(Debug, Clone, PartialEq)]
pub struct Mover<K> {
    pub name: K,
    pub current: f64,
    pub previous: f64,
    /// By how many standard deviations they differ.
    pub deviations: f64,
    /// Whether that is more than chance does among so many.
    pub is_significant: bool,
}

/// Names by how much their counts have moved, the largest move first, whichever way; what has not moved is left out.
pub fn movers<K: Ord + Clone>(counts: &[(K, f64, f64)]) -> Vec<Mover<K>> {
    let bar = threshold(counts.len());
    let mut movers: Vec<Mover<K>> = counts
        .iter()
        .filter(|(_, current, previous)| (current - previous).abs() > f64::EPSILON)
        .map(|(name, current, previous)| {
            let deviations = deviations(*current, *previous);
            Mover {
                name: name.clone(),
                current: *current,
                previous: *previous,
                deviations,
                is_significant: deviations.abs() >= bar,
            }
        })
        .collect();
    movers.sort_by(|a, b| {
        let move_of = |mover: &Mover<K>| (mover.current - mover.previous).abs();
        move_of(b)
            .total_cmp(&move_of(a))
            .then_with(|| a.name.cmp(&b.name))
    });
    movers
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn changes_are_by_hand() {
        assert_eq!(
            change(150.0, 100.0),
            Change {
                by: 50.0,
                percent: Some(50.0)
            }
        );
        assert_eq!(change(0.0, 100.0).percent, Some(-100.0));
        assert_eq!(
            change(5.0, 0.0),
            Change {
                by: 5.0,
                percent: None
            }
        );
        // 130 against 70: 60 / √200.
        assert!((deviations(130.0, 70.0) - 4.2426).abs() < 1e-3);
        assert!(deviations(0.0, 0.0).abs() < 1e-12);
    }

    #[test]
    fn what_moved_most_stands_first_and_chance_is_told_apart() {
        let counts = [
            ("even", 100.0, 100.0),
            ("up", 400.0, 100.0),
            ("down", 10.0, 200.0),
            ("little", 103.0, 100.0),
            ("new", 40.0, 0.0),
        ];
        let movers = movers(&counts);
        let told: Vec<_> = movers
            .iter()
            .map(|mover| (mover.name, mover.is_significant))
            .collect();
        assert_eq!(
            told,
            [
                ("up", true),
                ("down", true),
                ("new", true),
                ("little", false)
            ]
        );
    }

    #[test]
    fn among_many_more_is_asked_for() {
        assert!((threshold(1) - SURE).abs() < 1e-12);
        assert!(threshold(1_000) > 3.5 && threshold(1_000) < 4.0);
        let rare = [("a", 140.0, 90.0)];
        assert!(movers(&rare)[0].is_significant);
        let mut many = vec![("a".to_owned(), 140.0, 90.0)];
        many.extend((0..999).map(|at| (format!("n{at:03}"), 100.0, 100.0)));
        assert!(!movers(&many)[0].is_significant);
    }

    proptest! {
        #[test]
        fn turning_time_around_turns_signs_around(current in 0.0..1e6, previous in 0.0..1e6) {
            prop_assert!((deviations(current, previous) + deviations(previous, current)).abs() < 1e-9);
            prop_assert!(deviations(current, previous).is_finite());
        }
    }
}

//! Values of a series that do not belong: against the same hour or weekday, with a deviation that outliers do not move.
//!
//! A value is expected to be the median of its peers: the other values at the same place of the season (the same weekday of a
//! daily series, the same hour of an hourly one). How far values usually are from what is expected is the median of these
//! distances (MAD), scaled to a standard deviation; counts scatter at least by the square root of themselves. Medians stay
//! where they are until half of the values are wrong, so an anomaly hides neither itself nor others.

/// Deviations from which on a value is an anomaly.
pub const USUAL: f64 = 3.5;
/// From the median of distances to a standard deviation, for values that scatter normally.
const TO_DEVIATION: f64 = 1.4826;
/// Peers that a value needs; with fewer it is compared with all others.
const FEWEST_PEERS: usize = 3;
/// Values that a series needs to say anything.
pub const FEWEST: usize = 7;

/// A value that does not belong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anomaly {
    /// Its place in the series, from 0.
    pub at: usize,
    pub value: f64,
    pub expected: f64,
    /// By how many deviations it is off; negative for too little.
    pub score: f64,
}

/// The values that are off by at least `threshold` deviations, in order. `season` is the number of values after which a series
/// begins anew (7 for days, 24 for hours). Nothing for series that are too short.
pub fn anomalies(values: &[f64], season: usize, threshold: f64) -> Vec<Anomaly> {
    if values.len() < FEWEST || values.iter().any(|value| !value.is_finite()) {
        return Vec::new();
    }
    let expected: Vec<f64> = (0..values.len())
        .map(|at| expected(values, at, season))
        .collect();
    let distances: Vec<f64> = values
        .iter()
        .zip(&expected)
        .map(|(value, expected)| (value - expected).abs())
        .collect();
    let usual = TO_DEVIATION * median(distances);
    let each = values.iter().zip(&expected).enumerate();
    each.filter_map(|(at, (&value, &expected))| {
        let deviation = usual.max(expected.max(1.0).sqrt());
        let score = (value - expected) / deviation;
        (score.abs() >= threshold).then_some(Anomaly {
            at,
            value,
            expected,
            score,
        })
    })
    .collect()
}

/// The median of the peers of a value, itself aside.
fn expected(values: &[f64], at: usize, season: usize) -> f64 {
    let others = |keep: &dyn Fn(usize) -> bool| -> Vec<f64> {
        let kept = values
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at && keep(*other));
        kept.map(|(_, value)| *value).collect()
    };
    let season = season.max(1);
    let peers = others(&|other| other % season == at % season);
    if peers.len() >= FEWEST_PEERS {
        median(peers)
    } else {
        median(others(&|_| true))
    }
}

/// The value in the middle; 0 of none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match (values.get(half), values.len() % 2) {
        (None, _) => 0.0,
        (Some(upper), 0) => f64::midpoint(values[half - 1], *upper),
        (Some(middle), _) => *middle,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NONE: [usize; 0] = [];

    /// Eight weeks: many on weekdays, few on weekends, with a little noise that repeats.
    fn weeks() -> Vec<f64> {
        let noise = [3.0, -8.0, 5.0, 0.0, -4.0, 9.0, -2.0, 6.0, -7.0, 1.0, 4.0];
        (0..56)
            .map(|day| if day % 7 >= 5 { 200.0 } else { 1_000.0 } + noise[day % noise.len()])
            .collect()
    }

    fn places(values: &[f64]) -> Vec<usize> {
        anomalies(values, 7, USUAL)
            .iter()
            .map(|one| one.at)
            .collect()
    }

    #[test]
    fn a_season_is_no_anomaly() {
        assert_eq!(places(&weeks()), NONE);
    }

    #[test]
    fn planted_anomalies_are_found_and_nothing_else() {
        let mut values = weeks();
        values[10] = 1_600.0;
        values[23] = 300.0;
        // A weekend that looks like a weekday, which no series without a season would notice.
        values[40] = 1_000.0;
        let found = anomalies(&values, 7, USUAL);
        let told: Vec<_> = found.iter().map(|one| (one.at, one.score > 0.0)).collect();
        assert_eq!(told, [(10, true), (23, false), (40, true)]);
        assert!((found[2].expected - 200.0).abs() < 10.0, "{:?}", found[2]);
        let flat = anomalies(&values, 1, USUAL);
        assert!(flat.iter().all(|one| one.at != 40), "{flat:?}");
    }

    #[test]
    fn an_outage_of_days_does_not_become_the_rule() {
        let mut values = weeks();
        values[20..24].fill(0.0);
        assert_eq!(places(&values), [20, 21, 22, 23]);
    }

    #[test]
    fn small_counts_scatter_and_are_left_alone() {
        let few = [
            2.0, 0.0, 3.0, 1.0, 4.0, 0.0, 2.0, 1.0, 5.0, 0.0, 2.0, 3.0, 1.0, 4.0,
        ];
        assert_eq!(places(&few), NONE);
        let mut burst = few;
        burst[8] = 30.0;
        assert_eq!(places(&burst), [8]);
        assert_eq!(places(&[0.0; 30]), NONE);
        assert_eq!(places(&[1.0, 100.0, 1.0]), NONE, "too short to say");
    }

    proptest! {
        #[test]
        fn a_constant_series_shows_exactly_what_is_planted(
            level in 50.0_f64..5_000.0, at in 0_usize..60, times in 2.0_f64..9.0,
        ) {
            let mut values = vec![level; 60];
            prop_assert!(places(&values).is_empty());
            values[at] = level * times;
            let far = (values[at] - level) / level.sqrt() >= USUAL;
            prop_assert_eq!(places(&values), if far { vec![at] } else { Vec::new() });
        }

        #[test]
        fn scaling_and_order_of_weeks_change_nothing_about_where(shift in 0_usize..8) {
            let mut values = weeks();
            values[10] = 1_600.0;
            values.rotate_left(shift * 7);
            let expected = (10 + 56 - shift * 7) % 56;
            prop_assert_eq!(places(&values), vec![expected]);
        }

        #[test]
        fn no_numbers_panic(values in prop::collection::vec(prop::num::f64::ANY, 0..40), season in 0_usize..50) {
            anomalies(&values, season, USUAL);
        }
    }
}

//! Round numbers beside an axis.

/// From zero to a round number at or above `largest`, in four steps or fewer; whole steps where all numbers are `whole`.
pub(super) fn ticks(largest: f64, whole: bool) -> Vec<f64> {
    const ROUND: [f64; 5] = [1.0, 2.0, 2.5, 5.0, 10.0];
    let largest = if largest.is_finite() && largest > 0.0 {
        largest
    } else {
        1.0
    };
    let least = if whole { 1.0 } else { f64::MIN_POSITIVE };
    let rough = (largest / 4.0).max(least);
    let size = 10f64.powf(rough.log10().floor());
    let fits = |round: &&f64| {
        let step = **round * size;
        step >= rough * (1.0 - 1e-9) && (!whole || step.fract() == 0.0)
    };
    let step = ROUND
        .iter()
        .find(fits)
        .map_or(size * 10.0, |round| round * size);
    let count = (largest / step - 1e-9).ceil().max(1.0) as usize;
    (0..=count).map(|place| place as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_reach_the_largest() {
        assert_eq!(ticks(10.0, true), [0.0, 5.0, 10.0]);
        assert_eq!(ticks(1.0, true), [0.0, 1.0]);
        assert_eq!(ticks(3.0, true), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(ticks(8.0, true), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(ticks(97.0, true), [0.0, 25.0, 50.0, 75.0, 100.0]);
        assert_eq!(ticks(0.0, true), [0.0, 1.0], "an empty chart has an axis");
        assert_eq!(ticks(f64::NAN, false), ticks(1.0, false));
        assert_eq!(
            ticks(1_234_567.0, true),
            [0.0, 500_000.0, 1_000_000.0, 1_500_000.0]
        );
        for largest in 1..2_000 {
            let steps = ticks(f64::from(largest), true);
            assert!(
                steps.len() <= 5 && *steps.last().unwrap() >= f64::from(largest),
                "{largest}: {steps:?}"
            );
        }
    }
}

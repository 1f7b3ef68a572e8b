//! Cheap reproducible chance (`SplitMix64`) and the distributions that traffic follows.

/// A reproducible source of chance.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

/// Spreads a number over all 64 bits.
pub(super) const fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        Self(mix(seed ^ 0x5EED))
    }

    pub(super) const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// From 0 inclusive to 1 exclusive.
    pub(super) const fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// From 0 to `below`, exclusive; 0 for 0.
    pub(super) fn below(&mut self, below: usize) -> usize {
        (self.unit() * below as f64) as usize
    }

    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// Log-normal around a median.
    pub(super) fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        let normal = radius * (std::f64::consts::TAU * self.unit()).cos();
        median * (sigma * normal).exp()
    }

    /// How many times something that goes on with this probability happens, at least once and at most `most` times.
    pub(super) fn times(&mut self, goes_on: f64, most: usize) -> usize {
        let mut times = 1;
        while times < most && self.chance(goes_on) {
            times += 1;
        }
        times
    }
}

/// A choice among numbered things of different weight.
#[derive(Debug, Clone)]
pub(super) struct Pick(Vec<f64>);

impl Pick {
    pub(super) fn weighted(weights: impl IntoIterator<Item = f64>) -> Self {
        let mut total = 0.0;
        let mut cumulative: Vec<f64> = weights
            .into_iter()
            .map(|weight| {
                total += weight;
                total
            })
            .collect();
        for share in &mut cumulative {
            *share /= total;
        }
        Self(cumulative)
    }

    /// Zipf's law: the weight of rank r is 1 / r^s.
    pub(super) fn zipf(count: usize, exponent: f64) -> Self {
        Self::weighted((1..=count).map(|rank| (rank as f64).powf(-exponent)))
    }

    pub(super) fn pick(&self, random: &mut Random) -> usize {
        self.at(random.unit()).0
    }

    /// What lies at this share of the whole, and how far into it.
    pub(super) fn at(&self, share: f64) -> (usize, f64) {
        let last = self.0.len().saturating_sub(1);
        let index = self.0.partition_point(|end| *end <= share).min(last);
        let begin = index.checked_sub(1).map_or(0.0, |before| self.0[before]);
        (
            index,
            ((share - begin) / self.weight(index)).clamp(0.0, 1.0),
        )
    }

    /// The share of one thing.
    pub(super) fn weight(&self, index: usize) -> f64 {
        let begin = index.checked_sub(1).map_or(0.0, |before| self.0[before]);
        self.0[index] - begin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            (0..10).map(move |_| random.bits()).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
    }

    #[test]
    fn zipf_prefers_the_first() {
        let pick = Pick::zipf(100, 1.0);
        let mut random = Random::new(1);
        let mut counts = [0; 100];
        for _ in 0..10_000 {
            counts[pick.pick(&mut random)] += 1;
        }
        assert!(counts[0] > 1_500 && counts[0] < 2_400, "{}", counts[0]);
        assert!(counts[0] > counts[9] && counts[9] > counts[99]);
    }

    #[test]
    fn the_median_is_the_median() {
        let mut random = Random::new(3);
        let below = (0..10_000)
            .filter(|_| random.log_normal(25.0, 1.0) < 25.0)
            .count();
        assert!((4_700..5_300).contains(&below), "{below}");
    }

    #[test]
    fn a_share_leads_to_its_place() {
        let pick = Pick::weighted([1.0, 3.0]);
        assert_eq!(pick.at(0.0), (0, 0.0));
        assert_eq!(pick.at(0.25).0, 1);
        assert_eq!(pick.at(1.0), (1, 1.0));
        assert!((pick.at(0.625).1 - 0.5).abs() < 1e-9);
    }
}

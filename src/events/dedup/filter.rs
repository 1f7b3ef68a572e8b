//! A Bloom filter over keys that are hashes already: ten bits a key, about one false alarm in a hundred.

use super::Key;

const BITS_PER_KEY: usize = 10;
const PROBES: u64 = 7;

/// Says "certainly not" or "perhaps".
#[derive(Debug)]
pub struct Filter {
    words: Vec<u64>,
}

impl Filter {
    /// A filter over these keys.
    pub fn new(keys: &[Key]) -> Self {
        let words = (keys.len() * BITS_PER_KEY).div_ceil(64).max(1);
        let mut filter = Self {
            words: vec![0; words],
        };
        for key in keys {
            for bit in filter.probes(*key) {
                filter.words[bit / 64] |= 1 << (bit % 64);
            }
        }
        filter
    }

    /// Whether the key may be among those of the filter.
    pub fn may_contain(&self, key: Key) -> bool {
        self.probes(key)
            .all(|bit| self.words[bit / 64] & (1 << (bit % 64)) != 0)
    }

    fn probes(&self, key: Key) -> impl Iterator<Item = usize> + use<> {
        let bits = self.words.len() as u64 * 64;
        let (first, step) = (key as u64, (key >> 64) as u64 | 1);
        (0..PROBES).map(move |n| (first.wrapping_add(step.wrapping_mul(n)) % bits) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(from: u64, count: u64) -> Vec<Key> {
        (from..from + count)
            .map(|n| crate::events::dedup::key(&[3; 32], 1, 1, &n.to_string()))
            .collect()
    }

    #[test]
    fn nothing_is_missed_and_few_strangers_pass() {
        let known = keys(0, 10_000);
        let filter = Filter::new(&known);
        assert!(known.iter().all(|key| filter.may_contain(*key)));
        let alarms = keys(1_000_000, 10_000)
            .iter()
            .filter(|key| filter.may_contain(**key))
            .count();
        assert!(alarms < 300, "{alarms} false alarms in 10,000");
    }

    #[test]
    fn an_empty_filter_knows_nothing() {
        assert!(!Filter::new(&[]).may_contain(1));
    }
}

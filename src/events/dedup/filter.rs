//! A Bloom filter over keys that are hashes already. All bits of a key lie in one cache line, so a look costs one
//! access to memory; with ten bits a key about one stranger in eighty passes.

use crate::events::log::Key;

const BITS_PER_KEY: u64 = 10;
const PROBES: u32 = 7;
/// Bits of a block, and how many bits of a key choose one of them.
const BLOCK_BITS: u64 = 512;
const CHOICE: u32 = 9;
/// Bytes of a block.
pub(super) const BLOCK: usize = 64;
/// A filter grows no further: beyond it more strangers pass, and cost a look at a file each.
const MAX_BLOCKS: u64 = (8 << 20) / BLOCK as u64;
/// The most keys that a filter holds without becoming vague.
pub(super) const ROOM: u64 = MAX_BLOCKS * BLOCK_BITS / BITS_PER_KEY;

/// A cache line.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Block([u64; 8]);

/// Says "certainly not" or "perhaps".
#[derive(Debug)]
pub struct Filter {
    blocks: Vec<Block>,
}

impl Filter {
    /// An empty filter with room for so many keys.
    pub fn for_keys(count: u64) -> Self {
        let blocks = (count.saturating_mul(BITS_PER_KEY)).div_ceil(BLOCK_BITS);
        Self {
            blocks: vec![Block::default(); blocks.clamp(1, MAX_BLOCKS) as usize],
        }
    }

    pub fn insert(&mut self, key: Key) {
        let at = self.block_index(key);
        let block = &mut self.blocks[at].0;
        for (word, bit) in probes(key) {
            block[word] |= bit;
        }
    }

    /// Whether the key may have been added.
    pub fn may_contain(&self, key: Key) -> bool {
        let block = &self.blocks[self.block_index(key)].0;
        probes(key).all(|(word, bit)| block[word] & bit != 0)
    }

    fn block_index(&self, key: Key) -> usize {
        let high = key >> 64;
        ((high * self.blocks.len() as u128) >> 64) as usize
    }

    /// Memory and disk that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.blocks.len() * BLOCK
    }

    /// As it is on disk.
    pub(super) fn encode(&self) -> Vec<u8> {
        let words = self.blocks.iter().flat_map(|block| block.0);
        words.flat_map(u64::to_le_bytes).collect()
    }

    /// [`Self::encode`] backwards.
    pub(super) fn decode(bytes: &[u8]) -> Self {
        let (blocks, _) = bytes.as_chunks::<BLOCK>();
        let blocks = blocks.iter().map(|bytes| {
            let (words, _) = bytes.as_chunks::<8>();
            let mut block = Block::default();
            for (word, bytes) in block.0.iter_mut().zip(words) {
                *word = u64::from_le_bytes(*bytes);
            }
            block
        });
        Self {
            blocks: blocks.collect(),
        }
    }
}

/// Words of a block and the bit in each that a key sets.
fn probes(key: Key) -> impl Iterator<Item = (usize, u64)> {
    let low = key as u64;
    (0..PROBES).map(move |n| {
        let bit = (low >> (n * CHOICE)) % BLOCK_BITS;
        ((bit / 64) as usize, 1 << (bit % 64))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::event::Trust;

    fn keys(from: u64, count: u64) -> Vec<Key> {
        (from..from + count)
            .map(|n| crate::events::dedup::key(&[3; 32], Trust::Client, 1, 1, &n.to_string()))
            .collect()
    }

    fn over(keys: &[Key]) -> Filter {
        let mut filter = Filter::for_keys(keys.len() as u64);
        for key in keys {
            filter.insert(*key);
        }
        filter
    }

    #[test]
    fn nothing_is_missed_and_few_strangers_pass() {
        let known = keys(0, 10_000);
        let filter = over(&known);
        assert!(known.iter().all(|key| filter.may_contain(*key)));
        let alarms = keys(1_000_000, 10_000)
            .iter()
            .filter(|key| filter.may_contain(**key))
            .count();
        assert!(alarms < 300, "{alarms} false alarms in 10,000");
    }

    #[test]
    fn a_filter_that_was_written_and_read_says_the_same() {
        let known = keys(0, 1_000);
        let bytes = over(&known).encode();
        let read = Filter::decode(&bytes);
        assert_eq!((read.bytes(), read.encode()), (bytes.len(), bytes));
        assert!(known.iter().all(|key| read.may_contain(*key)));
    }

    #[test]
    fn an_empty_filter_knows_nothing_and_a_huge_one_stays_small() {
        assert!(!Filter::for_keys(0).may_contain(1));
        assert_eq!(Filter::for_keys(u64::MAX).bytes(), 8 << 20);
    }
}

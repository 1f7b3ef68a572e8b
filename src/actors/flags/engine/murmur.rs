//! `MurmurHash3` (x86, 32 bits), which Unleash's clients put users into buckets by.

/// The hash of a text: of the low byte of each of its UTF-16 units, as Unleash's client for JavaScript takes it. For ASCII, these are
/// the bytes of the text.
pub(super) fn hash<'t>(parts: impl IntoIterator<Item = &'t str>, seed: u32) -> u32 {
    let (mut hash, mut length) = (seed, 0_u32);
    let (mut word, mut filled) = (0_u32, 0_u32);
    for unit in parts.into_iter().flat_map(str::encode_utf16) {
        word |= u32::from(unit & 0xff) << (8 * filled);
        filled += 1;
        length = length.wrapping_add(1);
        if filled == 4 {
            hash = (hash ^ mix(word)).rotate_left(13);
            hash = hash.wrapping_mul(5).wrapping_add(0xe654_6b64);
            (word, filled) = (0, 0);
        }
    }
    if filled > 0 {
        hash ^= mix(word);
    }
    hash ^= length;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

fn mix(word: u32) -> u32 {
    word.wrapping_mul(0xcc9e_2d51)
        .rotate_left(15)
        .wrapping_mul(0x1b87_3593)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_vectors() {
        for (text, seed, expected) in [
            ("", 0, 0),
            ("", 1, 0x514e_28b7),
            ("gr1:123", 0, 538_421_172),
            ("é:1", 0, 2_287_637_197),
            ("名:😀", 86_028_157, 1_498_902_581),
        ] {
            let (start, end) = text.split_at(text.find(':').unwrap_or(0));
            assert_eq!(hash([start, end], seed), expected, "{text:?}");
        }
    }
}

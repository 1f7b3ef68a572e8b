//! The upstream hash, which puts every text into a bucket from 0 to 99.

/// The hash of the beginning of a text, which is computed once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Prefix(i32);

impl Prefix {
    pub(super) fn new(text: &str) -> Self {
        Self(0).then(text)
    }

    pub(super) fn then(self, text: &str) -> Self {
        let units = text.encode_utf16();
        Self(units.fold(self.0, |hash, unit| {
            hash.wrapping_mul(31).wrapping_add(i32::from(unit))
        }))
    }

    pub(super) fn hash(self) -> u32 {
        self.0.unsigned_abs()
    }

    /// From 0 to 99.
    pub(super) fn bucket(self) -> u32 {
        self.hash() % 100
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_vectors() {
        for (text, hash, bucket) in [
            ("", 0, 0),
            ("a", 97, 97),
            ("ab", 3_105, 5),
            ("abc", 96_354, 54),
            ("new-ui:user-1", 711_868_824, 24),
            ("new-ui:variant:user-1", 822_500_867, 67),
            ("percentage:anonymous", 991_104_909, 9),
            ("checkout:anonymous", 836_764_473, 73),
        ] {
            let (start, end) = text.split_at(text.len() / 2);
            let found = Prefix::new(start).then(end);
            assert_eq!((found.hash(), found.bucket()), (hash, bucket), "{text:?}");
        }
    }

    #[test]
    fn letters_beyond_the_basic_plane_are_two_units_and_the_least_number_has_no_negative() {
        assert_eq!(Prefix::new("😀").hash(), 0xd83d * 31 + 0xde00);
        // A known text whose hash is the least number.
        assert_eq!(Prefix::new("polygenelubricants").hash(), 1 << 31);
    }
}

//! How many events a body represents, without reading them: for bodies that are refused or left out as a whole.

use std::fmt;

use serde::{
    Deserializer as _,
    de::{IgnoredAny, SeqAccess, Visitor},
};

/// The entries of an array; anything else counts as one.
pub fn count(body: &[u8]) -> u64 {
    let is_array = body
        .iter()
        .find(|byte| !byte.is_ascii_whitespace())
        .is_some_and(|byte| *byte == b'[');
    if !is_array {
        return 1;
    }
    let mut json = serde_json::Deserializer::from_slice(body);
    let counted = json.deserialize_seq(Entries);
    counted
        .and_then(|count| json.end().map(|()| count))
        .unwrap_or(1)
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = u64;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<u64, A::Error> {
        let mut count = 0;
        while entries.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn arrays_count_their_entries_and_everything_else_is_one() {
        for (body, expected) in [
            ("[]", 0),
            (" \n[{}, [1, 2], \"x\"]", 3),
            ("{\"a\": [1, 2]}", 1),
            ("[1, 2", 1),
            ("[1, 2] 3", 1),
            ("nonsense", 1),
            ("", 1),
        ] {
            assert_eq!(count(body.as_bytes()), expected, "{body}");
        }
    }
}

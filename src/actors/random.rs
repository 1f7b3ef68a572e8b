//! Randomness from the operating system: secrets, tokens and the numbers of tenants in event rows.

/// The digits of base 62 in ASCII order.
pub(super) const BASE62: &[u8; 62] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The operating system gave no random bytes; nothing secret can be made without them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the operating system gave no random bytes")]
pub struct NoRandomness;

pub(super) fn bytes<const N: usize>() -> Result<[u8; N], NoRandomness> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(bytes)
}

/// Random base 62 text, every character equally likely.
pub(super) fn base62(length: usize) -> Result<String, NoRandomness> {
    let mut text = String::with_capacity(length);
    while text.len() < length {
        // 248 is the largest multiple of 62 in a byte; what lies above would favour the first digits.
        let fair = bytes::<64>()?.into_iter().filter(|byte| *byte < 248);
        let missing = length - text.len();
        text.extend(
            fair.take(missing)
                .map(|byte| char::from(BASE62[usize::from(byte % 62)])),
        );
    }
    Ok(text)
}

/// Random lower-case base 36 text, for names that only have to differ.
pub(super) fn base36(length: usize) -> Result<String, NoRandomness> {
    let text = base62(length)?;
    Ok(text.to_ascii_lowercase())
}

/// A random positive number for event rows; 0 means "none" there.
pub(super) fn key() -> Result<i64, NoRandomness> {
    loop {
        let key = i64::from_le_bytes(bytes()?) & i64::MAX;
        if key != 0 {
            return Ok(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_the_length_asked_for_and_uses_the_whole_alphabet() {
        let text = base62(20_000).unwrap();
        assert_eq!(text.len(), 20_000);
        for digit in BASE62 {
            let share = text.bytes().filter(|byte| byte == digit).count();
            assert!((150..600).contains(&share), "{share} of `{digit}`");
        }
    }

    #[test]
    fn keys_are_positive_and_differ() {
        let keys: std::collections::HashSet<_> = (0..1000).map(|_| key().unwrap()).collect();
        assert_eq!(keys.len(), 1000);
        assert!(keys.iter().all(|key| *key > 0));
    }
}

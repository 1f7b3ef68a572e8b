//! What a key's secret looks like: `svc_`, 42 random base 62 digits and a checksum of 6.
//!
//! The checksum (CRC-32 of everything before it) lets us refuse typing errors and made-up keys without a look-up,
//! and lets scanners of source code recognize our keys. It proves nothing: only the hash does.

use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use crate::actors::random::{self, BASE62, NoRandomness};

/// The text that every secret begins with.
pub const PREFIX: &str = "svc_";
/// Characters that are shown later, for identification.
const START: usize = 8;
const RANDOM: usize = 42;
const CHECKSUM: usize = 6;
const LENGTH: usize = PREFIX.len() + RANDOM + CHECKSUM;

pub fn generate() -> Result<SecretString, NoRandomness> {
    generate_with(PREFIX)
}

/// A secret of the same form with another prefix of four characters.
pub(in crate::actors) fn generate_with(prefix: &str) -> Result<SecretString, NoRandomness> {
    let body = format!("{prefix}{}", random::base62(RANDOM)?);
    Ok(format!("{body}{}", checksum(&body)).into())
}

/// Whether a text could be a secret of ours: prefix, length, alphabet and checksum.
pub fn well_formed(text: &str) -> bool {
    well_formed_with(PREFIX, text)
}

/// The same for secrets with another prefix.
pub(in crate::actors) fn well_formed_with(prefix: &str, text: &str) -> bool {
    let Some(digits) = text.strip_prefix(prefix) else {
        return false;
    };
    if text.len() != LENGTH || !digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return false;
    }
    let (body, given) = text.split_at(LENGTH - CHECKSUM);
    checksum(body).as_bytes().ct_eq(given.as_bytes()).into()
}

/// The part of a secret that may be shown.
pub(super) fn start(secret: &SecretString) -> String {
    secret.expose_secret().chars().take(START).collect()
}

/// CRC-32 in base 62, most significant digit first, always six digits.
fn checksum(body: &str) -> String {
    let mut rest = crc32fast::hash(body.as_bytes()) as usize;
    let mut digits = ['0'; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = char::from(BASE62[rest % BASE62.len()]);
        rest /= BASE62.len();
    }
    digits.iter().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn secrets_have_the_published_form_and_differ() {
        let secret = generate().unwrap();
        let text = secret.expose_secret();
        assert_eq!(text.len(), 4 + 48);
        assert!(text.starts_with("svc_"));
        assert!(well_formed(text));
        assert_eq!(start(&secret), text[..8]);
        assert_ne!(generate().unwrap().expose_secret(), text);
    }

    #[test]
    fn the_checksum_is_crc_32_in_base_62() {
        // The published check value of CRC-32: "123456789" gives 0xCBF43926 = 3421780262.
        assert_eq!(checksum("123456789"), "3jZRME");
        assert_eq!(checksum(""), "000000");
    }

    #[test]
    fn other_texts_are_refused() {
        let good = generate().unwrap();
        let good = good.expose_secret();
        for bad in [
            String::new(),
            "svc_".to_owned(),
            good[4..].to_owned(),
            format!("{good}0"),
            format!(" {good}"),
            good.replace("svc_", "dbdy_"),
            format!("svc_{}", "0".repeat(48)),
            format!("svc_{}", "é".repeat(24)),
        ] {
            assert!(!well_formed(&bad), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn one_wrong_character_is_always_noticed(place in 4usize..52, digit in 0usize..62) {
            let good = generate().unwrap();
            let mut bytes = good.expose_secret().as_bytes().to_vec();
            prop_assume!(bytes[place] != BASE62[digit]);
            bytes[place] = BASE62[digit];
            prop_assert!(!well_formed(std::str::from_utf8(&bytes).unwrap()));
        }

        #[test]
        fn any_text_is_judged_without_a_panic(text in ".*") {
            prop_assert!(!well_formed(&text));
        }
    }
}

//! Codes of authenticator apps: RFC 6238 with SHA-1, six digits, thirty seconds, which is what every app has.

use std::fmt::Write as _;

use data_encoding::BASE32_NOPAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha1::Sha1;
use subtle::ConstantTimeEq as _;

/// Bytes of a shared secret: as many as SHA-1 has.
pub(super) const SECRET: usize = 20;
/// Seconds for which a code is shown.
const STEP_S: i64 = 30;
const DIGITS: usize = 6;
/// Steps around the present one whose codes are taken too, for clocks that are not quite right.
const SKEW: i64 = 1;

fn code(secret: &[u8], step: i64) -> String {
    let Ok(mut mac) = Hmac::<Sha1>::new_from_slice(secret) else {
        // Keys of any length are taken.
        return String::new();
    };
    mac.update(&step.to_be_bytes());
    let digest: [u8; 20] = mac.finalize().into_bytes().into();
    let offset = usize::from(digest[19] & 0x0f);
    let mut word = [0; 4];
    word.copy_from_slice(&digest[offset..offset + 4]);
    let number = u32::from_be_bytes(word) & 0x7fff_ffff;
    format!("{:0DIGITS$}", number % 1_000_000)
}

/// The time step whose code this is: one around now and later than the last accepted one, because no code counts twice.
pub(super) fn matching_step(secret: &[u8], given: &str, now_ms: i64, last: i64) -> Option<i64> {
    let given: String = given.chars().filter(|c| !c.is_whitespace()).collect();
    let now = now_ms.div_euclid(STEP_S * 1_000);
    let mut found = None;
    // All of them are compared, whichever is right.
    for step in (now - SKEW)..=(now + SKEW) {
        let is_it: bool = code(secret, step).as_bytes().ct_eq(given.as_bytes()).into();
        if is_it && step > last {
            found = Some(step);
        }
    }
    found
}

/// What an app reads from a picture: `otpauth://totp/…`.
pub(super) fn uri(secret: &[u8], issuer: &str, account: &str) -> String {
    let (issuer, account) = (percent_encode(issuer), percent_encode(account));
    let secret = BASE32_NOPAD.encode(secret);
    format!(
        "otpauth://totp/{issuer}:{account}?secret={secret}&issuer={issuer}&algorithm=SHA1&digits={DIGITS}&period={STEP_S}"
    )
}

/// Percent-encodes; a space is `%20`, as apps expect.
fn percent_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The secret of the RFC's examples.
    const RFC: &[u8] = b"12345678901234567890";

    #[test]
    fn codes_are_those_of_the_rfc() {
        for (seconds, expected) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code(RFC, seconds / 30), expected, "{seconds}");
            let now_ms = seconds * 1_000;
            assert_eq!(matching_step(RFC, expected, now_ms, 0), Some(seconds / 30));
        }
    }

    #[test]
    fn what_apps_read_names_issuer_and_account() {
        assert_eq!(
            uri(b"12345678901234567890", "a b", "me@host"),
            "otpauth://totp/a%20b:me%40host?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=a%20b&algorithm=SHA1&digits=6\
             &period=30"
        );
    }

    proptest! {
        #[test]
        fn a_code_is_good_for_one_step_before_and_behind_and_once(
            secret in prop::array::uniform20(any::<u8>()),
            step in 1_000_i64..100_000_000,
            within in 0_i64..30_000,
            away in -3_i64..=3,
        ) {
            let given = code(&secret, step);
            let now_ms = (step + away) * 30_000 + within;
            let other = (-SKEW..=SKEW).any(|near| {
                step + away + near != step && code(&secret, step + away + near) == given
            });
            prop_assume!(!other);
            let taken = matching_step(&secret, &given, now_ms, 0);
            prop_assert_eq!(taken, (away.abs() <= SKEW).then_some(step));
            prop_assert_eq!(matching_step(&secret, &given, now_ms, step), None);
            let spaced = format!(" {} {}", &given[..3], &given[3..]);
            prop_assert_eq!(matching_step(&secret, &spaced, now_ms, 0), taken);
        }

        #[test]
        fn any_text_is_survived(given in any::<String>(), now_ms in any::<i64>()) {
            matching_step(RFC, &given, now_ms / 2, 0);
        }
    }
}

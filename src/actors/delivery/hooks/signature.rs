//! Signatures of Standard Webhooks 1.0.0, symmetric (`v1`).

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::actors::random::{self, NoRandomness};

const PREFIX: &str = "whsec_";
/// Bytes of a key.
const LENGTH: std::ops::RangeInclusive<usize> = 24..=64;

/// A text is no secret of Standard Webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a secret is `whsec_` and 24 to 64 bytes in base64")]
pub struct InvalidSecret;

/// A new secret.
pub fn new_secret() -> Result<String, NoRandomness> {
    let key: [u8; 32] = random::bytes()?;
    Ok(format!("{PREFIX}{}", STANDARD.encode(key)))
}

/// The key of a secret.
pub fn decode_secret(secret: &str) -> Result<Vec<u8>, InvalidSecret> {
    let text = secret.strip_prefix(PREFIX).ok_or(InvalidSecret)?;
    let key = STANDARD.decode(text).map_err(|_| InvalidSecret)?;
    if LENGTH.contains(&key.len()) {
        Ok(key)
    } else {
        Err(InvalidSecret)
    }
}

/// The signatures of a message with all of these secrets, as the header has them.
pub(super) fn header(secrets: &[String], id: &str, seconds: i64, body: &str) -> String {
    let signed = secrets.iter().filter_map(|secret| {
        let mut mac = Hmac::<Sha256>::new_from_slice(&decode_secret(secret).ok()?).ok()?;
        mac.update(format!("{id}.{seconds}.{body}").as_bytes());
        let signature = STANDARD.encode(mac.finalize().into_bytes());
        Some(format!("v1,{signature}"))
    });
    signed.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_vectors_hold() {
        for (secret, id, seconds, body, expected) in [
            (
                "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
                1_649_367_553,
                r#"{"email":"test@example.com","username":"test_user"}"#,
                "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=",
            ),
            (
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                1_614_265_330,
                r#"{"test": 2432232314}"#,
                "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ),
        ] {
            assert_eq!(header(&[secret.to_owned()], id, seconds, body), expected);
        }
    }

    #[test]
    fn secrets_are_long_enough() {
        let made = new_secret().unwrap();
        assert_eq!(decode_secret(&made).unwrap().len(), 32);
        for (bytes, passes) in [(23, false), (24, true), (64, true), (65, false)] {
            let secret = format!("whsec_{}", STANDARD.encode(vec![7; bytes]));
            assert_eq!(decode_secret(&secret).is_ok(), passes, "{bytes}");
        }
        assert_eq!(decode_secret("whsec_!"), Err(InvalidSecret));
        assert_eq!(decode_secret(&made[6..]), Err(InvalidSecret));
    }
}

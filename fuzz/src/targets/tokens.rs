//! Tokens of providers, and the keys that they are checked with.

use pharos::oidc::Keys;

/// A key set, a line break, and a token.
pub fn tokens(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    let (Some(set), Some(token)) = (parts.next(), parts.next()) else {
        return;
    };
    let (keys, token) = (Keys::parse(set), String::from_utf8_lossy(token));
    let Some(keys) = keys else { return };
    // A token that counts is three parts, and none with a part less or more does.
    if keys.verify(&token).is_ok() {
        assert_eq!(token.split('.').count(), 3);
        assert!(Keys::default().verify(&token).is_err());
    }
}

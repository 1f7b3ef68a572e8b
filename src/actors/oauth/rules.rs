//! Pure decisions.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::{NewApp, OAuthError, RedirectUri};
use crate::access::{Permission, Role, Scope};

/// Scopes that people can give an app: all but ingestion, which is for keys.
pub const OFFERED: [Scope; 10] = [
    Scope::ReadData,
    Scope::ReadLinks,
    Scope::WriteLinks,
    Scope::ReadMonitors,
    Scope::WriteMonitors,
    Scope::ReadStatusPages,
    Scope::WriteStatusPages,
    Scope::ManageWebsites,
    Scope::ManageFlags,
    Scope::ManageConfig,
];

/// A code is good for this long, milliseconds.
pub(super) const CODE_MS: i64 = 60 * 1000;
/// A grant ends when its app got no new tokens for this long, milliseconds.
pub(super) const IDLE_MS: i64 = 30 * 24 * 60 * 60 * 1000;
/// An app that never got access is forgotten after this long, milliseconds.
pub(super) const UNUSED_MS: i64 = 24 * 60 * 60 * 1000;
/// The same when there are too many of them.
pub(super) const CROWDED_MS: i64 = 60 * 60 * 1000;
/// An app without a grant is forgotten this long after its last use, milliseconds.
pub(super) const ABANDONED_MS: i64 = 90 * 24 * 60 * 60 * 1000;
/// Characters of a name.
const MAX_NAME: usize = 100;
const MAX_REDIRECT_URIS: usize = 10;
/// What an app is called that gives no name.
const NO_NAME: &str = "Unnamed app";

/// Name and redirect URIs of an app, as they are kept.
pub(super) fn check_app(new: NewApp) -> Result<(String, Vec<String>), OAuthError> {
    let lacks = |list: &Option<Vec<String>>, needed: &str| {
        let list = list.as_ref();
        list.is_some_and(|list| !list.iter().any(|one| one == needed))
    };
    if lacks(&new.grant_types, "authorization_code") || lacks(&new.response_types, "code") {
        let why = "Only the grant type authorization_code with the response type code is supported";
        return Err(OAuthError::Metadata(why));
    }
    if new.redirect_uris.is_empty() {
        return Err(OAuthError::RedirectUri(
            "redirect_uris is missing: name where answers go",
        ));
    }
    if new.redirect_uris.len() > MAX_REDIRECT_URIS {
        return Err(OAuthError::Metadata(
            "redirect_uris has more than 10 entries",
        ));
    }
    for uri in &new.redirect_uris {
        RedirectUri::parse(uri).map_err(OAuthError::RedirectUri)?;
    }
    Ok((app_name(new.name.as_deref()), new.redirect_uris))
}

/// A name in a line, without characters that show it as something else.
fn app_name(given: Option<&str>) -> String {
    let given = given.unwrap_or_default();
    let is_shown = |letter: &char| !letter.is_control() && !is_hidden(*letter);
    let shown: String = given.chars().filter(is_shown).take(MAX_NAME).collect();
    let name = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        NO_NAME.to_owned()
    } else {
        name
    }
}

/// Whether a character has no width, or turns the direction of what is around it.
fn is_hidden(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether a text can be an S256 challenge: SHA-256 in base64url.
pub fn is_challenge(text: &str) -> bool {
    URL_SAFE_NO_PAD
        .decode(text)
        .is_ok_and(|digest| digest.len() == 32)
}

/// Whether a verifier belongs to a challenge (RFC 7636, S256).
pub(super) fn verifies(verifier: &str, challenge: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    if !(43..=128).contains(&verifier.len()) || !verifier.bytes().all(is_allowed) {
        return false;
    }
    let own = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
    own.as_bytes().ct_eq(challenge.as_bytes()).into()
}

/// The scopes of a grant that open anything at all to a role.
pub(super) fn usable(scopes: &[Scope], role: Role) -> Vec<Scope> {
    let opens = |scope: &Scope| {
        let mut all = Permission::ALL.iter();
        all.any(|permission| permission.scope() == Some(*scope) && role.may(*permission))
    };
    let offered = OFFERED.into_iter();
    offered
        .filter(|scope| scopes.contains(scope) && opens(scope))
        .collect()
}

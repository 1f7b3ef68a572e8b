//! What a provider has to look like.

use secrecy::{ExposeSecret as _, SecretString};
use url::{Host, Url};

use crate::{
    actors::{
        organizations::{GroupRole, SsoProviderFields},
        validation::ValidationError,
    },
    egress::{Policy, is_public},
};

const MAX_LABEL: usize = 100;
/// Bytes of an address, a client ID, scopes, and a claim.
const MAX_TEXT: usize = 1024;
const MAX_RULES: usize = 100;
/// Bytes of a client's secret.
const MAX_SECRET: usize = 2048;

/// The fields as they are stored.
pub(super) fn check(
    fields: SsoProviderFields,
    policy: &Policy,
) -> Result<SsoProviderFields, ValidationError> {
    let trimmed = |text: &str| text.trim().to_owned();
    let fields = SsoProviderFields {
        label: trimmed(&fields.label),
        issuer: trimmed(&fields.issuer),
        client_id: trimmed(&fields.client_id),
        groups_claim: trimmed(&fields.groups_claim),
        scopes: fields
            .scopes
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        ..fields
    };
    let plain = |text: &str, max: usize| {
        (1..=max).contains(&text.len()) && !text.chars().any(char::is_control)
    };
    let label = plain(&fields.label, 4 * MAX_LABEL) && fields.label.chars().count() <= MAX_LABEL;
    ValidationError::require(label, "label", "The name must have 1 to 100 characters")?;
    issuer(&fields.issuer, policy)?;
    let message = "Enter the client ID from the provider, at most 1024 bytes";
    ValidationError::require(plain(&fields.client_id, MAX_TEXT), "clientId", message)?;
    let has = |name: &str| fields.scopes.split(' ').any(|scope| scope == name);
    let scopes = has("openid") && plain(&fields.scopes, MAX_TEXT);
    let message = "The scopes must hold `openid`. Default: openid email profile.";
    ValidationError::require(scopes, "scopes", message)?;
    let message = "Enter the claim with the groups. Default: groups.";
    ValidationError::require(
        plain(&fields.groups_claim, MAX_TEXT),
        "groupsClaim",
        message,
    )?;
    let rule = |one: &GroupRole| plain(&one.group, MAX_TEXT);
    let rules = fields.roles.len() <= MAX_RULES && fields.roles.iter().all(rule);
    let message = "Give each group a name and a role, for at most 100 groups";
    ValidationError::require(rules, "roles", message)?;
    Ok(fields)
}

pub(super) fn check_secret(secret: Option<&SecretString>) -> Result<(), ValidationError> {
    let fits = secret.is_none_or(|secret| secret.expose_secret().len() <= MAX_SECRET);
    let message = "The client secret must have at most 2048 bytes";
    ValidationError::require(fits, "clientSecret", message)
}

/// Refuses what is no address of a provider, or one that may not be reached by its spelling.
fn issuer(issuer: &str, policy: &Policy) -> Result<(), ValidationError> {
    let url = Url::parse(issuer).ok().filter(|url| {
        let bare = url.query().is_none() && url.fragment().is_none();
        bare && url.username().is_empty() && url.password().is_none() && issuer.len() <= MAX_TEXT
    });
    let place = url
        .as_ref()
        .and_then(|url| Some((url.host()?, url.port_or_known_default()?)));
    let message = "Enter the provider's issuer, such as https://id.example.com";
    let (Some(url), Some((host, port))) = (&url, place) else {
        return Err(ValidationError::new("issuer", message));
    };
    // Only machines that the operator opened to everybody may speak without TLS.
    let is_inside = match host {
        Host::Ipv4(ip) => !is_public(ip.into()),
        Host::Ipv6(ip) => !is_public(ip.into()),
        Host::Domain(_) => false,
    };
    let secure = url.scheme() == "https" || (url.scheme() == "http" && is_inside);
    ValidationError::require(secure, "issuer", "The issuer must begin with https://")?;
    let reachable = policy.spelling(&host, port);
    reachable.map_err(|failure| ValidationError::new("issuer", failure.message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_issuer(text: &str, policy: &Policy) -> bool {
        issuer(text, policy).is_ok()
    }

    #[test]
    fn issuers_are_public_and_speak_tls() {
        let usual = Policy::default();
        for good in [
            "https://id.example.com",
            "https://login.example/t/v2.0",
            "https://1.1.1.1",
        ] {
            assert!(is_issuer(good, &usual), "{good}");
        }
        for wrong in [
            "",
            "id.example.com",
            "http://id.example.com",
            "http://1.1.1.1",
            "ftp://id.example.com",
            "https://id.example.com/?a=1",
            "https://id.example.com/#a",
            "https://me:secret@id.example.com",
            "https://127.0.0.1",
            "http://127.0.0.1:9",
            "https://[::1]",
            "https://10.1.2.3",
            "https://2130706433",
            "https://localhost",
            "https://idp.internal",
        ] {
            assert!(!is_issuer(wrong, &usual), "{wrong}");
        }
        let open = Policy {
            allow: vec!["127.0.0.0/8".parse().unwrap()],
            ..Policy::default()
        };
        assert!(is_issuer("http://127.0.0.1:9", &open));
        assert!(!is_issuer("http://10.0.0.1", &open));
        assert!(!is_issuer("http://id.example.com", &open));
    }
}

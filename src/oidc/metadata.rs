//! What a provider says of itself (`/.well-known/openid-configuration`).

use serde::Deserialize;
use url::Url;

use super::Failure;

/// A provider's own description, as far as it is used. Its addresses are checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Metadata {
    pub(super) authorization_endpoint: Url,
    pub(super) token_endpoint: Url,
    pub(super) userinfo_endpoint: Option<Url>,
    pub(super) jwks_uri: Url,
    /// Whether the client's secret goes into the body rather than the head.
    pub(super) takes_secret_in_body: bool,
    /// Whether every answer names its issuer, so that one without is another provider's.
    pub(super) names_issuer: bool,
}

/// The description as it is written.
#[derive(Deserialize)]
struct Written {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    userinfo_endpoint: Option<String>,
    jwks_uri: String,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

/// The address of an issuer's description.
pub(super) fn address(issuer: &str) -> Result<Url, Failure> {
    let address = format!(
        "{}/.well-known/openid-configuration",
        issuer.trim_end_matches('/')
    );
    let wrong = || Failure::BadAnswer("`issuer`", "it is no address".to_owned());
    Url::parse(&address).map_err(|_| wrong())
}

impl Metadata {
    pub(super) fn parse(issuer: &str, text: &[u8]) -> Result<Self, Failure> {
        let bad = |what: &str| Failure::BadAnswer("description", what.to_owned());
        let written: Written = serde_json::from_slice(text)
            .map_err(|_| bad("it isn't the JSON of an OpenID Connect provider"))?;
        if written.issuer != issuer {
            let shown = written.issuer.chars().filter(|one| !one.is_control());
            return Err(Failure::IssuerDiffers(shown.take(200).collect()));
        }
        let secure = issuer.starts_with("https://");
        let address = |text: &str| {
            let url = Url::parse(text).ok().filter(Url::has_host);
            let url = url.ok_or_else(|| bad("it names an address that is none"))?;
            match url.scheme() {
                "https" => Ok(url),
                "http" if !secure => Ok(url),
                _ => Err(bad("it names an address without https")),
            }
        };
        let methods = &written.token_endpoint_auth_methods_supported;
        let takes = |method: &str| methods.iter().any(|one| one == method);
        Ok(Self {
            authorization_endpoint: address(&written.authorization_endpoint)?,
            token_endpoint: address(&written.token_endpoint)?,
            userinfo_endpoint: written
                .userinfo_endpoint
                .as_deref()
                .map(address)
                .transpose()?,
            jwks_uri: address(&written.jwks_uri)?,
            takes_secret_in_body: !takes("client_secret_basic") && takes("client_secret_post"),
            names_issuer: written.authorization_response_iss_parameter_supported,
        })
    }
}

//! Checks the spelling of addresses that messages over HTTP go to.

use url::Url;

use crate::egress::Policy;

/// An address over HTTP that may be reached as far as its spelling says, in its canonical form.
pub fn receiver(said: &str, policy: &Policy) -> Result<String, String> {
    let url = Url::parse(said)
        .map_err(|error| format!("must be a full URL, such as https://example.com ({error})"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("must begin with http:// or https://".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not contain a user name or password".to_owned());
    }
    let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
        return Err("must name a host".to_owned());
    };
    let refused = policy.spelling(&host, port);
    refused.map_err(|failure| format!("can't be used: {failure}"))?;
    Ok(url.into())
}

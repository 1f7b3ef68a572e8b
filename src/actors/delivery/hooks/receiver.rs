//! Checks the spelling of addresses that messages over HTTP go to.

use url::Url;

use crate::egress::Policy;

/// An address over HTTP that may be reached as far as its spelling says, in its canonical form.
pub fn receiver(said: &str, policy: &Policy) -> Result<String, String> {
    let url = Url::parse(said).map_err(|error| format!("it is no address: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("only http and https can be reached".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address has no user and no password".to_owned());
    }
    let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
        return Err("it names no host".to_owned());
    };
    let refused = policy.spelling(&host, port);
    refused.map_err(|failure| format!("it is refused: {failure}"))?;
    Ok(url.into())
}

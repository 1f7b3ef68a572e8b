//! `pharos monitor suggest`: looks at an address from here, without a server.

use super::{CommandError, offline::block_on, outward};
use crate::{
    actors::monitors::{SuggestionError, Suggestions, suggest},
    clock::Clock,
    config::Settings,
};

/// Suggests monitors for a URL or host, or says why it can't be reached.
///
/// # Errors
/// A [`CommandError`] when the address is none, or may not be checked.
pub fn suggest_monitors(
    settings: &Settings,
    address: &str,
) -> anyhow::Result<Result<Suggestions, String>> {
    block_on(async {
        let egress = outward::egress(settings)?;
        match suggest(&egress, address, Clock::system().now_ms()).await {
            Ok(found) => Ok(Ok(found)),
            Err(SuggestionError::Unreachable(failure)) => {
                // Not the address itself: it may have a password.
                Ok(Err(format!("the address can't be reached: {failure}")))
            }
            Err(SuggestionError::Invalid(why)) => CommandError::refuse(
                format!("the address {why}"),
                "enter a URL or a host, such as https://example.com; `egress.allow` lists private networks that may be checked",
            ),
        }
    })
}

//! Signing in a person whom a trusted proxy names.

use actix_web::HttpRequest;

use super::{Budget, browser, oidc::refuse};
use crate::{
    actors::organizations::{SignInByProxy, SignedIn},
    fault::Fault,
    http::Shared,
};

/// Opens a session for the person whom the proxy of a request names; `None` where none does.
pub(in crate::http) async fn sign_in(
    shared: &Shared,
    request: &HttpRequest,
) -> Result<Option<SignedIn>, Fault> {
    let Some(proxy) = &shared.federation.proxy else {
        return Ok(None);
    };
    let email = proxy
        .email(
            &shared.options.proxies,
            request.peer_addr(),
            request.headers(),
        )
        .await;
    let Some(email) = email.map_err(|failure| refuse("proxy", &failure))? else {
        return Ok(None);
    };
    Budget::PROVIDER.take(shared, request).await?;
    let message = SignInByProxy {
        email,
        user_agent: browser(request),
    };
    let signed_in = shared.organizations.ask(message).await?;
    Budget::PROVIDER.give_back(shared, request).await?;
    Ok(Some(signed_in))
}

//! From a person's address to the providers of their organization.

use actix_web::HttpRequest;

use super::Budget;
use crate::{
    actors::organizations::SsoProvider,
    fault::{Fault, Issue},
    http::Shared,
};

/// The providers that sign in people with this address; at least one.
pub(in crate::http) async fn find_providers(
    shared: &Shared,
    request: &HttpRequest,
    email: &str,
) -> Result<Vec<SsoProvider>, Fault> {
    // Every domain could be asked for.
    Budget::PROVIDER.take(shared, request).await?;
    let domain = email
        .trim()
        .rsplit_once('@')
        .map(|(_, domain)| domain.to_lowercase());
    let domain = domain.ok_or_else(|| refuse("The email address must look like `name@host`"))?;
    let providers = shared.records.sso_providers_of_domain(&domain).await?;
    if providers.is_empty() {
        return Err(refuse(
            "Single sign-on isn't set up for this domain. Sign in with your password, or ask an owner of your organization.",
        ));
    }
    Budget::PROVIDER.give_back(shared, request).await?;
    Ok(providers)
}

fn refuse(message: &'static str) -> Fault {
    Fault::issues(message, vec![Issue::new("invalid", "email", message)])
}

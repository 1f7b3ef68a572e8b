//! Who may vouch for people, from settings.

use actix_web::http::header::HeaderName;
use anyhow::Context as _;
use url::Url;

use super::{Stores, outward::anywhere};
use crate::{
    config::{Settings, sections::Oidc},
    egress::Egress,
    http::{Federation, ProxySignIn, SsoProviders},
    oidc::{Assertions, Provider, ProviderOptions, Providers, RoleRule},
};

/// The operator names the providers and the proxy's keys, so they may be anywhere. Organizations' own go by `tenants`.
pub(super) fn federation(
    settings: &Settings,
    stores: &Stores,
    tenants: &Egress,
) -> anyhow::Result<Federation> {
    let (auth, clock) = (&settings.auth, &stores.clock);
    let egress = anywhere()?;
    let provider = |oidc| Provider::new(options(oidc), egress.clone(), clock.clone());
    let providers = Providers::new(auth.oidc.iter().map(provider).collect());
    let proxy = match auth.proxy_header.as_str() {
        "" => None,
        name => Some(ProxySignIn {
            header: HeaderName::try_from(name).context("auth.proxy_header is no header name")?,
            assertions: match auth.proxy_jwks_url.as_str() {
                "" => None,
                keys => {
                    let (keys, audience) = (Url::parse(keys)?, auth.proxy_audience.clone());
                    Some(Assertions::new(keys, audience, egress, clock.clone()))
                }
            },
        }),
    };
    let sso = SsoProviders::new(tenants.clone(), clock.clone(), &stores.secret);
    Ok(Federation::new(&stores.secret, providers, proxy, sso))
}

fn options(oidc: &Oidc) -> ProviderOptions {
    let rules = oidc.roles.iter();
    ProviderOptions {
        name: oidc.name.clone(),
        issuer: oidc.issuer.clone(),
        client_id: oidc.client_id.clone(),
        client_secret: oidc.client_secret.expose().into(),
        scopes: oidc.scopes.clone(),
        groups_claim: oidc.groups_claim.clone(),
        // Settings that exist are readable.
        roles: rules
            .filter_map(|(group, text)| RoleRule::parse(group, text))
            .collect(),
        create_accounts: oidc.create_accounts,
        email_domains: oidc.email_domains.clone(),
    }
}

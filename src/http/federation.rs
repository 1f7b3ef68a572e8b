//! Who may vouch for people beside their passwords: providers and a proxy of the operator's, and providers of organizations.

use std::{net::SocketAddr, sync::Arc};

use actix_web::http::header::{HeaderMap, HeaderName};

use crate::{
    actors::{
        organizations::{LiveSession, Records, SignInMethod, is_sso_provider},
        sealed_tokens::SealedTokens,
    },
    fault::Fault,
    http::{edge::Proxies, sso_providers::SsoProviders},
    oidc::{Assertions, Failure, Provider, Providers},
    store::InstanceSecret,
};

const PURPOSE: &str = "pharos 2026-11-27 sign-ins at providers";

/// Providers and the proxy, and the seal of sign-ins that are on their way.
#[derive(Debug)]
pub struct Federation {
    pub providers: Providers,
    pub proxy: Option<ProxySignIn>,
    /// Those that organizations added.
    pub sso: SsoProviders,
    pub(super) attempts: SealedTokens,
}

/// A proxy that signs people in.
#[derive(Debug)]
pub struct ProxySignIn {
    /// In which header it says who the person is.
    pub header: HeaderName,
    /// What checks the header's value, where it is signed; else it is an address.
    pub assertions: Option<Assertions>,
}

impl Federation {
    pub fn new(
        secret: &InstanceSecret,
        providers: Providers,
        proxy: Option<ProxySignIn>,
        sso: SsoProviders,
    ) -> Self {
        Self {
            providers,
            proxy,
            sso,
            attempts: SealedTokens::new(secret, PURPOSE),
        }
    }

    /// The provider of a path.
    pub(super) async fn provider(
        &self,
        records: &Records,
        name: &str,
    ) -> Result<Arc<Provider>, Fault> {
        if is_sso_provider(name) {
            return self.sso.find(records, name).await;
        }
        let found = self.providers.find(name).cloned();
        found.ok_or_else(|| Fault::not_found("provider", name))
    }

    /// Whether a session may be used in a request. One that a proxy opened needs the proxy: it ends with the sign-in there.
    pub(super) fn admits(
        &self,
        proxies: &Proxies,
        session: &LiveSession,
        email: Option<&str>,
        (peer, headers): (Option<SocketAddr>, &HeaderMap),
    ) -> bool {
        if session.method != SignInMethod::Proxy {
            return true;
        }
        let named = self.proxy.as_ref();
        let named = named.and_then(|proxy| Some((proxy, proxy.value(proxies, peer, headers)?)));
        named.is_some_and(|(proxy, value)| {
            let same = email.is_some_and(|email| value.trim().eq_ignore_ascii_case(email));
            // A signed one was checked when the session began.
            proxy.assertions.is_some() || same
        })
    }
}

impl ProxySignIn {
    /// What the proxy says, if it is the one that says it: a trusted peer, once.
    fn value<'h>(
        &self,
        proxies: &Proxies,
        peer: Option<SocketAddr>,
        headers: &'h HeaderMap,
    ) -> Option<&'h str> {
        let mut lines = headers.get_all(&self.header);
        let (line, further) = (lines.next()?, lines.next());
        let value = line
            .to_str()
            .ok()
            .filter(|value| !value.trim().is_empty())?;
        (further.is_none() && proxies.trusts_peer(peer)).then_some(value)
    }

    /// The address of the person whom the proxy has signed in; `None` where it says nothing.
    pub(super) async fn email(
        &self,
        proxies: &Proxies,
        peer: Option<SocketAddr>,
        headers: &HeaderMap,
    ) -> Result<Option<String>, Failure> {
        let Some(value) = self.value(proxies, peer, headers) else {
            return Ok(None);
        };
        match &self.assertions {
            None => Ok(Some(value.trim().to_owned())),
            Some(assertions) => assertions.email(value.trim()).await.map(Some),
        }
    }
}

//! Certificates of the hosts that are served on `server.https_listen`.

use std::{path::PathBuf, sync::Arc};

use url::{Host, Url};

use super::{CommandError, Stores};
use crate::{
    acme::{Authority, AuthorityOptions, ExternalAccount},
    actors::{
        certificates::{Certificates, CertificatesEnv, NamedHosts, VerifiedHosts},
        hosts::Hosts,
        kit::Handle,
    },
    config::{Settings, Urls, sections::Acme},
};

/// What looks after certificates; `None` without a listener for them.
///
/// # Errors
/// The file of `acme.root_certificate` can't be used.
pub(super) fn certificates(
    settings: &Settings,
    stores: &Stores,
    hosts: &Handle<Hosts>,
) -> Result<Option<Certificates>, CommandError> {
    if settings.server.https_listen.is_empty() {
        return Ok(None);
    }
    let authority = options(&settings.acme).map(|options| {
        Authority::new(options, stores.clock.clone()).map_err(|error| {
            CommandError::new(
                error,
                "`acme.root_certificate` is a PEM file with the certificates of a private authority, or empty",
            )
        })
    });
    let env = CertificatesEnv {
        db: stores.state.clone(),
        clock: stores.clock.clone(),
        authority: authority.transpose()?,
        hosts: Arc::new(JoinedHosts {
            own: own_hosts(&settings.server.urls()),
            custom: hosts.clone(),
        }),
        answers_http: !settings.server.http_listen.is_empty(),
    };
    Ok(Some(Certificates::new(env, &stores.secret)))
}

/// The program's own public hosts, and those of organizations.
struct JoinedHosts {
    own: NamedHosts,
    custom: Handle<Hosts>,
}

impl VerifiedHosts for JoinedHosts {
    fn contains(&self, host: &str) -> bool {
        self.own.contains(host) || self.custom.view().served(host).is_some()
    }

    /// A handle exists after the first boot, so what is missing is not verified.
    fn list(&self) -> Option<Vec<Arc<str>>> {
        let mut all = self.own.list()?;
        let custom = self.custom.view();
        all.extend(
            custom
                .all_served()
                .map(|host| Arc::from(host.name.as_str())),
        );
        Some(all)
    }

    fn leads_here(&self, host: &str) -> bool {
        let custom = self.custom.view();
        custom.served(host).is_none_or(|host| host.leads_here())
    }
}

/// Who is asked for certificates; `None` if there is none.
fn options(acme: &Acme) -> Option<AuthorityOptions> {
    let directory_url = acme.directory()?;
    let root = &acme.root_certificate;
    let hmac_key = acme.eab_hmac_key_bytes().unwrap_or_default();
    Some(AuthorityOptions {
        directory_url: directory_url.to_owned(),
        email: acme.email.clone(),
        root_certificate: (!root.is_empty()).then(|| PathBuf::from(root)),
        external_account: (!acme.eab_key_id.is_empty()).then(|| ExternalAccount {
            key_id: acme.eab_key_id.clone(),
            hmac_key,
        }),
    })
}

/// The program's own public hosts that an authority can check.
fn own_hosts(urls: &Urls) -> NamedHosts {
    let urls = [&urls.base, &urls.track, &urls.links];
    let urls: Vec<Url> = urls.iter().filter_map(|url| Url::parse(url).ok()).collect();
    let public = urls.iter().filter(|url| url.scheme() == "https");
    let names = public.filter_map(|url| match url.host() {
        Some(Host::Domain(name)) if name.contains('.') => Some(name),
        _ => None,
    });
    NamedHosts::new(names)
}

/// Looks after certificates forever.
pub(super) async fn run(certificates: Option<Certificates>) {
    match certificates {
        Some(certificates) => certificates.run().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_hosts_are_public_names_with_https() {
        let urls = Urls {
            base: "https://Stats.example.com/x".to_owned(),
            track: "https://stats.example.com:8443".to_owned(),
            links: "http://go.example.com".to_owned(),
            docs: "https://docs.example.com".to_owned(),
        };
        let hosts = own_hosts(&urls);
        assert!(hosts.contains("stats.example.com"));
        assert_eq!(hosts.list().unwrap().len(), 1);
        let urls = Urls {
            base: "https://localhost:1".to_owned(),
            track: "https://127.0.0.1".to_owned(),
            links: "https://[::1]".to_owned(),
            docs: String::new(),
        };
        assert!(own_hosts(&urls).list().unwrap().is_empty());
    }
}

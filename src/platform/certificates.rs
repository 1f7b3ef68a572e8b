//! Certificates of the hosts that are served on `server.https_listen`.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use url::{Host, Url};

use super::{CommandError, Stores, gauges};
use crate::{
    acme::{Authority, AuthorityOptions, ExternalAccount},
    actors::{
        Domains,
        certificates::{Certificates, CertificatesEnv, NamedHosts, VerifiedHost, VerifiedHosts},
        hosts::{CustomHost, Hosts, HostsView},
        kit::Handle,
        organizations::{Organizations, OrganizationsView},
    },
    config::{Settings, sections::Acme},
    http::{Urls, metrics::Metrics},
    ids::OrganizationId,
};

/// What looks after certificates, with its metrics; `None` without a listener for them.
///
/// # Errors
/// The file of `acme.root_certificate` can't be used.
pub(super) fn certificates(
    settings: &Settings,
    stores: &Stores,
    domains: &Domains,
    metrics: &Metrics,
) -> Result<Option<Certificates>, CommandError> {
    let certificates = open(settings, stores, domains)?;
    gauges::show_certificates(metrics, certificates.as_ref());
    Ok(certificates)
}

fn open(
    settings: &Settings,
    stores: &Stores,
    domains: &Domains,
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
            own: NamedHosts::new(own_names(&settings.server.urls())),
            custom: domains.hosts.clone(),
            organizations: domains.organizations.clone(),
            seen: Mutex::default(),
        }),
        answers_http: !settings.server.http_listen.is_empty(),
    };
    Ok(Some(Certificates::new(env, &stores.secret)))
}

/// The program's own public hosts, and those of organizations.
struct JoinedHosts {
    own: NamedHosts,
    custom: Handle<Hosts>,
    organizations: Handle<Organizations>,
    /// What the version was counted for, and the version.
    seen: Mutex<Seen>,
}

type Seen = (Weak<HostsView>, Weak<OrganizationsView>, u64);

impl JoinedHosts {
    /// The host of a live organization; what a deleted one had is served no more.
    fn find(&self, host: &str) -> Option<Arc<CustomHost>> {
        let custom = self.custom.view();
        let host = custom.served(host)?;
        let is_live = self.organizations.view().is_live(&host.organization);
        is_live.then(|| Arc::clone(host))
    }
}

impl VerifiedHosts for JoinedHosts {
    fn contains(&self, host: &str) -> bool {
        self.own.contains(host) || self.find(host).is_some()
    }

    /// A handle exists after the first boot, so what is missing is not verified.
    fn list(&self) -> Option<Vec<VerifiedHost>> {
        let mut all = self.own.list()?;
        let (custom, organizations) = (self.custom.view(), self.organizations.view());
        let live = (custom.all_served()).filter(|host| organizations.is_live(&host.organization));
        all.extend(live.map(|host| VerifiedHost {
            name: Arc::from(host.name.as_str()),
            owner: Some(host.organization.clone()),
            leads_here: host.leads_here(),
        }));
        Some(all)
    }

    fn version(&self) -> u64 {
        let views = (
            Arc::downgrade(&self.custom.view()),
            Arc::downgrade(&self.organizations.view()),
        );
        // Nothing panics while it is held.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (hosts, organizations, version) = &mut *seen;
        if !(Weak::ptr_eq(&views.0, hosts) && Weak::ptr_eq(&views.1, organizations)) {
            (*hosts, *organizations) = views;
            *version += 1;
        }
        *version
    }

    fn owner(&self, host: &str) -> Option<OrganizationId> {
        self.find(host).map(|host| host.organization.clone())
    }
}

/// Who is asked for certificates; `None` if there is none.
pub(super) fn options(acme: &Acme) -> Option<AuthorityOptions> {
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
pub(super) fn own_names(urls: &Urls) -> Vec<String> {
    let urls = [&urls.base, &urls.track, &urls.links];
    let urls = urls.into_iter().filter_map(|url| Url::parse(url).ok());
    let public = urls.filter(|url| url.scheme() == "https");
    let names = public.filter_map(|url| match url.host() {
        Some(Host::Domain(name)) if name.contains('.') => Some(name.to_owned()),
        _ => None,
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names.dedup();
    names
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
        assert_eq!(own_names(&urls), ["stats.example.com"]);
        let urls = Urls {
            base: "https://localhost:1".to_owned(),
            track: "https://127.0.0.1".to_owned(),
            links: "https://[::1]".to_owned(),
            docs: String::new(),
        };
        assert!(own_names(&urls).is_empty());
    }
}

//! What handlers share: handles of the domains, the clock, admission, the event store and a few settings.

use std::{fmt, net::SocketAddr, sync::Arc, time::Duration};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use arc_swap::ArcSwap;
use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::{
    agent_model::Agents,
    body_memory::BodyMemory,
    clicks::Clicks,
    document::Documents,
    edge::{Cors, Edge, EdgeOptions, Proxies},
    federation::Federation,
    metrics::Metrics,
    page_cache::PageCache,
    passkeys::Passkeys,
    probe_polls::ProbePolls,
    share_hosts::ShareHosts,
    streams::Streams,
};
use crate::{
    access::plans::{Allowance, PlanResource, Plans},
    actors::{
        alarms::Alarms,
        audit::AuditLog,
        boards::BoardsStore,
        certificates::Certificates,
        chats::Chats,
        definitions::DefinitionsStore,
        delivery::Deliveries,
        error_statuses::ErrorStatusesStore,
        feedback::FeedbackStore,
        flags::Flags,
        fresh::Fresh,
        hosts::{Hosts, HostsPlace},
        imports::Imports,
        ingest::Ingest,
        keys::Keys,
        kit::Handle,
        links::Links,
        monitors::{Monitors, ProbeInbox},
        oauth::OAuthStore,
        organizations::{Devices, Organizations, Records},
        preferences::PreferencesStore,
        profiles::Profiles,
        scheduled_reports::ScheduledReportsStore,
        scim::ScimTokens,
        shares::SharesStore,
        status_pages::StatusPages,
        websites::Websites,
    },
    clock::Clock,
    events::{enrich::Enricher, store::EventStore, usage::Usage},
    ids::OrganizationId,
    store::limits::{Admission, Limits},
};

/// Public addresses without a trailing slash, used in every absolute URL (never the `Host` header, threat T44).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Urls {
    /// `{base_url}`.
    pub base: String,
    /// `{track_url}`.
    pub track: String,
    /// `{links_url}`.
    pub links: String,
    /// Home of the reference pages.
    pub docs: String,
}

impl Urls {
    /// Whether browsers reach us over TLS: cookies may be `Secure`.
    pub fn is_https(&self) -> bool {
        self.base.starts_with("https://")
    }

    /// Where hosts of organizations are reached.
    pub fn hosts_place(&self) -> HostsPlace {
        let name = |url: &str| {
            let url = url::Url::parse(url).ok();
            let host = url.as_ref().and_then(url::Url::host_str);
            host.unwrap_or_default().to_owned()
        };
        let port = url::Url::parse(&self.base)
            .ok()
            .and_then(|base| base.port());
        HostsPlace {
            own_names: [&self.base, &self.track, &self.links].map(|url| name(url)),
            is_https: self.is_https(),
            port: port.filter(|port| *port != 0),
        }
    }

    /// The host of short links, and its port unless it is the scheme's own.
    pub fn links_host(&self) -> String {
        let Ok(url) = url::Url::parse(&self.links) else {
            return String::new();
        };
        let host = url.host_str().unwrap_or_default();
        url.port()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }
}

/// The headers in which proxies, where they are trusted, say where a client is (`geo.country_header`, …).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GeoHeaders {
    /// ISO 3166-1 alpha-2.
    pub country: Option<HeaderName>,
    /// Name of the first-level subdivision.
    pub region: Option<HeaderName>,
    pub city: Option<HeaderName>,
}

/// Settings of the HTTP edge.
#[derive(Debug, Clone)]
pub struct Options {
    /// Who may say where a request came from.
    pub proxies: Proxies,
    /// Where a trusted proxy says where clients are.
    pub geo_headers: GeoHeaders,
    /// Origins beside our own that may call with cookies (`server.allowed_origins`).
    pub allowed_origins: Vec<String>,
    /// Largest body in bytes, after decompression; 0 = unlimited.
    pub body_bytes: usize,
    /// Bytes of a file of events that is uploaded.
    pub import_bytes: u64,
    /// How long the body of a request may take to arrive.
    pub body_time: Duration,
    /// How long a client may take nothing of an answer.
    pub write_patience: Duration,
    /// Whether visitors who send `Sec-GPC: 1` are left out.
    pub honour_gpc: bool,
    /// Whether visitors who send `DNT: 1` are left out.
    pub honour_dnt: bool,
    /// Where the tracker script is served beside its own names (`server.tracker_path`).
    pub tracker_path: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            proxies: Proxies::default(),
            geo_headers: GeoHeaders::default(),
            allowed_origins: Vec::new(),
            body_bytes: 2 * 1024 * 1024,
            import_bytes: 4 << 30,
            body_time: Duration::from_mins(1),
            write_patience: Duration::from_secs(30),
            honour_gpc: true,
            honour_dnt: false,
            tracker_path: "/pharos.js".to_owned(),
        }
    }
}

impl Options {
    /// The headers of a trusted proxy that say where the client is: country, region, city, where the operator named them.
    pub fn place<'h>(
        &self,
        peer: Option<SocketAddr>,
        headers: &'h HeaderMap,
    ) -> Option<[Option<&'h HeaderValue>; 3]> {
        let named = &self.geo_headers;
        if *named == GeoHeaders::default() || !self.proxies.trusts_peer(peer) {
            return None;
        }
        let names = [&named.country, &named.region, &named.city];
        Some(names.map(|name| headers.get(name.as_ref()?)))
    }

    pub fn body_limit(&self) -> usize {
        if self.body_bytes == 0 {
            usize::MAX
        } else {
            self.body_bytes
        }
    }
}

/// Whether a part of the program answers.
pub type Check = Box<dyn Fn() -> BoxFuture<'static, bool> + Send + Sync>;

/// The state that every handler can reach; the platform makes one.
pub struct Shared {
    /// People, sessions, organizations.
    pub organizations: Handle<Organizations>,
    /// Members and invitations, from storage.
    pub records: Records,
    pub keys: Handle<Keys>,
    pub websites: Handle<Websites>,
    /// Hosts that organizations bring.
    pub hosts: Handle<Hosts>,
    pub links: Handle<Links>,
    pub flags: Handle<Flags>,
    /// Boards and what their panels show.
    pub boards: BoardsStore,
    /// Goals, funnels, annotations and segments.
    pub definitions: DefinitionsStore,
    /// The storekeeper of events.
    pub ingest: Handle<Ingest>,
    /// Files of events that are imported.
    pub imports: Handle<Imports>,
    /// Which errors of websites are resolved or ignored.
    pub error_statuses: ErrorStatusesStore,
    pub feedback: FeedbackStore,
    pub preferences: PreferencesStore,
    /// Recipients of reports.
    pub scheduled_reports: ScheduledReportsStore,
    /// Share links of dashboards.
    pub shares: SharesStore,
    /// What hosts of share links show.
    pub share_hosts: ShareHosts,
    /// Certificates of all hosts, where there is a listener for them.
    pub certificates: Option<Certificates>,
    /// Apps that act for people.
    pub oauth: OAuthStore,
    /// Tokens of identity providers.
    pub scim: ScimTokens,
    pub monitors: Handle<Monitors>,
    /// Where reports of probes arrive.
    pub probe_inbox: ProbeInbox,
    /// Requests of probes that are held back.
    pub probe_polls: ProbePolls,
    pub status_pages: Handle<StatusPages>,
    /// Documents of status pages that were drawn last.
    pub page_cache: PageCache,
    /// Memory for the bodies of requests.
    pub body_memory: Arc<BodyMemory>,
    /// Places of streams.
    pub streams: Streams,
    /// Ends answers that are held back, because the server stops.
    pub stopping: CancellationToken,
    /// Public documents that are the same for everybody.
    pub documents: Documents,
    pub alarms: Handle<Alarms>,
    /// What leaves the program.
    pub delivery: Handle<Deliveries>,
    /// People that websites have identified.
    pub profiles: Handle<Profiles>,
    pub chats: Handle<Chats>,
    /// Who answers in them.
    pub agents: Agents,
    /// Who changed keys, members and roles.
    pub audit: AuditLog,
    pub clock: Clock,
    pub admission: Arc<dyn Admission>,
    /// Browsers in which people have signed in before.
    pub devices: Devices,
    /// Who may vouch for people beside their passwords.
    pub federation: Federation,
    /// How passkeys are asked for.
    pub passkeys: Passkeys,
    /// What says whether memory knows who may come in, where other processes decide that, too.
    pub fresh: Option<Fresh>,
    /// The numbers of the limits; reloadable.
    pub limits: Arc<ArcSwap<Limits>>,
    /// What plans allow; reloadable.
    pub plans: Arc<ArcSwap<Plans>>,
    /// How much of their plans organizations have used.
    pub usage: Usage,
    /// Secret under which addresses become identities of limits; random per process or per installation.
    pub secret: [u8; 32],
    pub urls: Urls,
    pub events: EventStore,
    pub clicks: Clicks,
    /// What requests say about their visitors.
    pub enricher: Enricher,
    pub metrics: Arc<Metrics>,
    /// What has to answer before `/health/ready` says yes, by name.
    pub checks: Vec<(&'static str, Check)>,
    pub options: Options,
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Shared")
            .field("urls", &self.urls)
            .finish_non_exhaustive()
    }
}

/// The listeners, by what they serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Host {
    /// `{base_url}`.
    Base,
    /// `{track_url}`.
    Track,
    /// `{links_url}`.
    Links,
}

impl Shared {
    /// The rule by which other origins may call a host.
    pub fn cors(&self, host: Host) -> Cors {
        match host {
            Host::Base => {
                let mut origins = own_origins(&self.urls.base);
                origins.extend(
                    self.options
                        .allowed_origins
                        .iter()
                        .map(|origin| origin.trim_end_matches('/').to_owned()),
                );
                Cors::Own(origins)
            }
            Host::Track => Cors::Trackers,
            Host::Links => Cors::Anyone,
        }
    }

    /// How much of something an organization's plan allows; `None` for as much as it likes.
    pub fn allowance(&self, organization: &OrganizationId, of: PlanResource) -> Option<Allowance> {
        let view = self.organizations.view();
        let plan = &view.organization(organization.as_str())?.plan;
        self.plans.load().allowance(plan, of)
    }

    pub(super) fn edge(&self, host: Host) -> Edge {
        let options = EdgeOptions {
            proxies: self.options.proxies.clone(),
            cors: self.cors(host),
            https: self.urls.is_https(),
            is_busy: host == Host::Track,
        };
        Edge::new(options, Arc::clone(&self.metrics))
    }
}

/// The origin of a public address; on a loopback address the other spellings of the same machine too.
fn own_origins(base: &str) -> Vec<String> {
    const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
    let Some((scheme, rest)) = base.split_once("://") else {
        return Vec::new();
    };
    let authority = rest.split('/').next().unwrap_or_default();
    let port_at = authority
        .rfind(':')
        .filter(|at| authority[*at..].find(']').is_none());
    let (host, port) = authority.split_at(port_at.unwrap_or(authority.len()));
    let hosts: &[&str] = if LOOPBACK.contains(&host) {
        &LOOPBACK
    } else {
        &[host]
    };
    hosts
        .iter()
        .map(|host| format!("{scheme}://{host}{port}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_origin_is_the_public_address_without_its_path() {
        assert_eq!(
            own_origins("https://pharos.example/app"),
            ["https://pharos.example"]
        );
        assert_eq!(
            own_origins("https://pharos.example:8443"),
            ["https://pharos.example:8443"]
        );
        let local = [
            "http://localhost:8080",
            "http://127.0.0.1:8080",
            "http://[::1]:8080",
        ];
        assert_eq!(own_origins("http://127.0.0.1:8080"), local);
        assert_eq!(own_origins("http://[::1]:8080"), local);
    }
}

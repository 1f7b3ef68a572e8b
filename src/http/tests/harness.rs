//! A house with one organization, and a client that speaks to its routes.

use std::{cell::RefCell, collections::HashMap, rc::Rc, sync::Arc, time::Duration};

use actix::Arbiter;
use actix_web::{
    App, Error,
    body::to_bytes,
    dev::ServiceResponse,
    http::{Method, StatusCode, header::HeaderMap},
    test::{self, TestRequest},
};
use arc_swap::ArcSwap;
use bytes::Bytes;
use futures_util::{FutureExt, TryFutureExt, future::LocalBoxFuture};
use secrecy::ExposeSecret;
use serde_json::Value;
use tempfile::TempDir;

use crate::{
    access::Scope,
    actors::{
        Domains, DomainsEnv,
        audit::AuditLog,
        delivery::{Channels, Senders},
        hosts::HostsPlace,
        keys::{CreateKey, KeyQuota, Resources},
        kit::{Child, RestartPolicy, drain_all},
        monitors::{CreateMonitor, MonitorOptions},
        organizations::{Devices, PeopleOptions},
        setup::{Install, Installed, install},
        status_pages::{Change, ChangePage, CreatePage},
    },
    clock::Clock,
    egress::testing::closed,
    events::{
        enrich::{self, Enricher},
        segments::Manifest,
        store::{self, EventStore},
        usage::Usage,
    },
    http::{
        Federation, Host, Options, Shared, SsoProviders, Urls, agent_model::Agents, api,
        clicks::Clicks, links, metrics::Metrics, track,
    },
    ids::{OrganizationId, WebsiteId},
    oidc::{CreateAccounts, Provider, ProviderOptions, Providers},
    store::{
        InstanceSecret, LastRun, StateDb,
        limits::{Limits, Local},
        state::testing,
    },
};

pub(super) const NOW: i64 = 1_800_000_000_000;
pub(super) const BASE: &str = "http://pharos.test";
pub(super) const PASSWORD: &str = "a long enough password";

pub(super) struct TestApp {
    pub(super) shared: Arc<Shared>,
    pub(super) clock: Clock,
    pub(super) installed: Installed,
    domains: Domains,
    children: Vec<Child>,
    db: StateDb,
    /// By their host, made when first asked: registering all routes takes longer than most requests.
    services: RefCell<HashMap<Host, Service>>,
    _directories: (TempDir, TempDir),
}

fn env(db: &StateDb, clock: &Clock, events: &EventStore) -> DomainsEnv {
    DomainsEnv {
        epochs: None,
        events: events.clone(),
        ingest_arbiter: Arbiter::current(),
        importer: Arbiter::current(),
        imports: crate::actors::imports::ImportOptions::for_tests(),
        prober: Arbiter::current(),
        egress: closed(),
        monitors: MonitorOptions::default(),
        secret: InstanceSecret::from_bytes([7; 32]),
        db: db.clone(),
        last_run: LastRun::in_memory(clock.clone()),
        clock: clock.clone(),
        light: Arbiter::current(),
        retention_days: 0,
        hosts: HostsPlace::default(),
        links_host: "go.example".into(),
        policy: patient(),
        people: PeopleOptions::default(),
        connects_apps: true,
        senders: Senders::default(),
        channels: Channels::default(),
        base_url: "http://pharos.example".into(),
        admission: Arc::new(Local::new(clock.clone())),
    }
}

type Service = Rc<dyn Fn(TestRequest) -> LocalBoxFuture<'static, Result<ServiceResponse, Error>>>;

/// What came back.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    pub(super) fn code(&self) -> (u16, String) {
        let body = self.json();
        let code = body["code"]
            .as_str()
            .or_else(|| body["json"]["code"].as_str());
        (self.status.as_u16(), code.unwrap_or_default().to_owned())
    }
}

/// A provider `some` that cannot be reached.
fn federation(clock: &Clock) -> Federation {
    let options = ProviderOptions {
        name: "some".to_owned(),
        issuer: "https://id.example".to_owned(),
        client_id: "pharos".to_owned(),
        client_secret: "".into(),
        scopes: "openid".to_owned(),
        groups_claim: "groups".to_owned(),
        roles: Vec::new(),
        create_accounts: CreateAccounts::Never,
        email_domains: Vec::new(),
    };
    let provider = Provider::new(options, closed(), clock.clone());
    let secret = InstanceSecret::from_bytes([7; 32]);
    let sso = SsoProviders::new(closed(), clock.clone(), &secret);
    Federation::new(&secret, Providers::new(vec![provider]), None, sso)
}

async fn start_domains(db: &StateDb, clock: &Clock, events: &EventStore) -> (Domains, Vec<Child>) {
    Domains::start(&env(db, clock, events)).await.unwrap()
}

impl TestApp {
    pub(super) async fn open() -> Self {
        Self::with(Limits::default(), Options::default()).await
    }

    #[expect(clippy::too_many_lines, reason = "a line for each part")]
    pub(super) async fn with(limits: Limits, options: Options) -> Self {
        let (directory, db) = testing::temporary().await;
        let (events_directory, clock) = (tempfile::tempdir().unwrap(), Clock::fixed(NOW));
        let events = event_store(&events_directory, &clock);
        let (domains, children) = start_domains(&db, &clock, &events).await;
        let installed = install(&domains, as_usual()).await.unwrap();
        let enricher = enricher().await;
        let shared = Arc::new(Shared {
            organizations: domains.organizations.clone(),
            records: domains.records(db.clone(), clock.clone()),
            keys: domains.keys.clone(),
            websites: domains.websites.clone(),
            hosts: domains.hosts.clone(),
            links: domains.links.clone(),
            flags: domains.flags.clone(),
            definitions: domains.definitions.clone(),
            error_statuses: domains.error_statuses.clone(),
            feedback: domains.feedback.clone(),
            preferences: domains.preferences.clone(),
            boards: domains.boards.clone(),
            scheduled_reports: domains.scheduled_reports.clone(),
            shares: domains.shares.clone(),
            share_hosts: crate::http::ShareHosts::default(),
            certificates: None,
            oauth: domains.oauth.clone(),
            scim: domains.scim.clone(),
            ingest: domains.ingest.clone(),
            imports: domains.imports.clone(),
            monitors: domains.monitors.clone(),
            probe_inbox: domains.probe_inbox.clone(),
            probe_polls: crate::http::ProbePolls::default(),
            stopping: tokio_util::sync::CancellationToken::new(),
            status_pages: domains.status_pages.clone(),
            page_cache: crate::http::PageCache::default(),
            body_memory: crate::http::BodyMemory::new(64 << 20, options.body_limit()),
            streams: crate::http::Streams::new(512),
            documents: crate::http::Documents::default(),
            alarms: domains.alarms.clone(),
            delivery: domains.delivery.clone(),
            profiles: domains.profiles.clone(),
            chats: domains.chats.clone(),
            agents: Agents::new(None),
            audit: AuditLog::new(db.clone()),
            clock: clock.clone(),
            fresh: None,
            admission: Arc::new(Local::new(clock.clone())),
            devices: Devices::new(&InstanceSecret::from_bytes([7; 32])),
            federation: federation(&clock),
            passkeys: crate::http::Passkeys::new(
                &InstanceSecret::from_bytes([7; 32]),
                &urls().base,
            ),
            limits: Arc::new(ArcSwap::from_pointee(limits)),
            plans: Arc::default(),
            usage: Usage::from_store(events.clone()),
            secret: [7; 32],
            urls: urls(),
            clicks: Clicks::start(events.clone(), enricher.clone(), [7; 32]),
            events,
            enricher,
            metrics: Arc::new(Metrics::new()),
            checks: Vec::new(),
            options,
        });
        Self {
            shared,
            clock,
            installed,
            domains,
            children,
            db,
            services: RefCell::default(),
            _directories: (directory, events_directory),
        }
    }

    /// The key that setup made: every scope, everywhere.
    pub(super) fn key(&self) -> String {
        self.installed.api_key.expose_secret().to_owned()
    }

    /// A further key of the organization.
    pub(super) async fn make_key(&self, key: CreateKey) -> String {
        let organization = Some(self.installed.organization_id.clone());
        let made = self
            .domains
            .keys
            .ask(CreateKey {
                organization,
                ..key
            })
            .await
            .unwrap();
        made.secret.expose_secret().to_owned()
    }

    /// A key for the whole organization.
    pub(super) async fn key_with(&self, scopes: &[Scope]) -> String {
        self.make_key(CreateKey {
            scopes: scopes.to_vec(),
            ..CreateKey::named("k")
        })
        .await
    }

    /// A key for one website only.
    pub(super) async fn key_for(&self, website: &WebsiteId, scopes: &[Scope]) -> String {
        let websites = [(website.clone(), scopes.to_vec())].into_iter().collect();
        let resources = Some(Resources {
            global: Vec::new(),
            websites,
        });
        self.make_key(CreateKey {
            resources,
            ..CreateKey::named("k")
        })
        .await
    }

    /// A key with a quota of its own.
    pub(super) async fn key_limited(&self, max: u32) -> String {
        let quota = KeyQuota {
            enabled: true,
            max,
            window_seconds: 60,
        };
        self.make_key(CreateKey {
            quota,
            scopes: vec![Scope::ReadData],
            ..CreateKey::named("k")
        })
        .await
    }

    pub(super) fn organization(&self) -> OrganizationId {
        self.installed.organization_id.clone()
    }

    pub(super) fn website(&self) -> WebsiteId {
        self.installed.website_id.clone()
    }

    /// What handlers share, to be changed before the next request.
    pub(super) fn shared_mut(&mut self) -> &mut Shared {
        self.services.get_mut().clear();
        Arc::get_mut(&mut self.shared).unwrap()
    }

    async fn service(&self, host: Host) -> Service {
        if let Some(known) = self.services.borrow().get(&host) {
            return known.clone();
        }
        let configure = match host {
            Host::Base => api,
            Host::Track => track,
            Host::Links => links,
        };
        let app = App::new().configure(|config| configure(config, &self.shared));
        let app = Rc::new(test::init_service(app).await);
        let service: Service = Rc::new(move |request: TestRequest| {
            let app = Rc::clone(&app);
            let answer = async move { test::try_call_service(&*app, request.to_request()).await };
            answer
                .map_ok(ServiceResponse::map_into_boxed_body)
                .boxed_local()
        });
        self.services.borrow_mut().insert(host, service.clone());
        service
    }

    /// Sends one request to a host.
    pub(super) async fn send(&self, host: Host, request: TestRequest) -> Answer {
        let service = self.service(host).await;
        let peer = "192.0.2.10:4711".parse().unwrap();
        let response = match service(request.peer_addr(peer)).await {
            Ok(response) => response.into_parts().1,
            Err(error) => error.error_response(),
        };
        let (status, headers) = (response.status(), response.headers().clone());
        let body = to_bytes(response.into_body()).await.unwrap();
        Answer {
            status,
            headers,
            body,
        }
    }

    /// `GET` on `{base_url}` with these headers.
    pub(super) async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.send(Host::Base, with(TestRequest::get().uri(path), headers))
            .await
    }

    /// `POST` of JSON on `{base_url}` with these headers.
    pub(super) async fn post(&self, path: &str, headers: &[(&str, &str)], body: Value) -> Answer {
        let request = TestRequest::default()
            .method(Method::POST)
            .uri(path)
            .set_json(body);
        self.send(Host::Base, with(request, headers)).await
    }

    /// Signs the owner in; the answer's cookie, as a browser sends it back.
    pub(super) async fn sign_in(&self) -> String {
        let body = serde_json::json!({ "email": "admin@localhost", "password": PASSWORD });
        let answer = self.post("/api/auth/sign-in/email", &[], body).await;
        assert_eq!(answer.status, 200);
        let cookie = answer.header("set-cookie");
        cookie.split(';').next().unwrap().to_owned()
    }

    /// A status page with a monitor on it: its slug, and the monitor's id there.
    pub(super) async fn status_page(&self) -> (String, String) {
        let fields = serde_json::json!({ "name": "Shown", "slug": "shown" });
        let create = CreatePage {
            organization: self.organization(),
            fields: serde_json::from_value(fields).unwrap(),
            password_hash: None,
        };
        let page = self.shared.status_pages.ask(create).await.unwrap();
        let fields = serde_json::json!({ "kind": "push", "granularity": "hour" });
        let create = CreateMonitor {
            organization: self.organization(),
            created_by: None,
            fields: serde_json::from_value(fields).unwrap(),
            is_paused: false,
            allowance: None,
        };
        let monitor = self.shared.monitors.ask(create).await.unwrap();
        let change = ChangePage {
            id: page.id.clone(),
            change: Change::AddMonitor(monitor.id.clone()),
        };
        let page = self.shared.status_pages.ask(change).await.unwrap();
        (page.fields.slug.clone(), page.monitors[0].id.clone())
    }

    /// The token of a push monitor.
    pub(super) async fn push_token(&self) -> String {
        let fields = serde_json::json!({ "kind": "push", "granularity": "hour" });
        let create = CreateMonitor {
            organization: self.organization(),
            created_by: None,
            fields: serde_json::from_value(fields).unwrap(),
            is_paused: false,
            allowance: None,
        };
        let monitors = &self.shared.monitors;
        let made = monitors.ask(create).await.unwrap();
        monitors.view().push_token(&made)
    }

    /// Takes the state database away.
    pub(super) async fn without_state(&self) {
        self.db.clone().close().await.unwrap();
    }

    pub(super) async fn close(self) {
        let late = drain_all(self.children, Duration::from_secs(5)).await;
        assert!(late.is_empty(), "{late:?}");
        self.shared.events.close();
        self.db.close().await.unwrap();
    }
}

fn event_store(directory: &TempDir, clock: &Clock) -> EventStore {
    let store = store::Options {
        reserve: 1,
        ..store::Options::new(directory.path())
    };
    EventStore::open(store, clock.clone(), &Manifest::default()).unwrap()
}

fn patient() -> RestartPolicy {
    RestartPolicy {
        backoff: Duration::from_millis(1),
        ..RestartPolicy::default()
    }
}

fn as_usual() -> Install {
    Install {
        password: Some(PASSWORD.into()),
        ..Install::default()
    }
}

fn urls() -> Urls {
    Urls {
        base: BASE.into(),
        track: "http://in.pharos.test".into(),
        links: "http://go.pharos.test".into(),
        docs: BASE.into(),
    }
}

async fn enricher() -> Enricher {
    let salts = Arc::new(|_| Some([7; 32]));
    let enricher = Enricher::open(&enrich::Options::default(), salts).unwrap();
    enricher.ready().await;
    enricher
}

fn with(mut request: TestRequest, headers: &[(&str, &str)]) -> TestRequest {
    for (name, value) in headers {
        request = request.append_header((*name, *value));
    }
    request
}

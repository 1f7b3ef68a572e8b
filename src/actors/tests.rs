//! All domains together, on a temporary database.

use std::{sync::Arc, time::Duration};

use actix::Arbiter;
use secrecy::ExposeSecret;
use tempfile::TempDir;

use super::{
    delivery::{Channels, Senders},
    error::CommonError,
    keys::KeyRejection,
    kit::{Child, RestartPolicy, Unavailable, drain_all},
    organizations::{OrganizationError, PeopleOptions, SignIn},
    setup::{Install, SetupError, install},
    websites::WebsiteError,
    *,
};
use crate::{
    access::Scope,
    clock::Clock,
    events::store::{self, EventStore},
    store::{InstanceSecret, LastRun, StateDb, limits::Local, state::testing},
};

const NOW: i64 = 1_800_000_000_000;

struct Fixture {
    directory: TempDir,
    db: StateDb,
    events: EventStore,
    clock: Clock,
    domains: Domains,
    children: Vec<Child>,
}

impl Fixture {
    async fn open() -> Self {
        let (directory, db) = testing::temporary().await;
        Self::start(directory, db).await
    }

    async fn start(directory: TempDir, db: StateDb) -> Self {
        let clock = Clock::fixed(NOW);
        let options = store::Options {
            reserve: 1,
            ..store::Options::new(directory.path())
        };
        let node = EventStore::node_id(directory.path()).unwrap();
        let manifest = ingest::load_manifest(db.writer(), &node).await.unwrap();
        let events = EventStore::open(options, clock.clone(), &manifest).unwrap();
        let env = DomainsEnv {
            epochs: None,
            db: db.clone(),
            events: events.clone(),
            secret: InstanceSecret::from_bytes([7; 32]),
            last_run: LastRun::in_memory(clock.clone()),
            clock: clock.clone(),
            light: Arbiter::current(),
            ingest_arbiter: Arbiter::current(),
            importer: Arbiter::current(),
            imports: crate::actors::imports::ImportOptions::for_tests(),
            prober: Arbiter::current(),
            egress: crate::egress::testing::closed(),
            monitors: crate::actors::monitors::MonitorOptions::default(),
            retention_days: 0,
            hosts: crate::actors::hosts::HostsPlace::default(),
            links_host: "go.example".into(),
            people: PeopleOptions::default(),
            connects_apps: true,
            senders: Senders::default(),
            channels: Channels::default(),
            base_url: "http://pharos.example".into(),
            admission: Arc::new(Local::new(clock.clone())),
            policy: RestartPolicy {
                backoff: Duration::from_millis(1),
                ..RestartPolicy::default()
            },
        };
        let (domains, children) = Domains::start(&env).await.unwrap();
        Self {
            directory,
            db,
            events,
            clock,
            domains,
            children,
        }
    }

    async fn close(self) -> TempDir {
        let late = drain_all(self.children, Duration::from_secs(5)).await;
        assert!(late.is_empty(), "{late:?}");
        self.events.close();
        self.db.close().await.unwrap();
        self.directory
    }

    async fn restart(self) -> Self {
        let directory = self.close().await;
        let db = testing::reopen(&directory).await;
        Self::start(directory, db).await
    }
}

#[actix::test]
async fn setup_makes_everything_and_a_restart_finds_it() {
    let fixture = Fixture::open().await;
    assert!(!fixture.domains.organizations.view().any());
    let installed = install(&fixture.domains, Install::default()).await.unwrap();
    let fixture = fixture.restart().await;

    let people = fixture.domains.organizations.view();
    assert!(people.any());
    let tenant = people.tenant(installed.organization_id.as_str()).unwrap();
    let websites = fixture.domains.websites.view();
    let website = websites.by_id(installed.website_id.as_str()).unwrap();
    assert_eq!(website.site().organization_key, tenant.key);
    assert_eq!(website.domain, "localhost");
    assert_eq!(websites.owned_by(&tenant.id).len(), 1);

    let secret = installed.api_key.expose_secret();
    let key = fixture
        .domains
        .keys
        .view()
        .authenticate(secret, NOW)
        .unwrap();
    assert_eq!(key.name, "setup");
    assert_eq!(key.grant.organization, Some(tenant.id));
    assert_eq!(key.grant.global, Scope::ALL);
    assert_eq!(key.quota(), None);

    let signed_in = fixture
        .domains
        .organizations
        .ask(SignIn {
            email: installed.email,
            password: installed.password,
            device: None,
            user_agent: None,
        })
        .await
        .unwrap();
    let signed_in = signed_in.session().unwrap();
    assert_eq!(signed_in.person.id, installed.user_id);
    fixture.close().await;
}

#[actix::test]
async fn setup_is_refused_when_an_organization_exists() {
    let fixture = Fixture::open().await;
    install(&fixture.domains, Install::default()).await.unwrap();
    let again = install(&fixture.domains, Install::default()).await;
    assert!(matches!(again, Err(SetupError::AlreadyInstalled)));
    assert_eq!(fixture.domains.websites.view().len(), 1);
    fixture.close().await;
}

/// A setup that is cut off after its first or second step.
async fn cut_off(fixture: &Fixture, with_website: bool) -> crate::ids::OrganizationId {
    let founding = organizations::Install {
        organization: "Half".to_owned(),
        plan: "free".to_owned(),
        email: "half@localhost".to_owned(),
        password: "nobody ever saw this".into(),
        again: None,
    };
    let founded = fixture.domains.organizations.ask(founding).await.unwrap();
    let organization = founded.organization.id;
    if with_website {
        let website = websites::CreateWebsite {
            organization: organization.clone(),
            name: "localhost".to_owned(),
            domain: "localhost".to_owned(),
            compatibility: Vec::new(),
            allowance: None,
        };
        fixture.domains.websites.ask(website).await.unwrap();
    }
    organization
}

#[actix::test]
async fn setup_completes_what_was_cut_off() {
    for with_website in [false, true] {
        let fixture = Fixture::open().await;
        let organization = cut_off(&fixture, with_website).await;
        let fixture = fixture.restart().await;
        assert_eq!(
            setup::unfinished(&fixture.domains),
            Some(organization.clone())
        );
        let installed = install(&fixture.domains, Install::default()).await.unwrap();
        assert_eq!(installed.organization_id, organization);

        let fixture = fixture.restart().await;
        assert_eq!(setup::unfinished(&fixture.domains), None);
        let again = install(&fixture.domains, Install::default()).await;
        assert!(matches!(again, Err(SetupError::AlreadyInstalled)));
        assert_eq!(
            fixture
                .domains
                .websites
                .view()
                .owned_by(&organization)
                .len(),
            1
        );
        let people = fixture.domains.organizations.view();
        assert_eq!(
            people.organization(organization.as_str()).unwrap().name,
            "Default"
        );
        let sign_in = SignIn {
            email: installed.email,
            password: installed.password,
            device: None,
            user_agent: None,
        };
        let signed_in = fixture.domains.organizations.ask(sign_in).await.unwrap();
        let signed_in = signed_in.session().unwrap();
        assert_eq!(signed_in.person.id, installed.user_id);
        fixture.close().await;
    }
}

#[actix::test]
async fn a_key_that_is_gone_is_no_unfinished_setup() {
    let fixture = Fixture::open().await;
    let installed = install(&fixture.domains, Install::default()).await.unwrap();
    let key = fixture
        .domains
        .keys
        .view()
        .owned_by(&installed.organization_id);
    let (by, id) = (keys::Manager::SYSTEM, key[0].id().clone());
    let revoke = keys::RevokeKey {
        by: by.clone(),
        id: id.clone(),
    };
    fixture.domains.keys.ask(revoke).await.unwrap();
    let delete = keys::DeleteKey { by, id };
    fixture.domains.keys.ask(delete).await.unwrap();
    let fixture = fixture.restart().await;
    assert_eq!(setup::unfinished(&fixture.domains), None);
    let again = install(&fixture.domains, Install::default()).await;
    assert!(matches!(again, Err(SetupError::AlreadyInstalled)));
    fixture.close().await;
}

#[actix::test]
async fn a_refused_setup_changes_nothing() {
    let fixture = Fixture::open().await;
    let bad_website = Install {
        website: "no host".to_owned(),
        ..Install::default()
    };
    let refused = install(&fixture.domains, bad_website).await;
    assert!(matches!(
        refused,
        Err(SetupError::Website(WebsiteError::Common(
            CommonError::Invalid(_)
        )))
    ));
    let bad_email = Install {
        email: "nobody".to_owned(),
        ..Install::default()
    };
    let refused = install(&fixture.domains, bad_email).await;
    assert!(matches!(
        refused,
        Err(SetupError::Organization(OrganizationError::Common(
            CommonError::Invalid(_)
        )))
    ));
    assert!(!fixture.domains.organizations.view().any());
    fixture.close().await;
}

#[actix::test]
async fn setup_takes_a_website_as_people_write_it() {
    let fixture = Fixture::open().await;
    let given = Install {
        website: "HTTPS://Shop.Example:8443/".to_owned(),
        password: Some("chosen".into()),
        ..Install::default()
    };
    let installed = install(&fixture.domains, given).await.unwrap();
    assert_eq!(installed.password.expose_secret(), "chosen");
    let websites = fixture.domains.websites.view();
    let website = websites.by_id(installed.website_id.as_str()).unwrap();
    assert_eq!(website.domain, "shop.example:8443");
    assert_eq!(website.name, "Shop.Example-8443");
    fixture.close().await;
}

#[actix::test]
async fn every_domain_survives_a_panic_with_its_state() {
    let fixture = Fixture::open().await;
    let installed = install(&fixture.domains, Install::default()).await.unwrap();
    let names: Vec<_> = fixture.children.iter().map(Child::name).collect();
    let roster = fixture.domains.roster();
    assert_eq!(
        roster.iter().map(|one| one.name()).collect::<Vec<_>>(),
        names
    );

    for resident in roster {
        let lost = resident.inject_panic().await;
        assert_eq!(lost, Err(Unavailable::Restarting(resident.name())));
        assert!(!resident.is_running());
        while !resident.is_running() {
            tokio::task::yield_now().await;
        }
        assert_state(&fixture, &installed);
    }
    fixture.close().await;
}

fn assert_state(fixture: &Fixture, installed: &setup::Installed) {
    let now_ms = fixture.clock.now_ms();
    let key = fixture.domains.keys.view();
    key.authenticate(installed.api_key.expose_secret(), now_ms)
        .unwrap();
    assert_eq!(
        key.authenticate("svc_x", now_ms).unwrap_err(),
        KeyRejection::Unknown
    );
    let websites = fixture.domains.websites.view();
    assert!(
        websites
            .by_client_id(installed.website_id.as_str())
            .is_some()
    );
    assert!(fixture.domains.organizations.view().any());
}

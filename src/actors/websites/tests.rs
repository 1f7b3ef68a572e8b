//! Websites through a supervised actor on a temporary database.

use std::{sync::Arc, time::Duration};

use actix::Arbiter;
use tempfile::TempDir;

use super::*;
use crate::{
    actors::{
        error::CommonError,
        keys::MakerKeys,
        kit::{Child, Handle, RestartPolicy, drain_all, supervise},
        organizations::{Install, Organizations, OrganizationsEnv, PeopleOptions},
    },
    clock::Clock,
    events::{
        segments::Manifest,
        store::{EventStore, Options},
    },
    fault::{Classify, Kind},
    ids::{OrganizationId, WebsiteId},
    store::{InstanceSecret, StateDb, limits::Local, state::testing},
};

const NOW: i64 = 1_800_000_000_000;

struct Fixture {
    _directories: (TempDir, TempDir),
    env: WebsitesEnv,
    owner: OrganizationId,
    websites: Handle<Websites>,
    /// Organizations, then websites.
    children: Vec<Child>,
}

impl Fixture {
    async fn open() -> Self {
        let (directory, db) = testing::temporary().await;
        let clock = Clock::fixed(NOW);
        let (organizations, first) = organizations(&db, &clock).await;
        let founding = Install {
            organization: "Acme".to_owned(),
            plan: "free".to_owned(),
            email: "a@b".to_owned(),
            password: "x".into(),
            again: None,
        };
        let founded = organizations.ask(founding).await.unwrap();
        let events_directory = tempfile::tempdir().unwrap();
        let options = Options {
            reserve: 1,
            ..Options::new(events_directory.path())
        };
        let events = EventStore::open(options, clock.clone(), &Manifest::default()).unwrap();
        let env = WebsitesEnv {
            db,
            clock,
            organizations,
            events,
        };
        let (websites, second) = start(&env).await;
        Self {
            _directories: (directory, events_directory),
            env,
            owner: founded.organization.id,
            websites,
            children: vec![first, second],
        }
    }

    async fn create(&self, name: &str, domain: &str) -> Result<Arc<Website>, WebsiteError> {
        let message = CreateWebsite {
            compatibility: Vec::new(),
            organization: self.owner.clone(),
            name: name.to_owned(),
            domain: domain.to_owned(),
            allowance: None,
        };
        self.websites.ask(message).await
    }

    async fn restart(mut self) -> Self {
        let child = self.children.pop().unwrap();
        end(vec![child]).await;
        let (websites, child) = start(&self.env).await;
        self.websites = websites;
        self.children.push(child);
        self
    }
}

async fn organizations(db: &StateDb, clock: &Clock) -> (Handle<Organizations>, Child) {
    let env = OrganizationsEnv {
        db: db.clone(),
        clock: clock.clone(),
        options: PeopleOptions::default(),
        mail: None,
        secret: InstanceSecret::from_bytes([7; 32]),
        keys: MakerKeys::for_test(db, clock).await,
        admission: Arc::new(Local::new(clock.clone())),
        egress: crate::egress::testing::closed(),
    };
    let on = Arbiter::current();
    supervise(env, &on, RestartPolicy::default()).await.unwrap()
}

async fn start(env: &WebsitesEnv) -> (Handle<Websites>, Child) {
    let on = Arbiter::current();
    let policy = RestartPolicy::default();
    supervise(env.clone(), &on, policy).await.unwrap()
}

async fn end(children: Vec<Child>) {
    let late = drain_all(children, Duration::from_secs(5)).await;
    assert!(late.is_empty(), "{late:?}");
}

#[actix::test]
async fn a_website_is_found_by_id_client_id_and_owner_also_after_a_restart() {
    let fixture = Fixture::open().await;
    let first = fixture
        .create("First", "https://One.example/x")
        .await
        .unwrap();
    fixture.env.clock.advance(Duration::from_secs(1));
    let second = fixture.create("Second", "two.example").await.unwrap();
    assert_eq!(first.domain, "one.example");
    assert_ne!(first.key, second.key);

    let fixture = fixture.restart().await;
    let view = fixture.websites.view();
    assert_eq!(view.by_id(first.id.as_str()), Some(&first));
    assert_eq!(view.by_client_id(second.client_id.as_str()), Some(&second));
    assert_eq!(view.owned_by(&fixture.owner), [second, first]);
    assert!(view.owned_by(&OrganizationId::from("another")).is_empty());
    assert!(view.by_id("another").is_none());
    end(fixture.children).await;
}

#[actix::test]
async fn a_domain_is_taken_once_per_organization() {
    let fixture = Fixture::open().await;
    fixture.create("One", "one.example").await.unwrap();
    let two = fixture.create("Two", "two.example").await.unwrap();
    let taken = fixture
        .create("Again", "HTTP://ONE.example/")
        .await
        .unwrap_err();
    let Kind::Conflict { resource, id } = taken.classify().kind else {
        panic!("not a conflict");
    };
    assert_eq!((resource, id.as_deref()), ("website", Some("one.example")));

    let rename = |domain: &str| UpdateWebsite {
        compatibility: None,
        id: two.id.clone(),
        name: None,
        domain: Some(domain.to_owned()),
    };
    let taken = fixture.websites.ask(rename("one.example")).await;
    assert!(matches!(taken, Err(WebsiteError::DomainTaken(_))));
    let kept = fixture.websites.ask(rename("two.example")).await.unwrap();
    assert_eq!(kept.domain, "two.example");
    assert_eq!(fixture.websites.view().len(), 2);
    end(fixture.children).await;
}

#[actix::test]
async fn storage_itself_refuses_a_domain_that_memory_does_not_know() {
    let fixture = Fixture::open().await;
    // A second process on the same database.
    let (other, child) = start(&fixture.env).await;
    fixture.create("One", "one.example").await.unwrap();
    let message = CreateWebsite {
        compatibility: Vec::new(),
        organization: fixture.owner.clone(),
        name: "Two".to_owned(),
        domain: "one.example".to_owned(),
        allowance: None,
    };
    let taken = other.ask(message).await;
    assert!(matches!(taken, Err(WebsiteError::DomainTaken(_))));
    assert!(other.view().is_empty());
    end(vec![child]).await;
    end(fixture.children).await;
}

#[actix::test]
async fn changes_are_stored_and_keep_identity() {
    let fixture = Fixture::open().await;
    let made = fixture.create("One", "one.example").await.unwrap();
    fixture.env.clock.advance(Duration::from_secs(5));
    let update = UpdateWebsite {
        compatibility: None,
        id: made.id.clone(),
        name: Some("Renamed".to_owned()),
        domain: Some("new.example".to_owned()),
    };
    fixture.websites.ask(update).await.unwrap();
    let publish = TogglePublic {
        id: made.id.clone(),
        is_public: true,
    };
    fixture.websites.ask(publish).await.unwrap();

    let fixture = fixture.restart().await;
    let view = fixture.websites.view();
    let website = view.by_id(made.id.as_str()).unwrap();
    assert_eq!(website.name, "Renamed");
    assert_eq!(website.domain, "new.example");
    assert!(website.site().is_public);
    assert_eq!(website.key, made.key);
    assert_eq!(website.created_ms, made.created_ms);
    assert_eq!(website.updated_ms, NOW + 5000);
    fixture.create("Free again", "one.example").await.unwrap();
    end(fixture.children).await;
}

#[actix::test]
async fn what_is_unknown_or_wrong_is_refused() {
    let fixture = Fixture::open().await;
    let bad = fixture.create("a/b", "one.example").await;
    assert!(matches!(
        bad,
        Err(WebsiteError::Common(CommonError::Invalid(_)))
    ));
    let bad = fixture.create("One", "no host").await;
    assert!(matches!(
        bad,
        Err(WebsiteError::Common(CommonError::Invalid(_)))
    ));
    let homeless = CreateWebsite {
        compatibility: Vec::new(),
        organization: "nobody".into(),
        name: "One".to_owned(),
        domain: "one.example".to_owned(),
        allowance: None,
    };
    let refused = fixture.websites.ask(homeless).await;
    assert!(matches!(
        refused,
        Err(WebsiteError::Common(CommonError::NoOrganization(_)))
    ));
    let unknown = TogglePublic {
        id: WebsiteId::from("nobody"),
        is_public: true,
    };
    let refused = fixture.websites.ask(unknown).await;
    assert!(matches!(refused, Err(WebsiteError::NotFound(_))));
    assert!(fixture.websites.view().is_empty());
    end(fixture.children).await;
}

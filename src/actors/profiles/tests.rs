//! Profiles through a supervised actor on real stores.

use std::{sync::Arc, time::Duration};

use actix::Arbiter;
use sea_orm::{ConnectionTrait, Statement as Sql};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::{
    access::{IngestAccess, authorize},
    actors::{
        Domains, DomainsEnv,
        delivery::{Channels, Senders},
        kit::{Child, RestartPolicy, drain_all},
        organizations::PeopleOptions,
        setup::{Install, install},
    },
    analytics::people::{People, Person, TooMany, TraitTest},
    clock::Clock,
    events::{
        accept::identify::TraitValue,
        enrich::visitor::Form,
        event::Trust,
        segments::Manifest,
        statement::{Cell, Scope, Statement},
        store::{EventStore, Options},
    },
    fault::{Classify, Kind},
    ids::WebsiteKey,
    store::{InstanceSecret, LastRun, StateDb, state::testing},
};

const NOW: i64 = 1_800_000_000_000;

struct Fixture {
    directories: (TempDir, TempDir),
    db: StateDb,
    events: EventStore,
    domains: Domains,
    children: Vec<Child>,
    access: IngestAccess,
}

impl Fixture {
    async fn open() -> Self {
        let (directory, db) = testing::temporary().await;
        let events_directory = tempfile::tempdir().unwrap();
        let options = Options {
            reserve: 1,
            ..Options::new(events_directory.path())
        };
        let clock = Clock::fixed(NOW);
        let events = EventStore::open(options, clock.clone(), &Manifest::default()).unwrap();
        let env = DomainsEnv {
            epochs: None,
            db: db.clone(),
            events: events.clone(),
            secret: InstanceSecret::from_bytes([7; 32]),
            admission: Arc::new(crate::store::limits::Local::new(clock.clone())),
            last_run: LastRun::in_memory(clock.clone()),
            clock,
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
            policy: RestartPolicy::default(),
        };
        let (domains, children) = Domains::start(&env).await.unwrap();
        let made = install(&domains, Install::default()).await.unwrap();
        let websites = domains.websites.view();
        let site = websites.by_id(made.website_id.as_str()).unwrap().site();
        let access = authorize::ingest_with_client_id("id", Some(&site)).unwrap();
        Self {
            directories: (directory, events_directory),
            db,
            events,
            domains,
            children,
            access,
        }
    }

    fn call(&self, profile: &str, traits: &Value) -> Identify {
        Identify {
            access: self.access,
            trust: Trust::Client,
            profile: profile.to_owned(),
            visitors: Vec::new(),
            traits: trait_values(traits),
            said_ms: None,
        }
    }

    async fn identify(&self, profile: &str, traits: Value) -> Result<(), ProfileError> {
        self.domains.profiles.ask(self.call(profile, &traits)).await
    }

    fn websites(&self) -> Vec<WebsiteKey> {
        vec![self.access.website()]
    }

    async fn person(&self, profile: &str) -> Option<Person> {
        let view: Arc<Directory> = self.domains.profiles.view();
        let ids = [profile.to_owned()];
        let mut found = People::find_people(&*view, &self.websites(), &ids)
            .await
            .unwrap();
        found.remove(profile)
    }

    async fn having(&self, key: &str, test: TraitTest) -> anyhow::Result<Vec<String>> {
        let view = self.domains.profiles.view();
        view.with_trait(&self.websites(), key, &test).await
    }

    /// Who the visitors are, as the engine says.
    async fn aliases(&self) -> Vec<(u64, String)> {
        let statement = Statement {
            spilling: None,
            text: "SELECT visitor, profile FROM {aliases} ORDER BY visitor".into(),
            binds: Vec::new(),
            scope: Scope {
                organization: self.access.organization().0,
                website: Some(self.access.website().0),
                from: NOW,
                to: NOW + 1,
            },
        };
        let rows = self.events.query(statement).await.unwrap().rows;
        rows.iter()
            .map(|row| match &row[..] {
                [Cell::Int(visitor), Cell::Text(profile)] => (*visitor as u64, profile.clone()),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    async fn count(&self, table: &str) -> i64 {
        let count = Sql::from_string(
            self.db.reader().get_database_backend(),
            format!("SELECT count(*) FROM {table}"),
        );
        let row = self
            .db
            .reader()
            .query_one_raw(count)
            .await
            .unwrap()
            .unwrap();
        row.try_get_by_index(0).unwrap()
    }

    async fn close(self) -> (TempDir, TempDir) {
        let late = drain_all(self.children, Duration::from_secs(5)).await;
        assert!(late.is_empty(), "{late:?}");
        self.events.close();
        self.db.close().await.unwrap();
        self.directories
    }
}

fn trait_values(traits: &Value) -> Vec<(String, Option<TraitValue>)> {
    let value = |value: &Value| match value {
        Value::String(text) => Some(TraitValue::Text(text.clone())),
        Value::Number(number) => Some(TraitValue::Number(number.as_f64().unwrap())),
        Value::Bool(truth) => Some(TraitValue::Bool(*truth)),
        _ => None,
    };
    let traits = traits.as_object().unwrap();
    traits
        .iter()
        .map(|(key, given)| (key.clone(), value(given)))
        .collect()
}

#[actix::test]
async fn calls_add_up_to_a_person() {
    let fixture = Fixture::open().await;
    assert_eq!(fixture.person("anna").await, None);
    let first = json!({"email": " Anna@Example.com", "name": "Anna", "plan": "pro", "seats": 3, "trial": true});
    fixture.identify("anna", first).await.unwrap();
    let person = fixture.person("anna").await.unwrap();
    assert_eq!(person.email.as_deref(), Some("anna@example.com"));
    assert_eq!(person.display_name.as_deref(), Some("Anna"));
    assert_eq!(
        json!(person.traits),
        json!({"name": "Anna", "plan": "pro", "seats": 3, "trial": true})
    );

    let second =
        json!({"email": null, "username": "anna7", "seats": 4.5, "trial": null, "never": null});
    fixture.identify("anna", second).await.unwrap();
    let person = fixture.person("anna").await.unwrap();
    assert_eq!(person.email, None);
    assert_eq!(person.display_name.as_deref(), Some("anna7"));
    assert_eq!(
        json!(person.traits),
        json!({"name": "Anna", "plan": "pro", "seats": 4.5, "username": "anna7"})
    );

    fixture.identify("bert", json!({})).await.unwrap();
    assert_eq!(fixture.person("bert").await, Some(Person::default()));
    assert_eq!(fixture.count("profiles").await, 2);
    fixture.close().await;
}

#[actix::test]
async fn an_address_is_in_no_file_and_is_found_all_the_same() {
    let fixture = Fixture::open().await;
    let marked = "hidden.marker@example.org";
    fixture
        .identify("anna", json!({"email": marked}))
        .await
        .unwrap();
    fixture
        .identify("bert", json!({"email": "other@example.org"}))
        .await
        .unwrap();
    let by = |email: &str| TraitTest::In(vec![email.to_owned()]);
    assert_eq!(
        fixture
            .having("email", by("HIDDEN.marker@example.org "))
            .await
            .unwrap(),
        ["anna"]
    );
    assert!(
        fixture
            .having("email", by("nobody@example.org"))
            .await
            .unwrap()
            .is_empty()
    );
    assert!(
        fixture
            .having("email", TraitTest::Contains("hidden".into()))
            .await
            .is_err()
    );
    let directories = fixture.close().await;
    for directory in [&directories.0, &directories.1] {
        for file in files(directory.path()) {
            let bytes = std::fs::read(&file).unwrap();
            let holds = bytes
                .windows(6)
                .any(|window| window.eq_ignore_ascii_case(b"marker"));
            assert!(!holds, "{}", file.display());
        }
    }
}

fn files(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

#[actix::test]
async fn people_are_found_by_their_traits() {
    let fixture = Fixture::open().await;
    for (profile, traits) in [
        ("a", json!({"plan": "pro", "seats": 3})),
        ("b", json!({"plan": "PRO plus", "seats": "3"})),
        ("c", json!({"plan": "free%", "seats": 30, "trial": true})),
        ("d", json!({"other": "pro"})),
    ] {
        fixture.identify(profile, traits).await.unwrap();
    }
    let list = |values: &[&str]| TraitTest::In(values.iter().map(|text| (*text).into()).collect());
    for (key, test, wanted) in [
        ("plan", list(&["pro"]), &["a"][..]),
        ("plan", list(&["pro", "free%", "nothing"]), &["a", "c"]),
        ("seats", list(&["3"]), &["a", "b"]),
        ("trial", list(&["true"]), &["c"]),
        ("plan", TraitTest::Contains("pro".into()), &["a"]),
        ("plan", TraitTest::Contains("%".into()), &["c"]),
        ("plan", TraitTest::StartsWith("PRO".into()), &["b"]),
        ("seats", TraitTest::StartsWith("3".into()), &["a", "b", "c"]),
        ("nothing", TraitTest::Contains(String::new()), &[]),
    ] {
        assert_eq!(
            fixture.having(key, test.clone()).await.unwrap(),
            wanted,
            "{key} {test:?}"
        );
    }
    let view = fixture.domains.profiles.view();
    let elsewhere = [WebsiteKey(fixture.access.website().0 ^ 1)];
    assert!(
        view.with_trait(&elsewhere, "plan", &list(&["pro"]))
            .await
            .unwrap()
            .is_empty()
    );
    assert!(
        People::find_people(&*view, &elsewhere, &["a".into()])
            .await
            .unwrap()
            .is_empty()
    );
    fixture.close().await;
}

#[actix::test]
async fn a_filter_that_too_many_people_pass_says_so() {
    let fixture = Fixture::open().await;
    let write = fixture.db.begin().await.unwrap();
    let website = fixture.access.website().0;
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)";
    for statement in [
        format!(
            "INSERT INTO profiles (website, profile_id, created_at, updated_at) {numbers} \
             SELECT {website}, 'p' || i, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM n"
        ),
        format!(
            "INSERT INTO profile_traits (website, profile_id, key, value) {numbers} \
             SELECT {website}, 'p' || i, 'plan', CASE i WHEN 1 THEN '\"x\"' ELSE '\"y\"' END FROM n"
        ),
    ] {
        write.execute_unprepared(&statement).await.unwrap();
    }
    write.commit().await.unwrap();
    let y = TraitTest::In(vec!["y".into()]);
    assert_eq!(fixture.having("plan", y).await.unwrap().len(), 10_000);
    for test in [
        TraitTest::In(vec!["y".into(), "x".into()]),
        TraitTest::Contains(String::new()),
    ] {
        let error = fixture.having("plan", test).await.unwrap_err();
        assert!(error.is::<TooMany>(), "{error}");
    }
    fixture.close().await;
}

#[actix::test]
async fn visitors_are_the_person_who_was_named_last() {
    let fixture = Fixture::open().await;
    let named = |profile: &str, visitors: Vec<Form>| Identify {
        visitors,
        ..fixture.call(profile, &json!({}))
    };
    for call in [
        named(
            "anna",
            vec![Form::Salted(11), Form::Salted(12), Form::Raw(13)],
        ),
        named("bert", vec![Form::Raw(13)]),
        named("anna", vec![Form::Salted(12)]),
    ] {
        fixture.domains.profiles.ask(call).await.unwrap();
    }
    let of = |visitor, profile: &str| (visitor, profile.to_owned());
    assert_eq!(
        fixture.aliases().await,
        [of(11, "anna"), of(12, "anna"), of(13, "bert")]
    );
    fixture.close().await;
}

#[actix::test]
async fn calls_that_wait_together_are_written_together_and_refused_alone() {
    let fixture = Fixture::open().await;
    let syncs = || {
        fixture
            .events
            .health()
            .syncs
            .load(std::sync::atomic::Ordering::SeqCst)
    };
    let before = syncs();
    let calls = (0..200).map(|n| {
        let traits = if n == 77 {
            json!({"email": 7})
        } else {
            json!({"n": n})
        };
        let call = Identify {
            visitors: vec![Form::Raw(n + 1)],
            ..fixture.call(&format!("p{n}"), &traits)
        };
        fixture.domains.profiles.ask(call)
    });
    let outcomes = futures_util::future::join_all(calls).await;
    let refused: Vec<usize> = (0..200).filter(|n| outcomes[*n].is_err()).collect();
    assert_eq!(refused, [77]);
    let fault = outcomes[77].clone().unwrap_err().classify();
    let Kind::Invalid { issues } = fault.kind else {
        panic!("{fault:?}");
    };
    assert_eq!(issues[0].field, "traits.email");
    assert_eq!(fixture.count("profiles").await, 199);
    assert_eq!(fixture.aliases().await.len(), 199);
    assert!(
        syncs() - before < 50,
        "{} syncs for 200 calls",
        syncs() - before
    );
    fixture.close().await;
}

#[actix::test]
async fn a_call_that_was_taken_before_the_end_is_finished() {
    let fixture = Fixture::open().await;
    let call = fixture.call("anna", &json!({"plan": "pro"}));
    let (answer, ()) = futures_util::join!(fixture.domains.profiles.ask(call), async {
        fixture.children.last().unwrap().stop();
    });
    answer.unwrap();
    assert!(fixture.person("anna").await.is_some());
    fixture.close().await;
}

#[actix::test]
async fn storage_that_is_away_is_worth_another_try() {
    let fixture = Fixture::open().await;
    fixture.events.close();
    let named = Identify {
        visitors: vec![Form::Raw(1)],
        ..fixture.call("anna", &json!({}))
    };
    let error = fixture.domains.profiles.ask(named).await.unwrap_err();
    assert!(matches!(error, ProfileError::Events(_)), "{error}");
    assert!(matches!(error.classify().kind, Kind::Unavailable { .. }));
    fixture.db.clone().close().await.unwrap();
    let error = fixture.identify("bert", json!({})).await.unwrap_err();
    assert!(matches!(error.classify().kind, Kind::Unavailable { .. }));
    fixture.close().await;
}

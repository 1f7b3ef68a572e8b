//! What authenticating an API key costs: no look into the database, and at most 2 µs among ten thousand keys.
//!
//! `cargo bench --bench keys`
#![expect(
    clippy::expect_used,
    reason = "a bench that cannot start says why and ends"
)]

use std::hint::black_box;

use actix::Arbiter;
use criterion::Criterion;
use pharos::{
    access::Scope,
    actors::{
        keys::{CreateKey, Keys},
        kit::{RestartPolicy, drain_all, supervise},
        state_env::StateEnv,
    },
    clock::Clock,
    store::state::{Options, StateDb},
};
use secrecy::ExposeSecret as _;

const KEYS: usize = 10_000;
const NOW: i64 = 1_800_000_000_000;

fn main() {
    let directory = tempfile::tempdir().expect("a directory");
    actix::System::new().block_on(async {
        let options = Options {
            url: "sqlite".to_owned(),
            data_dir: directory.path().to_owned(),
        };
        let db = StateDb::open(&options).await.expect("a database");
        db.migrate().await.expect("tables");
        let env = StateEnv {
            db: db.clone(),
            clock: Clock::fixed(NOW),
        };
        let on = Arbiter::current();
        let (keys, child) = supervise::<Keys>(env, &on, RestartPolicy::default())
            .await
            .expect("keys");
        let mut secrets = Vec::with_capacity(KEYS);
        for number in 0..KEYS {
            let key = CreateKey {
                scopes: Scope::ALL.to_vec(),
                ..CreateKey::named(format!("key {number}"))
            };
            let made = keys.ask(key).await.expect("a key");
            secrets.push(made.secret.expose_secret().to_owned());
        }
        measure(&keys.view(), &secrets);
        drain_all(vec![child], std::time::Duration::from_secs(5)).await;
    });
}

fn measure(view: &pharos::actors::keys::KeysView, secrets: &[String]) {
    let mut criterion = Criterion::default().configure_from_args();
    let mut next = 0;
    criterion.bench_function("a good key of ten thousand", |bencher| {
        bencher.iter(|| {
            next = (next + 7_919) % secrets.len();
            view.authenticate(black_box(&secrets[next]), NOW).is_ok()
        });
    });
    let mut wrong = secrets[0].clone();
    wrong.replace_range(10..11, if &wrong[10..11] == "a" { "b" } else { "a" });
    criterion.bench_function("a key with a wrong checksum", |bencher| {
        bencher.iter(|| view.authenticate(black_box(&wrong), NOW).is_err());
    });
    criterion.final_summary();
}

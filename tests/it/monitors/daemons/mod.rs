//! Databases, brokers, mail servers, SSH and NTP by the programs that others use. `scripts/test` installs them.

mod brokers;
mod databases;
mod kafka;
mod mail;
mod mariadb;
mod ntp;
mod postgresql;
mod process;
mod ssh;

use std::collections::BTreeMap;

use futures_util::{FutureExt as _, future::join_all};
use serde_json::{Value, json};

use self::process::Process;
pub(super) use self::{
    databases::Databases,
    mail::MailServer,
    process::{home, write_files},
};
use super::{OPEN, check_all, ways::Ways};
use crate::app::App;

/// A monitor, and the class of its error.
type Case = (Value, Option<&'static str>);

/// A server that runs, and what it is asked.
struct Service {
    process: Process,
    /// What is answered at once.
    cases: Vec<Case>,
    /// What is asked while it stands still, and once it is gone.
    monitors: Vec<Value>,
}

fn monitor(kind: &str, url: &str, request: &Value) -> Value {
    json!({ "kind": kind, "url": url, "request": request })
}

fn expecting(mut monitor: Value, expect: &Value) -> Value {
    monitor["expect"] = expect.clone();
    monitor
}

/// A request with credentials.
fn ada(password: &str) -> Value {
    json!({ "auth": { "type": "basic", "username": "ada", "password": password } })
}

fn with(mut request: Value, field: &str, value: Value) -> Value {
    request[field] = value;
    request
}

#[actix::test]
async fn databases_brokers_and_other_servers_are_up_refuse_hang_and_end() {
    let starting = [
        postgresql::start().boxed_local(),
        mariadb::start().boxed_local(),
        brokers::start_mosquitto().boxed_local(),
        brokers::start_rabbitmq().boxed_local(),
        kafka::start().boxed_local(),
        kafka::start_with_sign_in().boxed_local(),
        databases::start().boxed_local(),
        mail::start_aiosmtpd().boxed_local(),
        mail::start_dovecot().boxed_local(),
        ssh::start().boxed_local(),
        ntp::start().boxed_local(),
        ntp::start_without_source().boxed_local(),
    ];
    let services: Vec<Service> = join_all(starting).await.into_iter().flatten().collect();
    let app = App::with(OPEN).await;
    let mut ways = Ways::default();
    let mut cases = Vec::new();
    for (monitor, class) in services.iter().flat_map(|service| service.cases.clone()) {
        cases.push((ways.vary(monitor).await, class));
    }
    check_all(&app, cases).await;

    let mut cases = Vec::new();
    for service in &services {
        service.process.freeze();
        for monitor in &service.monitors {
            let mut monitor = ways.vary(monitor.clone()).await;
            monitor["timeout"] = json!(1_000);
            cases.push((monitor, Some("timeout_ttfb")));
        }
    }
    check_all(&app, cases).await;

    // At the very addresses: what leads there would take the connections itself.
    let mut cases = BTreeMap::new();
    for service in services {
        for monitor in service.monitors {
            cases.insert(monitor["url"].to_string(), (monitor, Some("refused")));
        }
        drop(service.process);
    }
    let cases = cases.into_values().collect();
    check_all(&app, cases).await;
    app.finish().await;
}

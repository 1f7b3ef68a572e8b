//! MongoDB and MySQL 8 as far as their protocols go: `tests/monitors/databases.py`. Debian has neither server.

use std::{path::PathBuf, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    super::servers::{find_python, script},
    Case, Service, ada, expecting, monitor,
    process::{Process, free_ports, home, write_certificate},
    with,
};

/// The servers of one process, with their addresses.
pub(in super::super) struct Databases {
    process: Process,
    mongodb: String,
    pub(in super::super) mongodb_tls: String,
    /// With `mysql_native_password`.
    pub(in super::super) mysql: String,
    /// With `caching_sha2_password`.
    mysql_sha2: String,
    /// With TLS.
    pub(in super::super) website: String,
}

impl Databases {
    pub(in super::super) async fn start(
        home: TempDir,
        (certificate, key): (PathBuf, PathBuf),
    ) -> Option<Self> {
        let Some(python) = find_python() else {
            eprintln!("NOT TESTED: there are no databases in Python here");
            return None;
        };
        let ports = free_ports::<5>();
        let mut command = Command::new(python);
        command
            .arg(script("databases.py"))
            .args([certificate, key])
            .args(ports.map(|port| port.to_string()));
        let process = Process::start(command, home, &ports).await?;
        let [mongodb, mongodb_tls, mysql, mysql_sha2, website] =
            ports.map(|port| format!("127.0.0.1:{port}"));
        Some(Self {
            process,
            mongodb,
            mongodb_tls,
            mysql,
            mysql_sha2,
            website,
        })
    }
}

pub(super) async fn start() -> Option<Service> {
    let home = home();
    let files = write_certificate(home.path());
    let databases = Databases::start(home, files).await?;
    let mut cases = mongodb_cases(&databases);
    cases.extend(mysql_cases(&databases));
    let monitors = vec![
        monitor("mongodb", &databases.mongodb, &ada("s3cr3t")),
        monitor("mysql", &databases.mysql, &ada("s3cr3t")),
    ];
    Some(Service {
        process: databases.process,
        cases,
        monitors,
    })
}

fn encrypted(request: Value) -> Value {
    with(request, "tls", true.into())
}

fn lax(request: Value) -> Value {
    with(encrypted(request), "verifyTls", false.into())
}

fn mongodb_cases(databases: &Databases) -> Vec<Case> {
    let (plain, tls) = (&databases.mongodb, &databases.mongodb_tls);
    let shop = format!("mongodb://{plain}/shop");
    let of = |url: &str, request: Value| monitor("mongodb", url, &request);
    vec![
        (of(plain, json!({})), None),
        (of(plain, ada("s3cr3t")), None),
        (of(&shop, ada("s3cr3t")), None),
        (of(plain, ada("wrong")), Some("credentials")),
        (of(plain, user("eve")), Some("credentials")),
        (of(tls, lax(ada("s3cr3t"))), None),
        (of(tls, lax(ada("wrong"))), Some("credentials")),
        (of(tls, encrypted(ada("s3cr3t"))), Some("tls_untrusted")),
    ]
}

fn mysql_cases(databases: &Databases) -> Vec<Case> {
    let (native, sha2) = (&databases.mysql, &databases.mysql_sha2);
    let of = |url: &str, request: Value| monitor("mysql", url, &request);
    let newest = |request: Value| with(request, "body", "SELECT max(id) FROM orders".into());
    let is_eight = json!({ "matches": "^8$" });
    let missing = with(ada("s3cr3t"), "body", "SELECT id FROM carts".into());
    vec![
        (of(native, ada("s3cr3t")), None),
        (
            expecting(of(native, newest(ada("s3cr3t"))), &is_eight),
            None,
        ),
        (of(native, ada("wrong")), Some("credentials")),
        (of(native, missing), Some("server_error")),
        // The password itself is for a server that is known.
        (of(sha2, ada("s3cr3t")), Some("credentials")),
        (
            expecting(of(sha2, newest(lax(ada("s3cr3t")))), &is_eight),
            None,
        ),
        (of(sha2, lax(ada("wrong"))), Some("credentials")),
        (of(sha2, encrypted(ada("s3cr3t"))), Some("tls_untrusted")),
        // The server changes this user to the older kind of password.
        (of(sha2, user("old")), None),
    ]
}

fn user(name: &str) -> Value {
    json!({ "auth": { "type": "basic", "username": name, "password": "s3cr3t" } })
}

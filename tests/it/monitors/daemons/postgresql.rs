//! PostgreSQL, the throwaway one of `scripts/postgres`, with rules of its own for who signs in how.

use std::{
    collections::HashMap,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown},
    path::{Path, PathBuf},
    process::Command,
};

use sea_orm::{ConnectionTrait as _, Database};
use serde_json::{Value, json};

use super::{
    Case, Service, ada, expecting, monitor,
    process::{Process, write_certificate},
    with,
};

const RULES: &str = "host all ada 127.0.0.1/32 scram-sha-256\nhost all old 127.0.0.1/32 md5\n\
    host all clear 127.0.0.1/32 password\nhost all pharos 127.0.0.1/32 trust\n";
const USERS: &str = "CREATE ROLE ada LOGIN PASSWORD 's3cr3t'; CREATE ROLE clear LOGIN PASSWORD 's3cr3t'; \
    SET password_encryption = 'md5'; CREATE ROLE old LOGIN PASSWORD 's3cr3t'; \
    CREATE TABLE orders (id int); INSERT INTO orders VALUES (7), (8); GRANT SELECT ON orders TO ada;";

pub(super) async fn start() -> Option<Service> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/postgres");
    let output = Command::new(&script).arg("start").output().unwrap();
    if !output.status.success() {
        assert!(
            std::env::var_os("PHAROS_NO_POSTGRES").is_some(),
            "{output:?}: install postgresql, or set PHAROS_NO_POSTGRES to test without it"
        );
        eprintln!("NOT TESTED: there is no PostgreSQL here");
        return None;
    }
    let said = String::from_utf8(output.stdout).unwrap();
    let settings: HashMap<&str, &str> = said
        .lines()
        .filter_map(|line| line.strip_prefix("export ")?.split_once('='))
        .collect();
    let (url, home) = (
        settings["PHAROS_TEST_POSTGRES"],
        settings["PHAROS_TEST_POSTGRES_HOME"],
    );
    let data = PathBuf::from(home).join("data");
    let mut end = Command::new(&script);
    end.arg("stop").env("PHAROS_TEST_POSTGRES_HOME", home);
    let id = fs::read_to_string(data.join("postmaster.pid")).unwrap();
    let process = Process::adopt(id.lines().next().unwrap().parse().unwrap(), end);
    set_up(&data, url).await;
    let place = url.trim_start_matches("postgres://pharos@");
    let place = place.trim_end_matches("/postgres");
    Some(Service {
        process,
        cases: cases(place),
        monitors: vec![
            json!({ "kind": "postgresql", "url": place }),
            monitor(
                "postgresql",
                &format!("postgresql://{place}/postgres"),
                &ada("s3cr3t"),
            ),
        ],
    })
}

/// Makes the users, and a certificate.
async fn set_up(data: &Path, url: &str) {
    let (certificate, key) = write_certificate(data);
    let owner = fs::metadata(data).unwrap();
    for file in [&certificate, &key] {
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
        chown(file, Some(owner.uid()), Some(owner.gid())).unwrap();
    }
    fs::write(data.join("pg_hba.conf"), RULES).unwrap();
    let database = Database::connect(url).await.unwrap();
    database.execute_unprepared(USERS).await.unwrap();
    for (name, value) in [
        ("ssl_cert_file", certificate.to_str().unwrap()),
        ("ssl_key_file", key.to_str().unwrap()),
        ("ssl", "on"),
    ] {
        let set = format!("ALTER SYSTEM SET {name} = '{value}'");
        database.execute_unprepared(&set).await.unwrap();
    }
    let reload = "SELECT pg_reload_conf()";
    database.execute_unprepared(reload).await.unwrap();
    crate::app::until("PostgreSQL has read its rules", async || {
        let again = url.replace("pharos@", "ada:wrong@");
        Database::connect(again).await.is_err()
    })
    .await;
    database.close().await.unwrap();
}

fn user(name: &str) -> Value {
    json!({ "auth": { "type": "basic", "username": name, "password": "s3cr3t" } })
}

fn cases(place: &str) -> Vec<Case> {
    let at = |database: &str| format!("postgresql://{place}{database}");
    let shop = at("/postgres");
    let ask = |text: &str| {
        monitor(
            "postgresql",
            &shop,
            &with(ada("s3cr3t"), "body", text.into()),
        )
    };
    let encrypted = |request: Value| with(request, "tls", true.into());
    let lax = |request: Value| with(encrypted(request), "verifyTls", false.into());
    let is_eight = json!({ "matches": "^8$" });
    let has_orders = json!({ "json": [{ "path": "$.orders[1]", "equals": 8 }] });
    let sleeping = with(ask("SELECT pg_sleep(30)"), "timeout", 1_000.into());
    let newest = "SELECT max(id) FROM orders";
    let whole = "SELECT json_build_object('orders', json_agg(id ORDER BY id)) FROM orders";
    vec![
        (json!({ "kind": "postgresql", "url": at("") }), None),
        (monitor("postgresql", &shop, &ada("s3cr3t")), None),
        (expecting(ask(newest), &is_eight), None),
        (expecting(ask("SELECT 9"), &is_eight), Some("assertion")),
        (expecting(ask(whole), &has_orders), None),
        (ask("SELECT id FROM carts"), Some("server_error")),
        (ask("DELETE FROM orders"), Some("server_error")),
        (sleeping, Some("timeout_transfer")),
        (
            monitor("postgresql", &at("/warehouse"), &ada("s3cr3t")),
            Some("server_error"),
        ),
        (
            monitor("postgresql", &shop, &ada("wrong")),
            Some("credentials"),
        ),
        (monitor("postgresql", &shop, &user("old")), None),
        // The password itself is for a server that is known.
        (
            monitor("postgresql", &shop, &user("clear")),
            Some("credentials"),
        ),
        (monitor("postgresql", &shop, &lax(user("clear"))), None),
        (monitor("postgresql", &shop, &lax(ada("s3cr3t"))), None),
        (
            monitor("postgresql", &shop, &encrypted(ada("s3cr3t"))),
            Some("tls_untrusted"),
        ),
        (
            monitor("postgresql", &at(""), &encrypted(json!({}))),
            Some("tls_untrusted"),
        ),
    ]
}

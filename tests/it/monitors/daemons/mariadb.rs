//! MariaDB.

use std::{fs, process::Command};

use serde_json::json;

use super::{
    Case, Service, ada, expecting, monitor,
    process::{Process, free_ports, home, is_root, run, server, write_certificate},
    with,
};

/// A statement a line: the server runs nothing else of a line.
const USERS: &str = "CREATE DATABASE shop;\nCREATE TABLE shop.orders (id INT);\n\
    INSERT INTO shop.orders VALUES (7), (8);\n\
    CREATE USER ada@'127.0.0.1' IDENTIFIED BY 's3cr3t';\nGRANT SELECT ON shop.* TO ada@'127.0.0.1';\n";

pub(super) async fn start() -> Option<Service> {
    let home = home();
    let data = home.path().join("data");
    // Only root chooses the user.
    let mut owner = vec!["--no-defaults"];
    owner.extend(is_root().then_some("--user=root"));
    let mut install = Command::new("mariadb-install-db");
    install
        .args(&owner)
        .arg(format!("--datadir={}", data.display()))
        .args(["--auth-root-authentication-method=normal", "--skip-test-db"]);
    run(install)?;
    let users = home.path().join("users.sql");
    fs::write(&users, USERS).unwrap();
    let (certificate, key) = write_certificate(home.path());
    let [port] = free_ports();
    let mut command = server("mariadbd");
    command
        .args(&owner)
        .arg(format!("--datadir={}", data.display()))
        .arg(format!("--socket={}", home.path().join("socket").display()))
        .arg(format!("--init-file={}", users.display()))
        .arg(format!("--ssl-cert={}", certificate.display()))
        .arg(format!("--ssl-key={}", key.display()))
        .args(["--bind-address=127.0.0.1", &format!("--port={port}")]);
    let process = Process::start(command, home, &[port]).await?;
    Some(Service {
        process,
        cases: cases(port),
        monitors: vec![monitor(
            "mysql",
            &format!("127.0.0.1:{port}"),
            &ada("s3cr3t"),
        )],
    })
}

/// Monitors, and the error class that each ends with.
fn cases(port: u16) -> Vec<Case> {
    let at = |path: &str| format!("127.0.0.1:{port}{path}");
    let statement = |text: &str| with(ada("s3cr3t"), "body", text.into());
    let counted = monitor(
        "mysql",
        &at("/shop"),
        &statement("SELECT max(id) FROM orders"),
    );
    let object = statement("SELECT json_object('state', 'ok', 'orders', 2)");
    let encrypted = with(ada("s3cr3t"), "tls", true.into());
    let lax = with(encrypted.clone(), "verifyTls", false.into());
    vec![
        (monitor("mysql", &at(""), &ada("s3cr3t")), None),
        (
            expecting(counted.clone(), &json!({ "matches": "^8$" })),
            None,
        ),
        (
            expecting(counted, &json!({ "contains": "9" })),
            Some("assertion"),
        ),
        (
            expecting(
                monitor("mysql", &at("/shop"), &object),
                &json!({ "json": [{ "path": "$.orders", "equals": 2 }] }),
            ),
            None,
        ),
        (
            monitor("mysql", &at("/shop"), &statement("SELECT id FROM carts")),
            Some("server_error"),
        ),
        (
            monitor("mysql", &at("/shop"), &statement("DELETE FROM orders")),
            Some("server_error"),
        ),
        (
            // A user without rights isn't told whether there is such a database.
            monitor("mysql", &at("/warehouse"), &ada("s3cr3t")),
            Some("credentials"),
        ),
        (
            monitor("mysql", &at("/shop"), &ada("wrong")),
            Some("credentials"),
        ),
        (monitor("mysql", &at(""), &encrypted), Some("tls_untrusted")),
        (monitor("mysql", &at("/shop"), &lax), None),
        (
            with(
                monitor("mysql", &at(""), &statement("SELECT sleep(30)")),
                "timeout",
                1_000.into(),
            ),
            Some("timeout_transfer"),
        ),
    ]
}

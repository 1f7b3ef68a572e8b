//! Mosquitto and RabbitMQ.

use std::{fs, process::Command};

use serde_json::{Value, json};

use super::{
    Case, Service, ada, monitor,
    process::{Process, free_ports, home, run, server, write_certificate},
    with,
};

pub(super) async fn start_mosquitto() -> Option<Service> {
    let home = home();
    let passwords = home.path().join("passwords");
    let mut command = Command::new("mosquitto_passwd");
    command
        .args(["-b", "-c"])
        .arg(&passwords)
        .args(["ada", "s3cr3t"]);
    run(command)?;
    let (certificate, key) = write_certificate(home.path());
    let [plain, encrypted] = free_ports();
    let file = home.path().join("mosquitto.conf");
    // `user` is for root alone.
    let text = format!(
        "user root\nallow_anonymous false\npassword_file {}\nlistener {plain} 127.0.0.1\n\
         listener {encrypted} 127.0.0.1\ncertfile {}\nkeyfile {}\n",
        passwords.display(),
        certificate.display(),
        key.display()
    );
    fs::write(&file, text).unwrap();
    let mut command = server("mosquitto");
    command.arg("-c").arg(file);
    let process = Process::start(command, home, &[plain, encrypted]).await?;
    let plain = format!("mqtt://127.0.0.1:{plain}");
    let encrypted = format!("mqtts://127.0.0.1:{encrypted}");
    let mut cases = secured("mqtt", &plain, &encrypted);
    cases.push((monitor("mqtt", &plain, &json!({})), Some("credentials")));
    Some(Service {
        process,
        cases,
        monitors: vec![monitor("mqtt", &plain, &ada("s3cr3t"))],
    })
}

pub(super) async fn start_rabbitmq() -> Option<Service> {
    let home = home();
    let place = home.path().display().to_string();
    let (certificate, key) = write_certificate(home.path());
    let [plain, encrypted, distribution, names] = free_ports();
    let text = format!(
        "listeners.tcp.local = 127.0.0.1:{plain}\nlisteners.ssl.local = 127.0.0.1:{encrypted}\n\
         ssl_options.certfile = {}\nssl_options.keyfile = {}\nssl_options.verify = verify_none\n\
         default_user = ada\ndefault_pass = s3cr3t\ndefault_vhost = a/b\n",
        certificate.display(),
        key.display()
    );
    fs::write(home.path().join("rabbitmq.conf"), text).unwrap();
    let mut command = Command::new("/usr/lib/rabbitmq/bin/rabbitmq-server");
    command
        .env("HOME", &place)
        .env("RABBITMQ_CONF_ENV_FILE", "/dev/null")
        .env("RABBITMQ_CONFIG_FILE", format!("{place}/rabbitmq"))
        .env("RABBITMQ_MNESIA_BASE", format!("{place}/data"))
        .env("RABBITMQ_LOG_BASE", &place)
        .env("RABBITMQ_LOGS", "-")
        .env("RABBITMQ_PID_FILE", format!("{place}/pid"))
        .env("RABBITMQ_ENABLED_PLUGINS_FILE", format!("{place}/plugins"))
        .env("RABBITMQ_NODENAME", "pharos@localhost")
        .env("RABBITMQ_DIST_PORT", distribution.to_string())
        .env("ERL_EPMD_PORT", names.to_string())
        .env("ERL_EPMD_ADDRESS", "127.0.0.1")
        // Lets the directory of nodes end with a node in it.
        .env("ERL_EPMD_RELAXED_COMMAND_CHECK", "1");
    let process = Process::start(command, home, &[plain, encrypted]).await?;
    // Erlang's directory of nodes outlives the nodes.
    let mut end = Command::new("epmd");
    end.args(["-port", &names.to_string(), "-kill"]);
    let at = |path: &str| format!("amqp://127.0.0.1:{plain}{path}");
    let encrypted = format!("amqps://127.0.0.1:{encrypted}/a%2Fb");
    let mut cases = secured("rabbitmq", &at("/a%2Fb"), &encrypted);
    cases.extend([
        (monitor("rabbitmq", &at(""), &json!({})), None),
        (
            monitor("rabbitmq", &at("/other"), &ada("s3cr3t")),
            Some("server_error"),
        ),
    ]);
    Some(Service {
        process: process.at_end(end),
        cases,
        monitors: vec![
            monitor("rabbitmq", &at(""), &json!({})),
            monitor("rabbitmq", &at("/a%2Fb"), &ada("s3cr3t")),
        ],
    })
}

/// What a broker says to right and wrong passwords, in the clear and over TLS.
fn secured(kind: &str, plain: &str, encrypted: &str) -> Vec<Case> {
    let lax = |request: Value| with(request, "verifyTls", false.into());
    vec![
        (monitor(kind, plain, &ada("s3cr3t")), None),
        (monitor(kind, plain, &ada("wrong")), Some("credentials")),
        (monitor(kind, encrypted, &lax(ada("s3cr3t"))), None),
        (
            monitor(kind, encrypted, &lax(ada("wrong"))),
            Some("credentials"),
        ),
        (
            monitor(kind, encrypted, &ada("s3cr3t")),
            Some("tls_untrusted"),
        ),
    ]
}

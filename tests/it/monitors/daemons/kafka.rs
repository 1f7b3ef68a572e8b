//! Tansu, a broker that speaks Kafka's protocol.

use std::process::Command;

use serde_json::json;

use super::{
    super::servers::{find_python, script},
    Service, ada, monitor,
    process::{Process, free_ports, home},
};

pub(super) async fn start() -> Option<Service> {
    let (process, url) = start_tansu(None).await?;
    let plain = monitor("kafka", &url, &json!({}));
    Some(Service {
        process,
        cases: vec![
            (plain.clone(), None),
            // It offers SCRAM alone, and a check signs in with PLAIN.
            (monitor("kafka", &url, &ada("s3cr3t")), Some("credentials")),
        ],
        monitors: vec![plain],
    })
}

/// A broker that hangs up on clients that haven't signed in.
pub(super) async fn start_with_sign_in() -> Option<Service> {
    let (process, url) = start_tansu(Some("--authentication")).await?;
    let plain = monitor("kafka", &url, &json!({}));
    Some(Service {
        process,
        cases: vec![(plain.clone(), Some("credentials"))],
        monitors: vec![plain],
    })
}

async fn start_tansu(option: Option<&str>) -> Option<(Process, String)> {
    let Some(python) = find_python() else {
        eprintln!("NOT TESTED: there is no Tansu here");
        return None;
    };
    let [port] = free_ports();
    let mut command = Command::new(python);
    command
        .arg(script("kafka.py"))
        .arg(port.to_string())
        .args(option);
    let process = Process::start(command, home(), &[port]).await?;
    Some((process, format!("127.0.0.1:{port}")))
}

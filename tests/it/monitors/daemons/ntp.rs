//! chrony, which shows its own clock as that of stratum 10, or has no source at all.

use std::{fs, net::Ipv4Addr};

use serde_json::json;
use tokio::net::UdpSocket;

use super::{
    Service, expecting,
    process::{Process, free_ports, home, is_root, server},
};

pub(super) async fn start() -> Option<Service> {
    let (process, url) = start_chrony("local stratum 10\n").await?;
    let plain = json!({ "kind": "ntp", "url": url });
    let stratum = |wanted: u8| json!({ "json": [{ "path": "$.stratum", "equals": wanted }] });
    Some(Service {
        process,
        cases: vec![
            (plain.clone(), None),
            (expecting(plain.clone(), &stratum(10)), None),
            (expecting(plain.clone(), &stratum(2)), Some("assertion")),
        ],
        monitors: vec![plain],
    })
}

pub(super) async fn start_without_source() -> Option<Service> {
    let (process, url) = start_chrony("").await?;
    Some(Service {
        process,
        cases: vec![(json!({ "kind": "ntp", "url": url }), Some("status"))],
        monitors: Vec::new(),
    })
}

/// The server, which leaves the clock of this machine alone, and its address.
async fn start_chrony(source: &str) -> Option<(Process, String)> {
    let home = home();
    let [port] = free_ports();
    let text = format!(
        "port {port}\nbindaddress 127.0.0.1\nallow 127.0.0.0/8\ncmdport 0\nbindcmdaddress /\npidfile {}\n{source}",
        home.path().join("pid").display()
    );
    let file = home.path().join("chrony.conf");
    fs::write(&file, text).unwrap();
    let mut command = server("chronyd");
    command.args(["-d", "-x"]);
    // As root it would change its user; any other user has to be allowed.
    if is_root() {
        command.args(["-u", "root"]);
    } else {
        command.arg("-U");
    }
    command.arg("-f").arg(file);
    let process = Process::start_until(command, home, async || answers(port).await).await?;
    Some((process, format!("127.0.0.1:{port}")))
}

/// Whether a question is answered. Where nothing listens, it is refused at once.
async fn answers(port: u16) -> bool {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    socket.connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
    let mut packet = [0; 48];
    packet[0] = 0x23;
    socket.send(&packet).await.is_ok() && socket.recv(&mut packet).await.is_ok()
}

//! OpenSSH.

use std::{fs, process::Command};

use serde_json::json;

use super::{
    Service, expecting,
    process::{Process, free_ports, home, is_root, run},
};

pub(super) async fn start() -> Option<Service> {
    let home = home();
    let key = home.path().join("host_key");
    let mut keygen = Command::new("ssh-keygen");
    keygen
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(&key);
    run(keygen)?;
    // Where root lets it go without rights.
    if is_root() {
        fs::create_dir_all("/run/sshd").unwrap();
    }
    let [port] = free_ports();
    let mut command = Command::new("/usr/sbin/sshd");
    command
        .args(["-D", "-e", "-f", "/dev/null", "-h"])
        .arg(&key)
        .args(["-p", &port.to_string()])
        .args(["-o", "ListenAddress=127.0.0.1", "-o", "PidFile=none"]);
    let process = Process::start(command, home, &[port]).await?;
    let plain = json!({ "kind": "ssh", "url": format!("127.0.0.1:{port}") });
    let open = json!({ "matches": r"^SSH-2\.0-OpenSSH_\d" });
    let other = json!({ "contains": "dropbear" });
    Some(Service {
        process,
        cases: vec![
            (plain.clone(), None),
            (expecting(plain.clone(), &open), None),
            (expecting(plain.clone(), &other), Some("assertion")),
        ],
        monitors: vec![plain],
    })
}

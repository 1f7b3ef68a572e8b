//! Dovecot, and aiosmtpd with sign-in and TLS.

use std::{
    fs,
    os::unix::fs::chown,
    path::{Path, PathBuf},
    process::Command,
};

use rustix::process::{getegid, geteuid};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    super::servers::script,
    Case, Service, ada, expecting, monitor,
    process::{Process, free_ports, home, is_root, run_for_text, server, write_certificate},
    with,
};

/// A user without rights of its own.
const NOBODY: u32 = 65_534;

/// The user and the group that have the mail: those of this test, unless it runs as root, which Dovecot refuses.
fn owner() -> (u32, u32) {
    if is_root() {
        return (NOBODY, NOBODY);
    }
    (geteuid().as_raw(), getegid().as_raw())
}

/// All of Dovecot's processes run as the user of this test, unless that is root.
fn users_of_dovecot() -> String {
    if is_root() {
        return String::new();
    }
    let (user, group) = (run_for_text("id", "-un"), run_for_text("id", "-gn"));
    format!(
        "default_internal_user = {user}\ndefault_internal_group = {group}\ndefault_login_user = {user}\n"
    )
}

/// Three servers of aiosmtpd in one process, with their addresses.
pub(in super::super) struct MailServer {
    process: Process,
    /// Without TLS and without a sign-in.
    plain: String,
    /// With STARTTLS.
    pub(in super::super) changing: String,
    /// With TLS from the start.
    pub(in super::super) encrypted: String,
}

impl MailServer {
    pub(in super::super) async fn start(
        home: TempDir,
        (certificate, key): (PathBuf, PathBuf),
    ) -> Option<Self> {
        if std::env::var_os("PHAROS_NO_MAILSERVER").is_some() {
            eprintln!("NOT TESTED: there is no aiosmtpd here");
            return None;
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let said = Command::new(root.join("scripts/mailserver"))
            .arg("--where")
            .output();
        let python = String::from_utf8(said.unwrap().stdout).unwrap();
        let ports = free_ports::<3>();
        let mut command = Command::new(python.trim());
        command
            .arg(script("mail.py"))
            .args([certificate, key])
            .args(ports.map(|port| port.to_string()));
        let process = Process::start(command, home, &ports).await?;
        let [plain, changing, encrypted] = ports.map(|port| format!("127.0.0.1:{port}"));
        Some(Self {
            process,
            plain,
            changing,
            encrypted,
        })
    }
}

pub(super) async fn start_aiosmtpd() -> Option<Service> {
    let home = home();
    let files = write_certificate(home.path());
    let MailServer {
        process,
        plain,
        changing,
        encrypted,
    } = MailServer::start(home, files).await?;
    let mut cases = secured("smtp", &changing, &format!("smtps://{encrypted}"));
    let wants_tls = with(json!({}), "tls", true.into());
    cases.extend([
        (monitor("smtp", &plain, &json!({})), None),
        (monitor("smtp", &plain, &wants_tls), Some("tls_failed")),
        (
            expecting(
                monitor("smtp", &changing, &json!({})),
                &json!({ "contains": "Python SMTP" }),
            ),
            None,
        ),
    ]);
    Some(Service {
        process,
        cases,
        monitors: vec![
            monitor("smtp", &plain, &json!({})),
            monitor("smtp", &changing, &lax(ada("s3cr3t"))),
        ],
    })
}

pub(super) async fn start_dovecot() -> Option<Service> {
    let home = home();
    let (certificate, key) = write_certificate(home.path());
    let [imap, imaps, pop3, pop3s] = free_ports();
    let place = home.path().display().to_string();
    let mail = home.path().join("mail");
    fs::create_dir(&mail).unwrap();
    let (user, group) = owner();
    chown(&mail, Some(user), Some(group)).unwrap();
    let text = format!(
        "base_dir = {place}/run\nstate_dir = {place}/run\nlog_path = {place}/log\nprotocols = imap pop3\n\
         listen = 127.0.0.1\nssl = yes\nssl_cert = <{}\nssl_key = <{}\ndisable_plaintext_auth = yes\n\
         auth_failure_delay = 0\nfirst_valid_uid = {user}\nmail_location = mbox:{place}/mail\n\
         passdb {{\n driver = static\n args = user=ada password=s3cr3t\n}}\n\
         userdb {{\n driver = static\n args = uid={user} gid={group} home={place}/mail\n}}\n\
         service anvil {{\n chroot =\n}}\n\
         service imap-login {{\n chroot =\n inet_listener imap {{\n  port = {imap}\n }}\n inet_listener imaps {{\n  port = {imaps}\n }}\n}}\n\
         service pop3-login {{\n chroot =\n inet_listener pop3 {{\n  port = {pop3}\n }}\n inet_listener pop3s {{\n  port = {pop3s}\n }}\n}}\n{}",
        certificate.display(),
        key.display(),
        users_of_dovecot()
    );
    let file = home.path().join("dovecot.conf");
    fs::write(&file, text).unwrap();
    let mut command = server("dovecot");
    command.arg("-F").arg("-c").arg(file);
    let process = Process::start(command, home, &[imap, imaps, pop3, pop3s]).await?;
    let mut cases = Vec::new();
    let mut monitors = Vec::new();
    for (kind, plain, encrypted) in [("imap", imap, imaps), ("pop3", pop3, pop3s)] {
        let plain = format!("127.0.0.1:{plain}");
        let encrypted = format!("{kind}s://127.0.0.1:{encrypted}");
        cases.extend(secured(kind, &plain, &encrypted));
        let greeting = json!({ "contains": "Dovecot" });
        let greeted = monitor(kind, &plain, &json!({}));
        cases.push((expecting(greeted.clone(), &greeting), None));
        monitors.extend([greeted, monitor(kind, &plain, &lax(ada("s3cr3t")))]);
    }
    Some(Service {
        process,
        cases,
        monitors,
    })
}

/// A request that changes to TLS with a server that isn't trusted.
fn lax(request: Value) -> Value {
    with(with(request, "tls", true.into()), "verifyTls", false.into())
}

/// What a mail server says to right and wrong passwords, after STARTTLS and over TLS.
fn secured(kind: &str, changing: &str, encrypted: &str) -> Vec<Case> {
    let untrusted = Some("tls_untrusted");
    let trusting = |request: Value| with(request, "tls", true.into());
    let direct = |request: Value| with(request, "verifyTls", false.into());
    vec![
        (monitor(kind, changing, &lax(json!({}))), None),
        (monitor(kind, changing, &lax(ada("s3cr3t"))), None),
        (
            monitor(kind, changing, &lax(ada("wrong"))),
            Some("credentials"),
        ),
        (monitor(kind, changing, &trusting(ada("s3cr3t"))), untrusted),
        (monitor(kind, encrypted, &direct(ada("s3cr3t"))), None),
        (
            monitor(kind, encrypted, &direct(ada("wrong"))),
            Some("credentials"),
        ),
        (monitor(kind, encrypted, &ada("s3cr3t")), untrusted),
    ]
}

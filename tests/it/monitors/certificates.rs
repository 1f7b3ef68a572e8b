//! TLS to websites, mail servers and databases whose certificates are good, expired, for another name, or of a stranger.

use std::sync::Arc;

use pharos::{
    actors::monitors::{Monitor, RemoteMonitor, check_as_probe},
    egress::{Class, Egress, NoNameServers, Policy},
};
use rustls::RootCertStore;
use serde_json::{Value, json};

use super::daemons::{Databases, MailServer, home, write_files};
use crate::app::NOW;

struct Identity {
    certificate: rcgen::Certificate,
    key: rcgen::KeyPair,
}

impl Identity {
    /// A certificate for this name that signs itself, from 2020 until the beginning of this year.
    fn new(name: &str, until: i32) -> Self {
        let mut wanted = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
        wanted.not_before = rcgen::date_time_ymd(2020, 1, 1);
        wanted.not_after = rcgen::date_time_ymd(until, 1, 1);
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = wanted.self_signed(&key).unwrap();
        Self { certificate, key }
    }
}

/// A way out that trusts these certificates and no other.
fn trust(identities: &[&Identity]) -> Egress {
    let mut roots = RootCertStore::empty();
    for identity in identities {
        roots.add(identity.certificate.der().clone()).unwrap();
    }
    let policy = Policy {
        allow: vec!["127.0.0.0/8".parse().unwrap()],
        ..Policy::default()
    };
    Egress::trusting(policy, Arc::new(NoNameServers), roots).unwrap()
}

fn monitor(kind: &str, url: String, request: Value) -> Monitor {
    let fields = json!({ "granularity": "hour", "timeout": 20_000, "request": request });
    let sent = json!({ "id": "monitor", "number": 1, "kind": kind, "url": url, "fields": fields });
    let sent: RemoteMonitor = serde_json::from_value(sent).unwrap();
    sent.into_monitor().unwrap()
}

/// Monitors of servers that have this certificate.
fn monitors(databases: &Databases, mail: &MailServer) -> Vec<Monitor> {
    let tls = json!({ "tls": true });
    let ada = json!({ "type": "basic", "username": "ada", "password": "s3cr3t" });
    let signed_in = json!({ "tls": true, "auth": ada });
    let website = format!("https://{}/", databases.website);
    vec![
        monitor("http", website, Value::Null),
        monitor("tls", format!("tls://{}", databases.website), Value::Null),
        monitor("smtp", format!("smtp://{}", mail.changing), tls.clone()),
        monitor("smtp", format!("smtps://{}", mail.encrypted), Value::Null),
        monitor(
            "mongodb",
            format!("mongodb://{}", databases.mongodb_tls),
            tls,
        ),
        monitor("mysql", format!("mysql://{}", databases.mysql), signed_in),
    ]
}

#[actix::test]
async fn certificates_that_are_expired_for_another_name_or_unknown_are_told_apart() {
    let good = Identity::new("127.0.0.1", 2099);
    let expired = Identity::new("127.0.0.1", 2021);
    let other = Identity::new("there.example", 2099);
    let stranger = Identity::new("127.0.0.1", 2099);
    let egress = trust(&[&good, &expired, &other]);
    let over = "the certificate's time is over, or has not come";
    let unsigned = "the certificate is not signed by a trusted authority";
    for (identity, problem) in [
        (&good, None),
        (&expired, Some((Class::TlsExpired, over))),
        (
            &other,
            Some((Class::TlsName, "the certificate is for another name")),
        ),
        (&stranger, Some((Class::TlsUntrusted, unsigned))),
    ] {
        let (for_databases, for_mail) = (home(), home());
        let write = |home: &tempfile::TempDir| {
            write_files(home.path(), &identity.certificate, &identity.key)
        };
        let (files, mail_files) = (write(&for_databases), write(&for_mail));
        let started = tokio::join!(
            Databases::start(for_databases, files),
            MailServer::start(for_mail, mail_files)
        );
        let (Some(databases), Some(mail)) = started else {
            return;
        };
        for monitor in monitors(&databases, &mail) {
            let found = Box::pin(check_as_probe(egress.clone(), &monitor, NOW)).await;
            let check = found.unwrap().check;
            let seen = check.error_class.zip(check.error.as_deref());
            assert_eq!(seen, problem, "{} {check:?}", monitor.url);
            assert_eq!(check.ssl_valid, Some(problem.is_none()));
        }
    }
}

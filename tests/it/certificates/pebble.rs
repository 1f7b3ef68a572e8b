//! A certificate authority of a test's own, with the name server that it asks: both on loopback only.

use std::{
    fs,
    io::{BufRead as _, BufReader, ErrorKind},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
};

use rustls::pki_types::{CertificateDer, pem::PemObject as _};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpStream;

use crate::{app::until, process::free_address};

/// The key of an account that an authority may ask for, base64url.
pub const HMAC_KEY: &str = "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W";

/// The variable by which Pebble refuses no nonces.
pub const NO_REFUSALS: [(&str, &str); 1] = [("PEBBLE_WFE_NONCEREJECT", "0")];

/// What an authority asks for and gives.
#[derive(Clone, Copy, Default)]
pub struct Terms {
    pub needs_external_account: bool,
    /// How long certificates are valid; 0 = five years.
    pub validity_seconds: u32,
}

/// Pebble, gone with this value.
pub struct Pebble {
    children: Vec<Child>,
    listen: String,
    management: String,
    root: CertificateDer<'static>,
    log: Arc<Mutex<Vec<String>>>,
    home: TempDir,
}

impl Pebble {
    /// Starts one that checks hosts at these addresses. `None` where there is no `pebble` and `PHAROS_NO_ACME` says that this
    /// is known.
    pub async fn start(http: &str, tls: &str) -> Option<Self> {
        Self::with(http, tls, &NO_REFUSALS, Terms::default()).await
    }

    /// [`Pebble::start`] with variables of Pebble's own.
    pub async fn with(
        http: &str,
        tls: &str,
        variables: &[(&str, &str)],
        terms: Terms,
    ) -> Option<Self> {
        let home = tempfile::tempdir().unwrap();
        let (listen, management, names) = (free_address(), free_address(), free_address());
        let file = configure(home.path(), (&listen, &management), (http, tls), terms);
        let mut resolver = Command::new("pebble-challtestsrv");
        resolver.args(["-dns01", &names, "-management", &free_address()]);
        resolver.args(["-http01", "", "-https01", "", "-tlsalpn01", ""]);
        resolver.args(["-defaultIPv4", "127.0.0.1", "-defaultIPv6", ""]);
        let resolver = spawn(resolver.stdout(Stdio::null()).stderr(Stdio::null()))?;
        let mut authority = Command::new("pebble");
        authority
            .arg("-config")
            .arg(file)
            .args(["-dnsserver", &names]);
        authority
            .env("PEBBLE_VA_NOSLEEP", "1")
            .env("PEBBLE_AUTHZREUSE", "0");
        authority.envs(variables.iter().copied());
        let mut authority = spawn(authority.stdout(Stdio::piped()).stderr(Stdio::null()))?;
        let log = Arc::new(Mutex::new(Vec::new()));
        let written = Arc::clone(&log);
        let lines = BufReader::new(authority.stdout.take().unwrap()).lines();
        // Reads to the end: the authority must never wait for us.
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                written.lock().unwrap().push(line);
            }
        });
        let mut pebble = Self {
            children: vec![resolver, authority],
            listen,
            management,
            root: CertificateDer::from(Vec::new()),
            log,
            home,
        };
        for address in [&names, &pebble.listen, &pebble.management] {
            until("the authority listens", async || {
                TcpStream::connect(address).await.is_ok()
            })
            .await;
        }
        let root = pebble.ask("roots/0").await;
        pebble.root = CertificateDer::from_pem_slice(root.as_bytes()).unwrap();
        Some(pebble)
    }

    /// The settings of a program that asks it.
    pub fn toml(&self) -> String {
        format!(
            "acme.directory_url = \"https://{}/dir\"\nacme.root_certificate = {:?}",
            self.listen,
            self.root_file().to_str().unwrap()
        )
    }

    /// The same as variables of the environment.
    pub fn variables(&self) -> [(&'static str, String); 2] {
        let root = self.root_file().to_str().unwrap().to_owned();
        [
            (
                "PHAROS__ACME__DIRECTORY_URL",
                format!("https://{}/dir", self.listen),
            ),
            ("PHAROS__ACME__ROOT_CERTIFICATE", root),
        ]
    }

    fn root_file(&self) -> PathBuf {
        self.home.path().join("server.pem")
    }

    /// What its certificates are trusted by.
    pub fn root(&self) -> &CertificateDer<'static> {
        &self.root
    }

    /// `Valid` or `Revoked`.
    pub async fn status(&self, serial: &str) -> String {
        let answer = self.ask(&format!("cert-status-by-serial/{serial}")).await;
        let answer: Value = serde_json::from_str(&answer).unwrap();
        answer["Status"].as_str().unwrap().to_owned()
    }

    /// How many lines of its log say this.
    pub fn count_log_lines(&self, text: &str) -> usize {
        let log = self.log.lock().unwrap();
        log.iter().filter(|line| line.contains(text)).count()
    }

    /// How many orders it has got.
    pub fn count_orders(&self) -> usize {
        self.count_log_lines("Added order")
    }

    async fn ask(&self, path: &str) -> String {
        let client = reqwest::Client::builder()
            .tls_danger_accept_invalid_certs(true)
            .build()
            .unwrap();
        let url = format!("https://{}/{path}", self.management);
        client.get(url).send().await.unwrap().text().await.unwrap()
    }
}

impl Drop for Pebble {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Writes Pebble's configuration with the certificate of its own listeners; the file.
fn configure(
    home: &Path,
    (listen, management): (&str, &str),
    (http, tls): (&str, &str),
    terms: Terms,
) -> PathBuf {
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let (certificate, key) = (home.join("server.pem"), home.join("key.pem"));
    fs::write(&certificate, made.cert.pem()).unwrap();
    fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let port = |address: &str| address.rsplit_once(':').unwrap().1.parse::<u16>().unwrap();
    let config = json!({ "pebble": {
        "listenAddress": listen, "managementListenAddress": management,
        "certificate": certificate, "privateKey": key,
        "httpPort": port(http), "tlsPort": port(tls), "ocspResponderURL": "",
        "externalAccountBindingRequired": terms.needs_external_account,
        "certificateValidityPeriod": terms.validity_seconds,
        "externalAccountMACKeys": { "kid-1": HMAC_KEY },
    } });
    let file = home.join("pebble.json");
    fs::write(&file, config.to_string()).unwrap();
    file
}

fn spawn(command: &mut Command) -> Option<Child> {
    match command.stdin(Stdio::null()).spawn() {
        Ok(child) => Some(child),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            assert!(
                std::env::var("PHAROS_NO_ACME").is_ok(),
                "pebble: {error}: install it, or set PHAROS_NO_ACME to test without it"
            );
            eprintln!("NOT TESTED: there is no pebble here");
            None
        }
        Err(error) => panic!("pebble: {error}"),
    }
}

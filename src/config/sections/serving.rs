//! Sections about how the program itself runs: listeners, sign-up, logs, declared resources.

use std::net::SocketAddr;

use data_encoding::{BASE64URL, BASE64URL_NOPAD};

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::config::{Bytes, Secret};

/// `[server]`: listeners, public addresses and the proxies in front of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Listener of `{base_url}`.
    pub api_listen: SocketAddr,
    /// Listener of `{track_url}`.
    pub track_listen: SocketAddr,
    /// Listener of the short links.
    pub links_listen: SocketAddr,
    /// Public address of the API as given; [`Server::urls`] fills it in when empty.
    pub base_url: String,
    /// Public address of ingestion as given.
    pub track_url: String,
    /// Public address of the short links as given.
    pub links_url: String,
    /// Public address of the reference pages as given.
    pub docs_url: String,
    /// CIDRs whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// A CDN's header with the client address, believed from trusted proxies only; empty = none.
    pub client_ip_header: String,
    /// HTTP workers per listener; 0 = one per core, see [`Server::worker_count`].
    pub workers: u32,
    /// Connections of a listener at the same time; 0 = 8,192, or fewer where the limit of open files asks for it.
    pub max_connections: u32,
    /// Seconds in which a request's body has to arrive.
    pub body_seconds: u32,
    /// Bytes of request bodies in memory, over all requests.
    pub body_memory: Bytes,
    /// Seconds that a client may take nothing of an answer.
    pub write_seconds: u32,
    /// Listener of all hosts with their own certificates; empty = none.
    pub https_listen: String,
    /// Listener that leads to `https_listen` and answers certificate authorities; empty = none.
    pub http_listen: String,
    /// PEM file of the certificate chain; empty = no TLS.
    pub tls_certificate: String,
    /// PEM file of the private key; empty = no TLS.
    pub tls_key: String,
    /// Origins besides our own for cookies, CORS with credentials and MCP.
    pub allowed_origins: Vec<String>,
    /// Path of the tracker script, beside `/pharos.js` and `/databuddy.js`.
    pub tracker_path: String,
}

impl Server {
    /// The address in `https_listen`.
    pub fn https_address(&self) -> Option<SocketAddr> {
        self.https_listen.parse().ok()
    }

    /// The address in `http_listen`.
    pub fn http_address(&self) -> Option<SocketAddr> {
        self.http_listen.parse().ok()
    }
}

/// `[acme]`: where certificates come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acme {
    /// The authority's directory as given; see [`Acme::directory`].
    pub directory_url: String,
    /// Let's Encrypt's staging environment in place of the directory.
    pub staging: bool,
    /// Where the authority writes to; empty = nowhere.
    pub email: String,
    /// PEM file of authorities to trust in place of the machine's; empty = the machine's.
    pub root_certificate: String,
    /// Key ID of an external account; empty = none.
    pub eab_key_id: String,
    /// Its HMAC key, base64url.
    pub eab_hmac_key: Secret,
}

impl Acme {
    /// Let's Encrypt, which the defaults name.
    pub const PRODUCTION: &str = "https://acme-v02.api.letsencrypt.org/directory";
    const STAGING: &str = "https://acme-staging-v02.api.letsencrypt.org/directory";

    /// The directory of the authority that is asked; `None` if there is none.
    pub fn directory(&self) -> Option<&str> {
        let given = self.directory_url.as_str();
        let directory = if self.staging { Self::STAGING } else { given };
        (!directory.is_empty()).then_some(directory)
    }

    /// The key of the external account; `None` if it isn't base64url.
    pub fn eab_hmac_key_bytes(&self) -> Option<Vec<u8>> {
        let text = self.eab_hmac_key.expose().as_bytes();
        let plain = BASE64URL_NOPAD.decode(text);
        plain.or_else(|_| BASE64URL.decode(text)).ok()
    }
}

/// `[signup]`: whether strangers may create accounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signup {
    /// True = anybody who reaches the program may create an account.
    pub open: bool,
}

/// `[telemetry]`: where traces go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Telemetry {
    /// OpenTelemetry collector; empty = none.
    pub otlp_endpoint: String,
}

/// `[provision]`: resources declared in files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provision {
    /// Directory of the declarations; empty = `provision` beside the configuration file.
    pub directory: String,
    /// What becomes of things whose declaration is taken away.
    pub removed: Removed,
}

/// What becomes of things whose declaration is taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Removed {
    Delete,
    /// They stay, as if they had been made by hand.
    Keep,
}

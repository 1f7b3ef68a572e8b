//! The server of a probe: all that leaves the probe for it.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use reqwest::{Client, RequestBuilder, StatusCode, redirect::Policy};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use url::{Host, Url};

use super::spool::Batch;
use crate::{
    actors::monitors::{ProbeWork, sign},
    platform::CommandError,
};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an answer may take that the server holds back for 25 seconds.
const PATIENCE: Duration = Duration::from_secs(40);

/// The code of the server's own refusal of a token.
const REFUSAL: &str = "AUTH_REQUIRED";
/// How often in a row, and for how long, a server refuses a token until it is believed: another replica may know a new token a
/// little later.
const MIN_REFUSALS: u32 = 3;
const MIN_REFUSED: Duration = Duration::from_secs(2);

/// The server did not answer, or refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum ServerError {
    #[error("the server cannot be reached: {0}")]
    Away(#[from] reqwest::Error),
    #[error("the server answers {0}: {1}")]
    Failed(StatusCode, String),
    /// The token opens nothing.
    #[error("the server refuses the token, which is unknown or revoked")]
    Refused,
}

impl ServerError {
    /// Whether a proxy or the server takes no body of that size.
    pub(super) fn is_too_large(&self) -> bool {
        matches!(self, Self::Failed(StatusCode::PAYLOAD_TOO_LARGE, _))
    }
}

#[derive(Debug, Deserialize)]
struct Answer {
    acknowledged: i64,
}

pub(super) struct Server {
    http: Client,
    base: String,
    token: SecretString,
    name: String,
    refusals: Mutex<Refusals>,
}

/// Refusals of the token, one after the other.
#[derive(Debug, Default)]
struct Refusals {
    count: u32,
    since: Option<Instant>,
}

impl Refusals {
    /// Notes a refusal. Whether they are enough to be believed.
    fn note(&mut self, now: Instant) -> bool {
        let since = *self.since.get_or_insert(now);
        self.count += 1;
        self.count >= MIN_REFUSALS && now.duration_since(since) >= MIN_REFUSED
    }
}

impl Server {
    /// The server at an address that is encrypted, unless it is this machine.
    pub(super) fn new(join: &str, token: SecretString, name: String) -> anyhow::Result<Self> {
        let url = Url::parse(join).ok();
        let is_safe = url.as_ref().is_some_and(|url| match url.scheme() {
            "https" => true,
            "http" => url.host().is_some_and(|host| is_loopback(&host)),
            _ => false,
        });
        if !is_safe {
            return CommandError::refuse(
                format!("`{join}` is no address of a server"),
                "enter the server's URL, such as https://pharos.example.com; only this machine is reached without HTTPS",
            );
        }
        let http = Client::builder()
            .connect_timeout(CONNECT)
            .timeout(PATIENCE)
            .redirect(Policy::none())
            .build()?;
        Ok(Self {
            http,
            base: join.trim_end_matches('/').to_owned(),
            token,
            name: name.chars().filter(char::is_ascii_graphic).collect(),
            refusals: Mutex::default(),
        })
    }

    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// The work of the probe, once it differs from this revision.
    pub(super) async fn fetch_work(&self, after: &str) -> Result<ProbeWork, ServerError> {
        // A revision has no character that an address could not have.
        let url = format!("{}/v1/probe/work?after={after}", self.base);
        read(&self.send(self.http.get(url)).await?)
    }

    /// Sends results, and gives the number of the last one that the server has.
    pub(super) async fn send_batch(&self, batch: &Batch) -> Result<i64, ServerError> {
        let reports = batch.reports.join(",");
        let (spool, first) = (&batch.spool, batch.first);
        let body = format!(r#"{{"spool":"{spool}","first":{first},"reports":[{reports}]}}"#);
        let signature = sign(self.token.expose_secret(), body.as_bytes());
        let request = self.http.post(format!("{}/v1/probe/reports", self.base));
        let request = request
            .header("content-type", "application/json")
            .header("x-pharos-signature", signature)
            .body(body);
        let answer: Answer = read(&self.send(request).await?)?;
        Ok(answer.acknowledged)
    }

    async fn send(&self, request: RequestBuilder) -> Result<String, ServerError> {
        let request = request
            .bearer_auth(self.token.expose_secret())
            .header("x-probe-version", env!("CARGO_PKG_VERSION"))
            .header("x-probe-host", &self.name);
        let answer = request.send().await?;
        let status = answer.status();
        let text = answer.text().await?;
        if status.is_success() {
            *self.refusals() = Refusals::default();
            return Ok(text);
        }
        let is_refused = status == StatusCode::UNAUTHORIZED && is_own_refusal(&text);
        if is_refused && self.refusals().note(Instant::now()) {
            return Err(ServerError::Refused);
        }
        Err(ServerError::Failed(
            status,
            text.chars().take(200).collect(),
        ))
    }

    fn refusals(&self) -> MutexGuard<'_, Refusals> {
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an answer is the server's, and not that of a proxy in front of it.
fn is_own_refusal(text: &str) -> bool {
    let answer: Option<serde_json::Value> = serde_json::from_str(text).ok();
    answer.is_some_and(|answer| answer["code"] == REFUSAL)
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, ServerError> {
    serde_json::from_str(text)
        .map_err(|error| ServerError::Failed(StatusCode::OK, format!("no answer of ours: {error}")))
}

fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_refused_after_three_times_and_two_seconds() {
        let begin = Instant::now();
        let mut refusals = Refusals::default();
        assert!(!refusals.note(begin));
        assert!(!refusals.note(begin + MIN_REFUSED), "two times");
        assert!(refusals.note(begin + MIN_REFUSED));
        let mut quick = Refusals::default();
        for _ in 0..9 {
            assert!(!quick.note(begin));
        }
    }

    #[test]
    fn only_the_servers_own_answer_is_a_refusal() {
        assert!(is_own_refusal(
            r#"{"success":false,"code":"AUTH_REQUIRED"}"#
        ));
        for other in ["", "<h1>401</h1>", "{}", "[]", r#"{"code":"EXPIRED"}"#] {
            assert!(!is_own_refusal(other), "{other}");
        }
    }

    #[test]
    fn only_this_machine_is_reached_without_encryption() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let join = |url: &str| Server::new(url, "prb_x".into(), String::new()).is_ok();
        for good in [
            "https://pharos.example.com",
            "https://pharos.example.com:8443/",
            "http://127.0.0.1:3000",
            "http://[::1]:3000",
            "http://localhost:3000",
        ] {
            assert!(join(good), "{good}");
        }
        for bad in [
            "http://pharos.example.com",
            "http://10.0.0.1",
            "pharos.example.com",
            "ftp://localhost",
        ] {
            assert!(!join(bad), "{bad}");
        }
    }
}

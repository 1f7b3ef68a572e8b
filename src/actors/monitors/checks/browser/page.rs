//! What is known of a page, by the events of the browser. Pure, but for the time.

use std::time::Duration;

use hyper::StatusCode;
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use super::{
    super::{super::Expectations, check_status},
    errors,
    proxy::{Proxy, Route},
};
use crate::egress::{Certificate, Class, Failure, Trace};

#[derive(Debug, Default)]
pub(super) struct Page {
    /// Its main frame. Others are of no interest.
    pub(super) frame: String,
    /// When it was asked for, when its answer began, and when all of it was loaded.
    pub(super) began: Option<Instant>,
    answered: Option<Instant>,
    loaded: Option<Instant>,
    /// Where the document comes from, redirects followed, and its request.
    url: String,
    request: String,
    /// The document that the frame has.
    loader: String,
    pub(super) status: Option<u16>,
    /// Whether the answer asks for credentials. Chromium shows it, or fails: both happen.
    wants_credentials: bool,
    redirects: u32,
    tls: Duration,
    certificate: Option<Certificate>,
    /// Whether it has asked for nothing for half a second.
    is_idle: bool,
    /// Why the document could not be loaded, as a code of Chromium.
    pub(super) error: Option<String>,
    /// Whether the answer was to be saved as a file.
    pub(super) is_download: bool,
    /// What ends the check.
    pub(super) failure: Option<Failure>,
    /// Why the text was not as expected when it was examined last.
    pub(super) unmet: Option<Failure>,
}

impl Page {
    /// Takes note of an event. Whether it is a dialog, which waits for an answer.
    pub(super) fn note(&mut self, method: &str, event: &Value) -> bool {
        let is_document = event["type"] == "Document" && event["frameId"] == *self.frame;
        match method {
            "Network.requestWillBeSent" if is_document => self.note_request(event),
            "Network.responseReceived" if is_document => self.note_response(&event["response"]),
            // A request that the page or a download has ended isn't an error by itself.
            "Network.loadingFailed"
                if event["requestId"] == *self.request && event["canceled"] != true =>
            {
                self.error = event["errorText"].as_str().map(ToOwned::to_owned);
            }
            "Page.frameNavigated" if event["frame"]["id"] == *self.frame => {
                copy_text(&mut self.loader, &event["frame"]["loaderId"]);
                (self.loaded, self.is_idle) = (None, false);
            }
            "Page.lifecycleEvent" => self.note_lifecycle(event),
            "Page.javascriptDialogOpening" => return true,
            "Inspector.targetCrashed" | "Target.detachedFromTarget" => {
                let message = "the page crashed, or closed itself";
                self.failure = Some(Failure::new(Class::Closed, message));
            }
            _ => {}
        }
        false
    }

    fn note_request(&mut self, event: &Value) {
        copy_text(&mut self.url, &event["request"]["url"]);
        copy_text(&mut self.request, &event["requestId"]);
        self.error = None;
        if event["redirectResponse"].is_object() {
            self.redirects = self.redirects.saturating_add(1);
        }
    }

    fn note_response(&mut self, response: &Value) {
        self.answered = Some(Instant::now());
        let status = response["status"].as_u64();
        self.status = status.and_then(|status| u16::try_from(status).ok());
        let headers = response["headers"].as_object().into_iter().flatten();
        let mut names = headers.map(|(name, _)| name);
        let asks = names.any(|name| name.eq_ignore_ascii_case("www-authenticate"));
        self.wants_credentials = asks && self.status == Some(401);
        // Milliseconds; -1 without TLS.
        let at = |name: &str| response["timing"][name].as_f64().unwrap_or(-1.0);
        let tls = (at("sslEnd") - at("sslStart")) / 1_000.0;
        self.tls = Duration::try_from_secs_f64(tls).unwrap_or_default();
        // Seconds. Chromium shows no page whose certificate it doesn't trust.
        let ends = response["securityDetails"]["validTo"].as_f64();
        self.certificate = ends.map(|ends| Certificate {
            ends_ms: (ends * 1_000.0) as i64,
            problem: None,
        });
    }

    fn note_lifecycle(&mut self, event: &Value) {
        let is_own = event["frameId"] == *self.frame && event["loaderId"] == *self.loader;
        match event["name"].as_str() {
            // The empty page has events as well.
            _ if !is_own || self.loader.is_empty() => {}
            Some("load") => {
                self.loaded.get_or_insert_with(Instant::now);
            }
            Some("networkIdle") => self.is_idle = true,
            _ => {}
        }
    }

    /// Whether nothing of it is waited for, except for what scripts do.
    pub(super) fn is_loaded(&self) -> bool {
        self.loaded.is_some() || self.error.is_some()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.is_idle || self.error.is_some()
    }

    /// Whether the answer has an accepted status and no body, which Chromium reports as an error.
    fn is_empty(&self) -> bool {
        let is_aborted = self.error.as_deref() == Some(errors::ABORTED);
        self.error.as_deref() == Some(errors::NO_BODY)
            || (is_aborted && !self.is_download && matches!(self.status, Some(204 | 205)))
    }

    /// Whether the document is one that was wanted.
    pub(super) fn judge(&self, expect: &Expectations, proxy: &Proxy) -> Result<(), Failure> {
        if self.wants_credentials {
            return Err(errors::failure(errors::NO_CREDENTIALS, self.route(proxy)));
        }
        if let Some(status) = self.status {
            let wrong = |_| Failure::new(Class::Protocol, "the answer's status is none of HTTP");
            check_status(expect, StatusCode::from_u16(status).map_err(wrong)?)?;
        }
        if !self.is_loaded() {
            return Err(self.late(proxy));
        }
        match &self.error {
            Some(_) if self.is_download => {
                let message = "the answer is a download, not a page";
                Err(Failure::new(Class::Protocol, message))
            }
            Some(code) if !self.is_empty() => Err(errors::failure(code, self.route(proxy))),
            _ => self.unmet.clone().map_or(Ok(()), Err),
        }
    }

    /// Why it has not come in time.
    pub(super) fn late(&self, proxy: &Proxy) -> Failure {
        if let Some(unmet) = &self.unmet {
            return unmet.clone();
        }
        let (class, message) = match (self.began, self.answered) {
            (None, _) => (Class::Other, "the browser did not answer in time"),
            (_, Some(_)) => (
                Class::TransferTimeout,
                "the page did not finish loading in time",
            ),
            (_, None) if self.route(proxy).is_none() => (
                Class::ConnectTimeout,
                "the host did not accept the connection in time",
            ),
            (_, None) => (Class::FirstByteTimeout, "no answer began in time"),
        };
        Failure::new(class, message)
    }

    /// The connection to where the document comes from.
    fn route(&self, proxy: &Proxy) -> Option<Route> {
        proxy.route(&Url::parse(&self.url).ok()?)
    }

    /// How long it took until it was loaded, or until now. Phases add up to the whole time.
    pub(super) fn trace(&self, proxy: &Proxy) -> Trace {
        let route = self.route(proxy).unwrap_or_default();
        let now = Instant::now();
        let began = self.began.unwrap_or(now);
        let ended = self.loaded.unwrap_or(now);
        let answered = self.answered.unwrap_or(ended).min(ended);
        let mut left = answered.saturating_duration_since(began);
        let [dns, tcp, tls] = [route.dns, route.tcp, self.tls].map(|phase| {
            let phase = phase.min(left);
            left -= phase;
            phase
        });
        let transfer = ended.saturating_duration_since(answered.max(began));
        let mut trace = Trace::measured([dns, tcp, tls, left, transfer]);
        trace.address = route.address;
        trace.redirects = self.redirects;
        trace.certificate = self.certificate;
        trace.bytes = proxy.received();
        trace
    }
}

fn copy_text(to: &mut String, from: &Value) {
    from.as_str().unwrap_or_default().clone_into(to);
}

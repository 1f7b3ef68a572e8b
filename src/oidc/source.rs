//! What is asked of an issuer, and its keys that are known.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use hyper::{
    Method,
    header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue},
};
use url::Url;

use super::{Failure, Keys, Rejection, claims::Claims};
use crate::{
    clock::Clock,
    egress::{Ask, Bounds, Egress, Trace},
};

/// What is known of an issuer is asked again after this long, milliseconds.
pub(super) const KNOWN_MS: i64 = 60 * 60 * 1000;
/// Keys are asked for again at most this often, milliseconds.
const KEYS_EVERY_MS: i64 = 60 * 1000;
const BOUNDS: Bounds = Bounds {
    time: Duration::from_secs(5),
    body: 1 << 20,
    text: 1 << 20,
    whole: true,
    redirects: 0,
};

/// Where keys come from, and those that are known.
#[derive(Debug)]
pub(super) struct Source {
    egress: Egress,
    clock: Clock,
    keys: ArcSwapOption<Keys>,
    /// When the keys were last asked for, Unix milliseconds.
    asked_ms: AtomicI64,
}

impl Source {
    pub(super) fn new(egress: Egress, clock: Clock) -> Self {
        Self {
            egress,
            clock,
            keys: ArcSwapOption::empty(),
            asked_ms: AtomicI64::new(i64::MIN),
        }
    }

    pub(super) fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// The claims of a token. Keys are asked for again when they are old, or when the token's is unknown.
    pub(super) async fn verify(&self, url: &Url, token: &str) -> Result<Claims, Failure> {
        let age_ms = self
            .clock
            .now_ms()
            .saturating_sub(self.asked_ms.load(Ordering::SeqCst));
        let known = self.keys.load_full().filter(|_| age_ms < KNOWN_MS);
        let verified = match known {
            Some(known) => match known.verify(token) {
                Err(Rejection::UnknownKey) if age_ms >= KEYS_EVERY_MS => {
                    self.fetch_keys(url).await?.verify(token)
                }
                verified => verified,
            },
            None => self.fetch_keys(url).await?.verify(token),
        };
        verified.map_err(|rejection| match rejection {
            Rejection::UnknownKey => Failure::BadSignature,
            Rejection::Other(failure) => failure,
        })
    }

    async fn fetch_keys(&self, url: &Url) -> Result<Arc<Keys>, Failure> {
        self.asked_ms.store(self.clock.now_ms(), Ordering::SeqCst);
        let text = self.get("keys", url.clone(), None).await?;
        let keys = Keys::parse(&text);
        let bad = || Failure::BadAnswer("keys", "they aren't a JSON key set".to_owned());
        let keys = Arc::new(keys.ok_or_else(bad)?);
        self.keys.store(Some(Arc::clone(&keys)));
        Ok(keys)
    }

    pub(super) async fn get(
        &self,
        what: &'static str,
        url: Url,
        credentials: Option<HeaderValue>,
    ) -> Result<Vec<u8>, Failure> {
        let mut headers = HeaderMap::new();
        if let Some(credentials) = credentials {
            headers.insert(AUTHORIZATION, credentials);
        }
        let (status, text) = self.ask(url, Method::GET, headers, Bytes::new()).await?;
        if status != 200 {
            return Err(Failure::BadAnswer(what, format!("its status is {status}")));
        }
        Ok(text)
    }

    pub(super) async fn ask(
        &self,
        url: Url,
        method: Method,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<(u16, Vec<u8>), Failure> {
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let ask = Ask {
            url,
            method,
            headers,
            body,
            strict: true,
            stay: true,
            bounds: BOUNDS,
        };
        let answer = self.egress.ask(ask, &mut Trace::begin()).await;
        let answer = answer.map_err(|failure| Failure::Unreachable(failure.to_string()))?;
        Ok((answer.status.as_u16(), answer.text))
    }
}

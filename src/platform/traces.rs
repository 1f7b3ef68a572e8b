//! Traces, to an OpenTelemetry collector: OTLP over HTTP, in JSON.
//!
//! A small exporter of our own: the official crates bring a second HTTP client, protobuf and their own runtime with them, for what is
//! one POST of a JSON document every two seconds. Collectors take JSON as well as protobuf (OTLP 1.0).

use std::time::Duration;

use bytes::Bytes;
use hyper::{
    Method,
    header::{CONTENT_TYPE, HeaderMap, HeaderValue},
};
use serde_json::{Value as Json, json};
use tokio::sync::mpsc;
use url::Url;

use super::{CommandError, outward};
use crate::{
    clock::Clock,
    config::Settings,
    egress::{Ask, Bounds, Egress, Trace},
    spans::{self, Finished, Value, Work},
};

/// Spans of one message.
const MAX: usize = 512;
/// How long spans wait for others.
const PAUSE: Duration = Duration::from_secs(2);
/// What a message may take.
const BOUNDS: Bounds = Bounds {
    time: Duration::from_secs(10),
    body: 64 << 10,
    text: 0,
    whole: false,
    redirects: 0,
};

/// Where spans go.
pub(super) struct Exporter {
    finished: mpsc::Receiver<Finished>,
    egress: Egress,
    url: Url,
}

impl Exporter {
    /// Begins to collect, when the settings name a collector.
    ///
    /// # Errors
    /// The address is none.
    pub(super) fn start(settings: &Settings, clock: &Clock) -> anyhow::Result<Option<Self>> {
        let endpoint = settings.telemetry.otlp_endpoint.as_str();
        if endpoint.is_empty() {
            return Ok(None);
        }
        let url = address(endpoint).ok_or_else(|| {
            CommandError::new(
                format!("`telemetry.otlp_endpoint` is no address: {endpoint}"),
                "it is like \"http://127.0.0.1:4318\"",
            )
        })?;
        let egress = outward::anywhere()?;
        let finished = spans::collect(clock.now_ms());
        Ok(finished.map(|finished| Self {
            finished,
            egress,
            url,
        }))
    }

    /// Sends what has gathered, for ever.
    pub(super) async fn run(mut self) {
        let mut failing = false;
        let mut batch = Vec::new();
        while self.finished.recv_many(&mut batch, MAX).await > 0 {
            let count = batch.len();
            match self.send(std::mem::take(&mut batch)).await {
                Ok(()) => failing = false,
                Err(why) => {
                    spans::lost(count);
                    // Once, not every two seconds.
                    if !failing {
                        tracing::warn!(
                            why,
                            "the collector does not take traces; they are lost until it does"
                        );
                    }
                    failing = true;
                }
            }
            if count < MAX {
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    async fn send(&self, batch: Vec<Finished>) -> Result<(), String> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let ask = Ask {
            url: self.url.clone(),
            method: Method::POST,
            headers,
            body: Bytes::from(message(&batch).to_string()),
            strict: true,
            stay: true,
            bounds: BOUNDS,
        };
        let answer = self.egress.ask(ask, &mut Trace::begin()).await;
        match answer {
            Ok(answer) if answer.status.is_success() => Ok(()),
            Ok(answer) => Err(format!("it answers {}", answer.status)),
            Err(failure) => Err(failure.message),
        }
    }
}

/// The collector's address for traces: `/v1/traces` below the endpoint, unless that says more.
fn address(endpoint: &str) -> Option<Url> {
    let mut url = Url::parse(endpoint).ok()?;
    if !["http", "https"].contains(&url.scheme()) || !url.has_host() {
        return None;
    }
    if url.path() == "/" {
        url.set_path("/v1/traces");
    }
    Some(url)
}

/// A message of OTLP in its JSON form: ids in hexadecimal, 64-bit numbers as text.
fn message(batch: &[Finished]) -> Json {
    let spans: Vec<Json> = batch.iter().map(span).collect();
    let of = |name: &str, text: &str| json!({ "key": name, "value": { "stringValue": text } });
    let resource = [
        of("service.name", "pharos"),
        of("service.version", env!("CARGO_PKG_VERSION")),
    ];
    json!({ "resourceSpans": [{
        "resource": { "attributes": resource },
        "scopeSpans": [{ "scope": { "name": "pharos" }, "spans": spans }],
    }] })
}

fn span(one: &Finished) -> Json {
    let kind = match one.work {
        Work::Internal => 1,
        Work::Server => 2,
        Work::Client => 3,
    };
    let value = |value: &Value| match value {
        Value::Text(text) => json!({ "stringValue": text }),
        Value::Number(number) => json!({ "intValue": number.to_string() }),
    };
    let values = one.values.iter();
    let values: Vec<Json> = values
        .map(|(name, own)| json!({ "key": name, "value": value(own) }))
        .collect();
    let (begun, ended) = one.times;
    json!({
        "traceId": format!("{:032x}", one.trace),
        "spanId": format!("{:016x}", one.span),
        "parentSpanId": one.parent.map(|parent| format!("{parent:016x}")).unwrap_or_default(),
        "name": one.name,
        "kind": kind,
        "startTimeUnixNano": begun.to_string(),
        "endTimeUnixNano": ended.to_string(),
        "attributes": values,
        "status": if one.failed { json!({ "code": 2 }) } else { json!({}) },
    })
}

/// Runs an exporter, or nothing.
pub(super) async fn run(exporter: Option<Exporter>) {
    match exporter {
        Some(exporter) => exporter.run().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_without_a_path_means_the_usual_one() {
        let at = |text| address(text).map(String::from);
        assert_eq!(
            at("http://c:4318").as_deref(),
            Some("http://c:4318/v1/traces")
        );
        assert_eq!(
            at("https://c/otlp/v1/traces").as_deref(),
            Some("https://c/otlp/v1/traces")
        );
        assert_eq!((at("c:4318"), at("ftp://c"), at("")), (None, None, None));
    }

    #[test]
    fn a_message_is_what_collectors_take() {
        let one = Finished {
            trace: 0xab,
            span: 0xcd,
            parent: None,
            name: "request",
            work: Work::Server,
            times: (1_700_000_000_000_000_000, 1_700_000_000_000_001_000),
            values: vec![
                ("http.route", "/track".into()),
                ("http.response.status_code", 200_u16.into()),
            ],
            failed: true,
        };
        let said = message(std::slice::from_ref(&one));
        let span = &said["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
        assert_eq!(span["traceId"], format!("{}ab", "0".repeat(30)));
        assert_eq!(span["spanId"], "00000000000000cd");
        assert_eq!(
            (&span["parentSpanId"], &span["kind"]),
            (&json!(""), &json!(2))
        );
        assert_eq!(span["startTimeUnixNano"], "1700000000000000000");
        assert_eq!(span["attributes"][1]["value"], json!({ "intValue": "200" }));
        assert_eq!(span["status"], json!({ "code": 2 }));
    }
}

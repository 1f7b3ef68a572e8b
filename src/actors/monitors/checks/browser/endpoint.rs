//! Where a browser takes connections of debuggers.

use std::net::{IpAddr, SocketAddr};

use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use super::super::{place, plain_request};
use crate::egress::{Class, Egress, Failure, Trace};

const VERSION: &str = "/json/version";

pub(super) struct Endpoint {
    /// Reaches the browser, whose address the operator has chosen.
    pub(super) egress: Egress,
    /// The WebSocket of the browser, as a URL that begins with `http`.
    pub(super) url: Url,
    /// The address at which the browser reaches this program.
    pub(super) near: IpAddr,
    /// The address of the browser.
    pub(super) browser: SocketAddr,
}

impl Endpoint {
    /// Asks a browser for its WebSocket.
    pub(super) async fn find(
        egress: &Egress,
        setting: &str,
        deadline: Instant,
    ) -> Result<Self, Failure> {
        let wrong = |_| Failure::new(Class::Other, "it is no URL");
        let mut url = Url::parse(setting).map_err(wrong)?;
        let egress = egress.for_operator();
        let mut trace = Trace::begin();
        let (host, port) = place(&url)?;
        let stream = egress.connect(host, port, deadline, &mut trace).await?;
        let lost = |error| Failure::from_socket(&error, "while connecting");
        let near = stream.local_addr().map_err(lost)?.ip();
        let browser = stream.peer_addr().map_err(lost)?;
        drop(stream);
        url.set_path(VERSION);
        let time = deadline.saturating_duration_since(Instant::now());
        let ask = plain_request(url.clone(), true, time)?;
        let answer = egress.ask(ask, &mut trace).await?;
        if !answer.status.is_success() {
            let message = format!("it answers with HTTP {}", answer.status.as_u16());
            return Err(Failure::new(Class::Other, message));
        }
        url.set_path(&read_path(&answer.text)?);
        Ok(Self {
            egress,
            url,
            near,
            browser,
        })
    }
}

/// The path of the browser's WebSocket. Its host is the one of the setting, whatever the answer says.
fn read_path(text: &[u8]) -> Result<String, Failure> {
    let answer: Option<Value> = serde_json::from_slice(text).ok();
    let url = answer.and_then(|answer| Url::parse(answer["webSocketDebuggerUrl"].as_str()?).ok());
    let path = url.map(|url| url.path().to_owned());
    path.filter(|path| path.len() > 1).ok_or_else(|| {
        let message = "it has no DevTools: start Chromium with `--remote-debugging-port`";
        Failure::new(Class::Other, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_names_a_path_alone() {
        let said = br#"{"webSocketDebuggerUrl":"ws://elsewhere.example/devtools/browser/1"}"#;
        assert_eq!(read_path(said).unwrap(), "/devtools/browser/1");
        for said in [
            &b""[..],
            b"{}",
            b"<html>",
            br#"{"webSocketDebuggerUrl":5}"#,
            br#"{"webSocketDebuggerUrl":"ws://host"}"#,
        ] {
            assert!(read_path(said).is_err(), "{said:?}");
        }
    }
}

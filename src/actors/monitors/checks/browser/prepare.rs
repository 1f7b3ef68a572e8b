//! Opens an empty page, before it goes anywhere.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use super::{
    devtools::{Devtools, broken},
    page::Page,
};
use crate::egress::{Class, Failure};

/// Without them, calls between browsers send datagrams past the proxy. Chromium reads the first of these switches, its
/// headless shell the second one, and both take the last value.
const WEBRTC: [&str; 2] = [
    "webrtc-ip-handling-policy",
    "force-webrtc-ip-handling-policy",
];
const NO_DATAGRAMS: &str = "disable_non_proxied_udp";

/// Opens an empty page in a context of its own, whose connections all go through the proxy.
pub(super) async fn prepare<S: AsyncRead + AsyncWrite + Unpin>(
    devtools: &mut Devtools<'_, S>,
    page: &mut Page,
    proxy: SocketAddr,
) -> Result<(), Failure> {
    let info = devtools.call("SystemInfo.getInfo", json!({}), page).await?;
    if let Some(name) = find_missing_switch(&info) {
        let message = format!("start Chromium with `--{name}={NO_DATAGRAMS}`, and no other value");
        return Err(Failure::new(Class::Other, message));
    }
    let settings = json!({
        // The context ends with this connection.
        "disposeOnDetach": true,
        "proxyServer": format!("socks5://{proxy}"),
        // This machine as well, which is not by default.
        "proxyBypassList": "<-loopback>",
    });
    let made = devtools
        .call("Target.createBrowserContext", settings, page)
        .await?;
    let context = read_text(&made, "browserContextId")?;
    let denied = json!({ "behavior": "deny", "browserContextId": context });
    devtools
        .call("Browser.setDownloadBehavior", denied, page)
        .await?;
    let target = json!({ "url": "about:blank", "browserContextId": context });
    let made = devtools.call("Target.createTarget", target, page).await?;
    // The main frame of a page has the id of its target.
    page.frame = read_text(&made, "targetId")?;
    let target = json!({ "targetId": page.frame, "flatten": true });
    let attached = devtools.call("Target.attachToTarget", target, page).await?;
    devtools.set_session(read_text(&attached, "sessionId")?);
    for (method, settings) in [
        ("Page.enable", json!({})),
        ("Page.setLifecycleEventsEnabled", json!({ "enabled": true })),
        // The browser keeps no bodies of answers for us.
        (
            "Network.enable",
            json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0 }),
        ),
        ("Inspector.enable", json!({})),
    ] {
        devtools.call(method, settings, page).await?;
    }
    Ok(())
}

/// The first switch that the command line doesn't have, or has with another value as well.
fn find_missing_switch(info: &Value) -> Option<&'static str> {
    let line = info["commandLine"].as_str().unwrap_or_default();
    WEBRTC.into_iter().find(|name| {
        let wanted = format!("--{name}={NO_DATAGRAMS}");
        let is_switch = |word: &&str| word.trim_start_matches('-').starts_with(*name);
        let mut words = line.split_whitespace().filter(is_switch).peekable();
        words.peek().is_none() || words.any(|word| word != wanted)
    })
}

fn read_text(answer: &Value, field: &str) -> Result<String, Failure> {
    let text = answer[field].as_str().map(ToOwned::to_owned);
    text.ok_or_else(broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_switches_have_one_value() {
        let [first, second] = WEBRTC;
        let missing = |line: &str| find_missing_switch(&json!({ "commandLine": line }));
        let good = format!("--{first}={NO_DATAGRAMS} --{second}={NO_DATAGRAMS}");
        assert_eq!(missing(&format!("chromium {good} about:blank")), None);
        for (line, name) in [
            ("chromium".to_owned(), first),
            (format!("chromium --{first}={NO_DATAGRAMS}"), second),
            (format!("chromium --{second}={NO_DATAGRAMS}"), first),
            (format!("chromium --headless{good}"), first),
            (format!("chromium {good} --{first}=default"), first),
            (format!("chromium --{second}=default {good}"), second),
            (format!("chromium {good} -{second}=default"), second),
            (format!("chromium {good} --{second}"), second),
        ] {
            assert_eq!(missing(&line), Some(name), "{line}");
        }
        assert_eq!(find_missing_switch(&Value::Null), Some(first));
    }
}

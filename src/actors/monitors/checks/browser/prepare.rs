//! Opens an empty page, before it goes anywhere.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use super::{
    devtools::{Devtools, broken},
    page::Page,
};
use crate::egress::{Class, Failure};

/// Without it, calls between browsers send datagrams past the proxy.
const WEBRTC: &str = "--webrtc-ip-handling-policy=disable_non_proxied_udp";

/// Opens an empty page in a context of its own, whose connections all go through the proxy.
pub(super) async fn prepare<S: AsyncRead + AsyncWrite + Unpin>(
    devtools: &mut Devtools<'_, S>,
    page: &mut Page,
    proxy: SocketAddr,
) -> Result<(), Failure> {
    let info = devtools.call("SystemInfo.getInfo", json!({}), page).await?;
    if !has_flag(&info) {
        let message = format!("start Chromium with `{WEBRTC}`");
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

/// Whether the command line has the flag, as a word of its own.
fn has_flag(info: &Value) -> bool {
    let line = info["commandLine"].as_str().unwrap_or_default();
    line.split_whitespace().any(|word| word == WEBRTC)
}

fn read_text(answer: &Value, field: &str) -> Result<String, Failure> {
    let text = answer[field].as_str().map(ToOwned::to_owned);
    text.ok_or_else(broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_a_word_of_the_command_line() {
        let has = |line: &str| has_flag(&json!({ "commandLine": line }));
        assert!(has(&format!("chromium --headless {WEBRTC} about:blank")));
        assert!(!has(&format!("chromium --headless{WEBRTC}")));
        assert!(!has("chromium --webrtc-ip-handling-policy=default"));
        assert!(!has_flag(&Value::Null));
    }
}

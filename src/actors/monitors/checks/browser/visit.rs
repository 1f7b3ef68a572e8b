//! Goes to a page, waits until it is loaded, and examines its text.

use std::time::Duration;

use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::Instant,
};

use super::{
    super::{Probe, text::Text},
    devtools::Devtools,
    page::Page,
};
use crate::egress::{Class, Failure};

/// How long scripts may go on after the page is loaded, until its text is examined for the last time.
const SETTLING: Duration = Duration::from_secs(5);
/// How long the text of a page may take, milliseconds.
const READING_MS: u32 = 5_000;
/// The text that the page shows, cut where what is examined ends.
const TEXT: &str = "(document.body ? document.body.innerText : document.documentElement.textContent).slice(0, 1048576)";

/// Goes to a page, and waits for it until the deadline. What became of it is in `page`.
pub(super) async fn visit<S: AsyncRead + AsyncWrite + Unpin>(
    devtools: &mut Devtools<'_, S>,
    page: &mut Page,
    probe: &Probe<'_>,
) -> Result<(), Failure> {
    let text = probe.text();
    let target = json!({ "url": probe.monitor.url });
    let answer = devtools.call("Page.navigate", target, page).await?;
    page.is_download = answer["isDownload"] == true;
    if let Some(error) = answer["errorText"].as_str().filter(|text| !text.is_empty()) {
        page.error = Some(error.to_owned());
        page.unmet = text.check(b"").await.err();
        return Ok(());
    }
    let is_loaded = devtools.wait(page, probe.deadline, Page::is_loaded).await?;
    if !is_loaded || page.error.is_some() || !text.is_wanted() {
        return Ok(());
    }
    let settled = probe.deadline.min(Instant::now() + SETTLING);
    page.unmet = read(devtools, page, &text).await?;
    if page.unmet.is_some() {
        // What scripts ask for may be missing.
        devtools.wait(page, settled, Page::is_idle).await?;
        page.unmet = read(devtools, page, &text).await?;
    }
    Ok(())
}

/// Compares the text with the assertions, and says what is missing.
async fn read<S: AsyncRead + AsyncWrite + Unpin>(
    devtools: &mut Devtools<'_, S>,
    page: &mut Page,
    wanted: &Text,
) -> Result<Option<Failure>, Failure> {
    // Scripts of the page change nothing in a world of our own.
    let frame = json!({ "frameId": page.frame });
    let world = devtools.ask("Page.createIsolatedWorld", frame, page);
    let world = world.await?.unwrap_or_default();
    let call = json!({
        "contextId": world["executionContextId"], "expression": TEXT, "returnByValue": true, "timeout": READING_MS,
    });
    let answer = devtools.ask("Runtime.evaluate", call, page).await?;
    let answer = answer.unwrap_or_default();
    // There is none while the page changes to another one.
    let Some(text) = answer["result"]["value"].as_str() else {
        let message = "the text of the page can't be read";
        return Ok(Some(Failure::new(Class::Assertion, message)));
    };
    Ok(wanted.check(text.as_bytes()).await.err())
}

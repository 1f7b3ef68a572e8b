//! Browsers that answer, lie and flood.

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

use super::{super::super::Expectations, *};
use crate::egress::{Phase, testing::closed};

const MAIN: &str = "main";

/// Messages as frames of WebSocket.
fn frames(messages: &[Value]) -> Vec<u8> {
    let frame = |message: &Value| {
        let text = message.to_string();
        let length = u16::try_from(text.len()).unwrap().to_be_bytes();
        let head = [0x81, 126, length[0], length[1]];
        [head.as_slice(), text.as_bytes()].concat()
    };
    messages.iter().flat_map(frame).collect()
}

fn event(method: &str, params: Value) -> Value {
    json!({ "method": method, "params": params })
}

fn page() -> Page {
    let mut page = Page::default();
    MAIN.clone_into(&mut page.frame);
    page.began = Some(Instant::now());
    page
}

fn proxy() -> Proxy {
    Proxy::new(closed(), ([127, 0, 0, 1], 1).into(), Instant::now())
}

/// What a call becomes whose browser says this, and everything that was sent.
async fn call(said: Vec<u8>, page: &mut Page) -> (Result<Value, Failure>, String) {
    let (near, mut far) = tokio::io::duplex(1 << 16);
    let mut trace = Trace::begin();
    let connection = Connection::new(near, &mut trace, devtools::MAX_MESSAGE);
    let mut devtools = Devtools::new(connection);
    let calling = async {
        let answer = devtools.call("Page.navigate", json!({}), page).await;
        drop(devtools);
        answer
    };
    let talking = async {
        let _ = far.write_all(&said).await;
        let _ = far.shutdown().await;
        unmask(far).await
    };
    tokio::join!(calling, talking)
}

/// The texts of a client's frames.
async fn unmask(mut from: DuplexStream) -> String {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes).await;
    let (mut rest, mut texts) = (bytes.as_slice(), String::new());
    while let [_, length, after @ ..] = rest {
        let (length, after) = match length & 0x7f {
            126 => (u16::from_be_bytes([after[0], after[1]]).into(), &after[2..]),
            short => (usize::from(short), after),
        };
        let (mask, after) = after.split_at(4);
        let text = after[..length].iter().zip(mask.iter().cycle());
        texts.extend(text.map(|(byte, mask)| char::from(byte ^ mask)));
        rest = &after[length..];
    }
    texts
}

#[tokio::test]
async fn an_organization_leaves_pages_to_others() {
    let (greedy, modest) = (OrganizationId::new(), OrganizationId::new());
    let now = |organization| wait_for_page(organization).now_or_never().flatten();
    let pages = [now(&greedy), now(&greedy)];
    assert!(pages.iter().all(Option::is_some));
    assert!(now(&greedy).is_none());
    assert!(now(&modest).is_some());
    drop(pages);
    assert!(now(&greedy).is_some());
}

#[tokio::test]
async fn dialogs_are_dismissed_while_an_answer_is_waited_for() {
    let dialog = event("Page.javascriptDialogOpening", json!({ "message": "stay" }));
    let other = json!({ "id": 99, "result": { "frameId": "another" } });
    let answer = json!({ "id": 1, "result": { "frameId": MAIN } });
    let mut page = page();
    let said = frames(&[dialog.clone(), other, dialog, answer]);
    let (answer, sent) = call(said, &mut page).await;
    assert_eq!(answer.unwrap()["frameId"], MAIN);
    let dismissed = sent.matches("\"accept\":false").count();
    assert_eq!(dismissed, 2, "{sent}");
}

#[tokio::test]
async fn answers_that_are_none_end_the_check() {
    let crash = event("Inspector.targetCrashed", json!({}));
    let refused = json!({ "id": 1, "error": { "code": -32_000, "message": "no" } });
    let mut huge = vec![0x81, 127];
    huge.extend(u64::MAX.to_be_bytes());
    let noise = vec![json!({}); 50_001];
    for (said, class) in [
        (Vec::new(), Class::Other),
        (b"\x81\x02<>".to_vec(), Class::Protocol),
        (b"HTTP/1.1 400 Bad Request".to_vec(), Class::Protocol),
        (huge, Class::BodyTooLarge),
        (frames(&noise), Class::BodyTooLarge),
        (frames(&[crash]), Class::Closed),
        (frames(&[refused]), Class::Protocol),
    ] {
        let start = String::from_utf8_lossy(&said[..said.len().min(24)]).into_owned();
        let (answer, _) = call(said, &mut page()).await;
        assert_eq!(answer.unwrap_err().class, class, "{start}");
    }
}

fn note(page: &mut Page, events: &[Value]) {
    for event in events {
        page.note(event["method"].as_str().unwrap(), &event["params"]);
    }
}

fn asked(frame: &str, url: &str, request: &str) -> Value {
    let params = json!({ "type": "Document", "frameId": frame, "requestId": request, "request": { "url": url } });
    event("Network.requestWillBeSent", params)
}

fn answered(frame: &str, status: u64) -> Value {
    let response = json!({
        "status": status, "timing": { "sslStart": 1.0, "sslEnd": 3.0 }, "securityDetails": { "validTo": 1_900_000_000 },
    });
    let params = json!({ "type": "Document", "frameId": frame, "response": response });
    event("Network.responseReceived", params)
}

fn shown(frame: &str, loader: &str) -> Value {
    let frame = json!({ "frame": { "id": frame, "loaderId": loader } });
    event("Page.frameNavigated", frame)
}

fn lifecycle(frame: &str, loader: &str, name: &str) -> Value {
    let params = json!({ "frameId": frame, "loaderId": loader, "name": name });
    event("Page.lifecycleEvent", params)
}

#[tokio::test]
async fn only_the_document_of_the_main_frame_counts() {
    let mut page = page();
    note(
        &mut page,
        &[
            lifecycle(MAIN, "", "load"),
            lifecycle(MAIN, "empty", "load"),
            asked(MAIN, "https://example.com/", "a"),
            asked("advertisement", "https://other.example/", "b"),
            answered(MAIN, 200),
            answered("advertisement", 500),
            shown(MAIN, "a"),
            lifecycle("advertisement", "b", "load"),
        ],
    );
    assert!(!page.is_loaded());
    assert_eq!(page.late(&proxy()).class, Class::TransferTimeout);
    note(&mut page, &[lifecycle(MAIN, "a", "load")]);
    assert!(page.is_loaded() && !page.is_idle());
    let expect = Expectations::default();
    assert_eq!(page.judge(&expect, &proxy()), Ok(()));
    let trace = page.trace(&proxy());
    let sum: std::time::Duration = Phase::ALL.iter().map(|phase| trace.phase(*phase)).sum();
    assert_eq!(trace.total(), sum);
    assert_eq!(trace.certificate.unwrap().ends_ms, 1_900_000_000_000);
    // A script goes on to another page.
    note(
        &mut page,
        &[
            asked(MAIN, "https://example.com/2", "c"),
            answered(MAIN, 503),
            shown(MAIN, "c"),
            lifecycle(MAIN, "a", "networkIdle"),
        ],
    );
    assert!(!page.is_loaded() && !page.is_idle());
    assert_eq!(
        page.judge(&expect, &proxy()).unwrap_err().class,
        Class::Status
    );
}

#[tokio::test]
async fn documents_that_are_not_loaded_say_why() {
    let failed = |request: &str, canceled: bool| {
        let params = json!({ "requestId": request, "errorText": "net::ERR_EMPTY_RESPONSE", "canceled": canceled });
        event("Network.loadingFailed", params)
    };
    let expect = Expectations::default();
    let class = |page: &Page| {
        page.judge(&expect, &proxy())
            .map_err(|failure| failure.class)
    };
    let mut page = page();
    note(
        &mut page,
        &[
            asked(MAIN, "https://example.com/", "a"),
            failed("image", false),
            failed("a", true),
        ],
    );
    assert_eq!(class(&page), Err(Class::ConnectTimeout));
    note(&mut page, &[failed("a", false)]);
    assert_eq!(class(&page), Err(Class::Closed));
    // An error status without a body is an answer, if the status is accepted.
    note(&mut page, &[answered(MAIN, 204)]);
    page.error = Some(errors::ABORTED.to_owned());
    assert_eq!(class(&page), Ok(()));
    page.is_download = true;
    assert_eq!(class(&page), Err(Class::Protocol));
}

#[tokio::test]
async fn numbers_that_make_no_sense_change_nothing() {
    let mut page = page();
    for (status, timing) in [
        (json!(-1), json!({ "sslStart": 1e300, "sslEnd": -1e300 })),
        (json!("200"), json!({ "sslStart": -1e300, "sslEnd": 1e300 })),
        (json!(99_999), json!([])),
        (Value::Null, Value::Null),
    ] {
        let response =
            json!({ "status": status, "timing": timing, "securityDetails": { "validTo": 1e300 } });
        let params = json!({ "type": "Document", "frameId": MAIN, "response": response });
        note(&mut page, &[event("Network.responseReceived", params)]);
        assert_eq!(page.status, None);
        let trace = page.trace(&proxy());
        let sum: std::time::Duration = Phase::ALL.iter().map(|phase| trace.phase(*phase)).sum();
        assert_eq!(trace.total(), sum);
    }
}

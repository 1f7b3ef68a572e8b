//! Imports that are cut off, and files that come twice.

use serde_json::json;

use super::{PADDING, Served, padded_pageviews, pageviews, serve};
use crate::app::until;

/// Of three chunks.
const EVENTS: usize = 240;

#[actix::test]
async fn an_import_goes_on_by_itself_when_its_server_was_killed() {
    let mut served = Served::start().await;
    let bytes = padded_pageviews(EVENTS, PADDING);
    let planned = served.plan("posthog", &bytes).await;
    assert_eq!(planned["plan"]["events"], EVENTS, "{planned}");
    let id = planned["id"].as_str().unwrap().to_owned();
    served.call("apply", &id).await;
    for _ in 0..2 {
        let before = served.call("get", &id).await["result"]["events"].as_u64();
        until("more is stored", async || {
            let import = served.call("get", &id).await;
            import["result"]["events"].as_u64() > before || import["status"] == "done"
        })
        .await;
        served.process.child.kill().unwrap();
        served.process.child.wait().unwrap();
        served.process = serve(served.directory.path()).await;
    }
    let done = served.settled(&id).await;
    assert_eq!(
        (&done["status"], &done["result"]["events"]),
        (&json!("done"), &json!(EVENTS)),
        "{done}"
    );
    let events = EVENTS as u64;
    assert_eq!(served.totals().await, [events, events, events]);

    // The same file once more adds nothing.
    let again = served.import("posthog", &bytes).await;
    assert_eq!(
        (&again["result"]["events"], &again["earlier"]),
        (&json!(0), &json!(EVENTS)),
        "{again}"
    );
    assert_eq!(served.totals().await, [events, events, events]);
    let uploads = served.directory.path().join("uploads");
    until("uploads go when they are imported", async || {
        std::fs::read_dir(&uploads).unwrap().count() == 0
    })
    .await;
    served.process.stop();
}

#[actix::test]
async fn an_upload_continues_where_it_broke_off() {
    let served = Served::start().await;
    let bytes = pageviews(300);
    let id = served.create("posthog", &bytes).await;
    let half = bytes.len() / 2;
    assert_eq!(
        served.put(&id, 0, &bytes[..half]).await.body["uploaded"],
        half
    );
    let early = served
        .post("/imports/plan", &json!({ "importId": id }))
        .await;
    assert_eq!(early.status, 409, "{}", early.text);
    assert!(
        early.text.contains("Upload the rest first"),
        "{}",
        early.text
    );
    let again = served.put(&id, 0, &bytes[..half]).await;
    assert_eq!(again.status, 409, "{}", again.text);
    assert!(
        again.text.contains(&format!("Continue at offset {half}")),
        "{}",
        again.text
    );
    let more = [&bytes[half..], b"more"].concat();
    let more = served.put(&id, half, &more).await;
    assert_eq!(more.status, 413, "{}", more.text);
    assert_eq!(
        served.call("get", &id).await["uploaded"],
        half,
        "nothing of it stays"
    );
    assert_eq!(served.put(&id, half, &bytes[half..]).await.status, 200);
    served.call("plan", &id).await;
    let planned = served.settled(&id).await;
    assert_eq!(planned["plan"]["events"], 300, "{planned}");

    let cancelled = served.call("cancel", &id).await;
    assert_eq!(cancelled["status"], "cancelled");
    let refused = served
        .post("/imports/apply", &json!({ "importId": id }))
        .await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_eq!(served.totals().await, [0, 0, 0]);
    served.process.stop();
}

#[actix::test]
async fn a_cancelled_import_keeps_what_it_stored_and_the_same_file_resumes() {
    let served = Served::start().await;
    let bytes = padded_pageviews(EVENTS, PADDING);
    let planned = served.plan("posthog", &bytes).await;
    let id = planned["id"].as_str().unwrap();
    served.call("apply", id).await;
    until("something is stored", async || {
        served.call("get", id).await["result"]["events"]
            .as_u64()
            .is_some_and(|events| events > 0)
    })
    .await;
    served
        .post("/imports/cancel", &json!({ "importId": id }))
        .await;
    let done = served.import("posthog", &bytes).await;
    let (own, earlier) = (done["result"]["events"].as_u64(), done["earlier"].as_u64());
    assert_eq!(own.unwrap() + earlier.unwrap(), EVENTS as u64, "{done}");
    assert!(earlier > Some(0), "{done}");
    assert_eq!(served.totals().await[0], EVENTS as u64);
    served.process.stop();
}

#[actix::test]
async fn a_file_that_is_larger_than_allowed_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let made = crate::process::set_up(directory.path());
    let mut command = crate::process::pharos(directory.path());
    command
        .arg("serve")
        .env("PHAROS__INGEST__IMPORT_BYTES", "1K");
    let process = crate::process::start(command).await;
    let served = Served {
        directory,
        process,
        made,
    };
    let body = |size: Option<u64>| json!({ "websiteId": served.made.website, "format": "posthog", "filename": "a", "size": size });
    let large = served.post("/imports/create", &body(Some(1_025))).await;
    assert_eq!(large.status, 413, "{}", large.text);
    let unknown = served.post("/imports/create", &body(None)).await;
    let id = unknown.body["id"].as_str().unwrap();
    let more = served.put(id, 0, &[b'{'; 1_025]).await;
    assert_eq!(more.status, 413, "{}", more.text);
    assert_eq!(served.put(id, 0, &[b'{'; 1_024]).await.status, 200);
    served.process.stop();
}

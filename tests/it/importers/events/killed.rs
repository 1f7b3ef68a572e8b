//! A file of every product, whose import is cut off by a kill, goes on, and comes once more.

use std::{fmt::Write as _, fs, io::Write as _};

use serde_json::{Value, json};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{PADDING, Served, serve};
use crate::app::until;

/// Rows of a file: more than a chunk has.
const ROWS: usize = 100;
/// A file with what it holds.
struct Export {
    format: &'static str,
    bytes: Vec<u8>,
    events: usize,
}

/// A time of September, as seconds since 1970.
fn second(nth: usize) -> usize {
    1_789_034_400 + nth
}

fn padding() -> String {
    "x".repeat(PADDING)
}

fn ga4(nth: usize) -> Value {
    json!({
        "event_name": "page_view", "event_timestamp": (second(nth) * 1_000_000).to_string(),
        "event_params": [
            { "key": "page_location", "value": { "string_value": "https://shop.example/" } },
            { "key": "ga_session_id", "value": { "int_value": "7" } },
        ],
        "user_pseudo_id": format!("g{nth}"), "privacy_info": { "padding": padding() },
    })
}

fn matomo(nth: usize) -> Value {
    json!({
        "idVisit": nth, "visitorId": format!("m{nth}"), "plugins": padding(),
        "actionDetails": [{ "type": "action", "url": "https://shop.example/", "timestamp": second(nth) }],
    })
}

fn posthog(nth: usize) -> Value {
    // Texts that differ, which Parquet can't pack.
    let mut noise = vec![0; PADDING / 2];
    let mut hasher = blake3::Hasher::new();
    hasher.update(&nth.to_le_bytes());
    hasher.finalize_xof().fill(&mut noise);
    let mut padding = String::with_capacity(PADDING);
    for byte in noise {
        let _ = write!(padding, "{byte:02x}");
    }
    json!({
        "uuid": format!("k{nth}"), "event": "$pageview", "distinct_id": format!("p{nth}"),
        "timestamp": second(nth) * 1_000, "elements_chain": padding,
        "properties": json!({ "$lib": "web", "$current_url": "https://shop.example/" }).to_string(),
    })
}

fn umami() -> Vec<u8> {
    let mut csv = "created_at,session_id,visit_id,hostname,url_path,event_type,job_id\n".to_owned();
    for nth in 0..ROWS {
        let (minute, second, padding) = (nth / 60, nth % 60, padding());
        let _ = writeln!(
            csv,
            "2026-09-10 10:{minute:02}:{second:02},u{nth},v{nth},shop.example,/,1,{padding}"
        );
    }
    csv.into_bytes()
}

/// Sums of three days, and an entry that is none of the tables: a day takes its share of the whole file.
fn plausible() -> Vec<u8> {
    let mut visitors = "date,visitors,pageviews,bounces,visits,visit_duration\n".to_owned();
    let mut pages = "date,hostname,page,visits,visitors,pageviews\n".to_owned();
    for day in 11..14 {
        let _ = writeln!(visitors, "2026-09-{day},50,50,0,50,0");
        let _ = writeln!(pages, "2026-09-{day},shop.example,/,50,50,50");
    }
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in [
        (
            "imported_visitors_20260911_20260913.csv",
            visitors.as_bytes(),
        ),
        ("imported_pages_20260911_20260913.csv", pages.as_bytes()),
        ("padding", &vec![0; 18 << 20]),
    ] {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        archive.start_file(name, options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn lines(row: fn(usize) -> Value) -> Vec<u8> {
    let lines = (0..ROWS).map(|nth| format!("{}\n", row(nth)));
    lines.collect::<String>().into_bytes()
}

fn list(row: fn(usize) -> Value) -> Vec<u8> {
    let all: Vec<Value> = (0..ROWS).map(row).collect();
    Value::from(all).to_string().into_bytes()
}

fn parquet(row: fn(usize) -> Value) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    fs::write(file("a.jsonl"), lines(row)).unwrap();
    let engine = duckdb::Connection::open_in_memory().unwrap();
    let copy = format!(
        "COPY (FROM read_json('{}', format = 'newline_delimited')) TO '{}' (FORMAT parquet, COMPRESSION uncompressed)",
        file("a.jsonl").display(),
        file("a.parquet").display()
    );
    engine.execute_batch(&copy).unwrap();
    fs::read(file("a.parquet")).unwrap()
}

fn exports() -> Vec<Export> {
    let rows = |format, bytes| Export {
        format,
        bytes,
        events: ROWS,
    };
    vec![
        rows("ga4", lines(ga4)),
        rows("matomo", list(matomo)),
        rows("posthog", parquet(posthog)),
        rows("umami", umami()),
        Export {
            format: "plausible",
            bytes: plausible(),
            events: 150,
        },
    ]
}

#[actix::test]
async fn an_import_of_every_product_goes_on_after_a_kill_and_adds_nothing_the_second_time() {
    let mut served = Served::start().await;
    let mut all = 0;
    for Export {
        format,
        bytes,
        events,
    } in exports()
    {
        let planned = served.plan(format, &bytes).await;
        assert_eq!(planned["plan"]["events"], events, "{format}: {planned}");
        let id = planned["id"].as_str().unwrap().to_owned();
        served.call("apply", &id).await;
        until("something is stored", async || {
            let import = served.call("get", &id).await;
            import["result"]["events"].as_u64() > Some(0)
        })
        .await;
        served.process.child.kill().unwrap();
        served.process.child.wait().unwrap();
        served.process = serve(served.directory.path()).await;
        let done = served.settled(&id).await;
        assert_eq!(done["status"], "done", "{format}: {done}");
        assert_eq!(done["result"]["events"], events, "{format}: {done}");
        all += events as u64;
        assert_eq!(served.totals().await[0], all, "{format}");
        let again = served.import(format, &bytes).await;
        assert_eq!(again["result"]["events"], 0, "{format}: {again}");
        assert_eq!(again["earlier"], events, "{format}: {again}");
    }
    assert_eq!(served.totals().await[0], all, "nothing twice");
    served.process.stop();
}

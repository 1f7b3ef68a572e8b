//! Files that are broken, or meant to break something.

use std::{fs, io::Write as _};

use serde_json::{Value, json};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{super::fixture, Served, pageviews};

/// An archive with a table that is 300 MiB of the same row.
fn bomb() -> Vec<u8> {
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().large_file(true);
    archive
        .start_file("imported_pages_1_2.csv", options)
        .unwrap();
    archive
        .write_all(b"date,hostname,page,visits,visitors,pageviews\n")
        .unwrap();
    let rows = b"2026-03-01,shop.example,/,1,1,1\n".repeat(1 << 15);
    for _ in 0..300 {
        archive.write_all(&rows).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn parquet(select: &str) -> Vec<u8> {
    parquet_with(select, "zstd")
}

fn parquet_with(select: &str, compression: &str) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let to = directory.path().join("a.parquet");
    let engine = duckdb::Connection::open_in_memory().unwrap();
    let copy = format!(
        "COPY ({select}) TO '{}' (FORMAT parquet, COMPRESSION {compression})",
        to.display()
    );
    engine.execute_batch(&copy).unwrap();
    fs::read(to).unwrap()
}

/// The most memory that the server ever had, MiB.
fn peak(served: &Served) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", served.process.child.id())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        / 1_024
}

#[actix::test]
async fn hostile_files_end_in_a_clear_error_and_nothing_is_stored() {
    let served = Served::start().await;
    let before = peak(&served);
    let good = pageviews(3);
    let long = format!("{{\"event\":\"{}\"}}\n", "x".repeat(10_000_000));
    let wide = format!("{}\n{}", fixture!("ga4.jsonl"), "y".repeat(10_000_000));
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain("{}".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let quoted = format!("created_at,session_id,url_path\n\"{}", "z".repeat(17 << 20));
    let wrong = parquet("SELECT 1 AS a, 'b' AS c");
    // A text of a megabyte that two thousand rows share.
    let shared = parquet(
        "SELECT '$pageview' AS event, 'd' AS distinct_id, '2026-09-10T10:00:00Z' AS timestamp, repeat('x', 1000000) AS properties FROM range(2000)",
    );
    let cut_parquet = &shared[..shared.len() - 100];
    let brotli = parquet_with(
        "SELECT 'e' AS event, 'd' AS distinct_id, 0 AS timestamp FROM range(10)",
        "brotli",
    );
    let long_visit = format!("[{{\"idVisit\":\"{}\"}}]", "x".repeat(10_000_000)).into_bytes();
    let bomb = bomb();
    let cut_archive = &bomb[..bomb.len() / 2];
    let files: [(&str, &[u8], &str); 20] = [
        ("plausible", &bomb, "larger than"),
        ("plausible", b"PK\x03\x04broken", "no zip archive"),
        ("posthog", b"", "it is empty"),
        ("posthog", &utf16, "UTF-16"),
        ("posthog", b"\x1f\x8bpacked", "packed"),
        ("posthog", long.as_bytes(), "longer than 4 MiB"),
        ("ga4", wide.as_bytes(), "longer than 4 MiB"),
        ("umami", quoted.as_bytes(), "longer than 16 MiB"),
        ("ga4", &good, "its first row has no event_name"),
        ("matomo", b"[1, 2]", "no object"),
        ("posthog", &wrong, "no column event, distinct_id, timestamp"),
        ("posthog", &shared, "more than 32 MiB"),
        ("posthog", cut_parquet, "can't be read"),
        ("ga4", cut_parquet, "can't be read"),
        ("posthog", &brotli, "Snappy, gzip, LZ4 or Zstandard"),
        ("matomo", &utf16, "UTF-16"),
        ("matomo", &long_visit, "longer than 4 MiB"),
        ("umami", &utf16, "does not name created_at"),
        ("umami", b"", "does not name created_at"),
        ("plausible", cut_archive, "no zip archive"),
    ];
    for (format, bytes, says) in files {
        let failed = served.plan(format, bytes).await;
        let failure = failed["failure"].as_str().unwrap_or_default();
        assert_eq!(failed["status"], "failed", "{format} {says}: {failed}");
        assert!(failure.contains(says), "{says}: {failure}");
        let apply = json!({ "importId": failed["id"] });
        assert_eq!(served.post("/imports/apply", &apply).await.status, 409);
    }
    assert_eq!(served.totals().await, [0, 0, 0]);
    let grown = peak(&served) - before;
    assert!(grown < 400, "{grown} MiB for files that are refused");
    let uploads = fs::read_dir(served.directory.path().join("uploads")).unwrap();
    assert_eq!(uploads.count(), 0);
    served.process.stop();
}

#[actix::test]
async fn what_was_cut_off_is_said_in_the_plan() {
    let served = Served::start().await;
    let whole = fixture!("matomo.json").trim_end();
    for (format, cut) in [
        ("matomo", &whole.as_bytes()[..whole.len() - 40]),
        ("posthog", &fixture!("posthog.jsonl").as_bytes()[..3_000]),
    ] {
        let plan = served.plan(format, cut).await;
        assert_eq!(plan["status"], "planned", "{plan}");
        let refusals: &Value = &plan["plan"]["refusals"];
        assert!(
            refusals.to_string().contains("ends too early"),
            "{refusals}"
        );
    }
    // An upload that is not the file that was meant.
    let id = served.create("posthog", b"{\"a\":1}").await;
    served.put(&id, 0, b"{\"b\":2}").await;
    served.call("plan", &id).await;
    let failed = served.settled(&id).await;
    assert!(
        failed["failure"].as_str().unwrap().contains("digest"),
        "{failed}"
    );
    served.process.stop();
}

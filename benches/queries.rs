//! Every query type of the specification over the last 90 days of a large website, through HTTP, beside SQL that
//! is written by hand for the same question, run by the same engine alone over one sorted file of the same rows.
//! `benches/README.md` says how to run and read it.
#![expect(clippy::print_stdout, reason = "figures go to standard output")]

#[path = "support/args.rs"]
mod args;
#[path = "support/built.rs"]
mod built;
#[path = "support/byhand.rs"]
mod byhand;
#[path = "support/child.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod child;
#[path = "support/machine.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod machine;
#[path = "support/program.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod program;
#[path = "support/started.rs"]
mod started;
#[path = "support/wire.rs"]
mod wire;

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{bail, ensure};
use pharos::{clock::Clock, platform::Platform};
use serde_json::{Value, json};

use self::{
    args::Args,
    built::{Built, Wish},
    byhand::{Alone, Answer},
    wire::Connection,
};

/// The website types that the specification names.
const TYPES: [&str; 24] = [
    "summary_metrics",
    "top_pages",
    "traffic_sources",
    "top_referrers",
    "browser_name",
    "os_name",
    "device_types",
    "country",
    "city",
    "recent_errors",
    "error_summary",
    "vitals_overview",
    "page_performance",
    "session_metrics",
    "session_list",
    "custom_events",
    "profile_list",
    "outbound_links",
    "outbound_domains",
    "scroll_depth_summary",
    "interaction_summary",
    "frustration_by_page",
    "form_abandonment_by_page",
    "engagement_quality_by_page",
];

/// What a dashboard asks in one body.
const DASHBOARD: [&str; 20] = [
    "summary_metrics",
    "session_metrics",
    "top_pages",
    "entry_pages",
    "exit_pages",
    "traffic_sources",
    "top_referrers",
    "utm_sources",
    "utm_campaigns",
    "browser_name",
    "os_name",
    "device_types",
    "screen_resolution",
    "country",
    "region",
    "city",
    "language",
    "custom_events",
    "outbound_links",
    "vitals_overview",
];

fn main() -> anyhow::Result<()> {
    let args = Args::read(&["events", "websites", "days", "repeat", "store"])?;
    let wish = Wish {
        events: args.number("events", 1_000_000)?,
        websites: args.number("websites", 200)?,
        days: args.number("days", 90)?,
    };
    let repeat = args.number("repeat", 5)?;
    program::log()?;
    // Deleted at the end, unless a place was named.
    let temporary = tempfile::tempdir_in(program::directory()?)?;
    let directory = args
        .text("store")
        .map_or(temporary.path().to_owned(), PathBuf::from);
    std::fs::create_dir_all(&directory)?;
    let directory = directory.canonicalize()?;
    actix::System::new().block_on(measure(&directory, &wish, repeat))
}

async fn measure(directory: &Path, wish: &Wish, repeat: usize) -> anyhow::Result<()> {
    println!("machine: {}", machine::describe());
    if !built::is_there(directory, wish) {
        built::build(directory, wish).await?;
    }
    let built = Built::read(directory)?;
    // Before anything is opened here: the directory belongs to one process at a time.
    started::measure(&built.data).await?;
    let platform = program::start(&built.data, Clock::fixed(built::END)).await?;
    println!(
        "this process with the store open: {:.0} MB resident",
        machine::resident_mb("self")?
    );
    facts(&platform, &built)?;
    let asking = Asking {
        connection: Connection::open(platform.addresses().api).await?,
        built: &built,
    };
    let alone = Alone::open(&built, platform.settings())?;
    compare(asking, &alone, repeat).await?;
    println!(
        "\nafter all of it: {:.0} MB resident (both engines)",
        machine::resident_mb("self")?
    );
    platform.stop().await;
    Ok(())
}

fn facts(platform: &Platform, built: &Built) -> anyhow::Result<()> {
    let snapshot = platform.stores().events.snapshot();
    let segments = snapshot.segments.iter().map(|segment| &segment.row);
    let (rows, bytes) = segments.fold((0, 0), |(rows, bytes), row| {
        (rows + row.rows, bytes + row.bytes)
    });
    let sorted = std::fs::metadata(&built.sorted)?.len();
    println!(
        "store: {rows} rows in {} segments, {:.1} bytes a row; the one sorted file: {:.1} bytes a row",
        snapshot.segments.len(),
        bytes as f64 / rows.max(1) as f64,
        sorted as f64 / rows.max(1) as f64
    );
    ensure!(
        rows == built.wish.events,
        "the store does not hold all events"
    );
    Ok(())
}

/// Who asks through HTTP.
struct Asking<'a> {
    connection: Connection,
    built: &'a Built,
}

/// A type's answer and how long it took.
struct Question {
    took: f64,
    rows: Vec<Value>,
}

impl Question {
    /// Refuses to compare times of answers that differ: rows, and sums of columns of the same name.
    fn agrees(&self, kind: &str, hand: &Answer) -> anyhow::Result<()> {
        ensure!(
            hand.rows == self.rows.len(),
            "{kind}: {} rows through HTTP, {} by hand",
            self.rows.len(),
            hand.rows
        );
        for (name, by_hand) in &hand.sums {
            let column = self.rows.iter().map(|row| row[name].as_i64());
            if let Some(through) = column.sum::<Option<i64>>() {
                ensure!(
                    through == *by_hand,
                    "{kind}: all {name} are {through} through HTTP, {by_hand} by hand"
                );
            }
        }
        Ok(())
    }
}

impl Asking<'_> {
    async fn ask(&mut self, kind: &str) -> anyhow::Result<Question> {
        let (took, mut answers) = self.all(&[kind]).await?;
        let Some(Value::Array(rows)) = answers.pop() else {
            bail!("{kind} has no rows");
        };
        Ok(Question { took, rows })
    }

    /// The rows of several types asked in one body, and how long it took, ms.
    async fn all(&mut self, kinds: &[&str]) -> anyhow::Result<(f64, Vec<Value>)> {
        let body = json!({ "parameters": kinds, "preset": "last_90d" }).to_string();
        let path = format!("/v1/query?website_id={}", self.built.website);
        let headers = format!("x-api-key: {}\r\n", self.built.key);
        let request = wire::post(&path, &headers, &body);
        let start = Instant::now();
        let status = self.connection.exchange(&request).await?;
        let took = start.elapsed().as_secs_f64() * 1e3;
        let mut answer: Value = serde_json::from_slice(self.connection.body())?;
        let mut rows = Vec::with_capacity(kinds.len());
        for (at, kind) in kinds.iter().enumerate() {
            let outcome = &mut answer["data"][at];
            ensure!(
                status == 200 && outcome["success"] == true,
                "{kind} was answered {status}: {outcome}"
            );
            rows.push(outcome["data"].take());
        }
        Ok((took, rows))
    }
}

/// Turn by turn: a busy moment of the machine hits both; the first turn warms up and does not count.
async fn compare(mut asking: Asking<'_>, alone: &Alone, repeat: usize) -> anyhow::Result<()> {
    println!(
        "\n{:28} {:>6} {:>10} {:>12} {:>7}",
        "type, last 90 days", "rows", "HTTP ms", "by hand ms", "ratio"
    );
    for kind in TYPES {
        let (mut through, mut by_hand) = (Vec::new(), Vec::new());
        let mut rows = 0;
        for turn in 0..=repeat {
            let asked = asking.ask(kind).await?;
            rows = asked.rows.len();
            let hand = alone.ask(kind)?;
            if let Some(hand) = &hand {
                asked.agrees(kind, hand)?;
            }
            if turn > 0 || repeat == 0 {
                through.push(asked.took);
                by_hand.extend(hand.map(|hand| hand.took));
            }
        }
        let through = machine::median(through);
        if by_hand.is_empty() {
            println!("{kind:28} {rows:>6} {through:>10.1} {:>12} {:>7}", "", "");
        } else {
            let by_hand = machine::median(by_hand);
            let ratio = through / by_hand;
            println!("{kind:28} {rows:>6} {through:>10.1} {by_hand:>12.1} {ratio:>7.2}");
        }
    }
    let mut batches = Vec::new();
    for turn in 0..=repeat {
        let (took, _) = asking.all(&DASHBOARD).await?;
        if turn > 0 || repeat == 0 {
            batches.push(took);
        }
    }
    let batch = machine::median(batches);
    println!(
        "\n{} types of a dashboard in one body: {batch:.1} ms",
        DASHBOARD.len()
    );
    Ok(())
}

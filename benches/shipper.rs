//! How fast events get into ClickHouse: a backlog, what comes in meanwhile, and a steady stream, beside inserts of the same rows by hand.
//! `benches/README.md` says how to run and read it.
#![expect(clippy::print_stdout, reason = "figures go to standard output")]

#[path = "support/args.rs"]
mod args;
#[path = "support/bodies.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod bodies;
#[path = "support/child.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod child;
#[path = "../tests/support/clickhouse.rs"]
#[expect(clippy::unwrap_used, reason = "shared with the tests")]
mod clickhouse;
#[path = "support/load.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod load;
#[path = "support/machine.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod machine;
#[path = "support/program.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod program;
#[path = "support/shipped.rs"]
mod shipped;
#[path = "support/wire.rs"]
mod wire;

use std::{
    sync::{Arc, atomic::AtomicU64},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, anyhow, ensure};

use self::{
    args::Args,
    child::Server,
    clickhouse::Server as ClickHouse,
    load::{Outcome, Plan},
    shipped::Shipped,
};

/// Events of a request.
const EACH: u64 = 100;
const CONNECTIONS: usize = 16;
/// How many times the input a backlog has to drain.
const TIMES: f64 = 5.0;

fn main() -> anyhow::Result<()> {
    let args = Args::read(&["events", "rate", "seconds", "steady"])?;
    let wanted = Workload {
        events: args.number("events", 1_000_000)?,
        rate: args.number("rate", 10_000.0)?,
        outage: Duration::from_secs_f64(args.number("seconds", 60.0)?),
        steady: args.number("steady", 50_000.0)?,
    };
    actix::System::new().block_on(measure(&wanted))
}

struct Workload {
    /// Events of the backlog that is only drained.
    events: u64,
    /// Events a second that come in during an outage and behind it.
    rate: f64,
    outage: Duration,
    /// Events a second of the stream at the end.
    steady: f64,
}

/// The program with its ClickHouse, and what it is sent.
struct Bench {
    server: Server,
    engine: ClickHouse,
    requests: Vec<Vec<u8>>,
    numbers: Arc<AtomicU64>,
}

impl Bench {
    /// Sends events for so long, at so many a second or as fast as they are taken.
    fn send(&self, pace: Option<f64>, duration: Duration) -> JoinHandle<anyhow::Result<Outcome>> {
        let plan = Plan {
            address: self.server.track,
            requests: self.requests.clone(),
            events: EACH,
            connections: CONNECTIONS,
            duration,
            pace: pace.map(|events| events / EACH as f64),
            numbers: Arc::clone(&self.numbers),
        };
        thread::spawn(move || load::run(&plan))
    }
}

async fn joined(sending: JoinHandle<anyhow::Result<Outcome>>) -> anyhow::Result<Outcome> {
    let done = tokio::task::spawn_blocking(move || sending.join()).await?;
    done.map_err(|_| anyhow!("the load panicked"))?
}

async fn measure(wanted: &Workload) -> anyhow::Result<()> {
    let directory = tempfile::tempdir_in(program::directory()?)?;
    println!("machine: {}", machine::describe());
    let engine = ClickHouse::start().context("it needs ClickHouse's engine")?;
    let url = engine.url();
    let workers = program::WORKERS.to_string();
    let mut settings = program::unlimited(&workers).to_vec();
    settings.extend([
        ("PHAROS__EVENTS__STORE", "clickhouse"),
        ("PHAROS__EVENTS__CLICKHOUSE_URL", url.as_str()),
    ]);
    let made = child::set_up(directory.path(), &settings)?;
    let text = |name: &str| made[name].as_str().with_context(|| format!("no {name}"));
    let case = bodies::cases(text("websiteId")?, text("apiKey")?)
        .pop()
        .context("arrays of events")?;
    let mut server = Server::start(directory.path(), &settings)?;
    server.healthy().await?;
    let mut bench = Bench {
        server,
        engine,
        requests: case.requests,
        numbers: Arc::default(),
    };
    let mut shipped = Shipped::of(bench.server.api).await?;
    let drained = backlog(&mut bench, &mut shipped, wanted).await?;
    by_hand(&bench.engine, drained).await?;
    outage(&mut bench, &mut shipped, wanted).await?;
    steady(&bench, &mut shipped, wanted).await?;
    bench.server.stop()
}

/// Events that are there before ClickHouse is; gives how many of them get in a second.
async fn backlog(
    bench: &mut Bench,
    shipped: &mut Shipped,
    wanted: &Workload,
) -> anyhow::Result<f64> {
    bench.engine.stop();
    let (mut taken, mut took) = (0, Duration::ZERO);
    while taken < wanted.events {
        let done = joined(bench.send(None, Duration::from_secs(2))).await?;
        taken += done.events;
        took += done.took;
    }
    println!(
        "taken while ClickHouse is away: {taken} events, {:.0} a second",
        taken as f64 / took.as_secs_f64()
    );
    let before = (shipped.events, bench.server.processor()?);
    bench.engine.again();
    shipped.until(|now| now.events > before.0).await?;
    let (begun, first) = (Instant::now(), shipped.events);
    shipped.until(|now| now.events >= before.0 + taken).await?;
    let rate = (shipped.events - first) as f64 / begun.elapsed().as_secs_f64();
    let processor = bench.server.processor()?.saturating_sub(before.1);
    let processor = processor.as_secs_f64() * 1e6 / taken as f64;
    println!(
        "a backlog of {taken} events: {rate:.0} a second, {processor:.1} us of the program's processor time an event"
    );
    Ok(rate)
}

/// The same rows in the same batches, into a table of the same kind.
async fn by_hand(engine: &ClickHouse, drained: f64) -> anyhow::Result<()> {
    const BATCH: u64 = 32_768;
    let base = engine.url();
    let base = base.trim_end_matches("/default");
    engine.tell("CREATE TABLE by_hand AS pharos_events");
    let all: u64 = engine
        .tell("SELECT count() FROM pharos_events")
        .trim()
        .parse()?;
    let http = reqwest::Client::new();
    let (mut rows, mut took) = (0, Duration::ZERO);
    while rows < all.min(8 * BATCH) {
        let read = format!(
            "SELECT * FROM pharos_events ORDER BY received, dedup_key LIMIT {BATCH} OFFSET {rows}"
        );
        let read = http
            .post(format!("{base}/?default_format=RowBinary"))
            .body(read);
        let body = read.send().await?.error_for_status()?.bytes().await?;
        let mut url = url::Url::parse(base)?;
        let insert = format!(
            "INSERT INTO by_hand SETTINGS async_insert = 0, insert_deduplicate = 1, insert_deduplication_token = 'h{rows}', \
             max_partitions_per_insert_block = 0 FORMAT RowBinary"
        );
        url.query_pairs_mut().append_pair("query", &insert);
        let begun = Instant::now();
        http.post(url).body(body).send().await?.error_for_status()?;
        took += begun.elapsed();
        rows += BATCH;
    }
    let size = "SELECT round(sum(bytes_on_disk) / sum(rows), 1) FROM system.parts WHERE active AND table = 'pharos_events'";
    println!(
        "on ClickHouse's disk: {} bytes a row",
        engine.tell(size).trim()
    );
    let stored: u64 = engine.tell("SELECT count() FROM by_hand").trim().parse()?;
    ensure!(stored > 0, "nothing was inserted by hand");
    let rate = stored as f64 / took.as_secs_f64();
    println!(
        "by hand: {rate:.0} a second of {stored} events, encoded before; the program reaches {:.0} % of that",
        100.0 * drained / rate
    );
    engine.tell("DROP TABLE by_hand SYNC");
    Ok(())
}

/// ClickHouse goes away and comes back while events come in all the time.
async fn outage(bench: &mut Bench, shipped: &mut Shipped, wanted: &Workload) -> anyhow::Result<()> {
    bench.engine.stop();
    joined(bench.send(Some(wanted.rate), wanted.outage)).await?;
    let before = shipped.events;
    bench.engine.again();
    let sending = bench.send(Some(wanted.rate), wanted.outage);
    shipped.until(|now| now.events > before).await?;
    let (begun, first) = (Instant::now(), shipped.events);
    // Less than what comes in within a second is no backlog.
    shipped.until(|now| now.seconds < 1.0).await?;
    let rate = (shipped.events - first) as f64 / begun.elapsed().as_secs_f64();
    let spent = begun.elapsed().as_secs_f64();
    joined(sending).await?;
    println!(
        "an outage of {} s at {:.0} events a second, which go on: gone in {spent:.1} s at {rate:.0} a second, {:.1} times the input \
         (wanted: {TIMES})",
        wanted.outage.as_secs(),
        wanted.rate,
        rate / wanted.rate
    );
    Ok(())
}

/// A stream of events; how far ClickHouse falls behind.
async fn steady(bench: &Bench, shipped: &mut Shipped, wanted: &Workload) -> anyhow::Result<()> {
    shipped.until(|now| now.bytes == 0.0).await?;
    let (before, length) = (shipped.events, Duration::from_secs(20));
    let sending = bench.send(Some(wanted.steady), length);
    let begun = Instant::now();
    let mut behind: f64 = 0.0;
    while begun.elapsed() < length {
        shipped.look().await?;
        behind = behind.max(shipped.seconds);
    }
    let at_the_end = shipped.events - before;
    let sent = joined(sending).await?;
    println!(
        "a stream of {:.0} events a second for {} s: {:.0} taken a second (p99 {:.0} ms), {:.0} shipped a second, behind by {behind:.1} s at most",
        wanted.steady,
        length.as_secs(),
        sent.events as f64 / sent.took.as_secs_f64(),
        sent.latency(0.99),
        at_the_end as f64 / length.as_secs_f64()
    );
    Ok(())
}

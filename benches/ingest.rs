//! Durable ingestion over HTTP beside a bare actix-web handler that only parses the same JSON, in one process and in
//! alternating rounds; then resident memory seal by seal. `benches/README.md` says how to run and read it.
#![expect(clippy::print_stdout, reason = "figures go to standard output")]

#[path = "support/args.rs"]
mod args;
#[path = "support/bare.rs"]
mod bare;
#[path = "support/bodies.rs"]
mod bodies;
#[path = "support/load.rs"]
mod load;
#[path = "support/machine.rs"]
mod machine;
#[path = "support/program.rs"]
mod program;
#[path = "support/seals.rs"]
mod seals;
#[path = "support/wire.rs"]
mod wire;

use std::{
    net::SocketAddr,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use pharos::{
    clock::Clock,
    platform::{Platform, Wanted},
};

use self::{
    args::Args,
    bodies::Case,
    load::{Outcome, Plan},
    seals::Seals,
};

/// What can be set on the command line.
struct Options {
    connections: usize,
    rounds: usize,
    seconds: f64,
    seals: u64,
}

fn main() -> anyhow::Result<()> {
    let args = Args::read(&["connections", "rounds", "seconds", "seals"])?;
    let options = Options {
        connections: args.number("connections", 64)?,
        rounds: args.number("rounds", 3)?,
        seconds: args.number("seconds", 10.0)?,
        seals: args.number("seals", 10)?,
    };
    program::log()?;
    actix::System::new().block_on(measure(&options))
}

async fn measure(options: &Options) -> anyhow::Result<()> {
    let directory = tempfile::tempdir_in(program::directory()?)?;
    println!("machine: {}", machine::describe());
    let (median, worst) = machine::disk(directory.path())?;
    println!(
        "disk: append of 1 KB and fdatasync takes {median:.2} ms (median), {worst:.2} ms (p99) in {}",
        directory.path().display()
    );
    let platform = program::start(&directory.path().join("data"), Clock::system()).await?;
    let wanted = Wanted {
        website: bodies::DOMAIN.to_owned(),
        ..Wanted::default()
    };
    let made = platform.install(wanted).await?;
    let bare = bare::start()?;
    let seals = Seals::watch(platform.stores().events.clone());
    let bench = Bench {
        options,
        numbers: Arc::new(AtomicU64::new(1)),
        bare: bare.address,
        track: platform.addresses().track,
        seals: &seals,
    };
    println!(
        "load: {0} connections from one thread of this process, {1} s a round, {2} workers a server; {0} callers that \
         wait for each other's syncs get at most {3:.0} answers/s out of this disk\n",
        options.connections,
        options.seconds,
        program::WORKERS,
        options.connections as f64 * 1e3 / median
    );
    for case in bodies::cases(&made.website_id, &made.api_key) {
        bench.compare(&case).await?;
    }
    bench.fill(&bodies::array(&made.website_id)).await?;
    finish(platform, bare, &seals).await
}

async fn finish(platform: Platform, bare: bare::Bare, seals: &Seals) -> anyhow::Result<()> {
    bare.handle.stop(false).await;
    let health = platform.stores().events.health();
    let count = |counter: &AtomicU64| counter.load(std::sync::atomic::Ordering::Relaxed);
    println!(
        "all in all: {} events stored, {} duplicates, {} syncs, {} seals, {:.0} MB resident at the end",
        count(&health.rows),
        count(&health.duplicates),
        count(&health.syncs),
        seals.count(),
        machine::resident_mb("self")?
    );
    platform.stop().await;
    Ok(())
}

struct Bench<'a> {
    options: &'a Options,
    numbers: Arc<AtomicU64>,
    bare: SocketAddr,
    track: SocketAddr,
    seals: &'a Seals,
}

/// One round of one server.
struct Round {
    load: Outcome,
    /// Processor time of the server per event, microseconds, work left over at the end included.
    each: f64,
    seals: u64,
}

impl Bench<'_> {
    /// Bare and durable, turn by turn, after one short round of each that does not count.
    async fn compare(&self, case: &Case) -> anyhow::Result<()> {
        println!("{}", case.name);
        println!(
            "  {:8} {:>10} {:>10} {:>9} {:>9} {:>12} {:>6}",
            "", "requests/s", "events/s", "p50 ms", "p99 ms", "CPU us/event", "seals"
        );
        for address in [self.bare, self.track] {
            self.round(case, address, self.options.seconds / 5.0)
                .await?;
        }
        let (mut bare, mut durable) = (Vec::new(), Vec::new());
        for _ in 0..self.options.rounds {
            let round = self.round(case, self.bare, self.options.seconds).await?;
            show("bare", &round);
            bare.push((round.load.rate(), round.each));
            let round = self.round(case, self.track, self.options.seconds).await?;
            show("pharos", &round);
            durable.push((round.load.rate(), round.each));
        }
        let middle = |figures: &[(f64, f64)], read: fn(&(f64, f64)) -> f64| {
            machine::median(figures.iter().map(read).collect())
        };
        let (of, against) = (
            middle(&durable, |round| round.0),
            middle(&bare, |round| round.0),
        );
        println!(
            "  median: {of:.0} durable requests/s ({:.0} events/s) = {:.0} % of {against:.0} bare; \
             {:.2} us of CPU an event beside {:.2}; {:.0} MB resident\n",
            of * case.events as f64,
            100.0 * of / against,
            middle(&durable, |round| round.1),
            middle(&bare, |round| round.1),
            machine::resident_mb("self")?
        );
        Ok(())
    }

    async fn round(&self, case: &Case, to: SocketAddr, seconds: f64) -> anyhow::Result<Round> {
        let plan = Plan {
            address: to,
            requests: case.requests.clone(),
            events: case.events,
            connections: self.options.connections,
            duration: Duration::from_secs_f64(seconds),
            numbers: Arc::clone(&self.numbers),
        };
        let (before, seals) = (machine::process_time(), self.seals.count());
        let load = tokio::task::spawn_blocking(move || load::run(&plan)).await??;
        machine::quiet().await;
        let served = machine::process_time()
            .saturating_sub(before)
            .saturating_sub(load.generator);
        Ok(Round {
            each: served.as_secs_f64() * 1e6 / load.events.max(1) as f64,
            seals: self.seals.count() - seals,
            load,
        })
    }

    /// Sends arrays until there were enough seals, and shows what memory did at each.
    async fn fill(&self, case: &Case) -> anyhow::Result<()> {
        let from = self.seals.count();
        let wanted = from + self.options.seals;
        while self.seals.count() < wanted {
            self.round(case, self.track, self.options.seconds).await?;
        }
        println!("memory after each seal under load, all rounds since the start");
        for seal in self.seals.seen() {
            println!(
                "  seal {:3}: {:>10} events stored, {:>3} segments, {:>6.1} MB resident",
                seal.number, seal.events, seal.segments, seal.resident_mb
            );
        }
        println!();
        Ok(())
    }
}

fn show(name: &str, round: &Round) {
    let Round { load, each, seals } = round;
    println!(
        "  {name:8} {:>10.0} {:>10.0} {:>9.2} {:>9.2} {each:>12.2} {seals:>6}",
        load.rate(),
        load.events as f64 / load.took.as_secs_f64(),
        load.latency(0.5),
        load.latency(0.99),
    );
}

//! Rounds of load against two servers, turn by turn.

use std::{
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use crate::{
    adapters::{self, Pair},
    bodies::{self, Case},
    child::Server,
    load::{self, Outcome, Plan},
    machine,
    seals::Seals,
};

/// What can be set on the command line.
pub(crate) struct Options {
    /// Keep-alive connections.
    pub(crate) connections: usize,
    /// Rounds of each server; the median counts.
    pub(crate) rounds: usize,
    /// Length of a round.
    pub(crate) seconds: f64,
    /// Seals of the memory drill.
    pub(crate) seals: u64,
    /// Part of the names of the cases to run.
    pub(crate) only: String,
    /// Stored events after which everything is measured once more; 0 = not.
    pub(crate) grow: u64,
}

/// Both servers and what was seen of them.
pub(crate) struct Bench {
    options: Options,
    numbers: Arc<AtomicU64>,
    bare: Server,
    pharos: Arc<Server>,
    seals: Seals,
}

/// One round of one server.
struct Round {
    load: Outcome,
    /// Processor time of the server per event, microseconds, work left over at the end included.
    each: f64,
    seals: u64,
}

impl Bench {
    pub(crate) fn new(options: Options, bare: Server, pharos: Arc<Server>, seals: Seals) -> Self {
        Self {
            options,
            numbers: Arc::new(AtomicU64::new(1)),
            bare,
            pharos,
            seals,
        }
    }

    /// Every case, the memory drill, and everything again in a grown store.
    pub(crate) async fn all(&self, website: &str, key: &str) -> anyhow::Result<()> {
        let cases = bodies::cases(website, key);
        self.cases(&cases).await?;
        self.adapters(&adapters::pairs(website)).await?;
        self.fill(&bodies::array(website)).await?;
        if self.options.grow > 0 {
            self.grow(&bodies::array(website)).await?;
            self.cases(&cases).await?;
        }
        println!(
            "all in all: {} events stored, {} seals, {:.0} MB resident at the end",
            self.seals.stored(),
            self.seals.count(),
            self.pharos.resident_mb()?
        );
        Ok(())
    }

    async fn cases(&self, cases: &[Case]) -> anyhow::Result<()> {
        for case in cases {
            if case.name.contains(&self.options.only) {
                self.compare(case).await?;
            }
        }
        Ok(())
    }

    /// Bare and durable, turn by turn, after one short round of each that does not count.
    async fn compare(&self, case: &Case) -> anyhow::Result<()> {
        println!("{}", case.name);
        show_head();
        let seconds = self.options.seconds;
        for server in [&self.bare, &self.pharos] {
            self.round(case, server, seconds / 5.0, None).await?;
        }
        let (mut bare, mut durable) = (Vec::new(), Vec::new());
        for _ in 0..self.options.rounds {
            let round = self.round(case, &self.bare, seconds, None).await?;
            show("bare", &round);
            bare.push((round.load.rate(), round.each));
            let round = self.round(case, &self.pharos, seconds, None).await?;
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
        let half = self
            .round(case, &self.pharos, seconds, Some(of / 2.0))
            .await?;
        show("half", &half);
        println!(
            "  median: {of:.0} durable requests/s ({:.0} events/s) = {:.0} % of {against:.0} bare; \
             {:.2} us of CPU an event beside {:.2}; {:.0} MB resident, {} events stored\n",
            of * case.events as f64,
            100.0 * of / against,
            middle(&durable, |round| round.1),
            middle(&bare, |round| round.1),
            self.pharos.resident_mb()?,
            self.seals.stored(),
        );
        Ok(())
    }

    async fn adapters(&self, pairs: &[Pair]) -> anyhow::Result<()> {
        for pair in pairs {
            if pair.theirs.name.contains(&self.options.only) {
                self.compare_pair(pair).await?;
            }
        }
        Ok(())
    }

    /// An adapter and `/track`, turn by turn, after one short round of each that does not count.
    async fn compare_pair(&self, pair: &Pair) -> anyhow::Result<()> {
        let Pair { own, theirs } = pair;
        println!("{}, beside {}", theirs.name, own.name);
        show_head();
        let seconds = self.options.seconds;
        for case in [own, theirs] {
            self.round(case, &self.pharos, seconds / 5.0, None).await?;
        }
        let (mut rates, mut costs) = (Vec::new(), Vec::new());
        for _ in 0..self.options.rounds {
            let of_own = self.round(own, &self.pharos, seconds, None).await?;
            show("/track", &of_own);
            let of_theirs = self.round(theirs, &self.pharos, seconds, None).await?;
            show("adapter", &of_theirs);
            rates.push(of_theirs.load.rate() / of_own.load.rate());
            costs.push(of_theirs.each / of_own.each);
        }
        println!(
            "  median: {:.0} % of the rate of /track, {:.0} % of its CPU an event\n",
            100.0 * machine::median(rates),
            100.0 * machine::median(costs),
        );
        Ok(())
    }

    async fn round(
        &self,
        case: &Case,
        server: &Server,
        seconds: f64,
        pace: Option<f64>,
    ) -> anyhow::Result<Round> {
        let plan = Plan {
            address: server.track,
            requests: case.requests.clone(),
            events: case.events,
            connections: self.options.connections,
            duration: Duration::from_secs_f64(seconds),
            pace,
            numbers: Arc::clone(&self.numbers),
        };
        let (before, seals) = (server.processor()?, self.seals.count());
        let load = tokio::task::spawn_blocking(move || load::run(&plan)).await??;
        server.quiet().await?;
        let served = server.processor()?.saturating_sub(before);
        Ok(Round {
            each: served.as_secs_f64() * 1e6 / load.events.max(1) as f64,
            seals: self.seals.count() - seals,
            load,
        })
    }

    /// Sends arrays until there were enough seals, and shows what memory did at each.
    async fn fill(&self, case: &Case) -> anyhow::Result<()> {
        let wanted = self.seals.count() + self.options.seals;
        while self.seals.count() < wanted {
            self.round(case, &self.pharos, self.options.seconds, None)
                .await?;
        }
        println!("memory after each seal under load, all rounds since the start");
        for seal in self.seals.seen() {
            println!(
                "  seal {:3}: {:>10} events stored, {:>8} unsealed, {:>3} segments, {:>6.1} MB resident",
                seal.number, seal.events, seal.unsealed, seal.segments, seal.resident_mb
            );
        }
        println!();
        Ok(())
    }

    /// Sends arrays until the store has grown.
    async fn grow(&self, case: &Case) -> anyhow::Result<()> {
        while self.seals.stored() < self.options.grow {
            let round = self
                .round(case, &self.pharos, self.options.seconds, None)
                .await?;
            show("growing", &round);
        }
        println!();
        Ok(())
    }
}

fn show_head() {
    println!(
        "  {:8} {:>10} {:>10} {:>9} {:>9} {:>12} {:>6}",
        "", "requests/s", "events/s", "p50 ms", "p99 ms", "CPU us/event", "seals"
    );
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

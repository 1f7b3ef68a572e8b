//! Rounds of `wrk`, ours and theirs in turn.

use std::{net::SocketAddr, path::Path, process::Command};

use anyhow::{Context, ensure};

use crate::machine;

/// A browser.
const AGENT: &str = "User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36";

/// How hard `wrk` tries.
pub(crate) struct Load {
    pub(crate) connections: usize,
    pub(crate) rounds: usize,
    pub(crate) seconds: u32,
}

/// What `wrk` says of a round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measurement {
    pub(crate) rate: f64,
    pub(crate) p99_ms: f64,
}

impl Load {
    /// One round against a path, with a script of `wrk` if there is one.
    pub(crate) fn run(
        &self,
        address: SocketAddr,
        path: &str,
        script: Option<&Path>,
    ) -> anyhow::Result<Measurement> {
        let mut command = Command::new("wrk");
        command.args(["-t1", "--latency", "-c"]);
        command.arg(self.connections.to_string());
        command.arg(format!("-d{}s", self.seconds));
        if let Some(script) = script {
            command.arg("-s").arg(script);
        }
        command.args(["-H", AGENT]);
        let output = command.arg(format!("http://{address}{path}")).output();
        let output = output.context("`wrk` is needed: apt-get install wrk")?;
        read(&String::from_utf8_lossy(&output.stdout))
    }

    /// Rounds of both in turn, `than` being what theirs is called; the first warms up. Prints every round, then the medians, with that of
    /// the rounds' ratios: a machine that slows down for some rounds slows both.
    pub(crate) async fn compare(
        &self,
        (name, than): (&str, &str),
        ours: impl AsyncFn() -> anyhow::Result<Measurement>,
        theirs: impl AsyncFn() -> anyhow::Result<Measurement>,
    ) -> anyhow::Result<()> {
        let (mut through, mut constant) = (Vec::new(), Vec::new());
        for round in 0..=self.rounds {
            let (ours, theirs) = (ours().await?, theirs().await?);
            println!("  {name}: {ours:?} {than} {theirs:?}");
            if round > 0 || self.rounds == 0 {
                through.push(ours);
                constant.push(theirs);
            }
        }
        let rate = |all: &[Measurement]| machine::median(all.iter().map(|one| one.rate).collect());
        let p99 = |all: &[Measurement]| machine::median(all.iter().map(|one| one.p99_ms).collect());
        let pairs = through.iter().zip(&constant);
        let ratios = pairs
            .map(|(ours, theirs)| ours.rate / theirs.rate)
            .collect();
        println!(
            "{name}: {:.0} requests/s of {:.0} {than} ({:.0} %), p99 {:.2} ms beside {:.2} ms",
            rate(&through),
            rate(&constant),
            100.0 * machine::median(ratios),
            p99(&through),
            p99(&constant)
        );
        Ok(())
    }
}

fn read(text: &str) -> anyhow::Result<Measurement> {
    // A refusal is quick, and is nothing that was measured.
    let is_wrong = text.contains("Non-2xx or 3xx responses") || text.contains("Socket errors");
    ensure!(!is_wrong, "not every request was answered: {text}");
    let after = |name: &str| {
        let mut lines = text.lines();
        let line = lines.find(|line| line.trim_start().starts_with(name));
        line.and_then(|line| line.split_whitespace().last())
            .with_context(|| format!("`wrk` says nothing of {name}: {text}"))
    };
    let p99 = after("99%")?;
    let milliseconds = |text: &str, unit: &str, factor: f64| {
        let number: Option<f64> = text.strip_suffix(unit)?.parse().ok();
        number.map(|number| number * factor)
    };
    let p99_ms = milliseconds(p99, "us", 1e-3)
        .or_else(|| milliseconds(p99, "ms", 1.0))
        .or_else(|| milliseconds(p99, "s", 1e3));
    Ok(Measurement {
        rate: after("Requests/sec:")?.parse()?,
        p99_ms: p99_ms.with_context(|| format!("`{p99}` is no time"))?,
    })
}

//! `pharos load`: arguments, the runtime, and a table of what was measured.

use std::{fmt::Write as _, time::Duration};

use clap::Args;

use super::{failure::CommandResult, output::print};
use crate::{
    load::{self, Address, Amount, Measurement, Outcome, Shape, Target, Words},
    platform::CommandError,
};

/// Failures of requests that are listed, the most frequent first.
const FAILURES: usize = 3;

#[derive(Debug, Args)]
pub(super) struct LoadArguments {
    /// Where the server listens, such as <http://127.0.0.1:8081>
    #[arg(value_name = "URL")]
    target: Address,
    /// What is sent
    #[arg(long, value_enum, default_value = "track")]
    shape: Shape,
    /// The website: its public client id, or what the other program calls it
    #[arg(long, value_name = "ID", default_value = "")]
    website: String,
    /// An API key, sent as `x-api-key`
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// The website's domain, for the addresses of pages
    #[arg(long, value_name = "DOMAIN", default_value = "localhost")]
    domain: String,
    /// Slugs of short links, for `redirect`
    #[arg(
        long,
        value_name = "SLUG",
        value_delimiter = ',',
        required_if_eq("shape", "redirect")
    )]
    slugs: Vec<String>,
    /// Events in each request of `track` and `batch`
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    events: u16,
    /// Visitors who take turns
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    visitors: u64,
    /// Connections, each with one request at a time
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    connections: u16,
    /// Requests a second of all connections together [default: as many as are answered]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    rate: u32,
    /// Length of a round
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// Rounds for each target
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    rounds: u32,
    /// The same seed sends the same requests
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Another server, loaded in turns with the first
    #[arg(long, value_name = "URL")]
    against: Option<Address>,
    /// What is sent to it [default: the same]
    #[arg(long, value_enum, requires = "against")]
    against_shape: Option<Shape>,
    /// Its website [default: the same]
    #[arg(long, value_name = "ID", requires = "against")]
    against_website: Option<String>,
    /// Its API key [default: none]
    #[arg(long, value_name = "KEY", requires = "against")]
    against_key: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl LoadArguments {
    fn target(&self) -> Target {
        Target {
            address: self.target.clone(),
            shape: self.shape,
            words: Words {
                website: self.website.clone(),
                domain: self.domain.clone(),
                key: self.key.clone(),
                slugs: self.slugs.clone(),
                events: self.events.into(),
                visitors: self.visitors,
            },
        }
    }

    fn other(&self) -> Option<Target> {
        let address = self.against.clone()?;
        let mut other = self.target();
        other.address = address;
        other.shape = self.against_shape.unwrap_or(self.shape);
        other.words.key.clone_from(&self.against_key);
        if let Some(website) = &self.against_website {
            other.words.website.clone_from(website);
        }
        Some(other)
    }

    fn amount(&self) -> Amount {
        Amount {
            connections: self.connections.into(),
            rate: self.rate,
            time: Duration::from_secs(self.seconds.into()),
            rounds: self.rounds,
            seed: self.seed,
        }
    }
}

pub(super) fn load(arguments: &LoadArguments) -> CommandResult {
    let (target, other) = (arguments.target(), arguments.other());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)?;
    let report = |which: usize, measured: &Measurement| {
        if !arguments.json {
            let name = ["target ", "against"][which];
            // A closed pipe is no failure.
            let _ = print(&format!("{name}  {}", line(measured)));
        }
    };
    let run = load::run(&target, other.as_ref(), arguments.amount(), report);
    let outcome = runtime.block_on(run).map_err(|error| CommandError {
        what: format!("the server cannot be reached: {error}"),
        hint: "start it, and name where it listens, such as http://127.0.0.1:8081".to_owned(),
    });
    let outcome = outcome.map_err(anyhow::Error::from)?;
    let text = if arguments.json {
        serde_json::to_string(&outcome).map_err(anyhow::Error::from)?
    } else {
        summary(&outcome)
    };
    Ok(print(&text)?)
}

fn line(measured: &Measurement) -> String {
    let Measurement {
        good_per_second,
        events_per_second,
        p50,
        p90,
        p99,
        max,
        statuses,
        failures,
    } = measured;
    let mut line = format!("{good_per_second:>9.0} requests/s");
    // Writing to a string cannot fail.
    if *events_per_second > 0.0 {
        let _ = write!(line, "  {events_per_second:>9.0} events/s");
    }
    let _ = write!(
        line,
        "  p50 {p50:.1}  p90 {p90:.1}  p99 {p99:.1}  max {max:.1} ms "
    );
    for (status, count) in statuses {
        let _ = write!(line, " {status}: {count}");
    }
    let mut failed: Vec<_> = failures.iter().collect();
    failed.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (what, count) in failed.into_iter().take(FAILURES) {
        let _ = write!(line, "  {count} without an answer ({what})");
    }
    line
}

fn summary(outcome: &Outcome) -> String {
    let Some(ratio) = outcome.ratio else {
        return format!("{} rounds", outcome.rounds.len());
    };
    format!(
        "{} rounds each; the target answered {ratio:.2} times as many requests with success as the other (median of pairs)",
        outcome.rounds.len()
    )
}

//! Fault drills: the real program is killed, cut off from power, denied its disk and overloaded; afterwards everything that
//! it answered with success has to be there, once. `scripts/drills/all` runs them; each prints one line of figures.
//!
//! The names F1 to F30 and T17 are explained in `benches/README.md`. Times are judged by the long mode of a release build only.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "figures go to standard output, and drills need the real machine"
)]

mod client;
mod cuts;
mod damage;
mod day;
mod disk;
mod engine;
mod faults;
mod flood;
mod full;
mod kills;
mod ledger;
mod overload;
mod program;
mod repeats;
mod report;
mod root;
mod samples;
mod slow;
mod soak;
mod stop;
mod stuck;
mod trace;
mod visitors;
mod watch;
mod worst;

use std::{path::PathBuf, time::Duration};

use clap::Parser;

use self::{report::Report, watch::Watch};

/// Drills of the program at `--binary`.
#[derive(Debug, Parser)]
struct Args {
    /// Which: disk, kills, faults, cuts, full, engine, damage, stuck, overload, repeats, worst, flood, slow, stop, day, soak; all of them when none is named.
    names: Vec<String>,
    /// The program. A release build needs the feature `drills`.
    #[arg(long)]
    binary: PathBuf,
    /// The long mode: hundreds of faults, minutes per drill.
    #[arg(long)]
    long: bool,
    /// Breaks what a drill relies on, behind its back: every drill has to notice.
    #[arg(long)]
    sabotage: bool,
    /// Overrides how often: kills, cuts, or hits per system call.
    #[arg(long)]
    times: Option<u32>,
    /// Where data goes: a real disk.
    #[arg(long)]
    directory: Option<PathBuf>,
}

/// What every drill needs to know.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    binary: PathBuf,
    directory: PathBuf,
    long: bool,
    sabotage: bool,
    times: Option<u32>,
}

impl Setting {
    /// Whether times are judged: short drills run on busy machines, and debug builds are slow.
    fn timed(&self) -> bool {
        self.long && !cfg!(debug_assertions)
    }

    /// How often, in the short and in the long mode.
    fn times(&self, short: u32, long: u32) -> u32 {
        self.times.unwrap_or(if self.long { long } else { short })
    }

    /// How long it takes, in the short and in the long mode, unless `PHAROS_DRILL_MINUTES` says it.
    fn length(&self, short: f64, long: f64) -> Duration {
        let said = std::env::var("PHAROS_DRILL_MINUTES").ok();
        let usual = if self.long { long } else { short };
        let minutes = said.and_then(|text| text.parse().ok()).unwrap_or(usual);
        Duration::from_secs_f64(minutes * 60.0)
    }

    /// How long clients rest after an answer. In the long mode a store grows over hundreds of lives, and is asked for all
    /// of its events again and again.
    fn rest(&self) -> Duration {
        if self.long { REST } else { Duration::ZERO }
    }
}

const REST: Duration = Duration::from_millis(150);
const ALL: [&str; 16] = [
    "disk", "kills", "faults", "cuts", "full", "engine", "damage", "stuck", "overload", "repeats",
    "worst", "flood", "slow", "stop", "day", "soak",
];

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    program::raise_limits()?;
    watch::start();
    let directory = args.directory.unwrap_or_else(std::env::temp_dir);
    let setting = Setting {
        binary: args.binary.canonicalize()?,
        directory: directory.canonicalize()?,
        long: args.long,
        sabotage: args.sabotage,
        times: args.times,
    };
    let names = if args.names.is_empty() {
        ALL.map(str::to_owned).to_vec()
    } else {
        args.names
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let mut failed = Vec::new();
    for name in names {
        let begun = Watch::start();
        let outcome = runtime.block_on(run(&name, &setting));
        if setting.sabotage {
            if !noticed(&name, outcome) {
                failed.push(name);
            }
            continue;
        }
        for report in outcome? {
            println!("{report} ({:.0} s)", begun.elapsed().as_secs_f64());
            if !report.passed() {
                failed.push(report.name.to_owned());
            }
        }
    }
    anyhow::ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok(())
}

/// Drills whose sabotage takes acknowledged events away, and what their ledger has to call it.
const LEDGERS: [(&str, &str); 7] = [
    ("F1 kills", "lost"),
    ("F2 kill at a system call", "lost"),
    ("F12 repeated ids", "doubled"),
    ("F26 slow", "lost"),
    ("F27 stop", "lost"),
    ("F29 soak", "lost"),
    ("day", "lost"),
];

/// Whether a drill whose ground was taken away says so. One that breaks off has said nothing of it.
fn noticed(name: &str, outcome: anyhow::Result<Vec<Report>>) -> bool {
    let reports = match outcome {
        Ok(reports) => reports,
        Err(error) => {
            println!("{name}: NOT NOTICED, it broke off: {error}");
            return false;
        }
    };
    let mut all = true;
    for report in &reports {
        let ledger = LEDGERS.iter().find(|(drill, _)| *drill == report.name);
        let is_noticed = !report.is_blind()
            && ledger.is_none_or(|(_, word)| report.is_skipped() || report.counts(word));
        let verdict = if is_noticed { "noticed" } else { "NOT NOTICED" };
        println!("{report}: {verdict}");
        all &= is_noticed;
    }
    all
}

/// One drill; whoever interrupts it finds no file system mounted and no program running.
async fn run(name: &str, setting: &Setting) -> anyhow::Result<Vec<Report>> {
    tokio::select! {
        outcome = drill(name, setting) => outcome,
        stopped = tokio::signal::ctrl_c() => {
            stopped?;
            anyhow::bail!("interrupted")
        }
    }
}

async fn drill(name: &str, setting: &Setting) -> anyhow::Result<Vec<Report>> {
    Ok(match name {
        "disk" => vec![disk::run(setting)?],
        "kills" => vec![kills::run(setting).await?],
        "faults" => faults::run(setting).await?,
        "cuts" => vec![cuts::run(setting).await?],
        "full" => full::run(setting).await?,
        "engine" => vec![engine::run(setting).await?],
        "damage" => vec![damage::run(setting).await?],
        "stuck" => vec![stuck::run(setting).await?],
        "overload" => vec![overload::run(setting).await?],
        "repeats" => vec![repeats::run(setting).await?],
        "worst" => vec![worst::run(setting).await?],
        "flood" => vec![flood::run(setting).await?],
        "slow" => vec![slow::run(setting).await?],
        "stop" => vec![stop::run(setting).await?],
        "day" => vec![day::run(setting).await?],
        "soak" => vec![soak::run(setting).await?],
        other => anyhow::bail!("there is no drill `{other}`; there are {}", ALL.join(", ")),
    })
}

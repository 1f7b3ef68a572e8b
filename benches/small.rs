//! A website of ten thousand events, asked in a store of its own and in stores in which millions of events of others lie
//! beside it. `benches/README.md` says how to run and read it.
#![expect(clippy::print_stdout, reason = "figures go to standard output")]

#[path = "support/args.rs"]
mod args;
#[path = "support/built.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod built;
#[path = "support/machine.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod machine;
#[path = "support/program.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod program;
#[path = "support/wire.rs"]
mod wire;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, bail, ensure};
use pharos::{
    clock::Clock,
    events::{
        demo::{Generator, Plan, Site},
        store::Accepted,
    },
    ids::OrganizationKey,
    platform::{Install, Platform},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::{args::Args, wire::Connection};

/// What is asked: a fold of everything, lists, and what goes by sessions.
const TYPES: [&str; 6] = [
    "summary_metrics",
    "top_pages",
    "country",
    "session_metrics",
    "session_list",
    "vitals_overview",
];

/// A store that is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Store {
    /// Events of the website and of everybody.
    events: (u64, u64),
    /// How many others there are.
    others: usize,
    days: u32,
    /// The website's id and number, and a key that may read it.
    website: String,
    number: i64,
    key: String,
}

/// How much is wanted.
struct Wish {
    own: u64,
    others: usize,
    days: u32,
    repeat: usize,
}

/// A store that is asked.
struct Question {
    name: String,
    platform: Platform,
    connection: Connection,
    store: Store,
}

fn main() -> anyhow::Result<()> {
    let args = Args::read(&["events", "own", "websites", "days", "repeat", "store"])?;
    let wish = Wish {
        own: args.number("own", 10_000)?,
        others: args.number("websites", 2_000)?,
        days: args.number("days", 90)?,
        repeat: args.number("repeat", 15)?,
    };
    let mut sizes = vec![wish.own];
    for size in args.text("events").unwrap_or("1000000,50000000").split(',') {
        let size = size.trim().replace('_', "").parse();
        sizes.push(size.context("--events needs numbers, divided by commas")?);
    }
    program::log()?;
    // Deleted at the end, unless a place was named.
    let temporary = tempfile::tempdir_in(program::directory()?)?;
    let directory = args
        .text("store")
        .map_or(temporary.path().to_owned(), PathBuf::from);
    fs::create_dir_all(&directory)?;
    let directory = directory.canonicalize()?;
    actix::System::new().block_on(measure(&directory, &wish, &sizes))
}

async fn measure(directory: &Path, wish: &Wish, sizes: &[u64]) -> anyhow::Result<()> {
    println!("machine: {}", machine::describe());
    let mut all = Vec::new();
    for size in sizes {
        let place = directory.join(size.to_string());
        if !is_there(&place, wish, *size) {
            build(&place, wish, *size).await?;
        }
    }
    for size in sizes {
        all.push(Question::open(&directory.join(size.to_string())).await?);
    }
    compare(&mut all, wish.repeat).await?;
    for asked in all {
        asked.platform.stop().await;
    }
    Ok(())
}

/// Turn by turn: a busy moment of the machine hits all of them; the first turn warms up and does not count.
async fn compare(all: &mut [Question], repeat: usize) -> anyhow::Result<()> {
    print!("\n{:24} {:>6}", "type, last 90 days", "rows");
    for (at, asked) in all.iter().enumerate() {
        print!(" {:>14}", format!("{} ms", asked.name));
        if at > 0 {
            print!(" {:>6}", "ratio");
        }
    }
    println!();
    for kind in TYPES {
        let mut took = vec![Vec::new(); all.len()];
        let mut rows = 0;
        for turn in 0..=repeat {
            let mut known: Option<Answer> = None;
            for (at, asked) in all.iter_mut().enumerate() {
                let answer = asked.ask(kind).await?;
                if turn > 0 || repeat == 0 {
                    took[at].push(answer.took);
                }
                rows = answer.rows.len();
                if let Some(known) = &known {
                    known.agrees(kind, &asked.name, &answer)?;
                }
                known.get_or_insert(answer);
            }
        }
        print!("{kind:24} {rows:>6}");
        let medians: Vec<f64> = took.into_iter().map(machine::median).collect();
        let own = medians.first().copied().unwrap_or_default();
        for (at, median) in medians.iter().enumerate() {
            print!(" {median:>14.2}");
            if at > 0 {
                print!(" {:>6.2}", median / own);
            }
        }
        println!();
    }
    Ok(())
}

struct Answer {
    took: f64,
    rows: Vec<Value>,
}

impl Answer {
    /// Refuses to compare times of answers that differ: rows, and every column of whole numbers.
    fn agrees(&self, kind: &str, name: &str, other: &Self) -> anyhow::Result<()> {
        let whole = |rows: &[Value]| {
            let columns = rows.iter().filter_map(Value::as_object).flatten();
            let numbers = columns.filter_map(|(_, value)| value.as_i64());
            (rows.len(), numbers.sum::<i64>())
        };
        let (own, theirs) = (whole(&self.rows), whole(&other.rows));
        ensure!(
            own == theirs,
            "{kind}: {own:?} rows and their sum in its own store, {theirs:?} in {name}"
        );
        Ok(())
    }
}

impl Question {
    async fn open(place: &Path) -> anyhow::Result<Self> {
        let store = read(place)?;
        let platform = program::start(&place.join("data"), Clock::fixed(built::END)).await?;
        let snapshot = platform.stores().events.snapshot();
        let rows = || snapshot.segments.iter().map(|segment| &segment.row);
        let total: u64 = rows().map(|row| row.rows).sum();
        let written: u64 = rows().map(|row| row.rows * u64::from(row.level)).sum();
        let holds = |row: &&pharos::events::segments::SegmentRow| {
            let (low, high) = row.websites;
            (low..=high).contains(&store.number) && row.tenants.may_hold(store.number)
        };
        println!(
            "{total} events in {} segments, {} of which hold the website; rows were written again {:.1} times; {} websites beside it",
            snapshot.segments.len(),
            rows().filter(holds).count(),
            written as f64 / total.max(1) as f64,
            store.others,
        );
        ensure!(
            total == store.events.1,
            "the store does not hold all events"
        );
        Ok(Self {
            name: match store.events.1 {
                all if all == store.events.0 => "its own".to_owned(),
                all => format!("{:.1} M", all as f64 / 1e6),
            },
            connection: Connection::open(platform.addresses().api).await?,
            platform,
            store,
        })
    }

    async fn ask(&mut self, kind: &str) -> anyhow::Result<Answer> {
        let body = json!({ "parameters": [kind], "preset": "last_90d" }).to_string();
        let path = format!("/v1/query?website_id={}", self.store.website);
        let headers = format!("x-api-key: {}\r\n", self.store.key);
        let request = wire::post(&path, &headers, &body);
        let start = Instant::now();
        let status = self.connection.exchange(&request).await?;
        let took = start.elapsed().as_secs_f64() * 1e3;
        let mut answer: Value = serde_json::from_slice(self.connection.body())?;
        let outcome = &mut answer["data"][0];
        ensure!(
            status == 200 && outcome["success"] == true,
            "{kind} was answered {status}: {answer}"
        );
        let Value::Array(rows) = outcome["data"].take() else {
            bail!("{kind} has no rows");
        };
        Ok(Answer { took, rows })
    }
}

fn note(place: &Path) -> PathBuf {
    place.join("small.json")
}

fn read(place: &Path) -> anyhow::Result<Store> {
    let text = fs::read(note(place)).context("no finished store")?;
    Ok(serde_json::from_slice(&text)?)
}

fn is_there(place: &Path, wish: &Wish, events: u64) -> bool {
    read(place).is_ok_and(|store| {
        let others = if events > wish.own { wish.others } else { 0 };
        (store.events, store.others, store.days) == ((wish.own, events), others, wish.days)
    })
}

async fn build(place: &Path, wish: &Wish, events: u64) -> anyhow::Result<()> {
    ensure!(
        !place.exists(),
        "`{}` holds another or an unfinished store; name another directory or delete it",
        place.display()
    );
    ensure!(
        events >= wish.own,
        "a store has at least the website's own events"
    );
    let platform = program::start(&place.join("data"), Clock::fixed(built::END)).await?;
    let wanted = Install {
        website: "small.example".to_owned(),
        ..Install::default()
    };
    let made = platform.install(wanted).await?;
    let others = if events > wish.own { wish.others } else { 0 };
    let sites = built::sites(&platform, &made.website_id, others + 1).await?;
    let (own, others) = sites.split_first().context("no website")?;
    let start = Instant::now();
    fill(&platform, own, others, wish, events).await?;
    built::settle(&platform).await?;
    println!(
        "built {events} events in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    platform.stop().await;
    let store = Store {
        events: (wish.own, events),
        others: others.len(),
        days: wish.days,
        website: made.website_id,
        number: own.key.0,
        key: made.api_key,
    };
    fs::write(note(place), serde_json::to_vec_pretty(&store)?)?;
    Ok(())
}

/// The website's events lie evenly among those of the others, and are the same in every store.
async fn fill(
    platform: &Platform,
    own: &Site,
    others: &[Site],
    wish: &Wish,
    events: u64,
) -> anyhow::Result<()> {
    let organization = built::organization(platform)?;
    let plan = |websites: &[Site], events, seed| {
        Generator::new(plan(organization, websites, events, wish.days, seed))
    };
    let mut mine = plan(std::slice::from_ref(own), wish.own, 2).flatten();
    let foreign = events - wish.own;
    let (mut done, mut sent) = (0, 0);
    for chunk in plan(others, foreign, 1) {
        done += chunk.len() as u64;
        let due = wish.own * done / foreign.max(1);
        let turn: Vec<Accepted> = mine.by_ref().take((due - sent) as usize).collect();
        sent = due;
        built::append(platform, chunk).await?;
        if !turn.is_empty() {
            built::append(platform, turn).await?;
        }
    }
    let rest: Vec<Accepted> = mine.collect();
    for chunk in rest.chunks(1_000) {
        built::append(platform, chunk.to_vec()).await?;
    }
    Ok(())
}

fn plan(
    organization: OrganizationKey,
    websites: &[Site],
    events: u64,
    days: u32,
    seed: u64,
) -> Plan {
    Plan {
        organization,
        websites: websites.to_vec(),
        events,
        days,
        end: built::END,
        seed,
    }
}

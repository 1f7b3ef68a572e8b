//! A funnel of five steps over 90 days of a large website, through HTTP, beside SQL written by hand for the
//! same question, run by the same engine alone over one sorted file of the same rows; and what there is to filter by, over 30
//! days. Every turn asks about a range that ends a second earlier: no answer comes from memory. `benches/README.md` says how to run and read it.
#![expect(clippy::print_stdout, reason = "figures go to standard output")]

#[path = "support/args.rs"]
mod args;
#[path = "support/built.rs"]
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
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::ensure;
use duckdb::{Config, Connection as Engine};
use pharos::{
    clock::{Clock, iso_ms},
    config::Settings,
    events::engine::quoted,
};
use serde_json::{Value, json};

use self::{
    args::Args,
    built::{Built, Wish},
    wire::Connection,
};

const DAY_MS: i64 = 86_400_000;
/// Paths and names that the demo's visitors follow.
const STEPS: [(&str, &str); 5] = [
    ("PAGE_VIEW", "/"),
    ("PAGE_VIEW", "/pricing"),
    ("PAGE_VIEW", "/docs*"),
    ("PAGE_VIEW", "/signup"),
    ("EVENT", "signup"),
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
    let platform = program::start(&built.data, Clock::fixed(built::END)).await?;
    let mut asking = Asking {
        connection: Connection::open(platform.addresses().api).await?,
        built: &built,
    };
    let alone = alone(&built, platform.settings())?;
    let funnel = asking.saved().await?;
    println!(
        "\n{:36} {:>10} {:>12} {:>7}",
        "question", "HTTP ms", "by hand ms", "ratio"
    );
    for (name, path, days) in [
        ("five steps", "/funnels/getAnalytics", 90),
        ("by referrer", "/funnels/getAnalyticsByReferrer", 90),
        (
            "what there is to filter by, 30 days",
            "/autocomplete/get",
            30,
        ),
    ] {
        let (mut through, mut by_hand) = (Vec::new(), Vec::new());
        for turn in 0..=repeat {
            let to = built::END - 1_000 * i64::try_from(turn)?;
            let (took, hand) = asking
                .turn(&alone, &funnel, (path, to - days * DAY_MS, to))
                .await?;
            if turn > 0 || repeat == 0 {
                through.push(took);
                by_hand.push(hand);
            }
        }
        let (through, by_hand) = (machine::median(through), machine::median(by_hand));
        println!(
            "{name:36} {through:>10.1} {by_hand:>12.1} {:>7.2}",
            through / by_hand
        );
    }
    platform.stop().await;
    Ok(())
}

/// Who asks through HTTP.
struct Asking<'a> {
    connection: Connection,
    built: &'a Built,
}

impl Asking<'_> {
    async fn ask(&mut self, path: &str, body: &Value) -> anyhow::Result<(f64, Value)> {
        let headers = format!("x-api-key: {}\r\n", self.built.key);
        let request = wire::post(path, &headers, &body.to_string());
        let start = Instant::now();
        let status = self.connection.exchange(&request).await?;
        let took = start.elapsed().as_secs_f64() * 1e3;
        let answer: Value = serde_json::from_slice(self.connection.body())?;
        ensure!(status == 200, "{path} was answered {status}: {answer}");
        Ok((took, answer))
    }

    /// One question about a range through HTTP and by hand: milliseconds. Both have to say the same.
    async fn turn(
        &mut self,
        alone: &Engine,
        funnel: &Value,
        (path, from, to): (&str, i64, i64),
    ) -> anyhow::Result<(f64, f64)> {
        let mut body = json!({
            "websiteId": self.built.website, "startDate": iso_ms(from), "endDate": iso_ms(to - 1),
        });
        if path.starts_with("/funnels/") {
            body["funnelId"] = funnel.clone();
        }
        let (took, answer) = self.ask(path, &body).await?;
        if let Some(paths) = answer["pagePaths"].as_array() {
            let (hand, first) = listed(alone, (from, to))?;
            ensure!(
                paths.first().is_some_and(|path| path == &*first),
                "{first} by hand, {paths:?} through HTTP"
            );
            return Ok((took, hand));
        }
        let (hand, counts) = by(alone, to)?;
        if let Some(steps) = answer["steps_analytics"].as_array() {
            let users = steps.iter().filter_map(|step| step["users"].as_i64());
            let users: Vec<i64> = users.collect();
            ensure!(
                users == counts,
                "{path}: {users:?} through HTTP, {counts:?} by hand"
            );
        }
        Ok((took, hand))
    }

    /// Saves the funnel and gives its id.
    async fn saved(&mut self) -> anyhow::Result<Value> {
        let step = |(kind, target): &(&str, &str)| json!({ "type": kind, "target": target, "name": target });
        let steps: Vec<Value> = STEPS.iter().map(step).collect();
        let body = json!({ "websiteId": self.built.website, "name": "five", "steps": steps });
        let (_, made) = self.ask("/funnels/create", &body).await?;
        Ok(made["id"].clone())
    }
}

/// The engine without anything around it, with the threads and the memory that the program's engine has.
fn alone(built: &Built, settings: &Settings) -> anyhow::Result<Engine> {
    let config = Config::default()
        .with("threads", settings.query.thread_count().to_string())?
        .with("memory_limit", format!("{}B", settings.query.memory.0))?;
    let engine = Engine::open_in_memory_with_flags(config)?;
    engine.execute_batch(&format!(
        "SET preserve_insertion_order = false;
         CREATE VIEW mine AS SELECT * FROM read_parquet({file}) WHERE website = {website} AND bot = 0 AND visitor <> 0;",
        file = quoted(&built.sorted.to_string_lossy()),
        website = built.website_number,
    ))?;
    Ok(engine)
}

/// Per step who took it, by SQL that relies on times being different.
fn by(engine: &Engine, to: i64) -> anyhow::Result<(f64, Vec<i64>)> {
    let text = format!(
        "WITH hits AS MATERIALIZED (SELECT visitor, time,
           kind = 1 AND name = 'screen_view' AND path = '/' AS h1,
           kind = 1 AND name = 'screen_view' AND path = '/pricing' AS h2,
           kind = 1 AND name = 'screen_view' AND starts_with(path, '/docs') AS h3,
           kind = 1 AND name = 'screen_view' AND path = '/signup' AS h4,
           kind IN (1, 2) AND name = 'signup' AS h5
           FROM mine WHERE time >= {from} AND time < {to} AND kind IN (1, 2)),
         w1 AS (SELECT visitor, min(time) AS t FROM hits WHERE h1 GROUP BY visitor),
         w2 AS (SELECT w1.visitor, min(h.time) AS t FROM w1 JOIN hits h USING (visitor) WHERE h2 AND h.time > w1.t GROUP BY ALL),
         w3 AS (SELECT w2.visitor, min(h.time) AS t FROM w2 JOIN hits h USING (visitor) WHERE h3 AND h.time > w2.t GROUP BY ALL),
         w4 AS (SELECT w3.visitor, min(h.time) AS t FROM w3 JOIN hits h USING (visitor) WHERE h4 AND h.time > w3.t GROUP BY ALL),
         w5 AS (SELECT w4.visitor, min(h.time) AS t FROM w4 JOIN hits h USING (visitor) WHERE h5 AND h.time > w4.t GROUP BY ALL)
         SELECT (SELECT count(*) FROM w1), (SELECT count(*) FROM w2), (SELECT count(*) FROM w3), (SELECT count(*) FROM w4),
           (SELECT count(*) FROM w5)",
        from = to - 90 * DAY_MS,
    );
    let start = Instant::now();
    let counts = engine.query_row(&text, [], |row| {
        (0..5).map(|at| row.get::<_, i64>(at)).collect()
    })?;
    let counts: Vec<i64> = counts;
    Ok((start.elapsed().as_secs_f64() * 1e3, counts))
}

/// The values of nine columns with their counts, each counted by itself, and the path that is there most often.
fn listed(engine: &Engine, (from, to): (i64, i64)) -> anyhow::Result<(f64, String)> {
    let of = |column: &str| {
        format!(
            "SELECT '{column}' AS list, {column} AS value, count(*) AS n FROM mine \
             WHERE time >= {from} AND time < {to} AND kind = 1 AND name = 'screen_view' GROUP BY {column}"
        )
    };
    let columns = [
        "path",
        "browser_name",
        "os_name",
        "country",
        "device_type",
        "utm_source",
        "utm_medium",
        "utm_campaign",
    ];
    let lists: Vec<String> = columns.iter().map(|column| of(column)).collect();
    let text = format!(
        "WITH lists AS ({} UNION ALL SELECT 'name', name, count(*) FROM mine \
         WHERE time >= {from} AND time < {to} AND kind = 2 GROUP BY name) \
         SELECT arg_max(value, n) FILTER (list = 'path') || CASE WHEN count(*) > 0 THEN '' END FROM lists",
        lists.join(" UNION ALL ")
    );
    let start = Instant::now();
    let first: String = engine.query_row(&text, [], |row| row.get(0))?;
    Ok((start.elapsed().as_secs_f64() * 1e3, first))
}

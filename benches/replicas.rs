//! One server beside two that share its PostgreSQL and its Redis, with the same connections in alternating rounds of `wrk`.
//! `benches/README.md` says how to run and read it.
#![expect(clippy::print_stdout, reason = "figures go to standard output")]

#[path = "support/args.rs"]
mod args;
#[path = "support/child.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod child;
#[path = "support/machine.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod machine;
#[path = "../tests/it/postgres/server.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "shared with the tests"
)]
mod postgres;
#[path = "support/program.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod program;
#[path = "../tests/support/redis.rs"]
#[expect(dead_code, clippy::unwrap_used, reason = "shared with the tests")]
mod redis;
#[path = "support/wire.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod wire;
#[path = "support/wrk.rs"]
mod wrk;

use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    thread,
};

use anyhow::{Context, anyhow};
use serde_json::Value;

use self::{
    args::Args,
    child::Server,
    wrk::{Load, Measurement},
};

/// Allows everything and counts it all the same, which asks Redis.
const ENDLESS: &str = "1000000000";

/// What both servers are asked.
struct Case {
    name: &'static str,
    path: String,
    script: Option<PathBuf>,
    /// Whether it goes to the listener of events.
    is_event: bool,
}

fn main() -> anyhow::Result<()> {
    let args = Args::read(&["connections", "rounds", "seconds"])?;
    let load = Load {
        connections: args.number("connections", 64)?,
        rounds: args.number("rounds", 3)?,
        seconds: args.number("seconds", 8)?,
    };
    actix::System::new().block_on(measure(&load))
}

async fn measure(load: &Load) -> anyhow::Result<()> {
    let directory = tempfile::tempdir_in(program::directory()?)?;
    println!("machine: {}", machine::describe());
    let (database, cache) = postgres::Server::start()
        .zip(redis::Redis::start())
        .context("it needs PostgreSQL and Redis")?;
    let (database, cache) = (database.database("bench").await, cache.url());
    let workers = program::WORKERS.to_string();
    let mut settings = program::unlimited(&workers).to_vec();
    settings.extend([
        ("PHAROS__DATABASE__URL", database.as_str()),
        ("PHAROS__REDIS__URL", cache.as_str()),
    ]);
    for name in [
        "PHAROS__LIMITS__TRACK_REQUESTS",
        "PHAROS__LIMITS__FLAGS_REQUESTS",
        "PHAROS__LIMITS__KEY_REQUESTS",
        "PHAROS__LIMITS__QUERY_REQUESTS",
    ] {
        settings.push((name, ENDLESS));
    }
    let homes = ["first", "second"].map(|name| directory.path().join(name));
    let made = set_up(&homes, &settings)?;
    let mut servers = Vec::new();
    for home in &homes {
        let mut server = Server::start(home, &settings)?;
        server.healthy().await?;
        servers.push(server);
    }
    for case in cases(directory.path(), &made)? {
        let at = |server: &Server| {
            if case.is_event {
                server.track
            } else {
                server.api
            }
        };
        let all = [at(&servers[0]), at(&servers[1])];
        let round = async |addresses: &[SocketAddr]| {
            let figures = side_by_side(load, addresses, &case)?;
            for server in &servers {
                server.quiet().await?;
            }
            Ok(figures)
        };
        let (two, one) = (async || round(&all).await, async || round(&all[..1]).await);
        load.compare((case.name, "of one"), two, one).await?;
    }
    servers.into_iter().try_for_each(Server::stop)
}

/// Sets the installation up and gives both directories its key.
fn set_up(homes: &[PathBuf; 2], settings: &[(&str, &str)]) -> anyhow::Result<Value> {
    for home in homes {
        fs::create_dir_all(home)?;
    }
    let made = child::set_up(&homes[0], settings)?;
    fs::copy(homes[0].join("instance.key"), homes[1].join("instance.key"))?;
    Ok(made)
}

fn cases(directory: &Path, made: &Value) -> anyhow::Result<Vec<Case>> {
    let text = |name: &str| made[name].as_str().with_context(|| format!("no {name}"));
    let (website, key) = (text("websiteId")?, text("apiKey")?);
    let script = |name: &str, lua: String| -> anyhow::Result<Option<PathBuf>> {
        let path = directory.join(name);
        fs::write(&path, lua)?;
        Ok(Some(path))
    };
    let event = format!(r#"[{{"name":"bench","websiteId":"{website}"}}]"#);
    let post = format!(
        "wrk.method = 'POST'\nwrk.body = '{event}'\nwrk.headers['Content-Type'] = 'application/json'\n\
         wrk.headers['x-api-key'] = '{key}'\n"
    );
    let keyed = format!("wrk.headers['x-api-key'] = '{key}'\n");
    Ok(vec![
        Case {
            name: "an event, synced to disk",
            path: "/track".to_owned(),
            script: script("event.lua", post)?,
            is_event: true,
        },
        Case {
            name: "query types, with a key",
            path: "/v1/query/types".to_owned(),
            script: script("types.lua", keyed)?,
            is_event: false,
        },
        Case {
            name: "flags, by client id",
            path: format!("/public/v1/flags/bulk?clientId={website}&userId=user-1"),
            script: None,
            is_event: false,
        },
    ])
}

/// The connections spread over the servers, all at once: the sum of the rates, and the worst of the percentiles.
fn side_by_side(load: &Load, addresses: &[SocketAddr], case: &Case) -> anyhow::Result<Measurement> {
    let share = Load {
        connections: load.connections / addresses.len(),
        rounds: load.rounds,
        seconds: load.seconds,
    };
    let run = |address: SocketAddr| share.run(address, &case.path, case.script.as_deref());
    thread::scope(|scope| {
        let started: Vec<_> = addresses
            .iter()
            .map(|address| scope.spawn(move || run(*address)))
            .collect();
        let mut whole = Measurement {
            rate: 0.0,
            p99_ms: 0.0,
        };
        for round in started {
            let figures = round.join().map_err(|_| anyhow!("a round panicked"))??;
            whole.rate += figures.rate;
            whole.p99_ms = whole.p99_ms.max(figures.p99_ms);
        }
        Ok(whole)
    })
}

//! Durable ingestion over HTTP beside a bare actix-web handler that only parses the same JSON, each server a process
//! of its own, in alternating rounds; then memory seal by seal. `benches/README.md` says how to run and read it.
#![expect(clippy::print_stdout, reason = "figures go to standard output")]

#[path = "support/adapters.rs"]
mod adapters;
#[path = "support/args.rs"]
mod args;
#[path = "support/bare.rs"]
mod bare;
#[path = "support/bodies.rs"]
mod bodies;
#[path = "support/child.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod child;
#[path = "support/load.rs"]
mod load;
#[path = "support/machine.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod machine;
#[path = "support/program.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod program;
#[path = "support/rounds.rs"]
mod rounds;
#[path = "support/seals.rs"]
mod seals;
#[path = "support/wire.rs"]
mod wire;

use std::sync::Arc;

use pharos::platform::Install;

use self::{
    args::Args,
    child::Server,
    rounds::{Bench, Options},
    seals::Seals,
    wire::Connection,
};

fn main() -> anyhow::Result<()> {
    let args = Args::read(&[
        "connections",
        "rounds",
        "seconds",
        "seals",
        "only",
        "grow",
        "serve-bare",
    ])?;
    if let Some(address) = args.text("serve-bare") {
        let address = address.parse()?;
        return actix_web::rt::System::new().block_on(bare::serve(address));
    }
    let options = Options {
        connections: args.number("connections", 64)?,
        rounds: args.number("rounds", 3)?,
        seconds: args.number("seconds", 10.0)?,
        seals: args.number("seals", 10)?,
        only: args.text("only").unwrap_or_default().to_owned(),
        grow: args.number("grow", 0)?,
    };
    actix::System::new().block_on(measure(options))
}

async fn measure(options: Options) -> anyhow::Result<()> {
    let directory = tempfile::tempdir_in(program::directory()?)?;
    println!("machine: {}", machine::describe());
    let (median, worst) = machine::disk(directory.path())?;
    println!(
        "disk: append of 1 KB and fdatasync takes {median:.2} ms (median), {worst:.2} ms (p99) in {}",
        directory.path().display()
    );
    println!(
        "load: {0} connections from one thread of this process, {1} s a round, {2} workers a server; {0} callers that \
         wait for each other's syncs get at most {3:.0} answers/s out of this disk\n",
        options.connections,
        options.seconds,
        program::WORKERS,
        options.connections as f64 * 1e3 / median
    );
    let data = directory.path().join("data");
    let wanted = Install {
        website: bodies::DOMAIN.to_owned(),
        ..Install::default()
    };
    let made = program::installed(&data, wanted).await?;
    let workers = program::WORKERS.to_string();
    let mut pharos = Server::start(&data, &program::unlimited(&workers))?;
    pharos.healthy().await?;
    let ids = bodies::PROTOCOLS
        .map(|(protocol, id)| serde_json::json!({ "protocol": protocol, "id": id }));
    let update = serde_json::json!({ "id": made.website_id, "compatibility": ids });
    let headers = format!("x-api-key: {}\r\n", made.api_key);
    let request = wire::post("/websites/update", &headers, &update.to_string());
    let status = Connection::open(pharos.api)
        .await?
        .exchange(&request)
        .await?;
    anyhow::ensure!(status == 200, "the website was not changed: {status}");
    let pharos = Arc::new(pharos);
    let address = child::free()?;
    let mut bare = Server::again(&["--serve-bare", &address.to_string()], address)?;
    bare.healthy().await?;
    let seals = Seals::watch(Arc::clone(&pharos)).await?;
    let bench = Bench::new(options, bare, Arc::clone(&pharos), seals);
    bench.all(&made.website_id, &made.api_key).await
}

//! Many monitors against a target on this machine, the program and the target each a process of its own: how many slots fire,
//! how late, and what it costs; with `--probes N` checked by so many probes. `benches/README.md` says how to run and read it.
#![expect(clippy::print_stdout, reason = "figures go to standard output")]

#[path = "support/args.rs"]
mod args;
#[path = "support/child.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod child;
#[path = "support/machine.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod machine;
#[path = "support/probes.rs"]
mod probes;
#[path = "support/program.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod program;
#[path = "support/wire.rs"]
mod wire;

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use actix_web::{App, HttpResponse, HttpServer, web};
use anyhow::{Context, ensure};
use pharos::platform::{Install, SetupResult};
use serde_json::json;

use self::{args::Args, child::Server, probes::Probes, wire::Connection};

/// Seconds between two checks of a monitor.
const INTERVAL: u64 = 60;
/// How often memory is looked at.
const LOOK: Duration = Duration::from_secs(5);

fn main() -> anyhow::Result<()> {
    let args = Args::read(&["monitors", "minutes", "probes", "serve-target"])?;
    if let Some(address) = args.text("serve-target") {
        let address = address.parse()?;
        return actix_web::rt::System::new().block_on(target(address));
    }
    let monitors = args.number("monitors", 10_000)?;
    let minutes = args.number("minutes", 10)?;
    let probes = args.number("probes", 0)?;
    actix::System::new().block_on(measure(monitors, minutes, probes))
}

/// Says yes until the process is killed.
async fn target(address: SocketAddr) -> anyhow::Result<()> {
    let server = HttpServer::new(|| {
        let fine = || async { HttpResponse::Ok().content_type("text/plain").body("fine") };
        App::new().default_service(web::to(fine))
    });
    server.workers(1).bind(address)?.run().await?;
    Ok(())
}

async fn measure(monitors: usize, minutes: u64, probes: usize) -> anyhow::Result<()> {
    let directory = tempfile::tempdir_in(program::directory()?)?;
    println!("machine: {}", machine::describe());
    let data = directory.path().join("data");
    let made = program::installed(&data, Install::default()).await?;
    let address = child::free()?;
    let mut target = Server::again(&["--serve-target", &address.to_string()], address)?;
    target.healthy().await?;
    let workers = program::WORKERS.to_string();
    let mut settings = program::unlimited(&workers).to_vec();
    settings.push(("PHAROS__EGRESS__ALLOW", "127.0.0.0/8"));
    let mut pharos = Server::start(&data, &settings)?;
    pharos.healthy().await?;
    let empty_mb = pharos.resident_mb()?;
    let probes = Probes::start(&pharos, &made.api_key, directory.path(), probes).await?;
    let begun = Instant::now();
    make(&pharos, &made, (address, monitors), &probes).await?;
    println!(
        "{monitors} monitors made in {:.0} s",
        begun.elapsed().as_secs_f64()
    );
    // A round in which everybody has been checked.
    tokio::time::sleep(Duration::from_secs(INTERVAL)).await;
    let before = Usage::read(&pharos).await?;
    let (mut most_mb, cpu) = (0.0_f64, pharos.processor()?);
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60 * minutes) {
        tokio::time::sleep(LOOK).await;
        most_mb = most_mb.max(pharos.resident_mb()?);
    }
    let after = Usage::read(&pharos).await?;
    let took = begun.elapsed().as_secs_f64();
    let due = monitors as f64 * took / INTERVAL as f64;
    println!(
        "{:.0} slots fired of {due:.0} due in {took:.1} s, {:.0} missed; late by {:.0} ms (p50), {:.0} ms (p99); \
         {most_mb:.0} MB resident at most ({empty_mb:.0} MB without monitors), {:.0} % of a core",
        after.slots - before.slots,
        after.missed - before.missed,
        after.p50 * 1e3,
        after.p99 * 1e3,
        100.0 * pharos.processor()?.saturating_sub(cpu).as_secs_f64() / took
    );
    for (at, worst_ms) in probes.worst_lateness_ms()?.into_iter().enumerate() {
        println!("probe {at}: late by {worst_ms} ms (p99 of its worst minute)");
    }
    drop(probes);
    pharos.stop()
}

async fn make(
    pharos: &Server,
    made: &SetupResult,
    (target, monitors): (SocketAddr, usize),
    probes: &Probes,
) -> anyhow::Result<()> {
    let mut connection = Connection::open(pharos.api).await?;
    let key = format!("x-api-key: {}\r\n", made.api_key);
    for number in 0..monitors {
        let url = format!("http://{target}/{number}");
        let mut body = json!({ "url": url, "granularity": "minute" });
        if let Some(probe) = probes.choose(number) {
            body["places"] = json!([probe]);
        }
        let body = body.to_string();
        let request = wire::post("/uptime/createSchedule", &key, &body);
        let status = connection.exchange(&request).await?;
        let said = || String::from_utf8_lossy(connection.body()).into_owned();
        ensure!(status == 200, "a monitor is refused: {status} {}", said());
    }
    Ok(())
}

/// What the program says of itself.
struct Usage {
    slots: f64,
    missed: f64,
    p50: f64,
    p99: f64,
}

impl Usage {
    async fn read(pharos: &Server) -> anyhow::Result<Self> {
        let mut connection = Connection::open(pharos.api).await?;
        connection
            .exchange(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n")
            .await?;
        let text = String::from_utf8_lossy(connection.body()).into_owned();
        let figure = |name: &str| -> anyhow::Result<f64> {
            let mut lines = text.lines().filter_map(|line| line.split_once(' '));
            let found = lines.find(|(known, _)| *known == name);
            let (_, value) = found.with_context(|| format!("no `{name}` in the metrics"))?;
            Ok(value.trim().parse()?)
        };
        Ok(Self {
            slots: figure("pharos_monitor_checks_total")?,
            missed: figure("pharos_monitor_missed_total")?,
            p50: figure("pharos_monitor_lateness_p50_seconds")?,
            p99: figure("pharos_monitor_lateness_p99_seconds")?,
        })
    }
}

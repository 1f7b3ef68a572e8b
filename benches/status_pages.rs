//! The public page of a status page beside a bare actix-web handler that answers a constant of the same size, each server a
//! process of its own, in alternating rounds of `wrk`. `benches/README.md` says how to run and read it.
#![expect(clippy::print_stdout, reason = "figures go to standard output")]

#[path = "support/args.rs"]
mod args;
#[path = "support/child.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod child;
#[path = "support/machine.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod machine;
#[path = "support/program.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod program;
#[path = "support/wire.rs"]
mod wire;
#[path = "support/wrk.rs"]
mod wrk;

use std::{net::SocketAddr, path::Path};

use actix_web::{App, HttpResponse, HttpServer, web};
use anyhow::{Context as _, ensure};
use pharos::platform::{Install, SetupResult};
use serde_json::{Value, json};

use self::{args::Args, child::Server, wire::Connection, wrk::Load};

/// Monitors of the page.
const MONITORS: usize = 20;
/// Incidents of the page, all of them over.
const INCIDENTS: usize = 10;
const PAGE: &str = "/status/bench";

fn main() -> anyhow::Result<()> {
    let args = Args::read(&["connections", "rounds", "seconds", "serve-bare", "bytes"])?;
    if let Some(address) = args.text("serve-bare") {
        let (address, bytes) = (address.parse()?, args.number("bytes", 1)?);
        return actix_web::rt::System::new().block_on(bare(address, bytes));
    }
    let load = Load {
        connections: args.number("connections", 64)?,
        rounds: args.number("rounds", 3)?,
        seconds: args.number("seconds", 8)?,
    };
    actix::System::new().block_on(async {
        let directory = tempfile::tempdir_in(program::directory()?)?;
        println!("machine: {}", machine::describe());
        let data = directory.path().join("data");
        let made = program::installed(&data, Install::default()).await?;
        measure(&load, directory.path(), &data, &made).await
    })
}

/// A constant page until the process is killed.
async fn bare(address: SocketAddr, bytes: usize) -> anyhow::Result<()> {
    let body = web::Bytes::from(vec![b'x'; bytes]);
    let server = HttpServer::new(move || {
        let body = body.clone();
        let show = move || {
            let body = body.clone();
            async move {
                let mut response = HttpResponse::Ok();
                response.content_type("text/html; charset=utf-8").body(body)
            }
        };
        App::new()
            .route(
                "/health",
                web::get().to(|| async { HttpResponse::NotFound().finish() }),
            )
            .route("/status/{slug}", web::get().to(show))
    });
    let server = server.workers(program::WORKERS).tcp_nodelay(true);
    server.bind(address)?.run().await?;
    Ok(())
}

async fn measure(
    load: &Load,
    directory: &Path,
    data: &Path,
    made: &SetupResult,
) -> anyhow::Result<()> {
    let workers = program::WORKERS.to_string();
    let mut pharos = Server::start(data, &program::unlimited(&workers))?;
    pharos.healthy().await?;
    make(pharos.api, made).await?;
    pharos.quiet().await?;
    let packed = directory.join("packed.lua");
    std::fs::write(&packed, "wrk.headers[\"Accept-Encoding\"] = \"gzip\"\n")?;
    for (name, header, script) in [
        (
            "packed",
            "accept-encoding: gzip\r\n",
            Some(packed.as_path()),
        ),
        ("plain", "", None),
    ] {
        let bytes = size(pharos.api, header).await?;
        println!("{name}: {bytes} bytes with {MONITORS} monitors");
        let address = child::free()?;
        let words = [
            "--serve-bare",
            &address.to_string(),
            "--bytes",
            &bytes.to_string(),
        ];
        let mut bare = Server::again(&words, address)?;
        bare.healthy().await?;
        let ours = async || load.run(pharos.api, PAGE, script);
        let theirs = async || load.run(address, PAGE, script);
        load.compare((name, "bare"), ours, theirs).await?;
    }
    pharos.stop()
}

/// Bytes of the page as it is sent.
async fn size(api: SocketAddr, header: &str) -> anyhow::Result<usize> {
    let mut connection = Connection::open(api).await?;
    let request = format!("GET {PAGE} HTTP/1.1\r\nhost: localhost\r\n{header}\r\n");
    let status = connection.exchange(request.as_bytes()).await?;
    ensure!(status == 200, "the page is answered with {status}");
    Ok(connection.body().len())
}

/// Makes the page.
async fn make(api: SocketAddr, made: &SetupResult) -> anyhow::Result<()> {
    let key = format!("x-api-key: {}\r\n", made.api_key);
    let mut connection = Connection::open(api).await?;
    let mut done = async |path: &str, body: Value| {
        let request = wire::post(path, &key, &body.to_string());
        let status = connection.exchange(&request).await?;
        let answer: Value = serde_json::from_slice(connection.body())?;
        ensure!(status == 200, "{path}: {status} {answer}");
        anyhow::Ok(answer)
    };
    let page = json!({ "name": "Bench", "slug": "bench" });
    let page = done("/statusPage/create", page).await?["id"].clone();
    for nth in 0..MONITORS {
        let fields = json!({ "kind": "push", "granularity": "hour", "name": format!("Service number {nth}") });
        let monitor = done("/uptime/createSchedule", fields).await?;
        let add = json!({ "statusPageId": page, "uptimeScheduleId": monitor["scheduleId"] });
        done("/statusPage/addMonitor", add).await?;
    }
    for nth in 0..INCIDENTS {
        let tell = json!({ "statusPageId": page, "title": format!("Requests were slow ({nth})"),
            "message": "We are **looking** into what makes requests slow, and will say more in half an hour." });
        let told = done("/statusPage/createIncident", tell).await?;
        let id = told["id"].as_str().context("an incident without an id")?;
        let over = json!({ "incidentId": id, "status": "resolved", "message": "Requests are fast again." });
        done("/statusPage/updateIncident", over).await?;
    }
    Ok(())
}

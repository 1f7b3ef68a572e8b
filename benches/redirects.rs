//! Redirects of short links beside a bare actix-web handler that answers a constant 302, each server a process of its
//! own, in alternating rounds of `wrk`; then what many links cost. `benches/README.md` says how to run and read it.
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

use std::{
    net::SocketAddr,
    path::Path,
    time::{Duration, Instant},
};

use actix_web::{App, HttpResponse, HttpServer, http::header::LOCATION, web};
use anyhow::ensure;
use pharos::{
    actors::links::{CreateLinks, Draft, LinkFields, SlugRule},
    clock::Clock,
    ids::OrganizationId,
    platform::{Install, SetupResult},
};
use serde_json::json;

use self::{args::Args, child::Server, wire::Connection, wrk::Load};

/// Links that are made in one transaction.
const IN_ONE: usize = 4_000;
/// Starts; their median counts.
const STARTS: usize = 3;
/// How long the program rests before its memory is read.
const REST: Duration = Duration::from_secs(2);
const TARGET: &str = "https://shop.example.com/products/a-long-name-of-a-product";

fn main() -> anyhow::Result<()> {
    let args = Args::read(&[
        "connections",
        "rounds",
        "seconds",
        "links",
        "only",
        "serve-bare",
    ])?;
    if let Some(address) = args.text("serve-bare") {
        let address = address.parse()?;
        return actix_web::rt::System::new().block_on(bare(address));
    }
    let load = Load {
        connections: args.number("connections", 64)?,
        rounds: args.number("rounds", 3)?,
        seconds: args.number("seconds", 8)?,
    };
    let links = args.number("links", 0)?;
    let only_links = args.text("only") == Some("links");
    actix::System::new().block_on(async {
        let directory = tempfile::tempdir_in(program::directory()?)?;
        println!("machine: {}", machine::describe());
        let data = directory.path().join("data");
        let made = program::installed(&data, Install::default()).await?;
        if !only_links {
            measure(&load, directory.path(), &data, &made).await?;
        }
        if links > 0 {
            measure_many(&data, &made, links).await?;
        }
        Ok(())
    })
}

/// A constant 302 until the process is killed.
async fn bare(address: SocketAddr) -> anyhow::Result<()> {
    let lead = || async {
        let mut response = HttpResponse::Found();
        response.insert_header((LOCATION, TARGET)).finish()
    };
    let server = HttpServer::new(move || {
        App::new()
            .route(
                "/health",
                web::get().to(|| async { HttpResponse::NotFound().finish() }),
            )
            .route("/{slug}", web::get().to(lead))
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
    let links_at = child::free()?;
    let pharos = start(data, links_at).await?;
    make(&pharos, made).await?;
    let address = child::free()?;
    let mut bare = Server::again(&["--serve-bare", &address.to_string()], address)?;
    bare.healthy().await?;
    let varied = directory.join("varied.lua");
    std::fs::write(&varied, VARIED)?;
    for (name, script) in [
        ("the same visitor", None),
        ("every request a click", Some(varied.as_path())),
    ] {
        let ours = async || {
            let figures = load.run(links_at, "/bench", script)?;
            pharos.quiet().await?;
            Ok(figures)
        };
        let theirs = async || load.run(address, "/bench", script);
        load.compare((name, "bare"), ours, theirs).await?;
    }
    println!("clicks lost: {}", dropped(&pharos).await?);
    pharos.stop()
}

/// What many links cost: memory, and time from the start of the process until it is healthy and leads on.
async fn measure_many(data: &Path, made: &SetupResult, links: usize) -> anyhow::Result<()> {
    let links_at = child::free()?;
    let without = start(data, links_at).await?.rested_mb(REST).await?;
    let began = Instant::now();
    let (mut here, platform) = (0, program::start(data, Clock::system()).await?);
    while here < links {
        let next = links.min(here + IN_ONE);
        let draft = |number: usize| Draft {
            fields: LinkFields {
                name: Some(format!("link {number}")),
                target_url: Some(format!("{TARGET}/{number}")),
                slug: Some(format!("many{number:08}")),
                ..LinkFields::default()
            },
            password_hash: None,
        };
        let message = CreateLinks {
            organization: OrganizationId::from(made.organization_id.as_str()),
            created_by: None,
            links: (here..next).map(draft).collect(),
            allowance: None,
            slugs: SlugRule::New,
        };
        platform.domains().links.ask(message).await?;
        here = next;
    }
    platform.stop().await;
    println!(
        "{links} links made in {:.0} s",
        began.elapsed().as_secs_f64()
    );
    let mut healthy = Vec::new();
    for _ in 0..STARTS {
        let mut pharos = Server::start(
            data,
            &[("PHAROS__SERVER__LINKS_LISTEN", &links_at.to_string())],
        )?;
        healthy.push(pharos.healthy().await?);
        let mut connection = Connection::open(links_at).await?;
        let last = format!(
            "GET /many{:08} HTTP/1.1\r\nhost: localhost\r\n\r\n",
            links - 1
        );
        let status = connection.exchange(last.as_bytes()).await?;
        ensure!(status == 302, "the last link is answered with {status}");
        if healthy.len() < STARTS {
            pharos.stop()?;
            continue;
        }
        let with = pharos.rested_mb(REST).await?;
        println!(
            "{links} links: healthy {:.0} ms after exec (median of {STARTS}); {with:.0} MB resident, {:.0} MB more than \
             without any ({:.0} bytes a link)",
            machine::median(healthy.clone()),
            with - without,
            (with - without) * 1e6 / links as f64
        );
    }
    Ok(())
}

async fn start(data: &Path, links: SocketAddr) -> anyhow::Result<Server> {
    let (workers, links) = (program::WORKERS.to_string(), links.to_string());
    let mut settings = program::unlimited(&workers).to_vec();
    settings.push(("PHAROS__SERVER__LINKS_LISTEN", &links));
    settings.push(("PHAROS__SERVER__TRUSTED_PROXIES", "127.0.0.1/32"));
    let mut pharos = Server::start(data, &settings)?;
    pharos.healthy().await?;
    Ok(pharos)
}

/// Makes the link that is followed.
async fn make(pharos: &Server, made: &SetupResult) -> anyhow::Result<()> {
    let mut connection = Connection::open(pharos.api).await?;
    let key = format!("x-api-key: {}\r\n", made.api_key);
    let body = json!({"name": "bench", "targetUrl": TARGET, "slug": "bench"}).to_string();
    let status = connection
        .exchange(&wire::post("/links/create", &key, &body))
        .await?;
    ensure!(status == 200, "the link is refused: {status}");
    Ok(())
}

async fn dropped(pharos: &Server) -> anyhow::Result<String> {
    let mut connection = Connection::open(pharos.api).await?;
    let request = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n";
    connection.exchange(request).await?;
    let text = String::from_utf8_lossy(connection.body());
    let mut lines = text.lines();
    let line = lines.find(|line| line.starts_with("pharos_clicks_dropped_total"));
    Ok(line.unwrap_or("not told").to_owned())
}

/// Every request from another address, behind a trusted proxy.
const VARIED: &str = "local n = 0\nrequest = function()\n  n = n + 1\n  \
    wrk.headers[\"X-Forwarded-For\"] = string.format(\"10.%d.%d.%d\", math.floor(n / 65536) % 256, math.floor(n / 256) % 256, n % 256)\n  \
    return wrk.format(nil, nil, wrk.headers)\nend\n";

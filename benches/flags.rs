//! Flags beside a bare actix-web handler that answers a constant body of the same size, each server a process of its own, in
//! alternating rounds of `wrk`; then what one evaluation among ten thousand flags costs. `benches/README.md` says how to run
//! and read it.
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

use std::{hint::black_box, net::SocketAddr, path::Path, sync::Arc, time::Instant};

use actix_web::{App, HttpResponse, HttpServer, http::header::ContentType, web};
use anyhow::{Context, ensure};
use pharos::{
    actors::flags::{
        FlagFields,
        engine::{Compiled, Context as Asker, Flags},
    },
    platform::{Install, SetupResult},
};
use serde_json::{Value, json};

use self::{args::Args, child::Server, wire::Connection, wrk::Load};

/// Flags that a page asks for.
const ON_A_PAGE: usize = 20;
/// Flags of the organization whose evaluations are timed one by one.
const MANY: usize = 10_000;

fn main() -> anyhow::Result<()> {
    let args = Args::read(&["connections", "rounds", "seconds", "serve-bare", "size"])?;
    if let Some(address) = args.text("serve-bare") {
        let (address, size) = (address.parse()?, args.number("size", 1)?);
        return actix_web::rt::System::new().block_on(bare(address, size));
    }
    one_by_one()?;
    let load = Load {
        connections: args.number("connections", 64)?,
        rounds: args.number("rounds", 3)?,
        seconds: args.number("seconds", 8)?,
    };
    actix::System::new().block_on(measure(&load))
}

/// A constant body until the process is killed.
async fn bare(address: SocketAddr, size: usize) -> anyhow::Result<()> {
    let body = web::Bytes::from(vec![b'x'; size]);
    let server = HttpServer::new(move || {
        let body = body.clone();
        // Reads what it is sent: else every request needs a connection of its own.
        let answer = move |_: web::Bytes| {
            let body = body.clone();
            async move {
                HttpResponse::Ok()
                    .content_type(ContentType::json())
                    .body(body)
            }
        };
        App::new().default_service(web::to(answer))
    });
    let server = server.workers(program::WORKERS).tcp_nodelay(true);
    server.bind(address)?.run().await?;
    Ok(())
}

/// The flags of a page: percentages, rules, several values.
fn fields(number: usize) -> Value {
    let rule = json!({"type": "property", "field": "plan", "operator": "equals", "value": "pro", "enabled": true});
    let variants = json!([
        {"key": "a", "value": "blue", "weight": 50}, {"key": "b", "value": "green", "weight": 50},
    ]);
    let key = format!("flag-{number}");
    match number % 3 {
        0 => json!({"key": key, "type": "rollout", "rolloutPercentage": 50}),
        1 => json!({"key": key, "rules": [rule], "defaultValue": true}),
        _ => json!({"key": key, "type": "multivariant", "variants": variants}),
    }
}

/// What one evaluation costs.
fn one_by_one() -> anyhow::Result<()> {
    const TURNS: usize = 200;
    let mut flags = Flags::new();
    for number in 0..MANY {
        let fields: FlagFields = serde_json::from_value(fields(number))?;
        let compiled = Compiled::new(&fields, &[])
            .ok()
            .context("rules are in order")?;
        flags.insert(fields.key.into(), Arc::new(compiled));
    }
    let keys: Vec<String> = (0..MANY)
        .map(|number| format!("flag-{}", number * 7 % MANY))
        .collect();
    let asker = Asker {
        user_id: Some("user-1".to_owned()),
        ..Asker::default()
    };
    let begun = Instant::now();
    for turn in 0..TURNS {
        for key in keys.iter().skip(turn % 7) {
            let flag = flags.get(key.as_str()).context("it is there")?;
            black_box(flag.evaluate(&flags, black_box(&asker)));
        }
    }
    let each = begun.elapsed().as_secs_f64() * 1e6 / (TURNS * MANY) as f64;
    println!("one of {MANY} flags, found and evaluated: {each:.3} us");
    Ok(())
}

async fn measure(load: &Load) -> anyhow::Result<()> {
    let directory = tempfile::tempdir_in(program::directory()?)?;
    println!("machine: {}", machine::describe());
    let data = directory.path().join("data");
    let made = program::installed(&data, Install::default()).await?;
    let pharos = start(&data).await?;
    for number in 0..ON_A_PAGE {
        make(&pharos, &made, number).await?;
    }
    let website = &made.website_id;
    let bulk = format!("/public/v1/flags/bulk?clientId={website}&userId=user-1");
    let (_, size) = asked(
        &pharos,
        &format!("GET {bulk} HTTP/1.1\r\nhost: localhost\r\n\r\n"),
    )
    .await?;
    let ofrep = format!("/public/v1/flags/{website}/ofrep/v1/evaluate/flags");
    let body = json!({"context": {"targetingKey": "user-1", "plan": "pro"}}).to_string();
    let tag = tag(&pharos, &ofrep, &body).await?;
    let known = directory.path().join("known.lua");
    std::fs::write(&known, script(&ofrep, &body, Some(&tag)))?;
    let told = directory.path().join("told.lua");
    std::fs::write(&told, script(&ofrep, &body, None))?;
    for (name, path, lua, size) in [
        ("bulk of 20 flags", bulk.as_str(), None, size),
        (
            "OFREP bulk of 20 flags",
            ofrep.as_str(),
            Some(told.as_path()),
            size,
        ),
        ("304", ofrep.as_str(), Some(known.as_path()), 1),
    ] {
        let address = child::free()?;
        let size = size.to_string();
        let mut bare = Server::again(
            &["--serve-bare", &address.to_string(), "--size", &size],
            address,
        )?;
        bare.healthy().await?;
        let ours = async || {
            pharos.quiet().await?;
            load.run(pharos.api, path, lua)
        };
        let theirs = async || load.run(address, path, lua);
        load.compare((name, "bare"), ours, theirs).await?;
    }
    Ok(())
}

/// A request of `wrk` with a body.
fn script(path: &str, body: &str, tag: Option<&str>) -> String {
    let tag = tag.map_or_else(String::new, |tag| {
        format!("wrk.headers[\"If-None-Match\"] = '{tag}'\n")
    });
    format!(
        "wrk.method = 'POST'\nwrk.path = '{path}'\nwrk.body = '{body}'\n\
         wrk.headers[\"Content-Type\"] = 'application/json'\n{tag}"
    )
}

async fn start(data: &Path) -> anyhow::Result<Server> {
    let workers = program::WORKERS.to_string();
    let mut settings = program::unlimited(&workers).to_vec();
    settings.push(("PHAROS__LIMITS__FLAGS_REQUESTS", "0"));
    let mut pharos = Server::start(data, &settings)?;
    pharos.healthy().await?;
    Ok(pharos)
}

async fn make(pharos: &Server, made: &SetupResult, number: usize) -> anyhow::Result<()> {
    let mut body = fields(number);
    body["websiteId"] = json!(made.website_id);
    let key = format!("x-api-key: {}\r\n", made.api_key);
    let mut connection = Connection::open(pharos.api).await?;
    let request = wire::post("/flags/create", &key, &body.to_string());
    let status = connection.exchange(&request).await?;
    ensure!(status == 200, "a flag is refused: {status}");
    Ok(())
}

/// Status and size of an answer.
async fn asked(pharos: &Server, request: &str) -> anyhow::Result<(u16, usize)> {
    let mut connection = Connection::open(pharos.api).await?;
    let status = connection.exchange(request.as_bytes()).await?;
    Ok((status, connection.body().len()))
}

/// The tag of an answer.
async fn tag(pharos: &Server, path: &str, body: &str) -> anyhow::Result<String> {
    let url = format!("http://{}{path}", pharos.api);
    let request = reqwest::Client::new().post(url);
    let request = request.header("content-type", "application/json");
    let answer = request.body(body.to_owned()).send().await?;
    let tag = answer.headers().get("etag").context("there is a tag")?;
    Ok(tag.to_str()?.to_owned())
}

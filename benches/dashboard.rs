//! A website's pages as their first visitor gets them: the program started anew, its files out of the machine's memory, and
//! no answer kept; beside the same queries alone, sent to `POST /v1/query` under the same circumstances; and how large a page
//! is. `benches/README.md` says how to run and read it.
#![expect(clippy::print_stdout, reason = "figures go to standard output")]

#[path = "support/args.rs"]
mod args;
#[path = "support/built.rs"]
mod built;
#[path = "support/child.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod child;
#[path = "support/machine.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod machine;
#[path = "support/program.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod program;
#[path = "support/watched.rs"]
mod watched;
#[path = "support/wire.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod wire;

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use chrono::{DateTime, TimeDelta};
use pharos::{actors::organizations::SignIn, clock::Clock};
use rustix::fs::{Advice, fadvise};
use secrecy::ExposeSecret;
use serde_json::Value;

use self::{
    args::Args,
    built::{Built, Wish},
    child::Server,
    watched::Watched,
};

/// The pages of a website, the last part of their path and what they are asked about.
const PAGES: [(&str, &str, i64, &str, &str); 13] = [
    ("dashboard", "", 7, "daily", ""),
    ("dashboard", "", 7, "hourly", ""),
    ("dashboard", "", 30, "daily", ""),
    ("dashboard", "", 30, "daily", FILTER),
    ("dashboard", "", 90, "daily", ""),
    ("users", "/people", 30, "daily", ""),
    ("users", "/people", 30, "daily", FILTER),
    ("engagement", "/engagement", 30, "daily", ""),
    ("engagement", "/engagement", 30, "daily", FILTER),
    ("web vitals", "/vitals", 30, "daily", ""),
    ("web vitals", "/vitals", 30, "daily", FILTER),
    ("revenue", "/revenue", 30, "daily", ""),
    ("revenue", "/revenue", 30, "daily", FILTER),
];
/// A filter of the address.
const FILTER: &str = "&f=country:eq:DE";
/// What the first panel of a page begins with.
const PANEL: &[u8] = b"<section class=\"panel";
/// The text before and behind the bodies on the page.
const BODIES: (&str, &str) = ("aria-label=\"Request body\"><code>", "</code>");

fn main() -> anyhow::Result<()> {
    let args = Args::read(&["events", "websites", "days", "repeat", "store"])?;
    let wish = Wish {
        events: args.number("events", 1_000_000)?,
        websites: args.number("websites", 1)?,
        days: args.number("days", 90)?,
    };
    let repeat = args.number("repeat", 5)?;
    program::log()?;
    // Deleted at the end, unless a place was named.
    let temporary = tempfile::tempdir_in(program::directory()?)?;
    let directory = args
        .text("store")
        .map_or(temporary.path().to_owned(), PathBuf::from);
    fs::create_dir_all(&directory)?;
    let directory = directory.canonicalize()?;
    actix::System::new().block_on(measure(&directory, &wish, repeat))
}

async fn measure(directory: &Path, wish: &Wish, repeat: usize) -> anyhow::Result<()> {
    println!("machine: {}", machine::describe());
    if !built::is_there(directory, wish) {
        built::build(directory, wish).await?;
    }
    let built = Built::read(directory)?;
    let cookie = signed_in(&built).await?;
    println!(
        "\n{:28} {:>9} {:>9} {:>9} {:>9} {:>13} {:>14} {:>8}",
        "page",
        "head ms",
        "panel ms",
        "cold ms",
        "again ms",
        "queries cold",
        "queries again",
        "bytes"
    );
    for (name, part, days, grain, filter) in PAGES {
        let (first, last) = between(days)?;
        let path = format!(
            "/console/site/{}{part}?from={first}&to={last}&by={grain}{filter}",
            built.website
        );
        let page = Question::page(&path, &cookie);
        let server = started(&built).await?;
        let shown = page.get(&server).await?.body;
        server.stop()?;
        let queries = Question::queries(&built, &bodies(&shown)?);
        let (mut through, mut alone) = (Timings::default(), Timings::default());
        for _ in 0..repeat.max(1) {
            through.add(&built, &page).await?;
            alone.add(&built, &queries).await?;
        }
        let filtered = if filter.is_empty() { "" } else { ", filtered" };
        println!(
            "{:28} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>13.1} {:>14.1} {:>8}",
            format!("{name}, {days} {grain}{filtered}"),
            machine::median(through.head),
            machine::median(through.panel),
            machine::median(through.cold),
            machine::median(through.again),
            machine::median(alone.cold),
            machine::median(alone.again),
            shown.len()
        );
    }
    Ok(())
}

/// The first and the last of the last days of the data.
fn between(days: i64) -> anyhow::Result<(String, String)> {
    let last = DateTime::from_timestamp_millis(built::END).context("no such time")?;
    let first = last - TimeDelta::days(days - 1);
    let day = |time: DateTime<_>| time.format("%Y-%m-%d").to_string();
    Ok((day(first), day(last)))
}

/// Signs the owner in: the value of the cookie.
async fn signed_in(built: &Built) -> anyhow::Result<String> {
    // By the clock of the program that is going to read it.
    let platform = program::start(&built.data, Clock::system()).await?;
    let opened = platform.domains().organizations.ask(SignIn {
        email: built.email.clone(),
        password: built.password.clone().into(),
        user_agent: None,
        device: None,
    });
    let session = opened.await?.session().context("a code is due")?;
    platform.stop().await;
    Ok(session.token.expose_secret().to_owned())
}

/// The program over files that are not in memory.
async fn started(built: &Built) -> anyhow::Result<Server> {
    forget(&built.data)?;
    let workers = program::WORKERS.to_string();
    let mut server = Server::start(&built.data, &program::unlimited(&workers))?;
    server.healthy().await?;
    server.quiet().await?;
    Ok(server)
}

/// Takes all files below a directory out of the machine's memory.
fn forget(directory: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            forget(&entry.path())?;
        } else if kind.is_file() {
            // What the storekeeper has deleted meanwhile is not in memory either.
            let Ok(file) = File::open(entry.path()) else {
                continue;
            };
            // What is not written yet stays.
            file.sync_all()?;
            fadvise(&file, 0, None, Advice::DontNeed)?;
        }
    }
    Ok(())
}

/// What the page asks, as it says itself.
fn bodies(page: &[u8]) -> anyhow::Result<String> {
    let page = std::str::from_utf8(page)?;
    let (_, rest) = page
        .split_once(BODIES.0)
        .context("the page does not say what it asks")?;
    let (text, _) = rest.split_once(BODIES.1).context("no end of the bodies")?;
    let text = text.replace("&quot;", "\"").replace("&lt;", "<");
    Ok(text.replace("&gt;", ">").replace("&amp;", "&"))
}

/// A request as it goes over the wire, and the text of its answer that is waited for.
struct Question(Vec<u8>, &'static [u8]);

impl Question {
    fn page(path: &str, cookie: &str) -> Self {
        let text = format!(
            "GET {path} HTTP/1.1\r\nhost: localhost\r\ncookie: pharos_session={cookie}\r\n\r\n"
        );
        Self(text.into_bytes(), PANEL)
    }

    fn queries(built: &Built, bodies: &str) -> Self {
        let path = format!("/v1/query?website_id={}", built.website);
        let key = format!("x-api-key: {}\r\n", built.key);
        Self(wire::post(&path, &key, bodies), b"{")
    }

    async fn get(&self, server: &Server) -> anyhow::Result<Watched> {
        watched::watch(server.api, &self.0, self.1).await
    }
}

/// Milliseconds of a request to a program that was just started, and once more.
#[derive(Default)]
struct Timings {
    head: Vec<f64>,
    panel: Vec<f64>,
    cold: Vec<f64>,
    again: Vec<f64>,
}

impl Timings {
    async fn add(&mut self, built: &Built, asked: &Question) -> anyhow::Result<()> {
        let server = started(built).await?;
        let first = asked.get(&server).await?;
        let second = asked.get(&server).await?;
        server.stop()?;
        ensure!(
            size(&first.body).abs_diff(size(&second.body)) < 1_000,
            "two answers to one question"
        );
        self.head.push(first.begun);
        self.panel.push(first.marked);
        self.cold.push(first.all);
        self.again.push(second.all);
        Ok(())
    }
}

/// Bytes of a page, or rows of an answer to queries, in which ids differ.
fn size(body: &[u8]) -> usize {
    match serde_json::from_slice::<Value>(body) {
        Ok(answer) => answer["results"].as_array().map_or(0, Vec::len),
        Err(_) => body.len(),
    }
}

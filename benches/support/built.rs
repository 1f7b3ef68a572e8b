//! The store that is asked: filled by the demo generator through the event store, sealed and merged as in production.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use duckdb::Connection;
use pharos::{
    actors::{
        ingest::{Compact, Seal},
        websites::CreateWebsite,
    },
    clock::Clock,
    events::{
        demo::{Generator, Plan, Site},
        engine::quoted,
        store::{Accepted, AppendError},
    },
    ids::OrganizationKey,
    platform::{Install, Platform},
};
use serde::{Deserialize, Serialize};

use crate::{machine, program};

/// The last moment of the data and the time of all questions: 2025-10-15T12:00:00Z, a Wednesday.
pub(crate) const END: i64 = 1_760_529_600_000;
/// How often the storekeeper is asked again when it is busy.
const ATTEMPTS: u32 = 3_000;

/// How much is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wish {
    /// Events of all websites.
    pub(crate) events: u64,
    /// Websites; the first owns two fifths of the events.
    pub(crate) websites: usize,
    /// Days before [`END`].
    pub(crate) days: u32,
}

/// A store that is there.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Built {
    /// What was wanted.
    pub(crate) wish: Wish,
    /// The data directory.
    pub(crate) data: PathBuf,
    /// All rows as one sorted Parquet file.
    pub(crate) sorted: PathBuf,
    /// Id of the first website.
    pub(crate) website: String,
    /// Its number in rows.
    pub(crate) website_number: i64,
    /// A key that may read it.
    pub(crate) key: String,
    /// Who owns it.
    pub(crate) email: String,
    /// With which password.
    pub(crate) password: String,
}

impl Built {
    /// What lies in a directory.
    pub(crate) fn read(directory: &Path) -> anyhow::Result<Self> {
        let text = fs::read(note(directory)).context("no finished store")?;
        Ok(serde_json::from_slice(&text)?)
    }
}

/// Whether the directory holds what is wanted.
pub(crate) fn is_there(directory: &Path, wish: &Wish) -> bool {
    Built::read(directory).is_ok_and(|built| built.wish == *wish)
}

fn note(directory: &Path) -> PathBuf {
    directory.join("built.json")
}

/// Fills an empty directory.
pub(crate) async fn build(directory: &Path, wish: &Wish) -> anyhow::Result<()> {
    let data = directory.join("data");
    if data.exists() {
        bail!(
            "`{}` holds another or an unfinished store; name another directory or delete it",
            directory.display()
        );
    }
    let platform = program::start(&data, Clock::fixed(END)).await?;
    let wanted = Install {
        website: "site-0.example".to_owned(),
        ..Install::default()
    };
    let made = platform.install(wanted).await?;
    let sites = sites(&platform, &made.website_id, wish.websites).await?;
    let start = Instant::now();
    fill(&platform, &sites, wish).await?;
    let filled = start.elapsed();
    settle(&platform).await?;
    println!(
        "built: {} events durable in {:.0} s ({:.0} a second, generating included), sealed and merged after {:.0} s",
        wish.events,
        filled.as_secs_f64(),
        wish.events as f64 / filled.as_secs_f64(),
        start.elapsed().as_secs_f64()
    );
    let sorted = directory.join("sorted.parquet");
    sort(&platform, &sorted)?;
    platform.stop().await;
    let built = Built {
        wish: wish.clone(),
        data,
        sorted,
        website: made.website_id,
        website_number: sites.first().context("no website")?.key.0,
        key: made.api_key,
        email: made.email,
        password: made.password,
    };
    fs::write(note(directory), serde_json::to_vec_pretty(&built)?)?;
    Ok(())
}

/// The first website and as many more as make `count`.
pub(crate) async fn sites(
    platform: &Platform,
    first: &str,
    count: usize,
) -> anyhow::Result<Vec<Site>> {
    let websites = &platform.domains().websites;
    let first = websites
        .view()
        .by_id(first)
        .cloned()
        .context("no website")?;
    let mut all = vec![first.clone()];
    for number in 1..count {
        let create = CreateWebsite {
            organization: first.organization.clone(),
            name: format!("Site {number}"),
            domain: format!("site-{number}.example"),
            compatibility: Vec::new(),
            allowance: None,
        };
        all.push(websites.ask(create).await?);
    }
    let site = |website: &pharos::actors::websites::Website| Site {
        key: website.key,
        domain: website.domain.clone(),
    };
    Ok(all.iter().map(|website| site(website)).collect())
}

/// The number of the organization.
pub(crate) fn organization(platform: &Platform) -> anyhow::Result<OrganizationKey> {
    let tenants = platform.domains().organizations.view();
    let first = tenants.first();
    let organization = first.and_then(|id| tenants.tenant(id.as_str()));
    Ok(organization.context("no organization")?.key)
}

async fn fill(platform: &Platform, sites: &[Site], wish: &Wish) -> anyhow::Result<()> {
    let plan = Plan {
        organization: organization(platform)?,
        websites: sites.to_vec(),
        events: wish.events,
        days: wish.days,
        end: END,
        seed: 1,
    };
    for chunk in Generator::new(plan) {
        append(platform, chunk).await?;
    }
    Ok(())
}

/// Makes events durable, waiting while sealing is behind.
pub(crate) async fn append(platform: &Platform, chunk: Vec<Accepted>) -> anyhow::Result<()> {
    loop {
        match platform.stores().events.append(chunk.clone()).await {
            Ok(_) => return Ok(()),
            // Sealing is behind.
            Err(AppendError::Overloaded) => tokio::time::sleep(Duration::from_millis(50)).await,
            Err(error) => return Err(error.into()),
        }
    }
}

/// Asks the storekeeper until nothing is left to seal or to merge.
pub(crate) async fn settle(platform: &Platform) -> anyhow::Result<()> {
    let ingest = &platform.domains().ingest;
    for _ in 0..ATTEMPTS {
        // An error means that it was too busy to answer in time: what it does meanwhile is the same work.
        let (sealed, merged) = (
            ingest.ask(Seal).await,
            ingest.ask(Compact { at_rest: true }).await,
        );
        if matches!((sealed, merged), (Ok(0), Ok(false))) {
            machine::quiet().await;
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    bail!("the store does not come to rest")
}

/// Writes all rows into one file.
fn sort(platform: &Platform, to: &Path) -> anyhow::Result<()> {
    let snapshot = platform.stores().events.snapshot();
    let files: Vec<String> = snapshot
        .segments
        .iter()
        .map(|segment| quoted(&segment.path.to_string_lossy()))
        .collect();
    let connection = Connection::open_in_memory()?;
    let spill = to.with_extension("spill");
    connection.execute_batch(&format!(
        "SET temp_directory = {}; SET memory_limit = '2GB'; SET preserve_insertion_order = false;
         COPY (SELECT * FROM read_parquet([{}]) ORDER BY website, time) TO {}
         (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2, ROW_GROUP_SIZE 20480)",
        quoted(&spill.to_string_lossy()),
        files.join(", "),
        quoted(&to.to_string_lossy())
    ))?;
    Ok(())
}

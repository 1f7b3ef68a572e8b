//! `pharos import`: files of other tools become events of a website.
//!
//! A file is read from its beginning each time, because visits follow from what came before; what an earlier import
//! of the same bytes has stored is passed over. Progress is noted after every durable chunk: an
//! import that was cut off goes on, a file that is done adds nothing, and one that has grown adds what is new. A chunk
//! that was stored and not noted is sent again with the same ids of events, and recognised.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use serde::Serialize;

use super::{
    CommandError, Stores,
    commands::website,
    offline::{offline, tidy},
    progress::Progress,
    wiring,
};
use crate::{
    access::authorize,
    actors::{
        imports::{self, Progress as Noted},
        websites::Website,
    },
    config::Settings,
    events::{
        accept::Target,
        enrich::{self, Enricher},
        import::{self, Format, Import, Outcome, Source},
        store::Accepted,
    },
};

/// Events that are stored at once, at most, and bytes of the file that they come from.
const CHUNK: usize = 5_000;
const CHUNK_BYTES: u64 = 8 << 20;
/// Refused records that are listed one by one.
const MAX_REFUSALS: usize = 1_000;

/// What an import came to.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    pub website_id: String,
    /// Events that were stored now.
    pub events: u64,
    /// Events of the same file that earlier imports have stored.
    pub earlier: u64,
    /// Records that are no events, by what they are.
    pub left_out: BTreeMap<&'static str, u64>,
    /// Records that cannot be read or break a rule.
    pub refused: u64,
    /// The first thousand of them.
    pub refusals: Vec<RefusedRecord>,
}

/// A record that was not taken.
#[derive(Debug, Clone, Serialize)]
pub struct RefusedRecord {
    /// Its line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub why: String,
}

#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// What kind of file it is.
    pub format: Format,
    pub file: PathBuf,
    pub website: String,
    /// Whether to look only.
    pub dry: bool,
}

/// Imports a file, or goes on with it. The server has to be stopped.
///
/// # Errors
/// A [`CommandError`] where the operator can help it, or what the stores say. What was stored until then stays, and the next
/// call goes on behind it.
pub fn import(settings: &Settings, options: &ImportOptions) -> anyhow::Result<Imported> {
    offline(settings, async |stores, domains| {
        let website = website(&domains, &options.website)?;
        let mut run = Run::begin(settings, stores, &website, options).await?;
        let imported = run.import(stores).await?;
        if !options.dry && imported.events > 0 {
            tidy(&domains.ingest).await?;
        }
        Ok(imported)
    })
}

struct Run<'a> {
    website: &'a Website,
    options: &'a ImportOptions,
    noted: Noted,
    enricher: Enricher,
    source: Box<dyn Source>,
    prefix: Prefix,
    progress: Progress,
    outcome: Imported,
}

impl<'a> Run<'a> {
    async fn begin(
        settings: &Settings,
        stores: &Stores,
        website: &'a Website,
        options: &'a ImportOptions,
    ) -> anyhow::Result<Self> {
        let unreadable = |error: io::Error| {
            CommandError::new(
                format!("`{}` cannot be imported: {error}", options.file.display()),
                "name a file that is not packed; `pharos import --help` says which formats there are",
            )
        };
        let source = import::open(options.format, &options.file).map_err(unreadable)?;
        let mut probe = Prefix::open(&options.file).map_err(unreadable)?;
        let noted = find_progress(stores, website, options, &mut probe).await?;
        let prefix = Prefix::open(&options.file).map_err(unreadable)?;
        let length = prefix.length;
        let salt = noted.salt;
        let enrichment = enrich::Options {
            geo_database: wiring::geo_database(settings),
        };
        let enricher = Enricher::start(&enrichment, Arc::new(move |_| Some(salt)))?;
        enricher.ready().await;
        Ok(Self {
            website,
            options,
            enricher,
            source,
            prefix,
            progress: Progress::new(length, "bytes"),
            outcome: Imported {
                website_id: website.id.to_string(),
                earlier: noted.events,
                ..Imported::default()
            },
            noted,
        })
    }

    /// Everything from the beginning of the file to its end.
    async fn import(&mut self, stores: &Stores) -> anyhow::Result<Imported> {
        let site = self.website.site();
        let id = self.noted.id.clone();
        let access = authorize::ingest_with_client_id(&self.options.website, Some(&site))?;
        let enricher = self.enricher.clone();
        let import = Import {
            id: &id,
            target: Target {
                access,
                domain: &self.website.domain,
                bots: self.website.settings.bots(),
            },
            enricher: &enricher,
            now: stores.clock.now_ms(),
        };
        let (mut chunk, mut bytes) = (Vec::with_capacity(CHUNK), 0);
        let (mut end, mut done) = (0, self.noted.position);
        while let Some(record) = self.source.next(&import)? {
            let read = record.end - end;
            self.progress.advance(read);
            end = record.end;
            if end <= self.noted.position {
                continue;
            }
            done = record.done.max(done);
            match record.outcome {
                Outcome::Event(accepted) => chunk.push(*accepted),
                Outcome::LeftOut(why) => *self.outcome.left_out.entry(why).or_default() += 1,
                Outcome::Refused(why) => self.refuse(record.line, why),
            }
            bytes += read;
            if chunk.len() == CHUNK || bytes >= CHUNK_BYTES {
                bytes = 0;
                self.store(stores, std::mem::take(&mut chunk), done, false)
                    .await?;
            }
        }
        self.store(stores, chunk, done, true).await?;
        Ok(self.outcome.clone())
    }

    fn refuse(&mut self, line: u64, why: String) {
        self.outcome.refused += 1;
        if self.outcome.refusals.len() < MAX_REFUSALS {
            self.outcome.refusals.push(RefusedRecord { line, why });
        }
    }

    /// Makes a chunk durable, then notes how far the file is done.
    async fn store(
        &mut self,
        stores: &Stores,
        chunk: Vec<Accepted>,
        end: u64,
        done: bool,
    ) -> anyhow::Result<()> {
        let events = chunk.len() as u64;
        self.outcome.events += events;
        if self.options.dry {
            return Ok(());
        }
        if !chunk.is_empty() {
            stores.append(chunk).await?;
        }
        self.noted.events += events;
        self.noted.position = end;
        self.noted.digest = self.prefix.digest(end)?;
        Ok(imports::note(&stores.state, &stores.clock, &self.noted, done).await?)
    }
}

/// The import of the same bytes that came farthest, else a new one.
async fn find_progress(
    stores: &Stores,
    website: &Website,
    options: &ImportOptions,
    prefix: &mut Prefix,
) -> anyhow::Result<Noted> {
    let format = options.format.name();
    let mut known = imports::list(&stores.state, &website.id, format).await?;
    known.retain(|one| one.position <= prefix.length);
    // Each is compared at its own place, the nearest first: the file is read once.
    known.sort_by_key(|one| one.position);
    let mut found = None;
    for one in known {
        // One that was cut off before anything was noted is gone on with, too: something may be stored.
        if one.digest.is_empty() || prefix.digest(one.position)? == one.digest {
            found = Some(one);
        }
    }
    match found {
        Some(found) => Ok(found),
        None if options.dry => Ok(Noted {
            id: "dry".to_owned(),
            position: 0,
            digest: String::new(),
            events: 0,
            salt: [0; 32],
        }),
        None => Ok(imports::begin(&stores.state, &stores.clock, &website.id, format).await?),
    }
}

/// The checksum of a file's beginning, as far as it was asked for.
struct Prefix {
    file: File,
    length: u64,
    position: u64,
    hash: blake3::Hasher,
}

impl Prefix {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Self {
            file,
            length,
            position: 0,
            hash: blake3::Hasher::new(),
        })
    }

    /// Of the bytes up to `end`, which is never less than the last time.
    fn digest(&mut self, end: u64) -> anyhow::Result<String> {
        let mut buffer = vec![0; 1 << 16];
        while self.position < end {
            let wanted = (end - self.position).min(buffer.len() as u64) as usize;
            let read = self.file.read(&mut buffer[..wanted])?;
            if read == 0 {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof))
                    .context("the file became shorter while it was read");
            }
            self.hash.update(&buffer[..read]);
            self.position += read as u64;
        }
        Ok(self.hash.clone().finalize().to_hex().to_string())
    }
}

//! Clicks on their way into the event store: nobody waits for them.
//!
//! A bounded queue takes what redirects offer; a task enriches and appends them in batches. What does not fit is counted
//! (`pharos_clicks_dropped_total`). A click that was appended is durable; the last batch may be lost in a crash, and none
//! is ever written twice: a batch whose outcome is unknown is not sent again.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use actix_web::http::{Uri, header::HeaderValue};
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;

use super::once::Once;
use crate::{
    actors::links::Record,
    events::{
        enrich::{
            Enricher, Identity, Request,
            bot::{BotKind, Headers, Signals},
            geo::Told,
            referrer::{self, Arrival},
            user_agent::Hints,
            visitor::Anonymize,
        },
        event::{Bot, Details, Event, Trust, Utm},
        spool::outcome::AppendError,
        statement::{Bind, Cell, Scope, Statement},
        store::{Accepted, EventStore},
    },
    ids::{OrganizationKey, WebsiteKey},
};

/// Clicks that may wait: a quarter of a second of more than anybody gets.
const MOST_WAITING: usize = 65_536;
/// Clicks that are written together.
const BATCH: usize = 1_000;
/// How long the store is left alone when it is too busy.
const PAUSE: Duration = Duration::from_millis(100);
/// How often it is asked before a batch is given up.
const TRIES: usize = 50;
/// How long a referrer is that somebody is told of, in bytes.
const MOST_REFERRER: usize = 2_048;

/// Which series a click counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series {
    /// What people did.
    People,
    /// `HEAD`, fetches ahead and previews.
    Machines,
}

/// Somebody followed a link.
#[derive(Debug, Clone)]
pub struct Click {
    /// Owner of the link.
    pub organization: OrganizationKey,
    /// The link.
    pub link: WebsiteKey,
    /// When, Unix ms.
    pub at_ms: i64,
    /// From where; goes no further than the queue.
    pub address: IpAddr,
    /// `User-Agent`.
    pub user_agent: Option<HeaderValue>,
    /// `Referer`.
    pub referrer: Option<HeaderValue>,
    /// Whether `Accept-Language` was there.
    pub has_language: bool,
    /// Whether `Sec-Fetch-Mode` was there.
    pub has_fetch_mode: bool,
    /// What was asked for, if it had a query.
    pub uri: Option<Uri>,
    /// Which series it counts in.
    pub series: Series,
    /// Whether the link ends after some clicks.
    pub is_capped: bool,
}

enum Job {
    Click(Box<Click>),
    Flush(oneshot::Sender<()>),
}

/// Takes clicks; cheap to clone.
#[derive(Clone)]
pub struct Clicks {
    jobs: mpsc::Sender<Job>,
    once: Arc<Once>,
    figures: Arc<Figures>,
    events: EventStore,
    _tasks: TaskTracker,
}

#[derive(Default)]
struct Figures {
    dropped: AtomicU64,
    /// Counted clicks of links that end after some.
    capped: Mutex<HashMap<i64, Arc<AtomicU64>>>,
}

impl Clicks {
    /// Starts the task that writes clicks; on a runtime. The secret makes names of addresses.
    pub fn start(events: EventStore, enricher: Enricher, secret: [u8; 32]) -> Self {
        let (jobs, queue) = mpsc::channel(MOST_WAITING);
        let figures = Arc::new(Figures::default());
        let worker = Worker {
            events: events.clone(),
            enricher,
            figures: Arc::clone(&figures),
        };
        let tasks = TaskTracker::new();
        tasks.spawn(worker.run(queue));
        Self {
            jobs,
            once: Arc::new(Once::new(secret)),
            _tasks: tasks,
            figures,
            events,
        }
    }

    /// Takes a click, if it is the first of its address in a while and there is room.
    pub fn take(&self, click: Click) {
        let (link, series) = (click.link, click.series);
        if !(self.once).is_first(link, click.address, series, click.at_ms) {
            return;
        }
        if click.is_capped && click.series == Series::People {
            let known = self.figures.known(click.link);
            known.map(|count| count.fetch_add(1, Relaxed));
        }
        if self.jobs.try_send(Job::Click(Box::new(click))).is_err() {
            self.figures.dropped.fetch_add(1, Relaxed);
        }
    }

    /// How many clicks were lost, because too many waited or the store refused.
    pub fn dropped(&self) -> u64 {
        self.figures.dropped.load(Relaxed)
    }

    /// Waits until everything that was taken is written.
    pub async fn flush(&self) {
        let (done, written) = oneshot::channel();
        if self.jobs.send(Job::Flush(done)).await.is_ok() {
            let _ = written.await;
        }
    }

    /// How many people's clicks a link has. Counted in the store once, then here.
    pub async fn count_of(&self, record: &Record<'_>) -> u64 {
        let key = record.key();
        if let Some(count) = self.figures.known(key) {
            return count.load(Relaxed);
        }
        self.flush().await;
        let statement = Statement {
            text: "SELECT count(*) FROM {events} WHERE kind = ? AND bot = 0".to_owned(),
            binds: vec![Bind::Int(crate::events::tables::kind::CLICK)],
            scope: Scope {
                organization: record.organization().0,
                website: Some(key.0),
                from: 0,
                to: i64::MAX,
            },
        };
        let stored = match self.events.query(statement).await {
            Ok(rows) => match rows.rows.first().and_then(|row| row.first()) {
                Some(Cell::Int(count)) => u64::try_from(*count).unwrap_or(0),
                _ => 0,
            },
            Err(error) => {
                tracing::warn!(%error, "clicks of a link that ends after some cannot be counted yet");
                return 0;
            }
        };
        let mut capped = self.figures.capped();
        let count = capped.entry(key.0);
        let count = count.or_insert_with(|| Arc::new(AtomicU64::new(stored)));
        count.load(Relaxed)
    }
}

impl Figures {
    fn capped(&self) -> std::sync::MutexGuard<'_, HashMap<i64, Arc<AtomicU64>>> {
        self.capped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self, link: WebsiteKey) -> Option<Arc<AtomicU64>> {
        self.capped().get(&link.0).cloned()
    }
}

struct Worker {
    events: EventStore,
    enricher: Enricher,
    figures: Arc<Figures>,
}

impl Worker {
    async fn run(self, mut queue: mpsc::Receiver<Job>) {
        let mut jobs = Vec::with_capacity(BATCH);
        while queue.recv_many(&mut jobs, BATCH).await > 0 {
            let mut events = Vec::with_capacity(jobs.len());
            let mut waiting = Vec::new();
            for job in jobs.drain(..) {
                match job {
                    Job::Click(click) => {
                        self.enricher.ready_at(click.at_ms).await;
                        events.extend(self.event(&click));
                    }
                    Job::Flush(done) => waiting.push(done),
                }
            }
            self.write(events).await;
            for done in waiting {
                let _ = done.send(());
            }
        }
    }

    /// Writes a batch. Only a refusal is tried again, because nothing of it was written.
    async fn write(&self, events: Vec<Accepted>) {
        let lost = events.len() as u64;
        if lost == 0 {
            return;
        }
        for _ in 0..TRIES {
            match self.events.append(events.clone()).await {
                Ok(_) => return,
                Err(AppendError::Overloaded | AppendError::DiskFull) => {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(AppendError::Closed(error)) => {
                    tracing::error!(error, clicks = lost, "clicks on links are lost");
                    break;
                }
            }
        }
        self.figures.dropped.fetch_add(lost, Relaxed);
    }

    /// The row of a click; the address ends here.
    fn event(&self, click: &Click) -> Option<Accepted> {
        let text = |value: &Option<HeaderValue>| {
            let value = value.as_ref().and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let (user_agent, referrer) = (text(&click.user_agent), text(&click.referrer));
        let request = Request {
            ip: Some(click.address),
            user_agent: Some(user_agent.as_str()).filter(|text| !text.is_empty()),
            hints: Hints::default(),
            headers: Headers {
                accept_language: click.has_language,
                fetch_metadata: click.has_fetch_mode,
            },
            told: Told::default(),
            trust: Trust::Client,
            received: click.at_ms,
        };
        let Ok(visit) = self.enricher.visit(&request) else {
            self.figures.dropped.fetch_add(1, Relaxed);
            return None;
        };
        let mut event = attributed(click, &referrer);
        let visitor = format!("{} {user_agent}", click.address);
        visit.stamp(
            &mut event,
            Identity {
                anonymous: &visitor,
                session: "",
                anonymize: Anonymize::Always,
            },
        );
        if click.series == Series::Machines {
            event.bot = Bot::Declared;
            event.bot_signals |= Signals::bit(BotKind::Preview);
        }
        Some(Accepted {
            event,
            event_id: None,
        })
    }
}

/// A click with where it came from.
fn attributed(click: &Click, referrer: &str) -> Event {
    let query = click.uri.as_ref().and_then(Uri::query).unwrap_or_default();
    let utm = campaign(query);
    let click_id = referrer::click_id_of(query);
    let short = referrer.len() <= MOST_REFERRER;
    let found = referrer::attribute(&Arrival {
        referrer: if short { referrer } else { "" },
        utm: &utm,
        click_id,
        page_host: "",
        domain: "",
    });
    Event {
        organization: click.organization.0,
        website: click.link.0,
        time: click.at_ms,
        referrer: found.referrer,
        referrer_domain: found.domain,
        source: found.source,
        channel: found.channel,
        utm,
        click_id: click_id.map(str::to_owned),
        details: Details::Click,
        ..Event::default()
    }
}

/// Campaign parameters of a query.
fn campaign(query: &str) -> Utm {
    let mut utm = Utm::default();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        let place = match &*name {
            "utm_source" => &mut utm.source,
            "utm_medium" => &mut utm.medium,
            "utm_campaign" => &mut utm.campaign,
            "utm_term" => &mut utm.term,
            "utm_content" => &mut utm.content,
            _ => continue,
        };
        let value: String = value
            .chars()
            .filter(|c| !c.is_control())
            .take(256)
            .collect();
        if place.is_none() && !value.is_empty() {
            *place = Some(value);
        }
    }
    utm
}

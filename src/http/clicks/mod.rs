//! Clicks on their way into the event store; no visitor waits for them.
//!
//! A bounded queue takes what redirects offer; a task enriches and appends them in batches. What does not fit is counted
//! (`pharos_clicks_dropped_total`). A click that was appended is durable; the last batch may be lost in a crash (in the first
//! moments of a process also what waits for the enrichment tables), and none is ever written twice: a batch whose outcome is
//! unknown is not sent again.

pub(super) mod dedup;

use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use actix_web::http::{Uri, header::HeaderValue};
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use self::dedup::{ClickDedup, Series};
use crate::{
    actors::links::Record,
    events::{
        enrich::{
            Enricher, Identity, Request,
            bot::{BotKind, Headers, Signals},
            referrer::{self, Arrival},
            user_agent::Hints,
            visitor::Anonymize,
        },
        event::{Bot, Details, Event, Trust, Utm},
        spool::outcome::AppendError,
        statement::{Bind, Cell, QueryError, Scope, Statement},
        store::{Accepted, EventStore},
    },
    http::edge::proxy_geo,
    ids::{OrganizationKey, WebsiteKey},
};

/// Clicks that may wait: a quarter of a second of more than anybody gets.
const MAX_WAITING: usize = 65_536;
/// Clicks that are written together.
const BATCH: usize = 1_000;
/// How long the store is left alone when it is too busy.
const PAUSE: Duration = Duration::from_millis(100);
/// How often it is asked before a batch is given up.
const TRIES: usize = 50;
/// Bytes of a referrer that is kept.
const MAX_REFERRER: usize = 2_048;
/// How long a language tag is, in bytes.
const MAX_LANGUAGE: usize = 35;

/// A visitor followed a link.
#[derive(Debug, Clone)]
pub struct Click {
    /// Owner of the link.
    pub organization: OrganizationKey,
    pub link: WebsiteKey,
    pub id: Uuid,
    /// When, Unix ms.
    pub at_ms: i64,
    /// From where; goes no further than the queue.
    pub address: IpAddr,
    pub user_agent: Option<HeaderValue>,
    pub referrer: Option<HeaderValue>,
    pub language: Option<HeaderValue>,
    /// What a trusted proxy says of country, region and city.
    pub place: Option<Box<[Option<HeaderValue>; 3]>>,
    /// Whether `Sec-Fetch-Mode` was there.
    pub has_fetch_mode: bool,
    /// What was asked for, if it had a query.
    pub uri: Option<Uri>,
    /// Which series it counts in.
    pub series: Series,
}

enum Job {
    Click(Box<Click>),
    Flush(oneshot::Sender<()>),
}

/// Takes clicks; cheap to clone.
#[derive(Clone)]
pub struct Clicks {
    jobs: mpsc::Sender<Job>,
    once: Arc<ClickDedup>,
    figures: Arc<ClickCounters>,
    events: EventStore,
    _tasks: TaskTracker,
}

#[derive(Default)]
struct ClickCounters {
    dropped: AtomicU64,
}

impl Clicks {
    /// Starts the task that writes clicks; on a runtime. The secret makes names of addresses.
    pub fn start(events: EventStore, enricher: Enricher, secret: [u8; 32]) -> Self {
        let (jobs, queue) = mpsc::channel(MAX_WAITING);
        let figures = Arc::new(ClickCounters::default());
        let worker = Worker {
            events: events.clone(),
            enricher,
            figures: Arc::clone(&figures),
        };
        let tasks = TaskTracker::new();
        tasks.spawn(worker.run(queue));
        Self {
            jobs,
            once: Arc::new(ClickDedup::new(secret)),
            _tasks: tasks,
            figures,
            events,
        }
    }

    /// Whether the address of a click was counted on its link a moment ago.
    pub fn is_known(&self, click: &Click) -> bool {
        (self.once).is_known(click.link, click.address, click.series, click.at_ms)
    }

    /// Takes a click, if it is the first of its address in a while and there is room in the queue.
    pub fn take(&self, click: Click) {
        let first = (self.once).is_first(click.link, click.address, click.series, click.at_ms);
        if first && self.jobs.try_send(Job::Click(Box::new(click))).is_err() {
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

    /// How many people's clicks on a link are stored.
    pub async fn count_stored(&self, record: &Record<'_>) -> Result<u64, QueryError> {
        self.flush().await;
        let statement = Statement {
            spilling: None,
            text: "SELECT count(*) FROM {events} WHERE kind = ? AND bot = 0".to_owned(),
            binds: vec![Bind::Int(crate::events::tables::kind::CLICK)],
            scope: Scope {
                organization: record.organization().0,
                website: Some(record.key().0),
                from: 0,
                to: i64::MAX,
            },
        };
        let rows = self.events.query(statement).await?;
        Ok(match rows.rows.first().and_then(|row| row.first()) {
            Some(Cell::Int(count)) => u64::try_from(*count).unwrap_or(0),
            _ => 0,
        })
    }
}

struct Worker {
    events: EventStore,
    enricher: Enricher,
    figures: Arc<ClickCounters>,
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
                Err(AppendError::Overloaded | AppendError::DiskFull | AppendError::Descriptors) => {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(error @ (AppendError::Remote | AppendError::Closed(_))) => {
                    tracing::error!(%error, clicks = lost, "clicks on links are lost");
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
        let place = click.place.as_deref();
        let request = Request {
            ip: Some(click.address),
            user_agent: Some(user_agent.as_str()).filter(|text| !text.is_empty()),
            hints: Hints::default(),
            headers: Headers {
                accept_language: click.language.is_some(),
                fetch_metadata: click.has_fetch_mode,
            },
            told: proxy_geo(place.map(|place| place.each_ref().map(Option::as_ref))),
            trust: Trust::Client,
            received: click.at_ms,
        };
        let Ok(visit) = self.enricher.visit(&request) else {
            self.figures.dropped.fetch_add(1, Relaxed);
            return None;
        };
        let mut event = attributed(click, &referrer);
        event.language = language(&text(&click.language));
        let visitor = format!("{} {user_agent}", click.address);
        visit.stamp(
            &mut event,
            Identity {
                anonymous: &visitor,
                session: "",
                anonymize: Anonymize::Always,
            },
        );
        if click.series == Series::Looks {
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
    let click_id = referrer::find_click_id(query);
    let short = referrer.len() <= MAX_REFERRER;
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
        link: Some(click.id.to_string()),
        details: Details::Click,
        ..Event::default()
    }
}

/// The first language that a browser asks for, if it is a tag such as `en-GB`.
fn language(accepted: &str) -> Option<String> {
    let first = accepted.split([',', ';']).next().unwrap_or_default().trim();
    let mut groups = first.split('-');
    let language = groups.next().unwrap_or_default();
    let is_tag = (2..=3).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_alphabetic())
        && groups.all(|group| {
            (1..=8).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
    (is_tag && first.len() <= MAX_LANGUAGE).then(|| first.to_owned())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_language_counts_if_it_is_one() {
        for (accepted, first) in [
            ("de", Some("de")),
            ("en-GB,en;q=0.9", Some("en-GB")),
            ("zh-Hant-TW;q=0.5", Some("zh-Hant-TW")),
            (" fr , en", Some("fr")),
            ("*", None),
            ("", None),
            ("e", None),
            ("en_GB", None),
            ("<script>", None),
            ("en-aaaaaaaaa", None),
        ] {
            assert_eq!(language(accepted).as_deref(), first, "{accepted:?}");
        }
        assert_eq!(language(&format!("en{}", "-abcdefgh".repeat(4))), None);
    }
}

//! What a request says about its visitor: country, browser, device, source of traffic, identity, bot verdict.
//!
//! [`Enricher::visit`] does the work once per request, [`Visit::stamp`] puts the result on each event. Invariants: an
//! address lives in a [`Request`] on the stack and nowhere else; a call with an API key comes from somebody's
//! server, so its address and user agent say nothing about a visitor and are not looked at.

pub mod bot;
pub mod device;
pub mod geo;
pub mod referrer;
pub mod user_agent;
pub mod visitor;

use std::{net::IpAddr, path::PathBuf, sync::Arc};

use tokio::sync::SetOnce;

use self::{
    bot::{Headers, Verdict},
    geo::{Countries, Place},
    user_agent::{Agent, Agents},
    visitor::{Anonymize, Form, Salt, Salts},
};
use super::event::{Bot, Event, Trust};

/// What the operator decides.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A city or country `.mmdb`; the built-in country table answers where it has nothing (`geo.database`).
    pub geo_database: Option<PathBuf>,
}

/// Why enrichment cannot start.
#[derive(Debug, thiserror::Error)]
pub enum EnrichError {
    /// The configured database is not readable.
    #[error(
        "geo.database: cannot read {path}: {cause}; give the path of a city or country .mmdb file or leave it empty"
    )]
    Database {
        /// The configured path.
        path: PathBuf,
        /// What went wrong.
        cause: maxminddb::MaxMindDbError,
    },
}

/// The day's salt cannot be had, so visitors cannot be told apart: refuse and let the client try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the salt of the day is not available")]
pub struct NoSalt;

/// What is known of a request before its body is read.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The client's address; dropped when the visit is known.
    pub ip: Option<IpAddr>,
    /// The `User-Agent` header.
    pub user_agent: Option<&'a str>,
    /// Which other headers came along.
    pub headers: Headers,
    /// How the sender proved who it is.
    pub trust: Trust,
    /// When the request arrived, Unix ms.
    pub received: i64,
}

/// What one request says about its visitor. Holds no address.
#[derive(Debug, Clone)]
pub struct Visit {
    /// When the request arrived, Unix ms.
    pub received: i64,
    /// How the sender proved who it is.
    pub trust: Trust,
    /// Whether a person seems to be behind it.
    pub bot: Bot,
    place: Place,
    agent: Arc<Agent>,
    salt: Salt,
}

/// Who an event says its visitor is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Identity<'a> {
    /// The tracker's id of the browser, empty when unknown.
    pub anonymous: &'a str,
    /// The visit's id, empty when unknown.
    pub session: &'a str,
    /// Whether the browser's id is to be salted.
    pub anonymize: Anonymize,
}

/// The shared tables behind every request; cheap to clone.
#[derive(Clone)]
pub struct Enricher(Arc<Inner>);

struct Inner {
    tables: Arc<SetOnce<Tables>>,
    salts: Arc<dyn Salts>,
    database: Option<geo::Database>,
}

/// What takes a moment to build.
struct Tables {
    agents: Agents,
    countries: Countries,
}

impl Enricher {
    /// Opens the operator's database and starts to build the tables on a thread of their own.
    ///
    /// # Errors
    /// The configured database cannot be read.
    pub fn start(options: &Options, salts: Arc<dyn Salts>) -> Result<Self, EnrichError> {
        let database = options
            .geo_database
            .as_deref()
            .map(geo::Database::open)
            .transpose()?;
        let tables = Arc::new(SetOnce::new());
        let building = Arc::clone(&tables);
        let build = move || {
            let built = Tables {
                agents: Agents::new(),
                countries: Countries::built_in(),
            };
            // Nobody else sets it.
            let _ = building.set(built);
        };
        if let Err(error) = std::thread::Builder::new()
            .name("enrich-tables".to_owned())
            .spawn(build.clone())
        {
            tracing::warn!(%error, "no thread for the enrichment tables, building them here");
            build();
        }
        Ok(Self(Arc::new(Inner {
            tables,
            salts,
            database,
        })))
    }

    /// Waits until the tables are built: a fraction of a second after the start, then never again.
    pub async fn ready(&self) {
        self.0.tables.wait().await;
    }

    /// [`Self::ready`], with the salt of a moment in Unix ms, if that can be had.
    pub async fn ready_at(&self, time: i64) {
        self.ready().await;
        if visitor::salt_at(self.0.salts.as_ref(), time).is_none() {
            self.0.salts.renew().await;
        }
    }

    /// Reads a request; call it after [`Self::ready`], before that browsers and countries stay unknown.
    ///
    /// # Errors
    /// The salt of the day is missing.
    pub fn visit(&self, request: &Request<'_>) -> Result<Visit, NoSalt> {
        let salt = visitor::salt_at(self.0.salts.as_ref(), request.received).ok_or(NoSalt)?;
        let mut visit = Visit {
            received: request.received,
            trust: request.trust,
            bot: Bot::No,
            place: Place::default(),
            agent: Arc::default(),
            salt,
        };
        if request.trust == Trust::Key {
            return Ok(visit);
        }
        if let Some(tables) = self.0.tables.get() {
            visit.agent = tables.agents.get(request.user_agent.unwrap_or_default());
            visit.place = self.place(tables, request.ip);
        }
        visit.bot = bot::judge(visit.agent.verdict, visit.agent.is_browser, request.headers);
        Ok(visit)
    }

    /// Under which numbers earlier events know an anonymous id (wire.md 1.10 and 1.13); `anonymize` as the caller says,
    /// `None` when it does not.
    pub fn forms(&self, anonymous: &str, anonymize: Option<Anonymize>, received: i64) -> Vec<Form> {
        visitor::forms(anonymous, anonymize, self.0.salts.as_ref(), received)
    }

    fn place(&self, tables: &Tables, ip: Option<IpAddr>) -> Place {
        let Some(ip) = ip.map(|ip| ip.to_canonical()) else {
            return Place::default();
        };
        let mut place = self
            .0
            .database
            .as_ref()
            .map(|database| database.place(ip))
            .unwrap_or_default();
        if place.country.is_none() {
            place.country = tables.countries.of(ip);
        }
        place
    }
}

impl Visit {
    /// Puts on an event what the request says about its visitor.
    ///
    /// The event's own screen size must be set already; it helps to tell devices apart.
    pub fn stamp(&self, event: &mut Event, identity: Identity<'_>) {
        event.received = self.received;
        event.trust = self.trust;
        event.bot = self.bot;
        event.country = self.place.country.map(|code| code.as_str().to_owned());
        event.region.clone_from(&self.place.region);
        event.city.clone_from(&self.place.city);
        event.browser_name.clone_from(&self.agent.browser_name);
        event
            .browser_version
            .clone_from(&self.agent.browser_version);
        event.os_name.clone_from(&self.agent.os_name);
        event.os_version.clone_from(&self.agent.os_version);
        event.device_type = device::refine(self.agent.device, event.screen.as_deref())
            .map(|device| device.as_str().to_owned());
        event.visitor = self.visitor(identity);
        event.session = super::event::identity(identity.session);
    }

    fn visitor(&self, identity: Identity<'_>) -> u64 {
        visitor::hash(
            identity.anonymous,
            identity.anonymize,
            self.place.country,
            &self.salt,
        )
    }

    /// Whether the caller says itself that it is no person; its events are answered and not kept.
    pub fn is_declared_bot(&self) -> bool {
        self.bot == Bot::Declared
    }
}

impl Default for Agent {
    fn default() -> Self {
        Self {
            browser_name: None,
            browser_version: None,
            os_name: None,
            os_version: None,
            device: device::Hint::Unknown,
            verdict: Verdict::Unsuspicious,
            is_browser: false,
        }
    }
}

#[cfg(test)]
mod tests;

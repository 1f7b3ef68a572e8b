//! What a request says about its visitor: country, browser, device, source of traffic, identity, bot verdict.
//!
//! [`Enricher::visit`] does the work once per request, [`SenderContext::stamp`] puts the result on each event. Invariants: an
//! address lives in a [`Request`] on the stack and nowhere else; a call with an API key comes from a
//! server, so its address and user agent say nothing about a visitor and are ignored.

pub mod bot;
pub mod geo;
pub mod referrer;
pub mod user_agent;
pub mod visitor;

use std::{
    net::IpAddr,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use arc_swap::ArcSwapOption;
use tokio::sync::OnceCell;

use self::{
    bot::{BotAction, BotKind, Fate, Headers, Named, Rules, Signals},
    geo::{Countries, Country, Location, ProxyGeo},
    user_agent::{
        Agent, Agents, Hints,
        device::{self, Device},
    },
    visitor::{Anonymize, Form, Salt, Salts},
};
use super::event::{AgentRequest, Bot, Details, Event, Trust};

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A city or country `.mmdb`; the built-in country table answers where it has nothing (`geo.database`).
    pub geo_database: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum EnrichError {
    /// The configured database is not readable.
    #[error(
        "geo.database: cannot read {path}: {cause}; give the path of a city or country .mmdb file or leave it empty"
    )]
    Database {
        path: PathBuf,
        cause: maxminddb::MaxMindDbError,
    },
}

/// The day's salt cannot be had, so visitors cannot be distinguished: refuse and let the client try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the salt of the day is not available")]
pub struct NoSalt;

/// What is known of a request before its body is read.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The client's address; dropped when the visit is known.
    pub ip: Option<IpAddr>,
    pub user_agent: Option<&'a str>,
    pub hints: Hints<'a>,
    /// Which other headers came along.
    pub headers: Headers,
    /// What a trusted proxy says about the address.
    pub told: ProxyGeo<'a>,
    /// How the sender proved who it is.
    pub trust: Trust,
    /// When the request arrived, Unix ms.
    pub received: i64,
}

/// What one request says about its visitor. Holds no address.
#[derive(Debug, Clone)]
pub struct SenderContext {
    /// When the request arrived, Unix ms.
    pub received: i64,
    /// How the sender proved who it is.
    pub trust: Trust,
    /// What speaks against a person.
    pub signals: Signals,
    location: Location,
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
    /// Built when they are first needed.
    tables: OnceLock<Tables>,
    /// One task builds them, however many wait.
    built: OnceCell<()>,
    salts: Arc<dyn Salts>,
    database: ArcSwapOption<geo::Database>,
}

/// What takes a moment to build.
struct Tables {
    agents: Agents,
    countries: Countries,
}

impl Tables {
    fn build() -> Self {
        Self {
            agents: Agents::new(),
            countries: Countries::built_in(),
        }
    }
}

impl Enricher {
    /// Opens the operator's database.
    pub fn open(options: &Options, salts: Arc<dyn Salts>) -> Result<Self, EnrichError> {
        let database = options
            .geo_database
            .as_deref()
            .map(geo::Database::open)
            .transpose()?;
        Ok(Self(Arc::new(Inner {
            tables: OnceLock::new(),
            built: OnceCell::new(),
            salts,
            database: ArcSwapOption::from_pointee(database),
        })))
    }

    /// Reads the operator's database again, or another one, or none. Blocks while the file is read; requests go on with
    /// what there was, also when it fails.
    pub fn reload(&self, database: Option<&Path>) -> Result<(), EnrichError> {
        let opened = database.map(geo::Database::open).transpose()?;
        self.0.database.store(opened.map(Arc::new));
        Ok(())
    }

    /// The tables, built by the first who asks; that takes a moment.
    fn tables(&self) -> &Tables {
        self.0.tables.get_or_init(Tables::build)
    }

    /// Waits until the tables are built, which happens on a thread of its own.
    pub async fn ready(&self) {
        let build = async || {
            let own = self.clone();
            let built = tokio::task::spawn_blocking(move || {
                own.tables();
            });
            // If that fails, the next request that needs them builds them.
            let _ = built.await;
        };
        self.0.built.get_or_init(build).await;
    }

    /// [`Self::ready`], with the salt of a moment in Unix ms, if that can be had.
    pub async fn ready_at(&self, time: i64) {
        self.ready().await;
        if visitor::salt_at(self.0.salts.as_ref(), time).is_none() {
            self.0.salts.renew().await;
        }
    }

    /// Reads a request. Call it after [`Self::ready`], so that it waits for nothing.
    pub fn visit(&self, request: &Request<'_>) -> Result<SenderContext, NoSalt> {
        let salt = visitor::salt_at(self.0.salts.as_ref(), request.received).ok_or(NoSalt)?;
        let mut visit = SenderContext {
            received: request.received,
            trust: request.trust,
            signals: Signals::default(),
            location: Location::default(),
            agent: Arc::default(),
            salt,
        };
        if request.trust == Trust::Key {
            return Ok(visit);
        }
        let text = request.user_agent.unwrap_or_default();
        visit.agent = self.tables().agents.get(text, &request.hints);
        visit.location = self.location(request.ip).correct_by(&request.told);
        let agent = &visit.agent;
        visit.signals = agent.signals.judged(agent.is_browser, request.headers);
        Ok(visit)
    }

    /// Under which numbers earlier events know an anonymous id; `anonymize` as the caller says,
    /// `None` when it does not.
    pub fn forms(&self, anonymous: &str, anonymize: Option<Anonymize>, received: i64) -> Vec<Form> {
        visitor::forms(anonymous, anonymize, self.0.salts.as_ref(), received)
    }

    /// A page that an agent with this user agent fetched, as its server reports; nothing when the user agent names no
    /// agent, or one that the rules do not keep. Call it after [`Self::ready`].
    pub fn reported(&self, user_agent: &str, page: Event, rules: Rules<'_>) -> Option<Event> {
        let agent = self.tables().agents.get(user_agent, &Hints::default());
        let named = agent.named.as_ref()?;
        if rules.action(named.kind) == BotAction::Block {
            return None;
        }
        Some(hit(named, page, true))
    }

    /// The country of an address.
    pub fn country(&self, ip: IpAddr) -> Option<Country> {
        self.country_behind_proxy(ip, &ProxyGeo::default())
    }

    /// The same, where a trusted proxy may have said it.
    pub fn country_behind_proxy(&self, ip: IpAddr, told: &ProxyGeo<'_>) -> Option<Country> {
        let location = self.location(Some(ip));
        location.correct_by(told).country
    }

    /// Which kind of bot a user agent says it is; also before the tables are built.
    pub fn bot(&self, user_agent: &str) -> Option<BotKind> {
        if let Some(tables) = self.0.tables.get() {
            let agent = tables.agents.get(user_agent, &Hints::default());
            return agent.named.as_ref().map(|named| named.kind);
        }
        let (_, named) = bot::read(user_agent, &user_agent.to_ascii_lowercase());
        named.map(|named| named.kind)
    }

    /// The kind of device in a user agent: `mobile`, `tablet`, `desktop` and the like.
    pub fn device(&self, user_agent: &str) -> Option<String> {
        let agent = self.tables().agents.get(user_agent, &Hints::default());
        match agent.device {
            device::Hint::Sure(device) => Some(device.as_str().to_owned()),
            device::Hint::MacOrPad => Some(Device::Desktop.as_str().to_owned()),
            device::Hint::Unknown => None,
        }
    }

    /// Browser and system in a user agent, in words: `Firefox on Linux`.
    pub fn browser(&self, user_agent: &str) -> Option<String> {
        let agent = self.tables().agents.get(user_agent, &Hints::default());
        match (&agent.browser_name, &agent.os_name) {
            (Some(browser), Some(system)) => Some(format!("{browser} on {system}")),
            (Some(one), None) | (None, Some(one)) => Some(one.clone()),
            (None, None) => None,
        }
    }

    fn location(&self, ip: Option<IpAddr>) -> Location {
        let Some(ip) = ip.map(|ip| ip.to_canonical()) else {
            return Location::default();
        };
        let mut location = self
            .0
            .database
            .load()
            .as_ref()
            .map(|database| database.location(ip))
            .unwrap_or_default();
        if location.country.is_none() {
            location.country = self.tables().countries.find(ip);
        }
        location
    }
}

impl SenderContext {
    /// Puts on an event what the request says about its visitor.
    ///
    /// The event's own screen size must be set already; it helps to distinguish devices.
    pub fn stamp(&self, event: &mut Event, identity: Identity<'_>) {
        event.received = self.received;
        event.trust = self.trust;
        event.bot = self.signals.bot();
        event.bot_signals = self.signals.0;
        event.country = self.location.country.map(|code| code.as_str().to_owned());
        event.region.clone_from(&self.location.region);
        event.city.clone_from(&self.location.city);
        event.browser_name.clone_from(&self.agent.browser_name);
        event
            .browser_version
            .clone_from(&self.agent.browser_version);
        event.os_name.clone_from(&self.agent.os_name);
        event.os_version.clone_from(&self.agent.os_version);
        self.stamp_device(event);
        event.visitor = self.visitor(identity);
        event.session = super::event::identity(identity.session);
    }

    fn visitor(&self, identity: Identity<'_>) -> u64 {
        visitor::hash(
            identity.anonymous,
            identity.anonymize,
            self.location.country,
            &self.salt,
        )
    }

    fn stamp_device(&self, event: &mut Event) {
        let agent = &self.agent;
        let device = device::refine(agent.device, event.screen.as_deref());
        event.device_type = device.map(|device| device.as_str().to_owned());
        event.device_brand = agent.brand.map(str::to_owned);
        let pad = agent.device == device::Hint::MacOrPad && device == Some(Device::Tablet);
        event.device_model = if pad {
            Some("iPad".to_owned())
        } else {
            agent.model.clone()
        };
    }

    /// What becomes of this visit's events under a website's rules.
    pub fn fate(&self, rules: Rules<'_>) -> Fate {
        Fate::judge(self.signals, rules)
    }

    /// A page that was seen, as a request of the agent that this visit is of; nothing for other events, and for callers
    /// that name no agent.
    pub fn request_of_agent(&self, event: Event) -> Option<Event> {
        let named = self.agent.named.as_ref()?;
        let is_view = matches!(event.details, Details::Page(_)) && event.name == "screen_view";
        is_view.then(|| hit(named, event, false))
    }
}

/// A request of an agent, with what is known of the page and nothing of a visitor.
fn hit(named: &Named, page: Event, is_reported: bool) -> Event {
    Event {
        organization: page.organization,
        website: page.website,
        time: page.time,
        received: page.received,
        name: named.name.clone(),
        host: page.host,
        path: page.path,
        title: page.title,
        referrer: page.referrer,
        referrer_domain: page.referrer_domain,
        country: page.country,
        trust: page.trust,
        bot: Bot::Declared,
        bot_signals: Signals::bit(named.kind),
        details: Details::Agent(Box::new(AgentRequest {
            product: named.product.to_owned(),
            operator: named.operator.to_owned(),
            purpose: named.kind.as_str().to_owned(),
            is_reported,
        })),
        ..Event::default()
    }
}

#[cfg(test)]
mod tests;

//! One accepted event: validated, enriched, and free of addresses.
//!
//! An [`Event`] is what a request turns into before it is written anywhere. Its serialized form ([`super::record`]) is the
//! payload of a spool frame, and changes only with a new version of it; [`super::tables`] says how its fields become columns.

use serde::{Deserialize, Serialize};

/// How far an event's time may lie behind the moment it was received, in ms: clocks of clients go wrong.
pub const MAX_AHEAD: i64 = 3_600_000;
/// Time of rows that say who a visitor is rather than what happened ([`Details::Alias`]). No range of a query holds
/// it, and it sorts in front of everything that happened.
pub const TIMELESS: i64 = -1;

/// A validated, enriched event.
///
/// Times are Unix milliseconds. Identities that are only compared are 64-bit hashes; 0 means "none".
/// Texts are already cut to their limits, without control characters; `None` and `""` both mean "unknown".
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Owner of the event ([`crate::ids::OrganizationKey`]).
    pub organization: i64,
    /// Website ([`crate::ids::WebsiteKey`]), 0 for events of the organization itself.
    pub website: i64,
    /// When it happened, as the client says; [`TIMELESS`] for aliases.
    pub time: i64,
    /// When we received it.
    pub received: i64,
    /// Name of a page or custom event, metric name of a vital, type of an error, tool of a call.
    pub name: String,
    /// Who: hash of the (salted) anonymous id.
    pub visitor: u64,
    /// Which visit: hash of the session id.
    pub session: u64,
    /// The caller's own user id, verbatim.
    pub profile: Option<String>,
    /// Host of the page, lower case.
    pub host: Option<String>,
    /// Decoded pathname without trailing slash; `/` for the root; empty when unknown.
    pub path: String,
    pub title: Option<String>,
    /// Where the visitor came from: host and path without scheme, query or `www.`; `None` = direct.
    pub referrer: Option<String>,
    /// Registrable domain of the referrer.
    pub referrer_domain: Option<String>,
    /// Name of the source (`Google`, `newsletter`, or the domain); `None` = direct.
    pub source: Option<String>,
    /// Kind of source: `search`, `social`, `ai`, `email`, `paid`, `referral`, `direct`, …
    pub channel: Option<String>,
    /// Country, ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// First-level subdivision.
    pub region: Option<String>,
    pub city: Option<String>,
    /// `desktop`, `mobile`, `tablet`, …
    pub device_type: Option<String>,
    pub device_brand: Option<String>,
    /// Which one of theirs it is.
    pub device_model: Option<String>,
    pub browser_name: Option<String>,
    /// Browser version, major first.
    pub browser_version: Option<String>,
    pub os_name: Option<String>,
    pub os_version: Option<String>,
    /// Language tag as the browser says it.
    pub language: Option<String>,
    /// The visitor's IANA time zone.
    pub timezone: Option<String>,
    /// Screen size, `WxH`.
    pub screen: Option<String>,
    /// Window size, `WxH`.
    pub viewport: Option<String>,
    pub utm: Utm,
    /// Name of the parameter by which a sender marked the link, such as `gclid`; never its value.
    pub click_id: Option<String>,
    pub namespace: Option<String>,
    /// Which part of the caller's system sent a custom event.
    pub sender: Option<String>,
    /// How the sender proved who it is.
    pub trust: Trust,
    pub bot: Bot,
    /// What the verdict is made of ([`super::enrich::bot::Signals`]).
    pub bot_signals: u32,
    /// The caller's properties as JSON text.
    pub properties: Option<String>,
    /// What only this kind of event has.
    pub details: Details,
    /// Id of the short link that was followed to the page (`ref` of its address); of a click, the link's own.
    pub link: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Utm {
    pub source: Option<String>,
    pub medium: Option<String>,
    pub campaign: Option<String>,
    pub term: Option<String>,
    pub content: Option<String>,
}

/// How the sender of an event proved who it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trust {
    /// With the public client id, which anyone may copy.
    #[default]
    Client,
    /// With an API key.
    Key,
}

/// Verdict of the bot rules; suspected events are stored and left out of answers by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bot {
    /// A person, as far as is known.
    #[default]
    No,
    /// Two distinct signals speak against a person.
    Suspected,
    /// Says so itself.
    Declared,
}

/// The kinds of event, each with the fields that only it has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Details {
    /// A page event: `screen_view`, `page_exit` or another name.
    Page(Page),
    /// A custom event of `/track`.
    Custom,
    /// A click on a link that leaves the website.
    Outgoing { href: String, text: String },
    /// A web vital; the metric is the event's name.
    Vital {
        /// Milliseconds; a plain number for CLS; frames per second for FPS.
        value: f64,
    },
    /// A JavaScript error; its type is the event's name.
    Error(Failure),
    /// How a page was used, reported once when it is left.
    Engagement(Box<Engagement>),
    /// A call of a tool that an MCP server reports; the tool is the event's name.
    Call(Box<Call>),
    /// No event, but a number of them that were sent and are not stored ([`super::ledger`]); the reason is the name.
    Counter { count: u64 },
    /// No event: the visitor is the profile. The name says which form of the visitor's id it is, [`SALTED`] or [`RAW`].
    Alias,
    /// A click on a short link. The event's `website` is the link's number, its context what is known of who clicked.
    Click,
    /// A check of a monitor. The event's `website` is the monitor's number, its name the kind of check (`http`, …), its
    /// region that of the probe.
    Check(Box<Check>),
    /// A page that was fetched by an agent that names itself; its name is the event's.
    Agent(Box<AgentRequest>),
}

/// Name of an alias whose visitor is hashed with the salt of one day.
pub const SALTED: &str = "salted";
/// Name of an alias whose visitor keeps the same hash for ever.
pub const RAW: &str = "raw";

impl Default for Details {
    fn default() -> Self {
        Self::Page(Page::default())
    }
}

/// What a page event measures.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// Seconds spent on the page (`page_exit`).
    pub time_on_page: Option<f32>,
    /// Deepest scroll position, percent.
    pub scroll_depth: Option<f32>,
    /// Clicks, keys and touches.
    pub interactions: Option<u32>,
    /// How many pages the session has seen.
    pub page_count: Option<u32>,
    /// Milliseconds until the page was loaded.
    pub load_time: Option<f32>,
    /// Milliseconds until the document was ready.
    pub dom_ready_time: Option<f32>,
    /// Milliseconds until the first byte.
    pub ttfb: Option<f32>,
    /// Milliseconds spent rendering.
    pub render_time: Option<f32>,
    /// How the browser is connected: `wifi`, `4g`, …
    pub connection: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub message: String,
    /// Script that raised it.
    pub filename: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub stack: Option<String>,
}

/// How one page view was used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Engagement {
    /// Seconds the page was open.
    pub time_on_page: f32,
    /// Seconds the visitor was active on it.
    pub active_time: f32,
    /// Milliseconds until the first interaction.
    pub first_interaction: Option<f32>,
    /// Deepest scroll position, percent.
    pub scroll_depth: f32,
    /// Clicks, keys and touches together.
    pub interactions: u32,
    pub rage_clicks: u32,
    pub dead_clicks: u32,
    /// What was clicked in rage most.
    pub rage_target: Option<String>,
    /// What was clicked in vain most.
    pub dead_target: Option<String>,
    pub form_fields: u32,
    pub form_submits: u32,
    /// The field touched last.
    pub last_field: Option<String>,
    pub errors: u32,
    pub exit: Exit,
    /// Which view of its visit it was.
    pub page_index: u32,
    pub scrolls: u32,
    pub clicks: u32,
    pub keys: u32,
    pub copies: u32,
}

#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::EnumString,
    strum::VariantArray,
)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Exit {
    /// Another document was loaded.
    Navigation,
    /// The page changed its own address.
    Spa,
    /// The page went out of sight.
    Hidden,
    /// The page was closed.
    #[default]
    Unload,
}

impl Exit {
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// As it is stored and written on the wire.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// Who fetched a page, when it was no person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRequest {
    /// What the agent belongs to, such as `ChatGPT`; empty when unknown.
    pub product: String,
    /// Who runs it; empty when unknown.
    pub operator: String,
    /// What it is for: a [`BotKind`](super::enrich::bot::BotKind) by name.
    pub purpose: String,
    /// Whether the website's own server says so. Else the tracker was run by the agent, whose event is ignored, and
    /// counted as such in the ledger.
    pub is_reported: bool,
}

/// One call of a tool, as the server that offers the tool reports it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Milliseconds it took.
    pub duration_ms: u32,
    /// Characters it gave back.
    pub output_chars: u32,
    pub is_error: bool,
    /// What went wrong, in words.
    pub error: Option<String>,
    /// What went wrong, for machines.
    pub error_code: Option<String>,
    /// The product that called, as people know it.
    pub client: Option<String>,
    /// The caller's name as it says it.
    pub client_name: Option<String>,
    pub client_version: Option<String>,
    pub user_agent: Option<String>,
    /// The server whose tool it is.
    pub server_name: Option<String>,
    pub server_version: Option<String>,
    /// Where the server runs, such as `production`.
    pub environment: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Check {
    pub url: String,
    pub status: Status,
    /// HTTP status of the final answer; 0 without one.
    pub http_code: u32,
    /// Milliseconds until the first byte.
    pub ttfb_ms: Option<f32>,
    /// Milliseconds until all of it was there.
    pub total_ms: Option<u32>,
    /// The address that was reached.
    pub ip: Option<String>,
    /// When the certificate that was seen ends, Unix ms.
    pub ssl_expiry: Option<i64>,
    /// Whether the certificate that was seen is to be trusted.
    pub ssl_valid: Option<bool>,
    pub error: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// It failed, and so did its retries.
    Down,
    #[default]
    Up,
    /// It failed; retries decide.
    Pending,
    /// It happened during maintenance.
    Maintenance,
    /// It did not happen when it was due.
    Missed,
}

impl Status {
    /// The number that is stored.
    pub const fn number(self) -> u32 {
        match self {
            Self::Down => 0,
            Self::Up => 1,
            Self::Pending => 2,
            Self::Maintenance => 3,
            Self::Missed => 4,
        }
    }
}

/// Hashes an identity that is only compared; empty stays 0 ("none").
pub fn identity(text: &str) -> u64 {
    if text.is_empty() {
        return 0;
    }
    let hash = blake3::hash(text.as_bytes());
    let mut head = [0; 8];
    head.copy_from_slice(&hash.as_bytes()[..8]);
    // 0 is taken by "none".
    u64::from_le_bytes(head).max(1)
}

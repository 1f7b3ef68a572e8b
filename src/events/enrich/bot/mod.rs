//! Is a person behind this?
//!
//! A client that names itself a bot is one ([`names`]). Everybody else is at most *suspected*, and only when two
//! signals of different kinds meet: what the user agent says, what the client hints say, and which headers come
//! along. Generic HTTP libraries are ordinary callers, and a missing user agent is a single signal.
//!
//! What was seen is kept with every event as [`Signals`]; the verdict follows from them and from the website's
//! [`Rules`] at the time of the question, so another rule changes the past without touching it.

mod names;
mod rules;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use names::Named;
pub use rules::{BotAction, BotKind, BotRules, Rules};

use super::super::event::Bot;

/// Which telling headers came with a request.
#[derive(Debug, Clone, Copy, Default)]
pub struct Headers {
    /// `Accept-Language` is there; every browser sends it.
    pub accept_language: bool,
    /// `Sec-Fetch-Mode` is there; every browser of the last years sends it over https.
    pub fetch_metadata: bool,
}

/// What speaks against a person, as the bits of column `bot_signals`. The upper half says what kind of bot it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Signals(pub u32);

/// The bits with their names, as filters write them.
const NAMED: [(u32, &str); 7] = [
    (Signals::NO_AGENT.0, "no_user_agent"),
    (Signals::AUTOMATION.0, "automation"),
    (Signals::IMPOSSIBLE.0, "impossible_browser"),
    (Signals::HINTS_AUTOMATION.0, "hints_automation"),
    (Signals::HINTS_CONTRADICT.0, "hints_contradict"),
    (Signals::NO_LANGUAGE.0, "no_accept_language"),
    (Signals::NO_FETCH_METADATA.0, "no_fetch_metadata"),
];

impl Signals {
    /// There is no user agent.
    pub const NO_AGENT: Self = Self(1);
    /// The user agent names a tool that drives browsers.
    pub const AUTOMATION: Self = Self(1 << 1);
    /// The user agent names a browser that its system never had.
    pub const IMPOSSIBLE: Self = Self(1 << 2);
    /// Client hints name such a tool, the user agent hides it.
    pub const HINTS_AUTOMATION: Self = Self(1 << 4);
    /// Client hints name another system than the user agent, or come from a browser that has none.
    pub const HINTS_CONTRADICT: Self = Self(1 << 5);
    /// A browser, it says, but without `Accept-Language`.
    pub const NO_LANGUAGE: Self = Self(1 << 8);
    /// A browser, it says, but without `Sec-Fetch-Mode` (as browsers are over plain http).
    pub const NO_FETCH_METADATA: Self = Self(1 << 9);

    /// What user agents say.
    const OF_AGENT: u32 = Self::NO_AGENT.0 | Self::AUTOMATION.0 | Self::IMPOSSIBLE.0;
    /// What client hints say.
    const OF_HINTS: u32 = Self::HINTS_AUTOMATION.0 | Self::HINTS_CONTRADICT.0;
    /// What headers say: both must be missing, as plain http has no fetch metadata.
    const OF_HEADERS: u32 = Self::NO_LANGUAGE.0 | Self::NO_FETCH_METADATA.0;
    const KINDS: u32 = 16;

    pub const fn bit(kind: BotKind) -> u32 {
        1 << (Self::KINDS + kind as u32)
    }

    /// The bit of a signal or a kind with this name.
    pub fn named(name: &str) -> Option<u32> {
        let signal = NAMED.iter().find(|(_, known)| *known == name);
        signal
            .map(|(bit, _)| *bit)
            .or_else(|| BotKind::parse(name).map(Self::bit))
    }

    /// The names that [`Self::named`] knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let kinds = BotKind::ALL.iter().map(|kind| kind.as_str());
        NAMED.iter().map(|(_, name)| *name).chain(kinds)
    }

    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn has(self, bits: u32) -> bool {
        self.0 & bits != 0
    }

    /// Adds what the headers of a request say, and the verdict.
    pub(super) fn judged(self, is_browser: bool, headers: Headers) -> Self {
        let mut bits = self.0;
        if is_browser && !headers.accept_language {
            bits |= Self::NO_LANGUAGE.0;
        }
        if is_browser && !headers.fetch_metadata {
            bits |= Self::NO_FETCH_METADATA.0;
        }
        let signals = Self(bits);
        let kinds = [
            signals.has(Self::OF_AGENT),
            signals.has(Self::OF_HINTS),
            bits & Self::OF_HEADERS == Self::OF_HEADERS,
        ];
        if signals.bot() == Bot::No && kinds.iter().filter(|speaks| **speaks).count() >= 2 {
            bits |= Self::bit(BotKind::Suspected);
        }
        Self(bits)
    }

    /// The kind of bot; `None` for a person, as far as is known.
    pub fn kind(self) -> Option<BotKind> {
        let mut kinds = BotKind::ALL.iter().copied();
        kinds.find(|kind| self.has(Self::bit(*kind)))
    }

    /// The verdict, whatever a website wants to become of it.
    pub fn bot(self) -> Bot {
        match self.kind() {
            None => Bot::No,
            Some(BotKind::Suspected) => Bot::Suspected,
            Some(_) => Bot::Declared,
        }
    }
}

/// The names of the signals and kinds, separated by commas.
impl fmt::Display for Signals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bit = |name: &&str| Self::named(name).is_some_and(|bit| self.has(bit));
        let suspected = BotKind::Suspected.as_str();
        let names = Self::names().filter(bit).filter(|name| *name != suspected);
        formatter.write_str(&names.collect::<Vec<_>>().join(", "))
    }
}

/// What becomes of a request's events on one website.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// They are stored; the query decides whether they count.
    Kept,
    /// Pages that were seen are stored as requests of an agent, nothing else is.
    Agent(BotKind),
    /// Nothing is stored.
    LeftOut(BotKind),
}

impl Fate {
    /// What rules make of signals.
    pub fn judge(signals: Signals, rules: Rules<'_>) -> Self {
        let Some(kind) = signals.kind() else {
            return Self::Kept;
        };
        match (rules.action(kind), kind) {
            (BotAction::Allow, _) | (BotAction::TrackOnly, BotKind::Suspected) => Self::Kept,
            (BotAction::TrackOnly, _) => Self::Agent(kind),
            (BotAction::Block, _) => Self::LeftOut(kind),
        }
    }

    /// Why events are ignored, for the ledger.
    pub const fn ignored(self) -> Option<BotKind> {
        match self {
            Self::Kept => None,
            Self::Agent(kind) | Self::LeftOut(kind) => Some(kind),
        }
    }
}

/// Automation tools; people test their own sites with them, so this is a signal and no proof.
const AUTOMATION: &[&str] = &[
    "cypress/",
    "electron-puppeteer",
    "headlesschrome",
    "jsdom/",
    "phantomjs",
    "playwright",
    "puppeteer",
    "selenium",
    "slimerjs",
    "webdriver",
];

/// Whether a text (in lower case) names a tool that drives browsers.
pub(super) fn names_automation(text: &str) -> bool {
    AUTOMATION.iter().any(|name| text.contains(name))
}

/// Reads a user agent; `lower` is `text` in lower case.
pub(super) fn read(text: &str, lower: &str) -> (Signals, Option<Named>) {
    if lower.trim().is_empty() {
        return (Signals::NO_AGENT, None);
    }
    // The preview of a link; the app itself opens links in a browser of the phone's.
    let preview = lower.starts_with("whatsapp/").then(|| Named {
        kind: BotKind::Preview,
        name: "WhatsApp".to_owned(),
        product: "",
        operator: "Meta",
    });
    if let Some(named) = preview.or_else(|| names::find(text, lower)) {
        return (Signals(Signals::bit(named.kind)), Some(named));
    }
    let automation = if names_automation(lower) {
        Signals::AUTOMATION
    } else {
        Signals::default()
    };
    (automation, None)
}

#[cfg(test)]
mod tests;

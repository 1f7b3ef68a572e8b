//! Browser, operating system and device by user agent and client hints, remembered by what was sent.
//!
//! Reading a user agent costs tens of microseconds and the same few thousand come repeatedly, so results are kept
//! in two generations of bounded size: when the young one is full it becomes the old one. What a client sends is cut
//! ([`LONGEST`], [`hints`]), patterns are linear in time, and very long texts are read anew each time rather than kept.

pub mod device;
mod hints;
mod model;
mod patterns;

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

pub use hints::Hints;
use patterns::Patterns;

use self::device::Hint;
use super::bot::{self, Named, Signals};

/// Bytes of a user agent that are looked at; real ones are shorter.
const LONGEST: usize = 1_024;
/// Bytes of user agent and hints together that are remembered.
const LONGEST_KEPT: usize = 640;

/// User agents remembered per generation (at about 500 bytes each).
const REMEMBERED: usize = 8_192;

/// What a user agent and its client hints say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agent {
    pub browser_name: Option<String>,
    /// Its version, without trailing zeros.
    pub browser_version: Option<String>,
    pub os_name: Option<String>,
    pub os_version: Option<String>,
    /// What it says about the device.
    pub device: Hint,
    pub brand: Option<&'static str>,
    /// Which one of theirs it is.
    pub model: Option<String>,
    /// What speaks against a person.
    pub signals: Signals,
    /// Which bot it says it is.
    pub named: Option<Arc<Named>>,
    /// Whether it claims to be a browser.
    pub is_browser: bool,
}

pub struct Agents {
    patterns: Option<Patterns>,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    young: HashMap<Box<str>, Arc<Agent>>,
    old: HashMap<Box<str>, Arc<Agent>>,
}

impl Memory {
    fn find(&mut self, key: &str) -> Option<Arc<Agent>> {
        if let Some(agent) = self.young.get(key) {
            return Some(Arc::clone(agent));
        }
        let (key, agent) = self.old.remove_entry(key)?;
        self.keep(key, Arc::clone(&agent));
        Some(agent)
    }

    fn keep(&mut self, key: Box<str>, agent: Arc<Agent>) {
        if self.young.len() >= REMEMBERED {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, agent);
    }
}

impl Agents {
    /// Builds the patterns, which takes a fraction of a second.
    #[expect(clippy::new_without_default, reason = "too expensive for a default")]
    pub fn new() -> Self {
        let patterns = Patterns::built_in()
            .inspect_err(|error| {
                tracing::error!(%error, "the user agent patterns are damaged; browsers stay unknown");
            })
            .ok();
        Self {
            patterns,
            memory: Mutex::default(),
        }
    }

    /// Reads a user agent and what its client hints add, or remembers them.
    pub fn get(&self, text: &str, hints: &Hints<'_>) -> Arc<Agent> {
        let text = &text[..text.floor_char_boundary(LONGEST)];
        let hints = hints.cut();
        let key = key(text, &hints);
        if key.len() > LONGEST_KEPT {
            return Arc::new(self.read(text, &hints));
        }
        if let Some(agent) = self.memory().find(&key) {
            return agent;
        }
        let agent = Arc::new(self.read(text, &hints));
        self.memory().keep(key.into(), Arc::clone(&agent));
        agent
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        // A panic between two of its operations leaves the memory usable.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, text: &str, hints: &Hints<'_>) -> Agent {
        let lower = text.to_ascii_lowercase();
        let (signals, named) = bot::read(text, &lower);
        let made = model::read(text, &lower);
        let mut agent = Agent {
            device: made.device.map_or_else(|| device::hint(&lower), Hint::Sure),
            brand: made.brand,
            model: made.model,
            signals,
            named: named.map(Arc::new),
            is_browser: lower.starts_with("mozilla/") || lower.starts_with("opera/"),
            ..Agent::default()
        };
        if let Some(patterns) = &self.patterns {
            patterns.apply(text, &mut agent);
        }
        patterns::name(text, &mut agent);
        if patterns::is_impossible(&lower, &agent) {
            agent.signals = agent.signals.with(Signals::IMPOSSIBLE);
        }
        if !hints.is_empty() && agent.is_browser {
            hints::apply(hints, &lower, &mut agent);
        }
        agent
    }
}

/// What an agent is remembered by. Header values hold no line feeds.
fn key<'a>(text: &'a str, hints: &Hints<'_>) -> Cow<'a, str> {
    if hints.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut key = String::with_capacity(text.len() + hints.len() + 8);
    key.push_str(text);
    for hint in hints.all() {
        key.push('\n');
        key.push_str(hint.unwrap_or_default());
    }
    Cow::Owned(key)
}

#[cfg(test)]
mod tests;

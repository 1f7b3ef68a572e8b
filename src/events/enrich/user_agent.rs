//! Browser and operating system by uap-core's patterns, remembered by string.
//!
//! Reading one costs tens of microseconds and the same few thousand strings come again and again, so results are
//! kept in two generations of bounded size: when the young one is full it becomes the old one.

use std::{
    collections::HashMap,
    io::Read as _,
    sync::{Arc, Mutex, PoisonError},
};

use ua_parser::{os, user_agent};

use super::{
    bot::{self, Verdict},
    device::{self, Hint},
};

/// Derived by `scripts/user-agent-table`.
const PATTERNS: &[u8] = include_bytes!("../../../tables/user-agents.json.gz");

/// Bytes of a user agent that are looked at; real ones are shorter.
const LONGEST: usize = 1_024;

/// User agents remembered per generation (at about 300 bytes each).
const REMEMBERED: usize = 8_192;

/// What a user agent says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Browser family.
    pub browser_name: Option<String>,
    /// Its version, without trailing zeros.
    pub browser_version: Option<String>,
    /// Operating system family.
    pub os_name: Option<String>,
    /// Its version.
    pub os_version: Option<String>,
    /// What it says about the device.
    pub device: Hint,
    /// What it says about being a bot.
    pub verdict: Verdict,
    /// Whether it claims to be a browser.
    pub is_browser: bool,
}

/// The reader of user agents.
pub struct Agents {
    patterns: Option<Patterns>,
    memory: Mutex<Memory>,
}

struct Patterns {
    browsers: user_agent::Extractor<'static>,
    systems: os::Extractor<'static>,
}

#[derive(Default)]
struct Memory {
    young: HashMap<Box<str>, Arc<Agent>>,
    old: HashMap<Box<str>, Arc<Agent>>,
}

impl Memory {
    fn find(&mut self, text: &str) -> Option<Arc<Agent>> {
        if let Some(agent) = self.young.get(text) {
            return Some(Arc::clone(agent));
        }
        let (text, agent) = self.old.remove_entry(text)?;
        self.keep(text, Arc::clone(&agent));
        Some(agent)
    }

    fn keep(&mut self, text: Box<str>, agent: Arc<Agent>) {
        if self.young.len() >= REMEMBERED {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(text, agent);
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

    /// Reads a user agent, or remembers it.
    pub fn get(&self, text: &str) -> Arc<Agent> {
        let text = &text[..text.floor_char_boundary(LONGEST)];
        if let Some(agent) = self.memory().find(text) {
            return agent;
        }
        let agent = Arc::new(self.read(text));
        self.memory().keep(text.into(), Arc::clone(&agent));
        agent
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        // A panic between two of its operations leaves the memory usable.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, text: &str) -> Agent {
        let lower = text.to_ascii_lowercase();
        let mut agent = Agent {
            device: device::hint(&lower),
            verdict: bot::read(&lower),
            is_browser: lower.starts_with("mozilla/") || lower.starts_with("opera/"),
            ..Agent::default()
        };
        let Some(patterns) = &self.patterns else {
            return agent;
        };
        if let Some(found) = patterns.browsers.extract(text) {
            agent.browser_version = version([found.major, found.minor, found.patch]);
            agent.browser_name = Some(found.family.into_owned());
        }
        if let Some(found) = patterns.systems.extract(text) {
            agent.os_version = version([
                found.major.as_deref(),
                found.minor.as_deref(),
                found.patch.as_deref(),
            ]);
            agent.os_name = Some(match found.os.as_ref() {
                "Mac OS X" => "macOS".to_owned(),
                other => other.to_owned(),
            });
        }
        agent
    }
}

impl Patterns {
    fn built_in() -> anyhow::Result<Self> {
        let mut plain = String::new();
        flate2::read::GzDecoder::new(PATTERNS).read_to_string(&mut plain)?;
        let patterns: Lists = serde_json::from_str(&plain)?;
        Ok(Self {
            browsers: user_agent::Builder::new()
                .push_all(patterns.user_agent_parsers)?
                .build()?,
            systems: os::Builder::new().push_all(patterns.os_parsers)?.build()?,
        })
    }
}

/// The two lists that are kept of `ua_parser::Regexes`.
#[derive(serde::Deserialize)]
struct Lists {
    user_agent_parsers: Vec<user_agent::Parser<'static>>,
    os_parsers: Vec<os::Parser<'static>>,
}

/// `126.0.0` → `126`, `10.15.7` as it is.
fn version(parts: [Option<&str>; 3]) -> Option<String> {
    let given: Vec<&str> = parts.into_iter().map_while(|part| part).collect();
    let end = given
        .iter()
        .rposition(|part| *part != "0")
        .map_or(1, |last| last + 1);
    let text = given.get(..end)?.join(".");
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_common_browsers() {
        let agents = Agents::new();
        let read = |text: &str| {
            let agent = agents.get(text);
            (
                agent.browser_name.clone().unwrap_or_default(),
                agent.browser_version.clone().unwrap_or_default(),
                agent.os_name.clone().unwrap_or_default(),
                agent.os_version.clone().unwrap_or_default(),
            )
        };
        let four = |a: &str, b: &str, c: &str, d: &str| {
            (a.to_owned(), b.to_owned(), c.to_owned(), d.to_owned())
        };
        assert_eq!(
            read(
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
            ),
            four("Chrome", "126", "Windows", "10")
        );
        assert_eq!(
            read(
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15"
            ),
            four("Safari", "17.5", "macOS", "10.15.7")
        );
        assert_eq!(
            read("Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0"),
            four("Firefox", "127", "Ubuntu", "")
        );
        assert_eq!(
            read(
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0"
            ),
            four("Edge", "126", "Windows", "10")
        );
        assert_eq!(
            read(
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"
            ),
            four("Mobile Safari", "17.5", "iOS", "17.5")
        );
        assert_eq!(read(""), four("", "", "", ""));
    }

    #[test]
    fn the_memory_stays_bounded() {
        let mut memory = Memory::default();
        for number in 0..3 * REMEMBERED {
            memory.keep(number.to_string().into(), Arc::default());
        }
        assert!(memory.young.len() + memory.old.len() <= 2 * REMEMBERED);
        assert!(memory.find("0").is_none());
        assert!(memory.find(&(3 * REMEMBERED - 1).to_string()).is_some());
    }

    #[test]
    fn endless_user_agents_are_cut_between_letters() {
        let agents = Agents {
            patterns: None,
            memory: Mutex::default(),
        };
        agents.get(&"ä".repeat(100_000));
        let longest = agents.memory().young.keys().map(|text| text.len()).max();
        assert_eq!(longest, Some(LONGEST));
    }
}

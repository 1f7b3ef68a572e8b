//! Names and versions by uap-core's patterns, and by a table of what those do not know.

use std::{io::Read as _, sync::LazyLock};

use ua_parser::{os, user_agent};

use super::Agent;

/// Derived by `scripts/user-agent-table`.
const PATTERNS: &[u8] = include_bytes!("../../../../tables/user-agents.json.gz");
/// Texts that the patterns do not know; also the brands of client hints.
pub(super) const NAMES: &str = include_str!("../../../../tables/browsers.tsv");

/// Systems whose browsers stopped at a version: a user agent with a later one is false.
const LAST_OF: &[(&str, &[(&str, u32)])] = &[
    (
        "windows nt 5.",
        &[("Chrome", 49), ("Firefox", 52), ("Edge", 0)],
    ),
    (
        "windows nt 6.",
        &[("Chrome", 109), ("Firefox", 115), ("Edge", 109)],
    ),
];

pub(super) struct Patterns {
    browsers: user_agent::Extractor<'static>,
    systems: os::Extractor<'static>,
}

/// The two lists that are kept of `ua_parser::Regexes`.
#[derive(serde::Deserialize)]
struct Lists {
    user_agent_parsers: Vec<user_agent::Parser<'static>>,
    os_parsers: Vec<os::Parser<'static>>,
}

impl Patterns {
    pub(super) fn built_in() -> anyhow::Result<Self> {
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

    pub(super) fn apply(&self, text: &str, agent: &mut Agent) {
        if let Some(found) = self.browsers.extract(text) {
            agent.browser_version = version([found.major, found.minor, found.patch]);
            agent.browser_name = Some(found.family.into_owned());
        }
        if let Some(found) = self.systems.extract(text) {
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
        // The value of browsers that hide their system: it is no real version.
        if text.contains("Android 10; K)") {
            agent.os_version = None;
        }
    }
}

struct NameRow {
    is_browser: bool,
    text: &'static str,
    name: &'static str,
}

static KNOWN: LazyLock<Vec<NameRow>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let (kind, rest) = line.split_once('\t')?;
        let (text, name) = rest.split_once('\t')?;
        matches!(kind, "browser" | "system").then_some(NameRow {
            is_browser: kind == "browser",
            text,
            name,
        })
    };
    NAMES.lines().filter_map(row).collect()
});

/// Names what the patterns do not know.
pub(super) fn name(text: &str, agent: &mut Agent) {
    let mut found = [false; 2];
    for known in KNOWN.iter() {
        let Some(at) = text.find(known.text) else {
            continue;
        };
        let behind = &text[at + known.text.len()..];
        // The first row of each kind counts.
        if std::mem::replace(&mut found[usize::from(known.is_browser)], true) {
            continue;
        }
        let version = version_at(behind.trim_start_matches(['/', ' ']));
        if known.is_browser {
            agent.browser_name = Some(known.name.to_owned());
            agent.browser_version = version;
        } else {
            agent.os_name = Some(known.name.to_owned());
            agent.os_version = None;
        }
    }
}

/// The version that a text begins with, at most three parts of it.
pub(super) fn version_at(text: &str) -> Option<String> {
    let end = text
        .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .unwrap_or(text.len());
    let mut parts = text[..end].split('.').filter(|part| !part.is_empty());
    version([(); 3].map(|()| parts.next()))
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

/// Whether the browser is later than the last one of its system.
pub(super) fn is_impossible(lower: &str, agent: &Agent) -> bool {
    let (Some(name), Some(version)) = (&agent.browser_name, &agent.browser_version) else {
        return false;
    };
    let major = version
        .split('.')
        .next()
        .and_then(|major| major.parse::<u32>().ok());
    let systems = LAST_OF.iter().filter(|(system, _)| lower.contains(system));
    let mut limits = systems.flat_map(|(_, browsers)| browsers.iter());
    limits.any(|(browser, last)| browser == name && major.is_some_and(|major| major > *last))
}

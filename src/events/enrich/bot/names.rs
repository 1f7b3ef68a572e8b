//! Who names itself a bot, and which one it is.

use std::{cmp::Reverse, ops::Range, sync::LazyLock};

use aho_corasick::AhoCorasick;

use super::BotKind;

/// Agents of artificial intelligence; `tables/MANIFEST.toml` says where the tables come from.
const AGENTS: &str = include_str!("../../../../tables/ai-agents.tsv");
/// Crawlers and checkers.
const CRAWLERS: &str = include_str!("../../../../tables/crawlers.tsv");

/// Characters kept of a name that no table knows.
const LONGEST: usize = 64;

/// A bot that names itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub kind: BotKind,
    pub name: String,
    /// What it belongs to, such as `ChatGPT`; empty when unknown.
    pub product: &'static str,
    /// Who runs it; empty when unknown.
    pub operator: &'static str,
}

struct Row {
    word: &'static str,
    /// Whether the word counts at the beginning only.
    first: bool,
    kind: BotKind,
    /// Name, product and operator, where they are known.
    known: Option<[&'static str; 3]>,
}

struct Table {
    rows: Vec<Row>,
    words: AhoCorasick,
}

/// `None` only when the tables cannot be made into an automaton, which a test excludes.
static TABLE: LazyLock<Option<Table>> = LazyLock::new(|| {
    let rows: Vec<Row> = lines(AGENTS)
        .filter_map(agent)
        .chain(lines(CRAWLERS).filter_map(crawler))
        .collect();
    let words = AhoCorasick::new(rows.iter().map(|row| row.word))
        .inspect_err(|error| tracing::error!(%error, "the tables of bots are damaged"))
        .ok()?;
    Some(Table { rows, words })
});

fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

fn agent(line: &'static str) -> Option<Row> {
    let mut fields = line.split('\t');
    let mut next = || fields.next();
    let (word, purpose) = (next()?, next()?);
    let kind = match purpose {
        "training" => BotKind::AiTraining,
        "search" => BotKind::AiSearch,
        "user" => BotKind::AiUser,
        "agent" => BotKind::AiAgent,
        _ => return None,
    };
    let told = |text: &'static str| if text == "unknown" { "" } else { text };
    let known = Some([next()?, next()?, told(next()?)]);
    Some(Row {
        word,
        first: false,
        kind,
        known,
    })
}

fn crawler(line: &'static str) -> Option<Row> {
    let (word, kind) = line.split_once('\t')?;
    Some(Row {
        word: word.trim_start_matches('^'),
        first: word.starts_with('^'),
        kind: BotKind::parse(kind)?,
        known: None,
    })
}

/// The bot that a user agent names; `lower` is `text` in lower case.
pub(super) fn find(text: &str, lower: &str) -> Option<Named> {
    if let Some(table) = &*TABLE
        && let Some((row, place)) = table.find(lower)
    {
        let [name, product, operator] = row.known.unwrap_or_default();
        let name = if name.is_empty() {
            written(text, place)
        } else {
            name.to_owned()
        };
        return Some(Named {
            kind: row.kind,
            name,
            product,
            operator,
        });
    }
    generic(lower).map(|place| Named {
        kind: BotKind::Other,
        name: written(text, place),
        product: "",
        operator: "",
    })
}

impl Table {
    /// What is known best of a text: an agent of artificial intelligence, else the longest word.
    fn find(&self, lower: &str) -> Option<(&Row, Range<usize>)> {
        self.words
            .find_overlapping_iter(lower)
            .filter_map(|found| {
                let row = self.rows.get(found.pattern().as_usize())?;
                let begins = if row.first {
                    found.start() == 0
                } else {
                    starts_word(lower, found.start())
                };
                begins.then(|| (row, found.range()))
            })
            .max_by_key(|(row, range)| (row.known.is_some(), range.len(), Reverse(range.start)))
    }
}

fn starts_word(text: &str, at: usize) -> bool {
    text[..at]
        .bytes()
        .next_back()
        .is_none_or(|before| !before.is_ascii_alphanumeric())
}

/// A word that ends like a bot's name, or the address by which bots say who they are.
fn generic(lower: &str) -> Option<Range<usize>> {
    let mut at = 0;
    for word in lower.split(|letter: char| !letter.is_ascii_alphanumeric()) {
        let range = at..at + word.len();
        // The separator is one character, of whatever width.
        at = range.end + lower[range.end..].chars().next().map_or(0, char::len_utf8);
        if is_bot_name(word) {
            return Some(range);
        }
    }
    let tells = (lower.contains("+http://") || lower.contains("+https://"))
        && !LIBRARIES.iter().any(|library| lower.starts_with(library));
    tells.then(|| 0..lower.find(['/', ' ', ';', '(']).unwrap_or(lower.len()))
}

/// HTTP libraries that say where they come from; their callers are no bots for that.
const LIBRARIES: &[&str] = &[
    "got ",
    "got/",
    "node-fetch",
    "scrapy",
    "python",
    "ruby",
    "php",
];

/// Names that end like a bot's and are none: a phone maker.
const NO_BOTS: &[&str] = &["cubot"];

fn is_bot_name(word: &str) -> bool {
    ["bot", "bots", "crawler", "spider"]
        .iter()
        .any(|ending| word.ends_with(ending))
        && !NO_BOTS.contains(&word)
}

/// A name as the caller writes it, with what belongs to the same word.
fn written(text: &str, place: Range<usize>) -> String {
    let part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let word = text.get(place.clone()).unwrap_or_default();
    let rest = text.get(place.end..).unwrap_or_default();
    // `googlebot/` is a word of the table, its version is not part of the name.
    let more = if word.ends_with(part) {
        rest.find(|letter| !part(letter)).unwrap_or(rest.len())
    } else {
        0
    };
    let before = text.get(..place.start).unwrap_or_default();
    let start = before.rfind(|letter| !part(letter)).map_or(0, |at| {
        at + before[at..].chars().next().map_or(0, char::len_utf8)
    });
    let name = text.get(start..place.end + more).unwrap_or_default();
    let name = name.trim_end_matches(|letter: char| !letter.is_alphanumeric());
    name.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn named(text: &str) -> Option<(BotKind, String)> {
        find(text, &text.to_ascii_lowercase()).map(|found| (found.kind, found.name))
    }

    #[test]
    fn the_tables_are_sound() {
        let table = TABLE.as_ref().unwrap();
        let expected = lines(AGENTS).count() + lines(CRAWLERS).count();
        assert_eq!(table.rows.len(), expected, "a broken line");
        let agents: BTreeSet<&str> = table.rows[..lines(AGENTS).count()]
            .iter()
            .map(|row| row.word)
            .collect();
        assert_eq!(agents.len(), lines(AGENTS).count(), "an agent twice");
        for row in &table.rows {
            assert!(row.word.len() >= 4, "{}", row.word);
            assert_eq!(row.word, row.word.to_ascii_lowercase());
            assert!(row.known.is_none() || row.kind.is_ai());
        }
    }

    const TOLD_APART: &[(&str, BotKind, &str)] = &[
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
            BotKind::AiTraining,
            "GPTBot",
        ),
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
            BotKind::AiUser,
            "ChatGPT-User",
        ),
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot)",
            BotKind::AiSearch,
            "OAI-SearchBot",
        ),
        (
            "Mozilla/5.0 (compatible; Claude-User/1.0; +Claude-User@anthropic.com)",
            BotKind::AiUser,
            "Claude-User",
        ),
        (
            "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)",
            BotKind::AiTraining,
            "Bytespider",
        ),
        (
            "Mozilla/5.0 (compatible; AI2Bot-Dolma (+https://www.allenai.org/crawler)",
            BotKind::AiTraining,
            "AI2Bot-Dolma",
        ),
        (
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            BotKind::Search,
            "Googlebot",
        ),
        (
            "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
            BotKind::Preview,
            "facebookexternalhit",
        ),
        (
            "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)",
            BotKind::Monitor,
            "UptimeRobot",
        ),
        (
            "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
            BotKind::Other,
            "AhrefsBot",
        ),
        (
            "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)",
            BotKind::Archive,
            "archive.org_bot",
        ),
        (
            "SomethingNew/0.1 (+https://new.example/about)",
            BotKind::Other,
            "SomethingNew",
        ),
        ("my-own-crawler", BotKind::Other, "my-own-crawler"),
    ];

    #[test]
    fn bots_are_told_apart() {
        for (text, kind, name) in TOLD_APART {
            assert_eq!(named(text), Some((*kind, (*name).to_owned())), "{text}");
        }
    }

    #[test]
    fn words_inside_words_do_not_count() {
        for text in [
            "xgptbotanist/1.0",
            "Mozilla/5.0 (Linux; Android 13; CUBOT P80) Chrome/126",
            "robotics botany",
            "",
        ] {
            assert_eq!(named(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived_and_names_stay_short(text in ".{0,300}", word in "[a-z+/:.]{0,8}(bot|spider|http://)") {
            let text = format!("{text}{word}{text}");
            if let Some(found) = find(&text, &text.to_ascii_lowercase()) {
                proptest::prop_assert!(found.name.chars().count() <= LONGEST);
            }
        }
    }
}

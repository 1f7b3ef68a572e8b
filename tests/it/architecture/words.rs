//! Words that people don't see again: the labels, headings, buttons, hints, messages and guides use the field's words.

use std::{fmt::Write as _, path::Path};

use regex::Regex;

use super::read_files;

/// Each line is a phrase and what to write instead. Phrases with a capital are looked for as they are, all others in any case.
const PHRASES: &str = include_str!("../../words.csv");

/// Where texts are written that people see.
const SOURCES: [&str; 9] = [
    "src/actors/alarms/notice.rs",
    "src/actors/monitors/emails.rs",
    "src/actors/organizations/emails.rs",
    "src/actors/status_pages/subscribers",
    "src/http/docs",
    "src/http/pages",
    "src/http/redirect",
    "src/http/status",
    "src/pages",
];

/// Guides; `docs/decisions` are for people who change the program.
const GUIDES: [&str; 2] = ["README.md", "docs"];

struct Phrase {
    text: String,
    instead: String,
    pattern: Regex,
}

impl Phrase {
    fn all() -> Vec<Self> {
        let lines = PHRASES.lines().skip(1).filter(|line| !line.is_empty());
        lines
            .map(|line| {
                let (text, instead) = line.split_once(',').unwrap();
                let case = if text.chars().any(char::is_uppercase) {
                    ""
                } else {
                    "(?i)"
                };
                let word = |is_word: bool| if is_word { r"\b" } else { "" };
                let begin = word(text.starts_with(char::is_alphanumeric));
                let end = word(text.ends_with(char::is_alphanumeric));
                let pattern = format!("{case}{begin}{}{end}", regex::escape(text));
                Self {
                    text: text.to_owned(),
                    instead: instead.trim_matches('"').to_owned(),
                    pattern: Regex::new(&pattern).unwrap(),
                }
            })
            .collect()
    }
}

/// The string literals of a source that are texts for people: what has a space or begins with a capital. Comments and tests are
/// left out.
fn literals(source: &str) -> Vec<String> {
    let source = source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let token =
        Regex::new(r##"(?s)//[^\n]*|'(?:\\.|[^'\\])'|r#"(.*?)"#|"((?:\\.|[^"\\])*)""##).unwrap();
    let value = Regex::new(r"\{[^}]*\}").unwrap();
    let texts = token.captures_iter(source).filter_map(|found| {
        let text = found.get(1).or_else(|| found.get(2))?.as_str();
        let is_text = text.contains(' ') || text.starts_with(char::is_uppercase);
        // Names of values within a text are code.
        is_text.then(|| value.replace_all(text, "").into_owned())
    });
    texts.collect()
}

/// A guide without its code.
fn prose(guide: &str) -> String {
    let code = Regex::new("(?s)```.*?```|`[^`\n]*`").unwrap();
    code.replace_all(guide, "").into_owned()
}

/// A line for each place where a phrase stands.
fn find(phrases: &[Phrase], file: &Path, text: &str) -> String {
    let mut found = String::new();
    for Phrase {
        text: phrase,
        instead,
        pattern,
    } in phrases
    {
        for line in text.lines().filter(|line| pattern.is_match(line)) {
            let line = line.trim();
            let _ = writeln!(
                found,
                "{}: \"{phrase}\" → {instead}: {line}",
                file.display()
            );
        }
    }
    found
}

#[test]
fn people_read_the_words_of_the_field() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let phrases = Phrase::all();
    let mut found = String::new();
    for place in SOURCES.map(|place| root.join(place)) {
        for (file, text) in read_files(vec![place], "rs") {
            let is_test = file.components().any(|part| part.as_os_str() == "tests")
                || file.file_stem().is_some_and(|name| name == "tests");
            if !is_test {
                let file = file.strip_prefix(root).unwrap_or(&file);
                found += &find(&phrases, file, &literals(&text).join("\n"));
            }
        }
    }
    for (file, text) in read_files(GUIDES.map(|page| root.join(page)).into(), "md") {
        if !file
            .components()
            .any(|part| part.as_os_str() == "decisions")
        {
            found += &find(&phrases, &file, &prose(&text));
        }
    }
    assert_eq!(found, "", "write what the table says instead:\n{found}");
}

#[test]
fn the_table_finds_phrases_and_leaves_out_code_and_comments() {
    let phrases = Phrase::all();
    assert!(phrases.len() > 100, "{}", phrases.len());
    let source = "// Make it\nlet quote = '\"';\nhtml! { button { \"Make it\" } a href=\"/watch it\" {} }\nconst KEY: &str = \"letter\";";
    assert_eq!(literals(source), ["Make it", "/watch it"]);
    let file = Path::new("a.rs");
    assert!(find(&phrases, file, "Make it").contains("a.rs: \"Make it\""));
    assert_eq!(find(&phrases, file, "Make items of it"), "");
    assert_eq!(prose("a `whoever`\n```\nletter\n```\nb"), "a \n\nb");
    assert!(
        !find(&phrases, file, "Whoever reads").is_empty(),
        "in any case"
    );
}

//! Words that people don't see again: the labels, headings, buttons, hints, messages and guides use the field's words.

use std::{fmt::Write as _, path::Path, sync::LazyLock};

use regex::Regex;

use super::read_files;

/// Each line is a phrase, in quotes if it has a comma, and what to write instead. Phrases with a capital are looked for as they
/// are, all others in any case.
const PHRASES: &str = include_str!("../../words.csv");

/// Takes the texts for people out of a file, one a line.
type Extract = fn(&str) -> String;

/// Where texts are written that people see: a path, the extension of its files, and what takes the texts out of them.
const SOURCES: [(&str, &str, Extract); 8] = [
    ("src", "rs", literals),
    ("src/cli/arguments.rs", "rs", help),
    ("src/locale/texts/en.ftl", "ftl", messages),
    ("src/locale/texts/labels.tsv", "tsv", labels),
    // The published document: comments of types are texts in it.
    ("tests/it/openapi/snapshots", "snap", literals),
    ("config/pharos.toml", "toml", comments),
    ("README.md", "md", prose),
    ("docs", "md", prose),
];

/// What is skipped in a source: a comment or a character; or what is kept: a string.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r##"(?s)//[^\n]*|'(?:\\.|[^'\\])'|r#".*?"#|"(?:\\.|[^"\\])*""##).unwrap()
});
/// A value in a text, whose name is code.
static VALUE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\{[^}\n]*\}").unwrap());
/// Where a string continues in the next line of its source.
static CONTINUATION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\\\n\s*").unwrap());
/// Code in a guide.
static CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new("(?s)```.*?```|`[^`\n]*`").unwrap());

struct Phrase {
    text: String,
    instead: String,
    pattern: Regex,
}

impl Phrase {
    fn all() -> Vec<Self> {
        let lines = PHRASES.lines().skip(1).filter(|line| !line.is_empty());
        lines.map(Self::parse).collect()
    }

    fn parse(line: &str) -> Self {
        let (text, instead) = line
            .strip_prefix('"')
            .map_or_else(|| line.split_once(','), |quoted| quoted.split_once("\","))
            .unwrap();
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
    }
}

/// The string literals of a source that are texts for people: what has a space or begins with a capital. Comments and tests are
/// left out.
fn literals(source: &str) -> String {
    let source = source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let mut texts = String::new();
    for token in TOKEN.find_iter(source) {
        let token = token.as_str();
        let text = token
            .strip_prefix("r#\"")
            .and_then(|text| text.strip_suffix("\"#"))
            .or_else(|| token.strip_prefix('"')?.strip_suffix('"'))
            .filter(|text| text.contains(' ') || text.starts_with(char::is_uppercase));
        if let Some(text) = text {
            let text = CONTINUATION.replace_all(text, "");
            texts.push_str(&VALUE.replace_all(&text, ""));
            texts.push('\n');
        }
    }
    texts
}

/// The comments of the command line's arguments, which are its help.
fn help(source: &str) -> String {
    marked(source, "///")
}

/// The comments of a configuration file.
fn comments(settings: &str) -> String {
    marked(settings, "#")
}

/// The rest of each line that begins with the mark.
fn marked(text: &str, mark: &str) -> String {
    let lines = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix(mark));
    prose(&lines.collect::<Vec<_>>().join("\n"))
}

/// The messages of a language without names and values.
fn messages(language: &str) -> String {
    let lines = language.lines().filter(|line| !line.starts_with('#'));
    let texts = lines.map(|line| line.split_once(" = ").map_or(line, |(_, text)| text));
    let texts = texts.collect::<Vec<_>>().join("\n");
    VALUE.replace_all(&texts, "").into_owned()
}

/// The first column of a table, which is English.
fn labels(table: &str) -> String {
    let english = table.lines().filter_map(|line| line.split('\t').next());
    english.collect::<Vec<_>>().join("\n")
}

/// A guide without its code.
fn prose(guide: &str) -> String {
    CODE.replace_all(guide, "").into_owned()
}

/// Tests, and `docs/decisions`, which are for people who change the program.
fn is_left_out(file: &Path) -> bool {
    file.iter()
        .any(|name| name == "tests" || name == "decisions")
        || file
            .file_stem()
            .is_some_and(|name| name.to_string_lossy().ends_with("tests"))
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
        // Most texts have none of it, and are looked through at once.
        if !pattern.is_match(text) {
            continue;
        }
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
    for (path, extension, extract) in SOURCES {
        let place = root.join(path);
        let mut length = 0;
        for (file, source) in read_files(vec![place.clone()], extension) {
            if is_left_out(file.strip_prefix(&place).unwrap_or(&file)) {
                continue;
            }
            let text = extract(&source);
            length += text.len();
            found += &find(&phrases, file.strip_prefix(root).unwrap_or(&file), &text);
        }
        assert!(length > 0, "no texts in {path}");
    }
    assert_eq!(found, "", "write what the table says instead:\n{found}");
}

#[test]
fn the_table_finds_phrases_and_leaves_out_code_and_comments() {
    let phrases = Phrase::all();
    assert!(phrases.len() > 170, "{}", phrases.len());
    let source = "// Make it\nlet quote = '\"';\nhtml! { button { \"Make it\" } a href=\"/watch it\" {} }\nconst KEY: &str = \"letter\";";
    assert_eq!(literals(source), "Make it\n/watch it\n");
    assert_eq!(
        literals("say(\"signs of \\\n    life\")"),
        "signs of life\n"
    );
    let file = Path::new("a.rs");
    assert!(find(&phrases, file, "Make it").contains("a.rs: \"Make it\""));
    assert!(find(&phrases, file, "Up, 30 days").contains("Uptime (30 days)"));
    assert_eq!(find(&phrases, file, "Make items of it"), "");
    assert_eq!(prose("a `whoever`\n```\nletter\n```\nb"), "a \n\nb");
    assert_eq!(help("  /// Make `it`\n  make: bool,"), " Make ");
    assert_eq!(
        messages("## letter\nletter = Go { $on }\n    now"),
        "Go \n    now"
    );
    assert_eq!(labels("Go on\tWeiter\nBack\tZurück"), "Go on\nBack");
    assert!(
        !find(&phrases, file, "Whoever reads").is_empty(),
        "in any case"
    );
}

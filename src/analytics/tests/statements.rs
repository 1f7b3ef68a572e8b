//! The statement of every type as each engine gets it.

use serde_json::json;

use super::{NOW, need, target_of_type};
use crate::analytics::{
    catalogue::{self, Category, How, QueryType, Shape, Show},
    compile::Ask,
    dialect::Dialect,
    range::Range,
    request::parse,
    target::Target,
};

/// Words that begin a line.
const CLAUSES: [&str; 16] = [
    "WITH ",
    "SELECT ",
    "FROM ",
    "WHERE ",
    "GROUP BY ",
    "HAVING ",
    "QUALIFY ",
    "ORDER BY ",
    "LIMIT ",
    "LEFT JOIN ",
    "ARRAY JOIN ",
    "CROSS JOIN ",
    "SEMI JOIN ",
    "JOIN ",
    "UNION ",
    "SETTINGS ",
];

#[test]
fn statements_of_the_embedded_engine_are_these() {
    insta::assert_snapshot!("statements", statements(Dialect::DuckDb));
}

#[test]
fn statements_of_clickhouse_are_these() {
    insta::assert_snapshot!("statements_clickhouse", statements(Dialect::ClickHouse));
}

/// Engines do not agree whether a name in `ORDER BY` is the answer's column or the one that it is made of.
#[test]
fn columns_named_like_what_they_are_made_of_say_the_same() {
    for kind in catalogue::all() {
        let Shape::Measured { fold, measures, .. } = kind.shape else {
            continue;
        };
        let yields = match fold.how {
            How::Once(aggregates) => aggregates,
            How::Visits(_) => {
                "… AS pageviews, … AS visitors, … AS sessions, … AS bounces, … AS median_duration, \
                 … AS mean_duration, … AS total_events"
            }
        };
        for measure in measures {
            let name = measure.name;
            let named = format!(" AS {name}");
            let is_yielded = yields.ends_with(&named) || yields.contains(&(named + ","));
            let is_rounded = matches!(measure.show, Show::Float(_) | Show::MaybeFloat(_));
            let hides = is_yielded && (measure.sql != name || is_rounded);
            assert!(!hides, "{}: `{name}` hides what it is made of", kind.name);
        }
    }
}

/// A column of an answer that is called like one of events would make the statement read those. Extracts know no minutes.
#[test]
fn types_that_extracts_can_answer_read_no_events() {
    for kind in catalogue::all() {
        let Shape::Measured { fold, .. } = kind.shape else {
            continue;
        };
        if fold.extracted.is_some() && kind.category != Category::Realtime {
            let text = statement(kind, Dialect::DuckDb);
            let events = text.matches("{events}").count() + text.matches("{people}").count();
            let own = fold.extracted.and_then(|extracted| extracted.from);
            let wanted = own.map_or(0, |own| own.matches("{events}").count());
            assert_eq!(events, wanted, "{}: {text}", kind.name);
        }
    }
}

fn statements(dialect: Dialect) -> String {
    let mut texts = String::new();
    for kind in catalogue::all() {
        let text = statement(kind, dialect);
        // Relations have the columns that a statement names (`events::words`).
        let names = !text.starts_with("SELECT *") && !text.contains("DISTINCT *");
        assert!(names, "{text}");
        texts.extend(["-- ", kind.name, "\n", &in_lines(&text), "\n\n"]);
    }
    texts
}

fn statement(kind: &'static QueryType, dialect: Dialect) -> String {
    let mut body = json!({"parameters": [kind.name], "preset": "last_7d", "timeZone": "Europe/Berlin",
        "filters": [{"field": "country", "op": "eq", "value": "DE"}]});
    need(kind.name, &mut body);
    let target: Target = target_of_type(kind);
    let request = parse(&body, None, NOW).unwrap();
    let parameter = &request.parameters[0];
    let range: Range = *parameter.range.as_ref().unwrap();
    let ask = Ask {
        target: &target,
        request: &request,
        parameter,
        range,
        now_ms: NOW,
        dialect,
        extract: None,
    };
    ask.compile().statement.text
}

/// A statement with a line for each clause, indented by how many parentheses are open around it.
fn in_lines(text: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    // Of each open parenthesis, whether it is a window's.
    let mut open: Vec<bool> = Vec::new();
    for (at, letter) in text.char_indices() {
        let begins = |clause: &&str| text[at..].starts_with(*clause);
        let ends = |words: &[&str]| words.iter().any(|word| text[..at].ends_with(word));
        let inside = quoted || open.last().is_some_and(|window| *window);
        if !inside
            && ends(&[" ", "("])
            && !ends(&["LEFT ", "ARRAY ", "CROSS ", "SEMI "])
            && CLAUSES.iter().any(begins)
        {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(&"  ".repeat(open.len()));
        }
        match letter {
            '\'' => quoted = !quoted,
            '(' if !quoted => open.push(ends(&["OVER "])),
            ')' if !quoted => {
                open.pop();
            }
            _ => {}
        }
        out.push(letter);
    }
    out
}

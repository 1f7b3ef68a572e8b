//! Checks answers against expectations. Pure; messages of failures repeat nothing of the body.

use std::time::Duration;

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::{Expectations, JsonExpectation};
use crate::egress::{Class, Failure};

/// Bytes of a compiled expression: enough for four classes such as `\w` or `\p{L}`. A hostile one takes 40 s for 1 MiB of text.
const MAX_REGEX: usize = 192 << 10;
/// Bytes of states that matching remembers. More of them make harmless expressions faster.
const MAX_CACHE: usize = 1 << 20;

/// A compiled expression, if there is one, or what is wrong with it.
pub(super) type Compiled = Option<Result<Regex, String>>;

pub(super) fn wants_text(expect: &Expectations) -> bool {
    expect.contains.is_some()
        || expect.lacks.is_some()
        || expect.matches.is_some()
        || expect.json.as_ref().is_some_and(|list| !list.is_empty())
}

pub(super) fn status(expect: &Expectations, status: u16) -> bool {
    let good = expect.status.as_deref().unwrap_or_default();
    if good.is_empty() {
        return (200..300).contains(&status);
    }
    good.iter()
        .filter_map(|text| statuses(text))
        .any(|range| range.contains(&status))
}

/// A status, a class such as `2xx`, or a range.
pub(super) fn statuses(text: &str) -> Option<std::ops::RangeInclusive<u16>> {
    let text = text.trim();
    let one = |text: &str| {
        text.trim()
            .parse::<u16>()
            .ok()
            .filter(|code| (100..600).contains(code))
    };
    if let Some((first, last)) = text.split_once('-') {
        let (first, last) = (one(first)?, one(last)?);
        return (first <= last).then_some(first..=last);
    }
    let class = text.to_ascii_lowercase();
    if let Some(class) = class.strip_suffix("xx") {
        let class = class
            .parse::<u16>()
            .ok()
            .filter(|class| (1..6).contains(class))?;
        return Some(class * 100..=class * 100 + 99);
    }
    let one = one(text)?;
    Some(one..=one)
}

/// Holds the assertions about text against one. Checks do that with `checks/text.rs`, which keeps their
/// thread free.
pub(super) fn text(expect: &Expectations, body: &[u8]) -> Result<(), Failure> {
    compiled_text(expect, compile(expect).as_ref(), body)
}

pub(super) fn compile(expect: &Expectations) -> Compiled {
    expect.matches.as_deref().map(regex)
}

/// The same with the expression of the assertions, compiled.
pub(super) fn compiled_text(
    expect: &Expectations,
    expression: Option<&Result<Regex, String>>,
    body: &[u8],
) -> Result<(), Failure> {
    let failed = |what: &str| Err(Failure::new(Class::Assertion, what));
    let body = String::from_utf8_lossy(body);
    if expect
        .contains
        .as_deref()
        .is_some_and(|wanted| !body.contains(wanted))
    {
        return failed("the response body doesn't contain the expected text");
    }
    if expect
        .lacks
        .as_deref()
        .is_some_and(|unwanted| body.contains(unwanted))
    {
        return failed("the response body contains the excluded text");
    }
    match expression {
        Some(Ok(regex)) if !regex.is_match(&body) => {
            return failed("the response body doesn't match the regular expression");
        }
        Some(Err(why)) => return failed(&format!("the regular expression {why}")),
        _ => {}
    }
    let Some(list) = expect.json.as_deref().filter(|list| !list.is_empty()) else {
        return Ok(());
    };
    let Ok(value) = serde_json::from_str::<Value>(&body) else {
        return failed("the response body isn't JSON");
    };
    for JsonExpectation { path, equals } in list {
        let found = steps(path).and_then(|steps| find(&value, &steps));
        let good = match (found, equals) {
            (None, _) => false,
            (Some(found), Some(wanted)) => same(found, wanted),
            (Some(found), None) => !matches!(found, Value::Null | Value::Bool(false)),
        };
        if !good {
            return Err(Failure::new(
                Class::Assertion,
                format!("`{path}` doesn't have the expected value"),
            ));
        }
    }
    Ok(())
}

/// Compares what a recorded protocol says, as JSON, with the assertions about text.
pub(super) fn document(expect: &Expectations, document: &Value) -> Result<(), Failure> {
    text(expect, document.to_string().as_bytes())
}

pub(super) fn time(expect: &Expectations, took: Duration) -> Result<(), Failure> {
    let Some(most) = expect.response_time else {
        return Ok(());
    };
    if took <= Duration::from_millis(most.into()) {
        return Ok(());
    }
    let message = format!("it took {} ms, more than {most} ms", took.as_millis());
    Err(Failure::new(Class::TooSlow, message))
}

pub(super) fn records(expect: &Expectations, found: &[String]) -> Result<(), Failure> {
    let plain = |text: &str| {
        text.trim()
            .trim_end_matches('.')
            .trim_matches('"')
            .to_ascii_lowercase()
    };
    let found: Vec<String> = found.iter().map(|text| plain(text)).collect();
    let wanted = expect.records.as_deref().unwrap_or_default();
    match wanted.iter().find(|wanted| !found.contains(&plain(wanted))) {
        None => Ok(()),
        Some(missing) => Err(Failure::new(
            Class::Assertion,
            format!("the record `{missing}` is missing"),
        )),
    }
}

/// Compiles an expression whose cost is bounded. The error says what is wrong with it, to be put behind its name.
pub(super) fn regex(pattern: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(pattern)
        .size_limit(MAX_REGEX)
        .dfa_size_limit(MAX_CACHE)
        .build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => {
            "is too large: lower its repetitions, or use `[0-9A-Za-z_]` in place of `\\w`"
                .to_owned()
        }
        error => {
            let error = error.to_string();
            let why = error.lines().last().unwrap_or_default();
            format!("is invalid: {why}")
        }
    })
}

/// Numbers are compared by value; texts and numbers by their spelling.
fn same(found: &Value, wanted: &Value) -> bool {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    };
    found == wanted
        || matches!((found.as_f64(), wanted.as_f64()), (Some(a), Some(b)) if (a - b).abs() < f64::EPSILON)
        || matches!((text(found), text(wanted)), (Some(a), Some(b)) if a == b)
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    Field(String),
    Index(usize),
}

/// Reads a path: `$.a.b[0]["c d"]`; the `$` may be left out.
pub(super) fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    let mut steps = Vec::new();
    let mut is_first = rest.len() == path.len();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let quote = inner
                .chars()
                .next()
                .filter(|quote| matches!(quote, '"' | '\''));
            if let Some(quote) = quote {
                let (name, after) = inner[1..].split_once(quote)?;
                steps.push(Step::Field(name.to_owned()));
                rest = after.strip_prefix(']')?;
            } else {
                let (place, after) = inner.split_once(']')?;
                steps.push(Step::Index(place.parse().ok()?));
                rest = after;
            }
        } else {
            rest = match rest.strip_prefix('.') {
                Some(rest) => rest,
                None if is_first => rest,
                None => return None,
            };
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if name.is_empty() {
                return None;
            }
            steps.push(Step::Field(name.to_owned()));
            rest = after;
        }
        is_first = false;
    }
    Some(steps)
}

pub(super) fn find<'v>(value: &'v Value, steps: &[Step]) -> Option<&'v Value> {
    steps.iter().try_fold(value, |value, step| match step {
        Step::Field(name) => value.get(name),
        Step::Index(place) => value.get(place),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wants(value: &Value) -> Expectations {
        serde_json::from_value(value.clone()).unwrap()
    }

    #[test]
    fn statuses_are_single_classes_or_ranges() {
        for (good, status_is, expected) in [
            (json!({}), 200, true),
            (json!({}), 299, true),
            (json!({}), 300, false),
            (json!({ "status": ["404"] }), 404, true),
            (json!({ "status": ["404"] }), 200, false),
            (json!({ "status": ["2XX", "301"] }), 301, true),
            (json!({ "status": ["500-503"] }), 503, true),
            (json!({ "status": ["500-503"] }), 504, false),
        ] {
            assert_eq!(
                status(&wants(&good), status_is),
                expected,
                "{good} {status_is}"
            );
        }
        for wrong in ["", "2x", "99", "600", "300-200", "0xx", "6xx", "a-b"] {
            assert!(statuses(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn bodies_are_looked_at() {
        let body = br#"{"a":{"b":[{"c d":1.0}]},"ok":true,"no":false,"text":"5"}"#;
        for (expect, good) in [
            (json!({ "contains": "\"ok\"" }), true),
            (json!({ "contains": "missing" }), false),
            (json!({ "lacks": "missing" }), true),
            (json!({ "lacks": "ok" }), false),
            (json!({ "matches": "o[k]" }), true),
            (json!({ "matches": "^k" }), false),
            (
                json!({ "json": [{ "path": "$.a.b[0][\"c d\"]", "equals": 1 }] }),
                true,
            ),
            (
                json!({ "json": [{ "path": "a.b[0]['c d']", "equals": 2 }] }),
                false,
            ),
            (json!({ "json": [{ "path": "ok" }] }), true),
            (json!({ "json": [{ "path": "no" }] }), false),
            (json!({ "json": [{ "path": "text", "equals": 5 }] }), true),
            (json!({ "json": [{ "path": "a.x" }] }), false),
        ] {
            assert_eq!(text(&wants(&expect), body).is_ok(), good, "{expect}");
        }
        assert!(text(&wants(&json!({ "json": [{ "path": "a" }] })), b"<html>").is_err());
    }

    #[test]
    fn expressions_with_classes_fit_and_hostile_ones_do_not() {
        for pattern in [
            r"^v[0-9]+\.[0-9]+$",
            r"\w+@\w+\.\w+",
            r"\w+ \w+ \w+",
            r"\p{L}+ \p{L}+ \p{L}+ \p{L}+",
            r"(?i)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}",
        ] {
            assert!(regex(pattern).is_ok(), "{pattern}");
        }
        for pattern in ["(?:[ab]{1,30}){1,80}c", r"\w{100}", "(a{1000}){1000}"] {
            let why = regex(pattern).unwrap_err();
            assert!(why.starts_with("is too large: "), "{pattern}: {why}");
        }
        assert!(regex("(").unwrap_err().starts_with("is invalid: "));
    }

    #[test]
    fn paths_that_are_none() {
        for path in ["$a", "a..b", "a[", "a[x]", "a[0]b", "a.", "[\"a]"] {
            assert_eq!(steps(path), None, "{path}");
        }
        assert_eq!(steps("$"), Some(vec![]));
    }

    #[test]
    fn records_are_compared_without_dots_quotes_and_capitals() {
        let found = ["10 Mail.example.".to_owned(), "\"v=spf1 -all\"".to_owned()];
        let expect = |text: &str| wants(&json!({ "records": [text] }));
        assert!(records(&expect("10 mail.example"), &found).is_ok());
        assert!(records(&expect("v=spf1 -all"), &found).is_ok());
        assert!(records(&expect("20 mail.example"), &found).is_err());
    }

    #[test]
    fn a_limit_of_time_is_kept_to_the_millisecond() {
        let expect = wants(&json!({ "responseTime": 100 }));
        assert!(time(&expect, Duration::from_millis(100)).is_ok());
        assert_eq!(
            time(&expect, Duration::from_millis(101)).unwrap_err().class,
            Class::TooSlow
        );
    }
}

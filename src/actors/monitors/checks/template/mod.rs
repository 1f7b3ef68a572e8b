//! Values that one step of a check finds and later steps use as `{{name}}`. Pure.

use std::collections::BTreeMap;

use hyper::header::HeaderMap;
use serde_json::Value;
use url::Url;

use super::super::expect;

/// Bytes of a value.
const MAX_VALUE: usize = 8_192;
/// Characters of a value's name.
const MAX_NAME: usize = 40;

/// Values by their names.
pub(in crate::actors::monitors) type Values = BTreeMap<String, String>;

/// Where a value is found in an answer.
#[derive(Debug)]
pub(in crate::actors::monitors) enum Source {
    /// A path in a JSON body.
    Json(Vec<expect::Step>),
    /// A header, and which part of it.
    Header(String, Option<regex::Regex>),
    /// A part of the body.
    Body(regex::Regex),
}

impl Source {
    /// Reads `$.path`, `header:Name`, `header:Name:expression` or an expression.
    pub(in crate::actors::monitors) fn parse(text: &str) -> Result<Self, String> {
        let regex = |text: &str| {
            let read = expect::regex(text);
            read.map_err(|why| format!("the regular expression `{text}` {why}"))
        };
        if text.starts_with('$') {
            let steps = expect::steps(text);
            let wrong = || format!("`{text}` is no path such as $.token");
            return steps.map(Self::Json).ok_or_else(wrong);
        }
        let Some(header) = text.strip_prefix("header:") else {
            return regex(text).map(Self::Body);
        };
        let (name, part) = match header.split_once(':') {
            Some((name, part)) => (name, Some(regex(part)?)),
            None => (header, None),
        };
        let name = name.trim().to_ascii_lowercase();
        if hyper::header::HeaderName::try_from(name.as_str()).is_err() {
            return Err(format!("`{name}` is no name of a header"));
        }
        Ok(Self::Header(name, part))
    }

    /// The value in an answer, if it is there and of a length that can be sent.
    pub(super) fn find(&self, headers: &HeaderMap, body: &[u8]) -> Option<String> {
        let found = match self {
            Self::Json(steps) => {
                let document: Value = serde_json::from_slice(body).ok()?;
                match expect::find(&document, steps)? {
                    Value::String(text) => text.clone(),
                    value @ (Value::Number(_) | Value::Bool(_)) => value.to_string(),
                    _ => return None,
                }
            }
            Self::Header(name, part) => {
                let values = headers.get_all(name).iter();
                let mut texts = values.filter_map(|value| value.to_str().ok());
                match part {
                    None => texts.next()?.to_owned(),
                    Some(part) => texts.find_map(|text| captured(part, text))?,
                }
            }
            Self::Body(part) => captured(part, &String::from_utf8_lossy(body))?,
        };
        // A URL parser takes dots alone for another folder, however they are escaped.
        let is_folder = matches!(found.as_str(), "." | "..");
        (found.len() <= MAX_VALUE && !is_folder).then_some(found)
    }
}

/// The first group of an expression, or all that it matches if it has none.
fn captured(part: &regex::Regex, text: &str) -> Option<String> {
    let found = part.captures(text)?;
    let found = found.get(1).or_else(|| found.get(0))?;
    Some(found.as_str().to_owned())
}

/// Whether a value may have this name.
pub(in crate::actors::monitors) fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (1..=MAX_NAME).contains(&name.len()) && name.chars().all(plain)
}

/// The names that a text uses.
pub(in crate::actors::monitors) fn names(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).filter_map(|piece| match piece {
        Piece::Name(name) => Some(name),
        Piece::Text(_) => None,
    })
}

enum Piece<'t> {
    Text(&'t str),
    Name(&'t str),
}

/// A text and the names in it. Braces around what is no name are text.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut from = 0;
        while let Some(at) = rest[from..].find("{{").map(|at| at + from) {
            let Some((name, after)) = take_name(&rest[at + 2..]) else {
                from = at + 1;
                continue;
            };
            if at > 0 {
                let (text, after) = rest.split_at(at);
                rest = after;
                return Some(Piece::Text(text));
            }
            rest = after;
            return Some(Piece::Name(name));
        }
        Some(Piece::Text(std::mem::take(&mut rest)))
    })
}

/// A name up to its closing braces, and what follows them.
fn take_name(text: &str) -> Option<(&str, &str)> {
    let is_other = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | ' ');
    let (name, after) = text.split_at(text.find(is_other)?);
    let (name, after) = (name.trim(), after.strip_prefix("}}")?);
    is_name(name).then_some((name, after))
}

/// How a value is written where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a URL, or in a form.
    Url,
    Json,
    Xml,
    /// As it is.
    Plain,
}

impl Place {
    /// The place in a body of this media type.
    pub(super) fn of_body(media: &str, body: &str) -> Self {
        let media = media.to_ascii_lowercase();
        if media.contains("x-www-form-urlencoded") {
            Self::Url
        } else if media.contains("xml") || media.contains("html") {
            Self::Xml
        } else if media.contains("json") || (media.is_empty() && body.starts_with(['{', '['])) {
            Self::Json
        } else {
            Self::Plain
        }
    }
}

/// The text with its values; the error is the name of one that no earlier step found.
pub(super) fn fill(text: &str, values: &Values, place: Place) -> Result<String, String> {
    let mut filled = String::new();
    let mut in_string = false;
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => {
                filled.push_str(text);
                in_string = ends_in_string(text, in_string);
            }
            Piece::Name(name) => {
                let value = values.get(name).ok_or_else(|| name.to_owned())?;
                filled.push_str(&write(value, place, in_string));
            }
        }
    }
    Ok(filled)
}

/// The URL of a step, which may be relative to the one of the monitor. No value decides where it leads.
pub(in crate::actors::monitors) fn join(
    base: &Url,
    text: &str,
    values: &Values,
) -> Result<Url, String> {
    let with = |values: &Values| {
        let filled = fill(text, values, Place::Url);
        let filled = filled.map_err(|name| format!("`{name}` is saved by no earlier step"))?;
        base.join(&filled)
            .map_err(|error| format!("is no URL: {error}"))
    };
    let sample = |value: &str| {
        let names = names(text).map(|name| (name.to_owned(), value.to_owned()));
        with(&names.collect())
    };
    let url = with(values)?;
    let (first, second) = (sample("a")?, sample("b")?);
    if url.origin() != first.origin() || url.origin() != second.origin() {
        return Err("takes its host from a value".to_owned());
    }
    if !matches!(url.scheme(), "http" | "https") {
        return Err("is no http or https URL".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("has a user name or a password: `auth` is for them".to_owned());
    }
    Ok(url)
}

/// Whether a piece of JSON ends within a string, if it begins in one or not.
fn ends_in_string(text: &str, mut in_string: bool) -> bool {
    let mut is_escaped = false;
    for c in text.chars() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if in_string => is_escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
    }
    in_string
}

fn write(value: &str, place: Place, in_string: bool) -> String {
    match place {
        Place::Plain => value.to_owned(),
        Place::Url => {
            // Nothing but letters, digits and what separates nothing stays as it is.
            let encoded = url::form_urlencoded::byte_serialize(value.as_bytes());
            encoded.collect::<String>().replace('+', "%20")
        }
        Place::Xml => {
            let mut text = String::new();
            for c in value.chars() {
                match c {
                    '<' => text.push_str("&lt;"),
                    '>' => text.push_str("&gt;"),
                    '&' => text.push_str("&amp;"),
                    '"' => text.push_str("&quot;"),
                    '\'' => text.push_str("&#39;"),
                    c => text.push(c),
                }
            }
            text
        }
        Place::Json => {
            // A bare number, `true` or `false` stays one outside of a string; anything else becomes a string.
            let bare = serde_json::from_str::<Value>(value);
            let is_bare = bare.is_ok_and(|bare| bare.is_number() || bare.is_boolean());
            let quoted = Value::from(value).to_string();
            match (in_string, is_bare) {
                (true, _) => quoted[1..quoted.len() - 1].to_owned(),
                (false, true) => value.trim().to_owned(),
                (false, false) => quoted,
            }
        }
    }
}

#[cfg(test)]
mod tests;

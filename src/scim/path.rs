//! Names of attributes: `userName`, `name.familyName`, `urn:…:User:userName`.

use std::fmt;

/// An attribute, or a part of one, as a client names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributePath {
    /// The schema in front of it.
    pub schema: Option<String>,
    pub name: String,
    pub part: Option<String>,
}

impl AttributePath {
    /// Reads a name; `None` for what is none.
    pub fn parse(text: &str) -> Option<Self> {
        let (schema, rest) = match text.rfind(':') {
            Some(at) if text.to_ascii_lowercase().starts_with("urn:") => {
                (Some(text[..at].to_owned()), &text[at + 1..])
            }
            Some(_) => return None,
            None => (None, text),
        };
        let (name, part) = match rest.split_once('.') {
            Some((name, part)) => (name, Some(part)),
            None => (rest, None),
        };
        if !is_name(name) || !part.is_none_or(is_name) {
            return None;
        }
        Some(Self {
            schema,
            name: name.to_owned(),
            part: part.map(str::to_owned),
        })
    }
}

/// `$ref` is the one name that begins with a sign.
fn is_name(text: &str) -> bool {
    let rest = text.strip_prefix('$').unwrap_or(text);
    rest.starts_with(|first: char| first.is_ascii_alphabetic())
        && rest
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

impl fmt::Display for AttributePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(schema) = &self.schema {
            write!(formatter, "{schema}:")?;
        }
        formatter.write_str(&self.name)?;
        match &self.part {
            Some(part) => write!(formatter, ".{part}"),
            None => Ok(()),
        }
    }
}

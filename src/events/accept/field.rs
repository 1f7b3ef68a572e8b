//! The rules that fields of every kind of body share, and the list of what broke them.

use super::{
    clean, invalid,
    location::{self, Location},
    properties, time, too_large,
    wire::{Raw, Value},
};
use crate::{
    events::{
        enrich::{referrer, visitor::Anonymize},
        event::{Event, Utm},
    },
    fault::{Fault, Issue},
};

/// Characters of an id that is not an event's own.
pub(super) const ID: usize = 256;
/// Characters of an event's own id.
pub(super) const EVENT_ID: usize = 512;
/// Characters of a page path or URL.
pub(super) const PATH: usize = 2_048;

/// Collects what is wrong with one object while its fields are read.
pub(super) struct Check {
    prefix: String,
    issues: Vec<Issue>,
    too_large: bool,
    received: i64,
}

impl Check {
    /// For the object at `index` of an array, or for the body itself.
    pub(super) fn new(index: Option<usize>, received: i64) -> Self {
        Self {
            prefix: index.map(|index| format!("[{index}]")).unwrap_or_default(),
            issues: Vec::new(),
            too_large: false,
            received,
        }
    }

    /// The issue of something that should be an object and is none.
    pub(super) fn no_object(mut self) -> Self {
        self.issue("invalid_type", "", "Expected an object".to_owned());
        self
    }

    /// The issue of an object without its required fields, one of very many.
    pub(super) fn hollow(mut self) -> Self {
        self.issue("required", "", "Required fields are missing".to_owned());
        self
    }

    pub(super) fn issue(&mut self, code: &'static str, field: &str, message: String) {
        let path = match (self.prefix.is_empty(), field.is_empty()) {
            (_, true) => self.prefix.clone(),
            (true, false) => field.to_owned(),
            (false, false) => format!("{}.{field}", self.prefix),
        };
        self.issues.push(Issue::new(code, path, message));
    }

    pub(super) fn is_clean(&self) -> bool {
        self.issues.is_empty() && !self.too_large
    }

    /// What is wrong, for an item of `/batch`.
    pub(super) fn into_issues(mut self) -> Vec<Issue> {
        if self.too_large {
            let message = "The properties are larger than 32 KB".to_owned();
            self.issue("too_large", "properties", message);
        }
        self.issues
    }

    /// Adds what is wrong with another object of the same body.
    pub(super) fn absorb(&mut self, other: Self) {
        self.too_large |= other.too_large;
        self.issues.extend(other.issues);
    }

    /// Whether listing more would be useless.
    pub(super) fn is_full(&self) -> bool {
        self.issues.len() >= super::MAX_ISSUES
    }

    pub(super) fn finish<T>(self, value: T) -> Result<T, Fault> {
        if self.too_large {
            Err(too_large())
        } else if self.issues.is_empty() {
            Ok(value)
        } else {
            Err(invalid(self.issues))
        }
    }

    /// Notes a missing required field.
    pub(super) fn require(&mut self, field: &str, value: &Value<'_>) {
        if *value == Value::Absent {
            self.issue("required", field, format!("`{field}` is required"));
        }
    }

    fn raw<'v>(&mut self, field: &str, value: &'v Value<'_>) -> Option<&'v str> {
        match value {
            Value::Absent => None,
            Value::Text(text) => Some(text),
            _ => {
                let message = format!("`{field}` must be a string");
                self.issue("invalid_type", field, message);
                None
            }
        }
    }

    /// A single-line text of at most `most` characters; `None` when there is nothing in it.
    pub(super) fn text(&mut self, field: &str, value: &Value<'_>, most: usize) -> Option<String> {
        let raw = self.raw(field, value)?;
        if clean::longer_than(raw, most) {
            let message = format!("`{field}` must be at most {most} characters");
            self.issue("too_long", field, message);
            return None;
        }
        let text = clean::line(raw);
        (!text.is_empty()).then(|| text.into_owned())
    }

    /// A required text with something in it.
    pub(super) fn name(&mut self, field: &str, value: &Value<'_>, most: usize) -> String {
        self.require(field, value);
        let before = self.issues.len();
        let text = self.text(field, value, most);
        if text.is_none() && self.issues.len() == before && *value != Value::Absent {
            self.issue("too_short", field, format!("`{field}` must not be empty"));
        }
        text.unwrap_or_default()
    }

    /// A text of several lines, cut to `most` characters.
    pub(super) fn long_text(
        &mut self,
        field: &str,
        value: &Value<'_>,
        most: usize,
    ) -> Option<String> {
        let raw = self.raw(field, value)?;
        let text = clean::lines(raw);
        let text = clean::cut(&text, most);
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// A number from `least` to `most`.
    pub(super) fn number(
        &mut self,
        field: &str,
        value: &Value<'_>,
        least: f64,
        most: f64,
    ) -> Option<f64> {
        match value {
            Value::Absent => None,
            Value::Number(number) if *number < least => {
                let message = format!("`{field}` must be at least {least}");
                self.issue("too_small", field, message);
                None
            }
            Value::Number(number) if *number > most => {
                let message = format!("`{field}` must be at most {most}");
                self.issue("too_big", field, message);
                None
            }
            Value::Number(number) => Some(*number),
            _ => {
                let message = format!("`{field}` must be a number");
                self.issue("invalid_type", field, message);
                None
            }
        }
    }

    /// [`Self::number`] from 0 as a small float.
    pub(super) fn measure(&mut self, field: &str, value: &Value<'_>, most: f32) -> Option<f32> {
        self.number(field, value, 0.0, f64::from(most))
            .map(|number| number as f32)
    }

    /// [`Self::number`] from 0 without its fraction.
    pub(super) fn count(&mut self, field: &str, value: &Value<'_>, most: u32) -> Option<u32> {
        self.number(field, value, 0.0, f64::from(most))
            .map(|number| number as u32)
    }

    /// A time; without one, the time of receipt.
    pub(super) fn time(&mut self, value: &Value<'_>, texts: time::Texts) -> i64 {
        match time::read(value, texts, self.received) {
            Ok(time) => time.unwrap_or(self.received),
            Err((code, message)) => {
                self.issue(code, "timestamp", message.to_owned());
                self.received
            }
        }
    }

    /// `anonymizeVisitorIds`: a boolean or `"auto"`; without it, `true`.
    pub(super) fn anonymize(&mut self, value: &Value<'_>) -> Anonymize {
        self.said_to_anonymize(value).unwrap_or_default()
    }

    /// [`Self::anonymize`], where saying nothing is no answer.
    pub(super) fn said_to_anonymize(&mut self, value: &Value<'_>) -> Option<Anonymize> {
        match value {
            Value::Absent => None,
            Value::Bool(true) => Some(Anonymize::Always),
            Value::Bool(false) => Some(Anonymize::Never),
            Value::Text(text) if text == "auto" => Some(Anonymize::Auto),
            _ => {
                let message = "`anonymizeVisitorIds` must be true, false or \"auto\"".to_owned();
                self.issue("invalid_value", "anonymizeVisitorIds", message);
                None
            }
        }
    }

    /// Properties as compact JSON text; `None` for an empty object.
    pub(super) fn properties(&mut self, raw: Raw<'_>, longest_key: usize) -> Option<String> {
        self.kept(properties::read(raw.0?, longest_key))
    }

    /// [`Self::properties`] of JSON that is compact already, with few and short names.
    pub(super) fn compact_properties(&mut self, text: String) -> Option<String> {
        self.kept(properties::read_compact(text))
    }

    fn kept(&mut self, read: Result<String, properties::Broken>) -> Option<String> {
        match read {
            Ok(text) => (text != "{}").then_some(text),
            Err(properties::Broken::TooLarge) => {
                self.too_large = true;
                None
            }
            Err(properties::Broken::Invalid(code, message)) => {
                self.issue(code, "properties", message);
                None
            }
        }
    }

    /// A path or URL: sets the event's host and path, and what the query says about the campaign.
    pub(super) fn path(&mut self, value: &Value<'_>, event: &mut Event) {
        let Some(text) = self.text("path", value, PATH) else {
            return;
        };
        let Location { host, path, query } = location::read(&text);
        let utm = Utm {
            source: location::parameter(query, "utm_source"),
            medium: location::parameter(query, "utm_medium"),
            campaign: location::parameter(query, "utm_campaign"),
            term: location::parameter(query, "utm_term"),
            content: location::parameter(query, "utm_content"),
        };
        event.click_id = referrer::find_click_id(query).map(str::to_owned);
        event.link = location::parameter(query, "ref").filter(|id| is_link(id));
        event.host = host;
        event.path = path;
        event.utm = utm;
    }
}

/// Whether a `ref` is what short links add to their targets: an id as we write them. Others use the name as well.
fn is_link(id: &str) -> bool {
    let dashes = [8, 13, 18, 23];
    let fits = |(at, byte): (usize, u8)| {
        if dashes.contains(&at) {
            byte == b'-'
        } else {
            matches!(byte, b'0'..=b'9' | b'a'..=b'f')
        }
    };
    id.len() == 36 && id.bytes().enumerate().all(fits)
}

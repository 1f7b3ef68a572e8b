//! Pure decisions: what a monitor may be.

use chrono_tz::Tz;
use hyper::header::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::{
    Auth, Expectations, Granularity, Kind, MonitorFields, RequestFields, Schedule, cron::Cron,
    expect, maintenance::Span, target,
};
use crate::{actors::patch::merged, egress::Policy, fault::Issue};

const TIMEOUT: std::ops::RangeInclusive<u32> = 1_000..=120_000;
const MAX_WINDOWS: usize = 20;
const MAX_TAGS: usize = 20;
const MAX_HEADERS: usize = 30;
const MAX_LIST: usize = 20;
const MAX_TEXT: usize = 10_000;
const MAX_BODY: usize = 100_000;

/// What a monitor is, read and in order.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) url: String,
    pub(super) fields: MonitorFields,
    pub(super) rhythm: Rhythm,
    pub(super) spans: Vec<Span>,
}

/// When it is checked, whoever it is.
#[derive(Debug, Clone)]
pub(super) enum Rhythm {
    Every(i64),
    Cron(Cron),
}

impl Rhythm {
    pub(super) fn of(self, key: i64) -> Schedule {
        match self {
            Self::Every(interval) => Schedule::every(interval, key),
            Self::Cron(cron) => Schedule::cron(cron, key),
        }
    }
}

/// Brings fields into the form in which they are stored.
///
/// # Errors
/// Everything that is wrong with them.
pub(super) fn checked(mut fields: MonitorFields, policy: &Policy) -> Result<Ready, Vec<Issue>> {
    let mut check = Check(Vec::new());
    let url = fields.url.take().unwrap_or_default();
    let url = target::canonical(fields.kind, &url, policy).unwrap_or_else(|why| {
        check.refuse("url", "invalid_url", format!("`url` {why}"));
        String::new()
    });
    fields.name = check.text("name", fields.name, 255);
    fields.group = check.text("group", fields.group, 100);
    check.range("timeout", fields.timeout, TIMEOUT);
    check.range("retries", fields.retries, 0..=10);
    check.range("grace", fields.grace, 0..=86_400);
    check.range("degradedAfter", fields.degraded_after, 1..=120_000);
    fields.tags = check.tags(fields.tags);
    check.list("dependsOn", fields.depends_on.as_deref(), 64);
    let rhythm = check.rhythm(&mut fields);
    let spans = check.windows(&fields);
    if let Some(request) = &fields.request {
        check.request(request);
    }
    if let Some(expect) = &fields.expect {
        check.expect(expect);
    }
    check.fits(&fields);
    match rhythm {
        Some(rhythm) if check.0.is_empty() => Ok(Ready {
            url,
            fields,
            rhythm,
            spans,
        }),
        _ => Err(check.0),
    }
}

/// What is wrong with fields, without making anything of them.
pub fn check(fields: MonitorFields, policy: &Policy) -> Vec<Issue> {
    checked(fields, policy).err().unwrap_or_default()
}

/// Lays a change over fields: `null` clears, what is not named stays, objects are changed field by field.
///
/// # Errors
/// A field is unknown, or has a value that it does not take.
pub(super) fn patched(
    fields: &MonitorFields,
    patch: &Map<String, Value>,
) -> Result<MonitorFields, Vec<Issue>> {
    if patch.contains_key("kind") {
        let message = "`kind` cannot be changed; make another monitor";
        return Err(vec![Issue::new("invalid", "kind", message)]);
    }
    // An interval and an expression exclude each other: the one that is said counts.
    let said = |name: &str| patch.get(name).is_some_and(|value| !value.is_null());
    let mut whole = patch.clone();
    if said("granularity") && !said("cron") && patch.get("granularity") != Some(&"custom".into()) {
        whole.insert("cron".to_owned(), Value::Null);
    }
    if said("cron") && !said("granularity") {
        whole.insert("granularity".to_owned(), "custom".into());
    }
    merged(("monitor", fields), &whole)
}

struct Check(Vec<Issue>);

impl Check {
    fn refuse(&mut self, field: &str, code: &'static str, message: impl Into<String>) {
        self.0
            .push(Issue::new(code, field.to_owned(), message.into()));
    }

    fn range(&mut self, field: &str, value: Option<u32>, range: std::ops::RangeInclusive<u32>) {
        if value.is_some_and(|value| !range.contains(&value)) {
            let (first, last) = range.into_inner();
            self.refuse(
                field,
                "out_of_range",
                format!("`{field}` is {first} to {last}"),
            );
        }
    }

    /// Text without white space around it; none is none.
    fn text(&mut self, field: &str, text: Option<String>, most: usize) -> Option<String> {
        let text = text
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())?;
        if text.chars().count() > most || text.chars().any(char::is_control) {
            let message = format!("`{field}` has at most {most} characters, and none that control");
            self.refuse(field, "too_long", message);
        }
        Some(text)
    }

    fn list(&mut self, field: &str, list: Option<&[String]>, most: usize) {
        let list = list.unwrap_or_default();
        let wrong = |text: &String| text.trim().is_empty() || text.chars().count() > most;
        if list.len() > MAX_LIST || list.iter().any(wrong) {
            let message =
                format!("`{field}` has at most {MAX_LIST} entries of 1 to {most} characters");
            self.refuse(field, "invalid", message);
        }
    }

    fn tags(&mut self, tags: Option<Vec<String>>) -> Option<Vec<String>> {
        let mut kept: Vec<String> = Vec::new();
        for tag in tags? {
            let tag = tag.trim().to_owned();
            let wrong =
                tag.is_empty() || tag.chars().count() > 50 || tag.chars().any(char::is_control);
            if wrong {
                self.refuse("tags", "invalid", "a tag has 1 to 50 characters");
            }
            if !kept.contains(&tag) {
                kept.push(tag);
            }
        }
        if kept.len() > MAX_TAGS {
            self.refuse(
                "tags",
                "too_many",
                format!("`tags` has at most {MAX_TAGS} entries"),
            );
        }
        (!kept.is_empty()).then_some(kept)
    }

    fn rhythm(&mut self, fields: &mut MonitorFields) -> Option<Rhythm> {
        let zone = fields.timezone.as_deref().unwrap_or("UTC");
        let Ok(zone) = zone.parse::<Tz>() else {
            self.refuse(
                "timezone",
                "invalid",
                format!("`{zone}` is no time zone such as Europe/Berlin"),
            );
            return None;
        };
        match (fields.granularity, &fields.cron) {
            (None | Some(Granularity::Custom), Some(text)) => match Cron::parse(text, zone) {
                Ok(cron) => {
                    fields.granularity = Some(Granularity::Custom);
                    Some(Rhythm::Cron(cron))
                }
                Err(error) => {
                    self.refuse("cron", "invalid", format!("`cron`: {error}"));
                    None
                }
            },
            (Some(granularity), None) if granularity != Granularity::Custom => {
                granularity.interval_ms().map(Rhythm::Every)
            }
            (Some(_), Some(_)) => {
                self.refuse(
                    "cron",
                    "invalid",
                    "`cron` goes with the granularity `custom`, or without any",
                );
                None
            }
            _ => {
                let message = "say `granularity`, or a `cron` expression";
                self.refuse("granularity", "missing", message);
                None
            }
        }
    }

    fn windows(&mut self, fields: &MonitorFields) -> Vec<Span> {
        let windows = fields.maintenance.as_deref().unwrap_or_default();
        if windows.len() > MAX_WINDOWS {
            let message = format!("`maintenance` has at most {MAX_WINDOWS} windows");
            self.refuse("maintenance", "too_many", message);
        }
        let mut spans = Vec::new();
        for (at, window) in windows.iter().enumerate().take(MAX_WINDOWS) {
            match Span::read(window) {
                Ok(span) => spans.push(span),
                Err(why) => self.refuse(&format!("maintenance.{at}"), "invalid", why),
            }
        }
        spans
    }

    fn request(&mut self, request: &RequestFields) {
        let headers = request.headers.iter().flatten();
        let own = |name: &str| {
            matches!(
                name,
                "host" | "connection" | "content-length" | "transfer-encoding" | "upgrade" | "te"
            )
        };
        for (at, (name, value)) in headers.enumerate() {
            let lower = name.to_ascii_lowercase();
            let good = HeaderName::try_from(lower.as_str()).is_ok()
                && HeaderValue::try_from(value).is_ok();
            if at >= MAX_HEADERS || !good || own(&lower) || value.len() > MAX_TEXT {
                let message = format!(
                    "`{name}` is no field that can be sent, or there are more than {MAX_HEADERS}"
                );
                self.refuse("request.headers", "invalid", message);
                break;
            }
        }
        if request
            .body
            .as_ref()
            .is_some_and(|body| body.len() > MAX_BODY)
        {
            self.refuse(
                "request.body",
                "too_long",
                format!("`request.body` has at most {MAX_BODY} bytes"),
            );
        }
        let secret = match &request.auth {
            Some(Auth::Basic { username, password }) => {
                Some((username.len().max(password.len()), username.contains(':')))
            }
            Some(Auth::Bearer { token }) => {
                Some((token.len(), HeaderValue::try_from(token).is_err()))
            }
            None => None,
        };
        if secret.is_some_and(|(length, wrong)| wrong || length > MAX_TEXT) {
            self.refuse("request.auth", "invalid", "`request.auth` cannot be sent");
        }
    }

    fn expect(&mut self, expect: &Expectations) {
        for text in expect.status.iter().flatten() {
            if expect::statuses(text).is_none() {
                let message = format!("`{text}` is none of `200`, `2xx` and `200-299`");
                self.refuse("expect.status", "invalid", message);
            }
        }
        for (field, text) in [
            ("expect.contains", &expect.contains),
            ("expect.lacks", &expect.lacks),
            ("expect.matches", &expect.matches),
        ] {
            if text
                .as_ref()
                .is_some_and(|text| text.is_empty() || text.len() > MAX_TEXT)
            {
                let message = format!("`{field}` has 1 to {MAX_TEXT} bytes");
                self.refuse(field, "invalid", message);
            }
        }
        if let Some(Err(error)) = expect.matches.as_deref().map(expect::regex) {
            let what = error.to_string();
            let what = what.lines().last().unwrap_or_default().to_owned();
            self.refuse(
                "expect.matches",
                "invalid",
                format!("`expect.matches` is no regular expression: {what}"),
            );
        }
        for place in expect.json.iter().flatten() {
            if place.path.len() > 500 || expect::steps(&place.path).is_none() {
                let message = format!("`{}` is no path such as $.services[0].status", place.path);
                self.refuse("expect.json", "invalid", message);
            }
        }
        let lengths = [
            expect.status.as_ref().map(Vec::len),
            expect.json.as_ref().map(Vec::len),
        ];
        if lengths
            .into_iter()
            .flatten()
            .any(|length| length > MAX_LIST)
        {
            self.refuse(
                "expect",
                "too_many",
                format!("lists have at most {MAX_LIST} entries"),
            );
        }
        self.list("expect.records", expect.records.as_deref(), 1_000);
        self.range("expect.responseTime", expect.response_time, 1..=120_000);
        self.range("expect.certificateDays", expect.certificate_days, 1..=3_650);
    }

    /// Whether everything that is said belongs to the kind.
    fn fits(&mut self, fields: &MonitorFields) {
        let kind = fields.kind;
        let empty = Expectations::default();
        let expect = fields.expect.as_ref().unwrap_or(&empty);
        let has_body = expect::wants_text(expect) || expect.status.is_some();
        for (field, said, good) in [
            ("request", fields.request.is_some(), kind == Kind::Http),
            (
                "recordType",
                fields.record_type.is_some(),
                kind == Kind::Dns,
            ),
            ("grace", fields.grace.is_some(), kind == Kind::Push),
            ("expect", has_body, kind == Kind::Http),
            (
                "expect.records",
                expect.records.is_some(),
                kind == Kind::Dns,
            ),
            (
                "expect.certificateDays",
                expect.certificate_days.is_some(),
                matches!(kind, Kind::Http | Kind::Tls),
            ),
        ] {
            if said && !good {
                let message = format!(
                    "`{field}` says nothing to a monitor of kind `{}`",
                    kind.as_str()
                );
                self.refuse(field, "invalid", message);
            }
        }
    }
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;

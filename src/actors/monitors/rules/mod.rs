//! Checks the fields of monitors. Pure.

mod kind;
mod places;
mod steps;

use std::ops::RangeInclusive;

use chrono_tz::Tz;
use hyper::header::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::{
    Auth, Expectations, Field, Granularity, Kind, Monitor, MonitorFields, RequestFields, Schedule,
    cron::Cron, expect, maintenance::Span, schedule::Recurrence, target,
};
use crate::{
    access::authorize::Tenant,
    actors::{
        issues::Issues,
        patch::merged,
        random::{self, NoRandomness},
    },
    egress::Policy,
    fault::Issue,
    ids::{MonitorId, WebsiteKey},
};

const MAX_WINDOWS: usize = 20;
const MAX_TAGS: usize = 20;
const MAX_HEADERS: usize = 30;
const MAX_LIST: usize = 20;
const MAX_TEXT: usize = 10_000;
const MAX_BODY: usize = 100_000;
const MAX_COMMUNITY: usize = 255;

#[derive(Debug)]
pub(super) struct CheckedFields {
    pub(super) url: String,
    pub(super) fields: MonitorFields,
    pub(super) recurrence: Recurrence,
    pub(super) spans: Vec<Span>,
}

impl CheckedFields {
    /// A new monitor without a website and a link.
    pub(super) fn into_new(self, owner: Tenant, now_ms: i64) -> Result<Monitor, NoRandomness> {
        let key = random::key()?;
        Ok(Monitor {
            id: MonitorId::new(),
            key: WebsiteKey(key),
            organization: owner.id,
            organization_key: owner.key,
            website: None,
            link: None,
            created_by: None,
            kind: self.fields.kind,
            url: self.url,
            fields: self.fields.bare(),
            is_paused: false,
            push_turn: 0,
            created_ms: now_ms,
            updated_ms: now_ms,
            asked_ms: Some(now_ms),
            schedule: Schedule::new(self.recurrence, key),
            spans: self.spans,
            former_places: Vec::new(),
        })
    }
}

/// Checks fields and brings them into their stored form.
pub(super) fn check_fields(
    mut fields: MonitorFields,
    policy: &Policy,
) -> Result<CheckedFields, Vec<Issue>> {
    let mut issues = Issues::default();
    let kind = fields.kind;
    let url = fields.url.take().unwrap_or_default();
    let url = target::canonical(kind, &url, policy).map_err(|why| format!("`url` {why}"));
    let url = issues.accept(url, "invalid_url", "url").unwrap_or_default();
    fields.name = text(&mut issues, "name", fields.name, 255);
    fields.group = text(&mut issues, "group", fields.group, 100);
    for (field, value, bounds) in [
        ("timeout", fields.timeout, 1_000..=120_000),
        ("retries", fields.retries, 0..=10),
        ("grace", fields.grace, 0..=86_400),
        ("degradedAfter", fields.degraded_after, 1..=120_000),
    ] {
        range(&mut issues, field, value, bounds);
    }
    fields.tags = tags(&mut issues, fields.tags);
    list(&mut issues, "dependsOn", fields.depends_on.as_deref(), 64);
    let recurrence = recurrence(&mut issues, &mut fields);
    places::check(&mut issues, &mut fields, recurrence.as_ref());
    let spans = windows(&mut issues, &fields);
    if let Some(fields) = &fields.request {
        request(&mut issues, kind, fields);
    }
    if let Some(fields) = &fields.expect {
        expectations(&mut issues, fields);
    }
    steps::steps(&mut issues, &fields, &url);
    kind::check_fields(&mut issues, &fields);
    kind::check_browser(&mut issues, &fields, policy);
    kind::check_service(&mut issues, &fields, &url);
    let recurrence = issues.finish(recurrence)?;
    Ok(CheckedFields {
        url,
        fields,
        // A missing recurrence has left an issue.
        recurrence: recurrence.ok_or_else(Vec::new)?,
        spans,
    })
}

/// Checks fields that were checked before they were stored or sent. The policy may have changed since.
pub(super) fn check_stored_fields(fields: MonitorFields) -> Result<CheckedFields, Vec<Issue>> {
    let everywhere = [
        ipnet::Ipv4Net::default().into(),
        ipnet::Ipv6Net::default().into(),
    ];
    let open = Policy {
        allow: everywhere.into(),
        // Whether there is one, and where, shows where it checks. No target has this port.
        browser_url: "http://127.0.0.1:0".to_owned(),
        ..Policy::default()
    };
    check_fields(fields, &open)
}

pub fn check(fields: MonitorFields, policy: &Policy) -> Vec<Issue> {
    check_fields(fields, policy).err().unwrap_or_default()
}

/// Applies a change: `null` clears, absent fields stay, objects are changed field by field.
pub(super) fn patch_fields(
    fields: &MonitorFields,
    patch: &Map<String, Value>,
) -> Result<MonitorFields, Vec<Issue>> {
    if patch.contains_key("kind") {
        let message = "`kind` cannot be changed; make another monitor";
        return Err(vec![Issue::new("invalid", "kind", message)]);
    }
    // An interval and an expression exclude each other: the one in the change counts.
    let is_set = |name: &str| patch.get(name).is_some_and(|value| !value.is_null());
    let mut whole = patch.clone();
    if is_set("granularity")
        && !is_set("cron")
        && patch.get("granularity") != Some(&"custom".into())
    {
        whole.insert("cron".to_owned(), Value::Null);
    }
    if is_set("cron") && !is_set("granularity") {
        whole.insert("granularity".to_owned(), "custom".into());
    }
    let mut changed: MonitorFields = merged(("monitor", fields), &whole)?;
    steps::keep_secrets(fields.steps.as_deref(), changed.steps.as_mut());
    Ok(changed)
}

fn range(issues: &mut Issues, field: &str, value: Option<u32>, bounds: RangeInclusive<u32>) {
    let holds = value.is_none_or(|value| bounds.contains(&value));
    let (first, last) = bounds.into_inner();
    let message = format_args!("`{field}` is {first} to {last}");
    issues.require(holds, "out_of_range", field, message);
}

/// The trimmed text, unless it is empty.
fn text(issues: &mut Issues, field: &str, text: Option<String>, most: usize) -> Option<String> {
    let text = text
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())?;
    let holds = text.chars().count() <= most && !text.chars().any(char::is_control);
    let message = format_args!("`{field}` has at most {most} characters, and none that control");
    issues.require(holds, "too_long", field, message);
    Some(text)
}

fn list(issues: &mut Issues, field: &str, list: Option<&[String]>, most: usize) {
    let list = list.unwrap_or_default();
    let fits = |text: &String| !text.trim().is_empty() && text.chars().count() <= most;
    let holds = list.len() <= MAX_LIST && list.iter().all(fits);
    let message =
        format_args!("`{field}` has at most {MAX_LIST} entries of 1 to {most} characters");
    issues.require(holds, "invalid", field, message);
}

fn tags(issues: &mut Issues, tags: Option<Vec<String>>) -> Option<Vec<String>> {
    let mut kept: Vec<String> = Vec::new();
    for tag in tags? {
        let tag = tag.trim().to_owned();
        let fits = (1..=50).contains(&tag.chars().count()) && !tag.chars().any(char::is_control);
        issues.require(fits, "invalid", "tags", "a tag has 1 to 50 characters");
        if !kept.contains(&tag) {
            kept.push(tag);
        }
    }
    let message = format_args!("`tags` has at most {MAX_TAGS} entries");
    issues.require(kept.len() <= MAX_TAGS, "too_many", "tags", message);
    (!kept.is_empty()).then_some(kept)
}

fn recurrence(issues: &mut Issues, fields: &mut MonitorFields) -> Option<Recurrence> {
    let zone = fields.timezone.as_deref().unwrap_or("UTC");
    let read = zone.parse::<Tz>();
    let read = read.map_err(|_| format!("`{zone}` is no time zone such as Europe/Berlin"));
    let zone = issues.accept(read, "invalid", "timezone")?;
    match (fields.granularity, &fields.cron) {
        (None | Some(Granularity::Custom), Some(text)) => {
            let cron = Cron::parse(text, zone).map_err(|error| format!("`cron`: {error}"));
            let cron = issues.accept(cron, "invalid", "cron")?;
            fields.granularity = Some(Granularity::Custom);
            Some(Recurrence::Cron(cron.into()))
        }
        (Some(granularity), None) if granularity != Granularity::Custom => {
            granularity.interval_ms().map(Recurrence::Every)
        }
        (Some(_), Some(_)) => {
            let message = "`cron` goes with the granularity `custom`, or without any";
            issues.refuse("invalid", "cron", message);
            None
        }
        _ => {
            let message = "say `granularity`, or a `cron` expression";
            issues.refuse("missing", "granularity", message);
            None
        }
    }
}

fn windows(issues: &mut Issues, fields: &MonitorFields) -> Vec<Span> {
    let windows = fields.maintenance.as_deref().unwrap_or_default();
    let message = format_args!("`maintenance` has at most {MAX_WINDOWS} windows");
    let holds = windows.len() <= MAX_WINDOWS;
    issues.require(holds, "too_many", "maintenance", message);
    let windows = windows.iter().enumerate().take(MAX_WINDOWS);
    let spans = windows.filter_map(|(at, window)| {
        let field = format!("maintenance.{at}");
        issues.accept(Span::read(window), "invalid", &field)
    });
    spans.collect()
}

fn request(issues: &mut Issues, kind: Kind, request: &RequestFields) {
    let headers = request.headers.iter().flatten();
    let own = |name: &str| {
        matches!(
            name,
            "host" | "connection" | "content-length" | "transfer-encoding" | "upgrade" | "te"
        )
    };
    for (at, (name, value)) in headers.enumerate() {
        let lower = name.to_ascii_lowercase();
        let good =
            HeaderName::try_from(lower.as_str()).is_ok() && HeaderValue::try_from(value).is_ok();
        if at >= MAX_HEADERS || !good || own(&lower) || value.len() > MAX_TEXT {
            let message = format_args!(
                "`{name}` is no field that can be sent, or there are more than {MAX_HEADERS}"
            );
            issues.refuse("invalid", "request.headers", message);
            break;
        }
    }
    let length = request.body.as_ref().map_or(0, String::len);
    let message = format_args!("`request.body` has at most {MAX_BODY} bytes");
    issues.require(length <= MAX_BODY, "too_long", "request.body", message);
    let (length, can_be_sent) = match &request.auth {
        Some(Auth::Basic { username, password }) => {
            let ends_name = kind.info().has(Field::Headers) && username.contains(':');
            (username.len().max(password.len()), !ends_name)
        }
        Some(Auth::Bearer { token }) => (token.len(), HeaderValue::try_from(token).is_ok()),
        None => (0, true),
    };
    let holds = can_be_sent && length <= MAX_TEXT;
    let message = "`request.auth` cannot be sent";
    issues.require(holds, "invalid", "request.auth", message);
    let length = request.community.as_ref().map_or(1, String::len);
    let message = format_args!("`request.community` has 1 to {MAX_COMMUNITY} bytes");
    let holds = (1..=MAX_COMMUNITY).contains(&length);
    issues.require(holds, "invalid", "request.community", message);
}

fn expectations(issues: &mut Issues, expect: &Expectations) {
    for text in expect.status.iter().flatten() {
        let message = format_args!("`{text}` is none of `200`, `2xx` and `200-299`");
        let holds = expect::statuses(text).is_some();
        issues.require(holds, "invalid", "expect.status", message);
    }
    for (field, text) in [
        ("expect.contains", &expect.contains),
        ("expect.lacks", &expect.lacks),
        ("expect.matches", &expect.matches),
    ] {
        let fits = |text: &String| (1..=MAX_TEXT).contains(&text.len());
        let message = format_args!("`{field}` has 1 to {MAX_TEXT} bytes");
        issues.require(text.as_ref().is_none_or(fits), "invalid", field, message);
    }
    if let Some(Err(why)) = expect::compile(expect) {
        let message = format_args!("`expect.matches` {why}");
        issues.refuse("invalid", "expect.matches", message);
    }
    for json in expect.json.iter().flatten() {
        let holds = json.path.len() <= 500 && expect::steps(&json.path).is_some();
        let message = format_args!("`{}` is no path such as $.services[0].status", json.path);
        issues.require(holds, "invalid", "expect.json", message);
    }
    let length = expect.status.as_ref().map_or(0, Vec::len);
    let length = length.max(expect.json.as_ref().map_or(0, Vec::len));
    let message = format_args!("lists have at most {MAX_LIST} entries");
    issues.require(length <= MAX_LIST, "too_many", "expect", message);
    list(issues, "expect.records", expect.records.as_deref(), 1_000);
    let (time, days) = (expect.response_time, expect.certificate_days);
    range(issues, "expect.responseTime", time, 1..=120_000);
    range(issues, "expect.certificateDays", days, 1..=3_650);
    let (days, offset) = (expect.domain_days, expect.offset);
    range(issues, "expect.domainDays", days, 1..=3_650);
    range(issues, "expect.offset", offset, 1..=86_400_000);
    let length = expect.certificate_issuer.as_ref().map_or(1, String::len);
    let message = "`expect.certificateIssuer` has 1 to 255 bytes";
    let (holds, field) = ((1..=255).contains(&length), "expect.certificateIssuer");
    issues.require(holds, "invalid", field, message);
    let chain = expect.certificate_chain;
    range(issues, "expect.certificateChain", chain, 1..=10);
    let scts = expect.certificate_scts;
    range(issues, "expect.certificateScts", scts, 1..=10);
}

#[cfg(test)]
mod tests;

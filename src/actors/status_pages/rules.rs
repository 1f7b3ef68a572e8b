//! Checks pages, their monitors and incidents. Pure.

use url::Url;

use super::{AffectedMonitor, Incident, NewIncident, PageFields, PageMonitorFields, StatusPage};
use crate::{
    actors::{issues::Issues, unlocking::Password},
    fault::Issue,
};

/// Slugs of our own routes.
const RESERVED: [&str; 12] = [
    "api", "assets", "badge", "docs", "feed", "health", "index", "metrics", "new", "status", "v1",
    "v2",
];
/// Characters of a slug.
pub(super) const MAX_SLUG: usize = 100;
/// The longest verification of maintenance, milliseconds.
const MAX_VERIFYING_MS: i64 = 86_400_000;
const MAX_TEXT: usize = 2_048;
/// Incidents of a page; the oldest that are over are dropped first.
const MAX_INCIDENTS: usize = 500;
pub(super) const MAX_UPDATES: usize = 200;
/// Characters of an update, and of a postmortem.
pub(super) const MAX_MESSAGE: usize = 5_000;
pub(super) const MAX_POSTMORTEM: usize = 20_000;
/// Bytes of all updates and postmortems of a page, which is one row; the oldest incidents that are over are dropped first.
const MAX_BYTES: usize = 4 << 20;

fn length(issues: &mut Issues, field: &str, text: &str, (least, most): (usize, usize)) {
    let holds = (least..=most).contains(&text.trim().chars().count());
    let message = format_args!("`{field}` has {least} to {most} characters");
    issues.require(holds, "invalid", field, message);
}

/// Whether a slug is the name of a route of ours.
pub(super) fn is_reserved(slug: &str) -> bool {
    RESERVED.contains(&slug)
}

pub(super) fn check_page(mut fields: PageFields) -> Result<PageFields, Vec<Issue>> {
    let mut issues = Issues::default();
    fields.name = String::from(fields.name.trim());
    length(&mut issues, "name", &fields.name, (1, 120));
    let slug = fields.slug.as_str();
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let holds = (1..=MAX_SLUG).contains(&slug.len()) && slug.chars().all(fits);
    let message = "`slug` has 1 to 100 of a-z, 0-9 and -";
    issues.require(holds, "invalid", "slug", message);
    if is_reserved(slug) {
        let names = RESERVED.join(", ");
        let message = format!("`{slug}` is reserved; these slugs are: {names}");
        issues.refuse("invalid", "slug", message);
    }
    let fits = fields.password.as_ref().is_none_or(Password::fits);
    let message = "`password` has 4 to 128 characters";
    issues.require(fits, "invalid", "password", message);
    fields.allowed_ips.check("allowedIps", &mut issues);
    let description = fields.description.as_deref().unwrap_or_default();
    length(&mut issues, "description", description, (0, 500));
    for (field, address) in [
        ("logoUrl", &fields.logo_url),
        ("faviconUrl", &fields.favicon_url),
        ("websiteUrl", &fields.website_url),
        ("supportUrl", &fields.support_url),
    ] {
        let Some(address) = address else { continue };
        let read = Url::parse(address);
        let good = read.is_ok_and(|url| url.scheme() == "https" && url.has_host());
        let message = format_args!("`{field}` is an https address");
        let holds = good && address.len() <= MAX_TEXT;
        issues.require(holds, "invalid", field, message);
    }
    issues.finish(fields)
}

/// The issues of a page and of the settings of its monitors.
pub fn check(page: PageFields, monitors: Vec<PageMonitorFields>) -> Vec<Issue> {
    let mut issues = check_page(page).err().unwrap_or_default();
    for (at, fields) in monitors.into_iter().enumerate() {
        for mut issue in check_listed(fields).err().unwrap_or_default() {
            issue.field = format!("monitors.{at}.{}", issue.field);
            issues.push(issue);
        }
    }
    issues
}

pub(super) fn check_listed(fields: PageMonitorFields) -> Result<PageMonitorFields, Vec<Issue>> {
    let mut issues = Issues::default();
    for (field, text) in [
        ("displayName", &fields.display_name),
        ("group", &fields.group),
    ] {
        if let Some(text) = text {
            length(&mut issues, field, text, (1, 120));
        }
    }
    let holds = fields.order <= 100_000;
    issues.require(holds, "invalid", "order", "`order` is 0 to 100000");
    issues.finish(fields)
}

pub(super) fn check_incident(new: NewIncident) -> Result<NewIncident, Vec<Issue>> {
    let mut issues = Issues::default();
    length(&mut issues, "title", &new.title, (1, 200));
    length(&mut issues, "message", &new.message, (1, 5_000));
    let holds = (0..=MAX_VERIFYING_MS).contains(&new.verify_ms);
    let message = "`verifyMinutes` is 0 to 1440";
    issues.require(holds, "invalid", "verifyMinutes", message);
    let holds = new.planned.is_none_or(|(start, end)| start < end);
    let message = "maintenance ends after it begins";
    issues.require(holds, "invalid", "endsAt", message);
    issues.finish(new)
}

/// Checks an update or a postmortem: at most so many characters.
pub(super) fn check_message(text: String, most: usize) -> Result<String, Vec<Issue>> {
    let mut issues = Issues::default();
    length(&mut issues, "message", &text, (1, most));
    issues.finish(text)
}

/// Refuses monitors that are not on the page.
pub(super) fn require_known(
    page: &StatusPage,
    affected: &[AffectedMonitor],
) -> Result<(), Vec<Issue>> {
    let is_known = |one: &AffectedMonitor| {
        let mut own = page.monitors.iter();
        own.any(|own| own.id == one.status_page_monitor_id)
    };
    let Some(at) = affected.iter().position(|one| !is_known(one)) else {
        return Ok(());
    };
    let place = format!("affectedMonitors.{at}.statusPageMonitorId");
    let issue = Issue::new("unknown", place, "no monitor of this page has this id");
    Err(vec![issue])
}

/// Whether a page has more than it may have.
pub(super) fn is_full(page: &StatusPage) -> bool {
    let weight = page.incidents.iter().map(Incident::weight).sum::<usize>();
    page.incidents.len() > MAX_INCIDENTS || weight > MAX_BYTES
}

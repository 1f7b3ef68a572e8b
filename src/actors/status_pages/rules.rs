//! What of a page is in order. Pure.

use url::Url;

use super::{ListedFields, NewIncident, PageFields};
use crate::fault::Issue;

/// Slugs that are names of our own routes.
const RESERVED: [&str; 12] = [
    "api", "assets", "badge", "docs", "feed", "health", "index", "metrics", "new", "status", "v1",
    "v2",
];
/// How long it may be looked whether maintenance went well, milliseconds.
const MAX_VERIFYING_MS: i64 = 86_400_000;
const MAX_TEXT: usize = 2_048;

#[derive(Default)]
struct Issues(Vec<Issue>);

impl Issues {
    fn add(&mut self, field: &str, message: impl Into<String>) {
        self.0.push(Issue::new("invalid", field, message));
    }

    fn text(&mut self, field: &str, text: &str, (least, most): (usize, usize)) {
        if !(least..=most).contains(&text.trim().chars().count()) {
            self.add(field, format!("`{field}` has {least} to {most} characters"));
        }
    }

    fn done<T>(self, value: T) -> Result<T, Vec<Issue>> {
        if self.0.is_empty() {
            Ok(value)
        } else {
            Err(self.0)
        }
    }
}

/// Checks what is said of a page.
pub(super) fn page(mut fields: PageFields) -> Result<PageFields, Vec<Issue>> {
    let mut issues = Issues::default();
    fields.name = String::from(fields.name.trim());
    issues.text("name", &fields.name, (1, 120));
    let slug = fields.slug.as_str();
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if slug.is_empty() || slug.len() > 100 || !slug.chars().all(fits) {
        issues.add("slug", "`slug` has 1 to 100 of a-z, 0-9 and -");
    }
    if RESERVED.contains(&slug) {
        let names = RESERVED.join(", ");
        issues.add(
            "slug",
            format!("`{slug}` is reserved; these slugs are: {names}"),
        );
    }
    let description = fields.description.as_deref().unwrap_or_default();
    issues.text("description", description, (0, 500));
    for (field, address) in [
        ("logoUrl", &fields.logo_url),
        ("faviconUrl", &fields.favicon_url),
        ("websiteUrl", &fields.website_url),
        ("supportUrl", &fields.support_url),
    ] {
        let Some(address) = address else { continue };
        let read = Url::parse(address);
        let good = read.is_ok_and(|url| url.scheme() == "https" && url.has_host());
        if !good || address.len() > MAX_TEXT {
            issues.add(field, format!("`{field}` is an https address"));
        }
    }
    issues.done(fields)
}

/// What is wrong with a page and with how monitors are shown on it, without making anything of them.
pub fn check(page: PageFields, monitors: Vec<ListedFields>) -> Vec<Issue> {
    let mut issues = self::page(page).err().unwrap_or_default();
    for (at, fields) in monitors.into_iter().enumerate() {
        for mut issue in listed(fields).err().unwrap_or_default() {
            issue.field = format!("monitors.{at}.{}", issue.field);
            issues.push(issue);
        }
    }
    issues
}

/// Checks how a monitor is shown.
pub(super) fn listed(fields: ListedFields) -> Result<ListedFields, Vec<Issue>> {
    let mut issues = Issues::default();
    if let Some(name) = &fields.display_name {
        issues.text("displayName", name, (1, 120));
    }
    if let Some(group) = &fields.group {
        issues.text("group", group, (1, 120));
    }
    if fields.order > 100_000 {
        issues.add("order", "`order` is 0 to 100000");
    }
    issues.done(fields)
}

/// Checks a new incident.
pub(super) fn incident(new: NewIncident) -> Result<NewIncident, Vec<Issue>> {
    let mut issues = Issues::default();
    issues.text("title", &new.title, (1, 200));
    issues.text("message", &new.message, (1, 5_000));
    if !(0..=MAX_VERIFYING_MS).contains(&new.verify_ms) {
        issues.add("verifyMinutes", "`verifyMinutes` is 0 to 1440");
    }
    if new.planned.is_some_and(|(start, end)| start >= end) {
        issues.add("endsAt", "maintenance ends after it begins");
    }
    issues.done(new)
}

/// Checks what was learned.
pub(super) fn postmortem(text: String) -> Result<String, Vec<Issue>> {
    let mut issues = Issues::default();
    issues.text("message", &text, (1, 20_000));
    issues.done(text)
}

/// Checks something that is said.
pub(super) fn message(text: String) -> Result<String, Vec<Issue>> {
    let mut issues = Issues::default();
    issues.text("message", &text, (1, 5_000));
    issues.done(text)
}

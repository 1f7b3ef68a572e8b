//! Pure decisions: what a link may be.

use std::collections::BTreeMap;

use url::Url;

use super::{LinkFields, SlugRule, Variant};
use crate::{
    actors::{
        hosts::{HostUse, HostsView},
        issues::Issues,
    },
    fault::Issue,
};

pub const MAX_AT_ONCE: usize = 100;
const MAX_URL: usize = 2_048;
const MAX_ENTRIES: usize = 50;
const MAX_TAGS: usize = 20;
const VARIANTS: std::ops::RangeInclusive<usize> = 2..=4;
const TO_SHORT: &str = "must not lead back to the short links";
const REDIRECTS: [u16; 4] = [301, 302, 307, 308];
const WEIGHTS: std::ops::RangeInclusive<u32> = 1..=100;

/// What fields are checked against.
#[derive(Clone, Copy)]
pub struct LinkRules<'a> {
    /// The host (and port) of short links, which no target may have.
    pub own_host: &'a str,
    /// Hosts of organizations, of which no target may be one for short links, where they are known.
    pub hosts: Option<&'a HostsView>,
    pub slugs: SlugRule,
}

struct Check<'a> {
    rules: LinkRules<'a>,
    issues: Issues,
}

/// Checks fields of a link and brings them into their stored form. The prefix is put before the fields of issues.
pub(super) fn check_fields(
    fields: LinkFields,
    rules: LinkRules<'_>,
    prefix: String,
) -> Result<LinkFields, Vec<Issue>> {
    let mut check = Check {
        rules,
        issues: Issues::with_prefix(prefix),
    };
    let fields = check.fields(fields);
    check.issues.finish(fields)
}

/// The issues of fields of a link.
pub fn check(fields: LinkFields, rules: LinkRules<'_>) -> Vec<Issue> {
    let checked = check_fields(fields, rules, String::new());
    checked.err().unwrap_or_default()
}

impl Check<'_> {
    fn fields(&mut self, mut fields: LinkFields) -> LinkFields {
        fields.name = self.name(fields.name);
        fields.target_url = match self.url("targetUrl", fields.target_url) {
            None if self.issues.is_empty() => {
                self.issues
                    .refuse("missing", "targetUrl", "`targetUrl` is required");
                None
            }
            url => url,
        };
        fields.slug = self.slug(fields.slug);
        fields.expires_at = self.moment(fields.expires_at);
        for (field, url) in [
            ("expiredRedirectUrl", &mut fields.expired_redirect_url),
            ("iosUrl", &mut fields.ios_url),
            ("androidUrl", &mut fields.android_url),
            ("ogImageUrl", &mut fields.og_image_url),
            ("ogVideoUrl", &mut fields.og_video_url),
        ] {
            *url = self.url(field, url.take());
        }
        for (field, text, most) in [
            ("ogTitle", &mut fields.og_title, 200),
            ("ogDescription", &mut fields.og_description, 500),
            ("externalId", &mut fields.external_id, 255),
            ("sourceType", &mut fields.source_type, 64),
            ("sourceId", &mut fields.source_id, 255),
            ("sourceOwnerId", &mut fields.source_owner_id, 255),
            ("targetDomain", &mut fields.target_domain, 255),
        ] {
            *text = self.text(field, text.take(), most);
        }
        if fields.max_clicks == Some(0) {
            self.issues
                .refuse("too_small", "maxClicks", "`maxClicks` is at least 1");
        }
        if let Some(status) = fields.redirect_status
            && !REDIRECTS.contains(&status)
        {
            let message = "`redirectStatus` is 301, 302, 307 or 308";
            self.issues.refuse("invalid", "redirectStatus", message);
        }
        fields.countries = self.targets("countries", fields.countries, |code| {
            code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase())
        });
        fields.languages = self.targets("languages", fields.languages, |tag| {
            (2..=3).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_lowercase())
        });
        fields.variants = self.variants(fields.variants);
        fields.tags = self.tags(fields.tags);
        let host = fields.target_url.as_deref().and_then(host);
        fields.target_domain = fields.target_domain.take().or(host);
        fields
    }

    fn name(&mut self, name: Option<String>) -> Option<String> {
        let name = self.text("name", name, 255);
        if name.is_none() && self.issues.is_empty() {
            self.issues
                .refuse("missing", "name", "`name` has 1 to 255 characters");
        }
        name
    }

    /// The trimmed text, unless it is empty.
    fn text(&mut self, field: &str, text: Option<String>, most: usize) -> Option<String> {
        let text = text.map(|text| text.trim().to_owned());
        let text = text.filter(|text| !text.is_empty())?;
        if text.chars().count() > most {
            let message = format!("`{field}` has at most {most} characters");
            self.issues.refuse("too_long", field, message);
        }
        if text.chars().any(char::is_control) {
            let message = format!("`{field}` must not contain control characters");
            self.issues.refuse("invalid", field, message);
        }
        Some(text)
    }

    fn url(&mut self, field: &str, text: Option<String>) -> Option<String> {
        let text = text.filter(|text| !text.trim().is_empty())?;
        match canonical(&text, self.rules.own_host).and_then(|url| self.not_short(url)) {
            Ok(url) => Some(url),
            Err(why) => {
                self.issues
                    .refuse("invalid_url", field, format!("`{field}` {why}"));
                None
            }
        }
    }

    /// The address, unless it is on an organization's host of short links.
    fn not_short(&self, url: String) -> Result<String, String> {
        let named = host(&url).unwrap_or_default();
        let hosts = self.rules.hosts;
        let found = hosts.and_then(|hosts| hosts.served(named.trim_end_matches('.')));
        match found {
            Some(found) if found.serves == HostUse::Links => Err(TO_SHORT.to_owned()),
            _ => Ok(url),
        }
    }

    fn slug(&mut self, slug: Option<String>) -> Option<String> {
        let slug = slug?;
        if let Err((code, message)) = self.rules.slugs.check(&slug) {
            self.issues.refuse(code, "slug", message);
        }
        Some(slug)
    }

    /// A time in the format of answers.
    fn moment(&mut self, text: Option<String>) -> Option<String> {
        let text = text.filter(|text| !text.is_empty())?;
        let Ok(moment) = chrono::DateTime::parse_from_rfc3339(&text) else {
            let message = "`expiresAt` must be a time, such as 2026-12-31T23:59:59Z";
            self.issues.refuse("invalid", "expiresAt", message);
            return None;
        };
        Some(crate::clock::iso_ms(moment.timestamp_millis()))
    }

    fn targets(
        &mut self,
        field: &str,
        targets: Option<BTreeMap<String, String>>,
        known: fn(&str) -> bool,
    ) -> Option<BTreeMap<String, String>> {
        let targets = targets.filter(|targets| !targets.is_empty())?;
        if targets.len() > MAX_ENTRIES {
            let message = format!("`{field}` has at most {MAX_ENTRIES} entries");
            self.issues.refuse("too_many", field, message);
            return None;
        }
        let mut kept = BTreeMap::new();
        for (code, url) in targets {
            let path = format!("{field}.{code}");
            if !known(&code) {
                let message = format!("`{code}` is not a valid code for `{field}`");
                self.issues.refuse("invalid", &path, message);
            }
            if let Some(url) = self.url(&path, Some(url)) {
                kept.insert(code, url);
            }
        }
        Some(kept)
    }

    fn variants(&mut self, variants: Option<Vec<Variant>>) -> Option<Vec<Variant>> {
        let mut variants = variants.filter(|variants| !variants.is_empty())?;
        if !VARIANTS.contains(&variants.len()) {
            self.issues
                .refuse("invalid", "variants", "`variants` has 2 to 4 targets");
        }
        for (at, variant) in variants.iter_mut().enumerate() {
            if !WEIGHTS.contains(&variant.weight) {
                let path = format!("variants.{at}.weight");
                self.issues.refuse("invalid", &path, "`weight` is 1 to 100");
            }
            let path = format!("variants.{at}.url");
            let url = self.url(&path, Some(std::mem::take(&mut variant.url)));
            variant.url = url.unwrap_or_default();
        }
        Some(variants)
    }

    fn tags(&mut self, tags: Option<Vec<String>>) -> Option<Vec<String>> {
        let tags = tags.filter(|tags| !tags.is_empty())?;
        if tags.len() > MAX_TAGS {
            let message = format!("`tags` has at most {MAX_TAGS} entries");
            self.issues.refuse("too_many", "tags", message);
            return None;
        }
        let mut kept: Vec<String> = Vec::with_capacity(tags.len());
        for (at, tag) in tags.into_iter().enumerate() {
            let tag = self.text(&format!("tags.{at}"), Some(tag), 50);
            kept.extend(tag.filter(|tag| !kept.contains(tag)));
        }
        Some(kept)
    }
}

/// The canonical form of a target (threat T29).
pub(super) fn canonical(text: &str, own_host: &str) -> Result<String, String> {
    // The parser would silently remove these characters, which hide a target's real form.
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err("must not contain white space or control characters".to_owned());
    }
    if text.len() > MAX_URL {
        return Err(format!("has more than {MAX_URL} characters"));
    }
    let url = Url::parse(text)
        .map_err(|_| "must be a full URL, such as https://example.com/page".to_owned())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!(
            "must begin with http:// or https://, not `{}:`",
            url.scheme()
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "must not contain a user name or password, because every visitor would see it"
                .to_owned(),
        );
    }
    let host = url.host_str().unwrap_or_default();
    if host.is_empty() {
        return Err("must name a host".to_owned());
    }
    // A host with a final dot is the same host.
    let authority = authority(&url);
    let named = match authority.split_once(".:") {
        Some((host, port)) => format!("{host}:{port}"),
        None => authority.trim_end_matches('.').to_owned(),
    };
    if named.eq_ignore_ascii_case(own_host) {
        return Err(TO_SHORT.to_owned());
    }
    let text = String::from(url);
    if text.len() > MAX_URL {
        return Err(format!(
            "has more than {MAX_URL} characters when it is spelled out"
        ));
    }
    Ok(text)
}

/// The host, with the port unless it is the scheme's default.
pub(super) fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

pub(super) fn host(url: &str) -> Option<String> {
    Url::parse(url).ok()?.host_str().map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::actors::patch::patched;

    const USUAL: LinkRules<'static> = LinkRules {
        own_host: "go.example",
        hosts: None,
        slugs: SlugRule::New,
    };

    fn check(fields: Value) -> Result<LinkFields, Vec<String>> {
        let fields = serde_json::from_value(fields).unwrap();
        let checked = check_fields(fields, USUAL, String::new());
        checked.map_err(|issues| issues.into_iter().map(|issue| issue.field).collect())
    }

    #[test]
    fn only_plain_web_addresses_are_targets() {
        for (text, stored) in [
            ("https://example.com", "https://example.com/"),
            (
                "HTTPS://Example.COM:443/a/../b?x=1#y",
                "https://example.com/b?x=1#y",
            ),
            (
                "http://münchen.example/ä",
                "http://xn--mnchen-3ya.example/%C3%A4",
            ),
            ("https://go.example:8443/a", "https://go.example:8443/a"),
        ] {
            assert_eq!(
                canonical(text, "go.example").as_deref(),
                Ok(stored),
                "{text}"
            );
        }
        for text in [
            "javascript:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "//evil.example",
            "/path",
            "example.com",
            "https://",
            "https://user@example.com",
            "https://user:pass@example.com",
            "https://go.example/a",
            "https://GO.example",
            "https://go.example./a",
            "http://go.example.",
            "ftp://example.com",
            "file:///etc/passwd",
            "https://exa mple.com",
            " https://example.com",
            "https://example.com/\r\nX: y",
            "mailto:a@example.com",
            "https:\\\\evil.example\t",
        ] {
            assert!(canonical(text, "go.example").is_err(), "{text:?}");
        }
        for text in [
            "http://127.0.0.1:8082/a",
            "http://0x7f.1:8082",
            "http://2130706433:8082/",
            "http://127.1:8082/",
        ] {
            assert!(canonical(text, "127.0.0.1:8082").is_err(), "{text:?}");
        }
        assert!(canonical("http://localhost.:8082/", "localhost:8082").is_err());
        let long = |length: usize| format!("https://e.example/{}", "a".repeat(length - 18));
        assert!(canonical(&long(MAX_URL), "").is_ok());
        assert!(canonical(&long(MAX_URL + 1), "").is_err());
    }

    /// Checks a link with a name, a target and these fields.
    fn with(more: Value) -> Result<(), Vec<String>> {
        let mut fields = json!({"name": "a", "targetUrl": "https://example.com"});
        let Value::Object(more) = more else {
            panic!("fields are an object");
        };
        fields.as_object_mut().unwrap().extend(more);
        check(fields).map(|_| ())
    }

    fn field(name: &str) -> Result<(), Vec<String>> {
        Err(vec![name.to_owned()])
    }

    #[test]
    fn texts_and_slugs_have_their_limits() {
        let text = |length: usize| "a".repeat(length);
        for (name, most) in [
            ("name", 255),
            ("ogTitle", 200),
            ("ogDescription", 500),
            ("externalId", 255),
            ("sourceType", 64),
            ("sourceId", 255),
            ("sourceOwnerId", 255),
            ("targetDomain", 255),
        ] {
            assert_eq!(with(json!({name: text(most)})), Ok(()), "{name}");
            assert_eq!(with(json!({name: text(most + 1)})), field(name), "{name}");
        }
        assert_eq!(with(json!({"slug": "a_B-9"})), Ok(()));
        assert_eq!(with(json!({"slug": "a/b"})), field("slug"));
    }

    #[test]
    fn rules_have_their_limits() {
        assert_eq!(with(json!({"maxClicks": 0})), field("maxClicks"));
        assert_eq!(with(json!({"maxClicks": 1})), Ok(()));
        assert_eq!(
            with(json!({"redirectStatus": 303})),
            field("redirectStatus")
        );
        assert_eq!(with(json!({"redirectStatus": 308})), Ok(()));
        assert_eq!(with(json!({"expiresAt": "tomorrow"})), field("expiresAt"));
        let place = |field: &str, code: &str, url: &str| with(json!({field: {code: url}}));
        let url = "https://e.example";
        assert_eq!(place("countries", "DE", url), Ok(()));
        assert_eq!(place("countries", "de", url), field("countries.de"));
        assert_eq!(place("countries", "DE", "ftp://e"), field("countries.DE"));
        assert_eq!(place("languages", "de", url), Ok(()));
        assert_eq!(place("languages", "de-DE", url), field("languages.de-DE"));
        let variants = |weights: &[u32]| {
            let each = weights
                .iter()
                .map(|weight| json!({"url": url, "weight": weight}));
            with(json!({"variants": each.collect::<Vec<_>>()}))
        };
        assert_eq!(variants(&[1, 100]), Ok(()));
        assert_eq!(variants(&[1]), field("variants"));
        assert_eq!(variants(&[1; 5]), field("variants"));
        assert_eq!(variants(&[1, 101]), field("variants.1.weight"));
        assert_eq!(check(json!({"targetUrl": url})).unwrap_err(), ["name"]);
        assert_eq!(check(json!({"name": "a"})).unwrap_err(), ["targetUrl"]);
    }

    #[test]
    fn a_patch_keeps_what_it_does_not_name_and_null_clears() {
        let before = check(
            json!({"name": "a", "targetUrl": "https://e.example", "externalId": "x", "tags": ["b"]}),
        );
        let before = before.unwrap();
        let patch = |patch: Value| patched(("link", &before), patch.as_object().unwrap(), "");
        let after = patch(json!({"externalId": null, "name": "b"})).unwrap();
        assert_eq!(
            (after.name.as_deref(), after.external_id),
            (Some("b"), None)
        );
        assert_eq!(after.tags, before.tags);
        let unknown = patch(json!({"externalID": "y"})).unwrap_err();
        assert_eq!(
            unknown[0].suggestion.as_deref(),
            Some("Did you mean 'externalId'?")
        );
        assert_eq!(patch(json!({"name": 5})).unwrap_err()[0].field, "name");
    }

    proptest! {
        #[test]
        fn whatever_is_taken_as_a_target_is_a_web_address_elsewhere(text in "(?s).{0,40}|https?:[/\\\\]{0,3}[a-z0-9@.:/\\\\\\t?#%]{0,40}") {
            if let Ok(stored) = canonical(&text, "go.example") {
                let url = Url::parse(&stored).unwrap();
                prop_assert!(matches!(url.scheme(), "http" | "https"));
                prop_assert!(url.host_str().is_some_and(|host| !host.is_empty() && host != "go.example"));
                prop_assert!(stored.bytes().all(|byte| byte.is_ascii_graphic()), "{stored:?}");
                prop_assert_eq!(canonical(&stored, "go.example"), Ok(stored.clone()));
            }
        }
    }
}

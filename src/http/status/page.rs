//! The page that people see: no script, one style, nothing of others but the pictures that its owner named.

use std::{fmt::Write as _, sync::LazyLock};

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ContentType},
    },
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use maud::{Markup, html};
use sha2::{Digest as _, Sha256};
use url::Url;

pub(super) use super::markdown::escape;
use super::{RenderedDocument, components, incidents, logo};
use crate::actors::status_pages::{Overall, PageFields, Snapshot, StatusPage, Theme};

const STYLE: &str = concat!(
    include_str!("page.css"),
    include_str!("../../pages/assets/uptime.css")
);

static STYLE_HASH: LazyLock<String> =
    LazyLock::new(|| STANDARD.encode(Sha256::digest(STYLE.as_bytes())));

/// Where a page is.
pub(super) fn address(base: &str, page: &StatusPage) -> String {
    format!("{}/status/{}", base, page.fields.slug)
}

/// The same, escaped for HTML.
pub(super) fn escaped_address(base: &str, page: &StatusPage) -> String {
    escape(&address(base, page))
}

/// What a page may do: its own style, pictures of the hosts that its owner named, and forms that are sent to us.
fn policy(pictures: &[Option<&String>], forms: Option<&str>) -> String {
    let origins = pictures.iter().flatten();
    let origins = origins.filter_map(|address| Some(Url::parse(address).ok()?.origin()));
    let mut images = String::new();
    for origin in origins.map(|origin| origin.ascii_serialization()) {
        if !images.contains(&origin) {
            images.push(' ');
            images.push_str(&origin);
        }
    }
    let images = if images.is_empty() {
        " 'none'"
    } else {
        &images
    };
    let forms = forms.and_then(|base| Some(Url::parse(base).ok()?.origin().ascii_serialization()));
    let forms = forms.as_deref().unwrap_or("'none'");
    format!(
        "default-src 'none'; style-src 'sha256-{}'; img-src{images}; base-uri 'none'; form-action {forms}; \
         frame-ancestors 'none'",
        *STYLE_HASH
    )
}

pub(super) fn page(base: &str, seen: &Snapshot) -> RenderedDocument {
    let fields = &seen.page.fields;
    let own = escape(&address(base, &seen.page));
    let mut text = String::with_capacity(64 << 10);
    begin(&mut text, fields, &own);
    let _ = write!(text, "<header>");
    let logo = logo::path(&seen.page).map(|path| format!("{base}{path}"));
    let logo = logo.or_else(|| fields.logo_url.clone());
    if let Some(logo) = &logo {
        let _ = write!(text, "<img src=\"{}\" alt=\"\">", escape(logo));
    }
    let _ = write!(text, "<h1>{}</h1></header><main>", escape(&fields.name));
    if let Some(description) = &fields.description {
        let _ = write!(text, "<p>{}</p>", escape(description));
    }
    for part in [
        banner(seen),
        incidents::open(seen),
        components::draw(seen),
        incidents::past(seen),
    ] {
        text.push_str(&part.into_string());
    }
    form(&mut text, seen, &own);
    text.push_str("</main>");
    end(&mut text, fields, &own);
    RenderedDocument {
        media: "text/html; charset=utf-8",
        text,
        policy: Some(policy(
            &[logo.as_ref(), fields.favicon_url.as_ref()],
            Some(base),
        )),
    }
}

/// There is no such page, for people.
pub(super) fn unknown() -> HttpResponse {
    let body = "<p>Check the URL, or ask the owner of the page.</p>";
    plain(StatusCode::NOT_FOUND, "Status page not found", body, None)
}

/// A page that says one thing; with a form that is sent to this address, if any. It is private to the reader.
pub(super) fn plain(
    status: StatusCode,
    title: &str,
    body: &str,
    forms: Option<&str>,
) -> HttpResponse {
    finish_plain(HttpResponse::build(status), title, body, forms)
}

/// [`plain`] for an answer that has begun.
pub(super) fn finish_plain(
    mut response: HttpResponseBuilder,
    title: &str,
    body: &str,
    forms: Option<&str>,
) -> HttpResponse {
    let mut text = String::new();
    frame(&mut text, "system", title);
    let _ = write!(
        text,
        "<meta name=\"robots\" content=\"noindex\"><style>{STYLE}</style></head><body><main><h1>{}</h1>{body}</main></body></html>",
        escape(title)
    );
    response
        .insert_header((CONTENT_SECURITY_POLICY, policy(&[], forms)))
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .content_type(ContentType::html())
        .body(text)
}

/// Where people subscribe.
fn form(text: &mut String, seen: &Snapshot, own: &str) {
    let (label, kind) = if seen.sends_mail {
        ("Email or webhook URL", "email")
    } else {
        ("Webhook URL", "url")
    };
    let _ = write!(
        text,
        "<h2 id=\"subscribe\">Subscribe to updates</h2><form method=\"post\" action=\"{own}/subscribe\"><label for=\"address\">{label}</label>\
         <div class=\"ask\"><input id=\"address\" name=\"address\" required maxlength=\"2048\" inputmode=\"{kind}\" \
         autocomplete=\"{kind}\"><button>Subscribe</button></div>"
    );
    if seen.monitors.len() > 1 {
        text.push_str(
            "<details><summary>Choose components</summary><fieldset><legend>Components</legend>",
        );
        for one in &seen.monitors {
            let _ = write!(
                text,
                "<label><input type=\"checkbox\" name=\"component\" value=\"{}\"> {}</label>",
                escape(&one.listed.id),
                escape(&one.name)
            );
        }
        text.push_str("</fieldset></details>");
    }
    text.push_str(
        "<p class=\"dim\">You confirm your subscription first. Feeds are linked below.</p></form>",
    );
}

fn frame(text: &mut String, theme: &str, title: &str) {
    let _ = write!(
        text,
        "<!doctype html><html lang=\"en\" class=\"{theme}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{}</title>",
        escape(title)
    );
}

fn begin(text: &mut String, fields: &PageFields, own: &str) {
    let theme = match fields.theme {
        None | Some(Theme::System) => "system",
        Some(Theme::Light) => "light",
        Some(Theme::Dark) => "dark",
    };
    frame(text, theme, &format!("{} status", fields.name));
    if let Some(description) = &fields.description {
        let _ = write!(
            text,
            "<meta name=\"description\" content=\"{}\">",
            escape(description)
        );
    }
    for (media, path, title) in [
        ("application/rss+xml", "feed.rss", "RSS"),
        ("application/atom+xml", "feed.atom", "Atom"),
        ("application/feed+json", "feed.json", "JSON Feed"),
        ("text/calendar", "maintenance.ics", "Maintenance"),
        ("application/json", "api/v2/summary.json", "Summary"),
        ("image/svg+xml", "badge.svg", "Badge"),
    ] {
        let _ = write!(
            text,
            "<link rel=\"alternate\" type=\"{media}\" title=\"{title}\" href=\"{own}/{path}\">"
        );
    }
    if let Some(icon) = &fields.favicon_url {
        let _ = write!(text, "<link rel=\"icon\" href=\"{}\">", escape(icon));
    }
    let _ = write!(text, "<style>{STYLE}</style></head><body>");
}

fn end(text: &mut String, fields: &PageFields, own: &str) {
    text.push_str("<footer><ul>");
    for (address, words) in [
        (&fields.website_url, "Website"),
        (&fields.support_url, "Support"),
    ] {
        if let Some(address) = address {
            let address = escape(address);
            let _ = write!(
                text,
                "<li><a href=\"{address}\" rel=\"noopener nofollow\">{words}</a>"
            );
        }
    }
    for (path, words) in [
        ("feed.rss", "RSS"),
        ("feed.atom", "Atom"),
        ("feed.json", "JSON Feed"),
        ("maintenance.ics", "Maintenance calendar"),
    ] {
        let _ = write!(text, "<li><a href=\"{own}/{path}\">{words}</a>");
    }
    text.push_str("</ul><p class=\"dim\">Times are in UTC.</p></footer></body></html>");
}

/// The overall status with its icon.
fn banner(seen: &Snapshot) -> Markup {
    let (class, words) = overall(seen);
    let icon = match class {
        "up" => "M7 12.5l3.5 3.5L17 9",
        "degraded" => "M12 7v6M12 16v.5",
        "down" => "M8.5 8.5l7 7M15.5 8.5l-7 7",
        "planned" => "M12 7v5l3 2",
        _ => "M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 16.5v.5",
    };
    html! {
        p.all.(class) role="status" {
            svg viewBox="0 0 24 24" aria-hidden="true" { circle cx="12" cy="12" r="11" {} path d=(icon) {} }
            (words)
        }
    }
}

/// The overall status: a class of the style, and its text.
fn overall(seen: &Snapshot) -> (&'static str, &'static str) {
    match seen.overall {
        Overall::Operational => ("up", "All systems operational"),
        Overall::Degraded if !seen.has_outage() => ("degraded", "Partial outage"),
        Overall::Degraded | Overall::Outage => ("down", "Major outage"),
        Overall::Maintenance => ("planned", "Under maintenance"),
        Overall::Unknown => ("unknown", "Status unknown"),
    }
}

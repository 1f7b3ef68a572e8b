//! The page that people see: no script, one style, nothing of others but the pictures that its owner named.

use std::{borrow::Cow, fmt::Write as _, sync::LazyLock};

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ContentType, REFERRER_POLICY, VARY},
    },
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use maud::{Markup, html};
use sha2::{Digest as _, Sha256};
use url::Url;

use super::markdown::escape;
use super::{RenderedDocument, components, incidents};
use crate::{
    actors::status_pages::{Overall, PageFields, Snapshot, StatusPage, Theme},
    http::language,
    locale::{Language, Texts},
};

const STYLE: &str = concat!(
    include_str!("page.css"),
    include_str!("../../pages/assets/uptime.css")
);

/// Browsers that send no referrer send no origin with forms either.
pub(super) const NAMES_ORIGIN: &str = "same-origin";
const NOINDEX: &str = "<meta name=\"robots\" content=\"noindex\">";

static STYLE_HASH: LazyLock<String> =
    LazyLock::new(|| STANDARD.encode(Sha256::digest(STYLE.as_bytes())));

/// Where the forms of a page may be sent.
#[derive(Debug, Clone, Copy)]
pub(super) enum Forms<'a> {
    Nowhere,
    /// To the host of the page.
    Here,
    /// To the host of this address.
    To(&'a str),
}

/// What a page may do: its own style, pictures of the hosts that its owner named, and forms that are sent to us.
fn policy(pictures: &[Option<&String>], forms: Forms<'_>) -> String {
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
    let origin = |url: &str| Some(Url::parse(url).ok()?.origin().ascii_serialization());
    let forms = match forms {
        Forms::Nowhere => None,
        Forms::Here => Some("'self'".to_owned()),
        Forms::To(url) => origin(url),
    };
    let forms = forms.as_deref().unwrap_or("'none'");
    format!(
        "default-src 'none'; style-src 'sha256-{}'; img-src{images}; base-uri 'none'; form-action {forms}; \
         frame-ancestors 'none'",
        *STYLE_HASH
    )
}

pub(super) fn page(home: &str, seen: &Snapshot, texts: Texts) -> RenderedDocument {
    let fields = &seen.page.fields;
    let own = escape(home);
    let mut text = String::with_capacity(64 << 10);
    begin(&mut text, &seen.page, texts, &own);
    let _ = write!(text, "<header>");
    let logo = logo_path(&seen.page).map(|path| format!("{home}{path}"));
    let logo = logo.or_else(|| fields.logo_url.clone());
    if let Some(logo) = &logo {
        let _ = write!(text, "<img src=\"{}\" alt=\"\">", escape(logo));
    }
    let _ = write!(text, "<h1>{}</h1></header><main>", escape(&fields.name));
    if let Some(description) = &fields.description {
        let _ = write!(text, "<p>{}</p>", escape(description));
    }
    for part in [
        banner(seen, texts),
        incidents::open(seen, texts),
        components::draw(seen, texts),
        incidents::past(seen, texts),
        form(seen, texts, home),
    ] {
        text.push_str(&part.into_string());
    }
    text.push_str("</main>");
    text.push_str(&footer(fields, texts, home).into_string());
    text.push_str("</body></html>");
    RenderedDocument {
        media: "text/html; charset=utf-8",
        text,
        policy: Some(policy(
            &[logo.as_ref(), fields.favicon_url.as_ref()],
            Forms::To(home),
        )),
    }
}

/// There is no such page, for people.
pub(super) fn unknown(texts: Texts) -> HttpResponse {
    let body = html! { p { (texts.status_not_found_help()) } };
    plain(
        StatusCode::NOT_FOUND,
        texts,
        &texts.status_not_found(),
        &body,
        Forms::Nowhere,
    )
}

/// A page that says one thing; with a form that is sent to this address, if any. It is private to the reader.
pub(super) fn plain(
    status: StatusCode,
    texts: Texts,
    title: &str,
    body: &Markup,
    forms: Forms<'_>,
) -> HttpResponse {
    finish_plain(HttpResponse::build(status), texts, title, body, forms)
}

/// [`plain`] for an answer that has begun.
pub(super) fn finish_plain(
    mut response: HttpResponseBuilder,
    texts: Texts,
    title: &str,
    body: &Markup,
    forms: Forms<'_>,
) -> HttpResponse {
    let mut text = String::new();
    frame(&mut text, texts, "system", title);
    let _ = write!(
        text,
        "{NOINDEX}<style>{STYLE}</style></head><body><main><h1>{}</h1>{}</main></body></html>",
        escape(title),
        body.0
    );
    response
        .insert_header((CONTENT_SECURITY_POLICY, policy(&[], forms)))
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .insert_header((REFERRER_POLICY, NAMES_ORIGIN))
        .insert_header((VARY, language::VARIES))
        .content_type(ContentType::html())
        .body(text)
}

/// The query that keeps the language, of a page without a language of its own.
fn lang(fields: &PageFields, texts: Texts) -> String {
    match fields.language {
        Some(_) => String::new(),
        None => format!("?lang={}", texts.language().code()),
    }
}

/// Where people subscribe.
fn form(seen: &Snapshot, texts: Texts, own: &str) -> Markup {
    let (label, kind) = if seen.sends_mail {
        (texts.subscribe_email(), "email")
    } else {
        (texts.subscribe_webhook(), "url")
    };
    let lang = lang(&seen.page.fields, texts);
    html! {
        h2 #subscribe { (texts.subscribe_heading()) }
        form method="post" action={ (own) "/subscribe" (lang) } {
            label for="address" { (label) }
            div.ask {
                input #address name="address" required maxlength="2048" inputmode=(kind) autocomplete=(kind);
                button { (texts.subscribe_button()) }
            }
            @if seen.monitors.len() > 1 {
                details {
                    summary { (texts.subscribe_choose()) }
                    fieldset {
                        legend { (texts.status_components()) }
                        @for one in &seen.monitors {
                            label { input type="checkbox" name="component" value=(one.listed.id); " " (one.name) }
                        }
                    }
                }
            }
            p.dim { (texts.subscribe_help()) }
        }
    }
}

fn frame(text: &mut String, texts: Texts, theme: &str, title: &str) {
    let _ = write!(
        text,
        "<!doctype html><html lang=\"{}\" class=\"{theme}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{}</title>",
        texts.language().code(),
        escape(title)
    );
}

fn begin(text: &mut String, page: &StatusPage, texts: Texts, own: &str) {
    let fields = &page.fields;
    let theme = match fields.theme {
        None | Some(Theme::System) => "system",
        Some(Theme::Light) => "light",
        Some(Theme::Dark) => "dark",
    };
    frame(text, texts, theme, &texts.status_title(&fields.name));
    if !page.access().is_public() {
        text.push_str(NOINDEX);
    }
    if let Some(description) = &fields.description {
        let _ = write!(
            text,
            "<meta name=\"description\" content=\"{}\">",
            escape(description)
        );
    }
    let (lang, maintenance) = (lang(fields, texts), texts.maintenance());
    for (media, path, title, lang) in [
        ("application/rss+xml", "feed.rss", "RSS", &*lang),
        ("application/atom+xml", "feed.atom", "Atom", &*lang),
        ("application/feed+json", "feed.json", "JSON Feed", &*lang),
        ("text/calendar", "maintenance.ics", &*maintenance, ""),
        ("application/json", "api/v2/summary.json", "Summary", ""),
        ("image/svg+xml", "badge.svg", "Badge", ""),
    ] {
        let _ = write!(
            text,
            "<link rel=\"alternate\" type=\"{media}\" title=\"{title}\" href=\"{own}/{path}{lang}\">"
        );
    }
    if let Some(icon) = &fields.favicon_url {
        let _ = write!(text, "<link rel=\"icon\" href=\"{}\">", escape(icon));
    }
    let _ = write!(text, "<style>{STYLE}</style></head><body>");
}

fn footer(fields: &PageFields, texts: Texts, own: &str) -> Markup {
    let links = [
        (&fields.website_url, texts.status_website()),
        (&fields.support_url, texts.status_support()),
    ];
    let (lang, calendar) = (lang(fields, texts), texts.maintenance_calendar());
    let feeds = [
        ("feed.rss", "RSS", &*lang),
        ("feed.atom", "Atom", &*lang),
        ("feed.json", "JSON Feed", &*lang),
        ("maintenance.ics", &*calendar, ""),
    ];
    html! {
        footer {
            ul {
                @for (address, words) in &links {
                    @if let Some(address) = address { li { a href=(address) rel="noopener nofollow" { (words) } } }
                }
                @for (path, words, lang) in feeds { li { a href={ (own) "/" (path) (lang) } { (words) } } }
            }
            @if fields.language.is_none() { (languages(texts)) }
            p.dim { (texts.status_utc()) }
        }
    }
}

/// Links to the page in other languages.
fn languages(texts: Texts) -> Markup {
    let others = Language::ALL.into_iter();
    let others = others.filter(|other| *other != texts.language());
    html! {
        ul aria-label=(texts.status_languages()) {
            @for other in others {
                li { a href={ "?lang=" (other.code()) } lang=(other.code()) hreflang=(other.code()) rel="alternate" { (other.name()) } }
            }
        }
    }
}

/// Where the logo of a page is, below its address.
fn logo_path(page: &StatusPage) -> Option<String> {
    let logo = page.logo.as_ref()?;
    Some(format!("/logo?v={}", logo.tag()))
}

/// The overall status with its icon.
fn banner(seen: &Snapshot, texts: Texts) -> Markup {
    let (class, words) = overall(seen, texts);
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
fn overall(seen: &Snapshot, texts: Texts) -> (&'static str, Cow<'static, str>) {
    match seen.overall {
        Overall::Operational => ("up", texts.status_operational()),
        Overall::Degraded if !seen.has_outage() => ("degraded", texts.status_partial_outage()),
        Overall::Degraded | Overall::Outage => ("down", texts.status_major_outage()),
        Overall::Maintenance => ("planned", texts.status_maintenance()),
        Overall::Unknown => ("unknown", texts.status_unknown()),
    }
}

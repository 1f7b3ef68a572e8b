//! Status pages and shared dashboards that not everyone sees.
//!
//! Members of the organization see them, signed in or with an API key that reads them. Others have to meet each condition that is
//! set. Others learn nothing of a page, and nothing else keeps it: no cache, no search engine, no page of another origin
//! (threat T103).

use actix_web::{
    HttpRequest,
    dev::RequestHead,
    http::header::{
        CACHE_CONTROL, CROSS_ORIGIN_RESOURCE_POLICY, HeaderMap, HeaderName, HeaderValue,
    },
};
use maud::{Markup, html};

use super::{
    Shared, auth,
    edge::ClientAddress,
    guesses::{Guess, Guessed},
    next,
};
use crate::{
    actors::{
        page_access::{Barrier, PageAccess},
        unlocking::Pass,
    },
    fault::{Classify, Fault},
    locale::Texts,
    store::limits::Limits,
};

/// Carries the pass of a page with a password, on the path of that page alone.
const COOKIE: &str = "pharos_pass";

const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

/// What keeps a visitor who is no member from a page; `accepts` says whether a pass opens it. An address counts on hosts of ours
/// only: to a browser, a foreign name that leads here is a site of its own, which may read what it shows.
pub(super) fn barrier(
    shared: &Shared,
    head: &RequestHead,
    address: Option<ClientAddress>,
    access: PageAccess<'_>,
    accepts: impl FnOnce(&str) -> bool,
) -> Option<Barrier> {
    let counts = access.allowed_ips.is_empty() || shared.is_named(head);
    let address = address.filter(|_| counts);
    let address = address.map(|address| address.0);
    access.barrier(address, || {
        auth::cookie(head.headers(), COOKIE).is_some_and(accepts)
    })
}

/// Keeps an answer to its reader.
pub(super) fn keep_private(headers: &mut HeaderMap) {
    for (name, value) in [
        (CACHE_CONTROL, "no-store"),
        (ROBOTS, "noindex"),
        (CROSS_ORIGIN_RESOURCE_POLICY, "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// The pass that a password is answered with, if it is the right one. Only wrong passwords count.
pub(super) async fn unlock<E: Classify>(
    shared: &Shared,
    address: Option<ClientAddress>,
    guessed: Guessed<'_>,
    pass: impl Future<Output = Result<Option<Pass>, E>>,
) -> Result<Option<Pass>, Fault> {
    let address = address.ok_or_else(|| Fault::internal(anyhow::anyhow!("no address")))?;
    let guess = Guess::count(shared, address, guessed, Limits::link_password()).await?;
    let pass = pass.await;
    if !matches!(pass, Ok(None)) {
        guess.give_back().await;
    }
    pass.map_err(Classify::classify)
}

/// The cookie with a pass for a path. Within a page of another origin browsers send only what says `None`.
pub(super) fn pass_cookie(shared: &Shared, path: &str, pass: &Pass, is_embedded: bool) -> String {
    let policy = match (shared.urls.is_https(), is_embedded) {
        (false, _) => "SameSite=Lax",
        (true, false) => "SameSite=Lax; Secure",
        (true, true) => "SameSite=None; Secure; Partitioned",
    };
    let (text, seconds) = (&pass.text, pass.seconds);
    format!("{COOKIE}={text}; Path={path}; Max-Age={seconds}; HttpOnly; {policy}")
}

/// Where a visitor sees a page: at the root of its own host, or at this path of `{base_url}`.
pub(super) fn place(shared: &Shared, request: &HttpRequest, path: String) -> String {
    match shared.custom_host(request.head()) {
        Some(_) => "/".to_owned(),
        None => path,
    }
}

/// A path with the query of a request.
pub(super) fn with_query(path: &str, request: &HttpRequest) -> String {
    match request.query_string() {
        "" => path.to_owned(),
        query => format!("{path}?{query}"),
    }
}

/// What a visitor who has no password to enter is told, with a link where members sign in; `path` is the page's on
/// `{base_url}`.
pub(super) fn draw_notice(
    shared: &Shared,
    texts: Texts,
    barrier: Barrier,
    path: &str,
) -> (String, Markup) {
    let sign_in = format!("{}{}", shared.urls.base, next::with("/login", path));
    let (title, help) = match barrier {
        Barrier::MembersOnly => (texts.private_members_title(), texts.private_members_help()),
        Barrier::Address => (texts.private_address_title(), texts.private_address_help()),
        Barrier::Password => (
            texts.private_password_title(),
            texts.private_password_help(),
        ),
    };
    let body = html! {
        p { (help) }
        @if barrier == Barrier::MembersOnly { p { a href=(sign_in) { (texts.private_sign_in()) } } }
    };
    (title.into_owned(), body)
}

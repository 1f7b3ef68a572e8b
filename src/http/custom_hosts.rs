//! Hosts that organizations bring: which one a request is for, and what of the program is there.
//!
//! What a host serves follows from its name alone (threat T98). A host of short links or of the tracker has the routes
//! of that listener. A host of a status page or a shared dashboard has what is below the page's path, at its root, and
//! nothing else of `{base_url}`.

use std::{borrow::Cow, sync::Arc};

use actix_web::{
    HttpResponse,
    dev::{RequestHead, ServiceRequest},
    guard::{Guard, GuardContext},
    http::{
        Uri,
        header::{ContentType, HOST},
        uri::PathAndQuery,
    },
};

use super::{Host, Shared};
use crate::{
    actors::{
        hosts::{CustomHost, HostUse},
        shares::Share,
        status_pages::StatusPage,
    },
    fault::Fault,
    ids::OrganizationId,
    pages::assets,
};

const HEALTH: &str = "/health";
/// Slugs that no status page and no share link has: their hosts show that there is none.
const NO_PAGE: &str = "~";
const NO_SHARE: &str = "0000000000000000000000";

impl Shared {
    /// The host of an organization that a request is for.
    pub(super) fn custom_host(&self, head: &RequestHead) -> Option<Arc<CustomHost>> {
        let view = self.hosts.view();
        if view.serves_none() {
            return None;
        }
        let host = view.served(&host_name(head)?)?;
        let is_live = self.organizations.view().is_live(&host.organization);
        is_live.then(|| Arc::clone(host))
    }

    /// Whether a request names `{base_url}`'s host or one of an organization's.
    pub(super) fn is_named(&self, head: &RequestHead) -> bool {
        let [base, ..] = self.urls.hosts_place().own_names;
        host_name(head).is_some_and(|name| name == base) || self.custom_host(head).is_some()
    }

    /// Whether something of an organization is on the host that a request is for: on a host of an organization's, only its
    /// own.
    pub(super) fn serves_here(&self, head: &RequestHead, organization: &OrganizationId) -> bool {
        let host = self.custom_host(head);
        host.is_none_or(|host| host.organization == *organization)
    }

    /// Where a status page is: at the root of its own host, or below `{base_url}`.
    pub(super) fn status_page_url(&self, page: &StatusPage) -> String {
        let owned = (&page.id, &page.organization);
        page.fields.url(&self.hosts.view(), &self.urls.base, owned)
    }

    /// Where a share link leads: to the root of its own host, or below `{base_url}`.
    pub(super) fn share_url(&self, share: &Share) -> String {
        let hosts = self.hosts.view();
        let own = hosts.subject_host(share.id.as_str());
        let own = own.filter(|_| !share.fields.members_only);
        match own.filter(|host| self.shows_of(share, &host.organization)) {
            Some(host) => hosts.url(host),
            None => format!("{}/share/{}", self.urls.base, share.slug),
        }
    }

    /// Whether what a share link shows is of this organization, or of one that boards never leave.
    fn shows_of(&self, share: &Share, organization: &OrganizationId) -> bool {
        let websites = self.websites.view();
        let website = share
            .dashboard
            .website()
            .map(|id| websites.by_id(id.as_str()));
        website.is_none_or(|found| found.is_some_and(|one| one.organization == *organization))
    }

    /// The address of a short link: its path on a host of the organization's, by the host's id, or on `{links_url}`.
    pub(super) fn short_url(&self, host: Option<&str>, path: &str) -> String {
        let hosts = self.hosts.view();
        match host.and_then(|id| hosts.by_id(id)) {
            Some(host) => format!("{}/{path}", hosts.url(host)),
            None => format!("{}/{path}", self.urls.links),
        }
    }
}

impl HostUse {
    /// The listener whose routes a host has.
    const fn listener(self) -> Host {
        match self {
            Self::Links => Host::Links,
            Self::Tracker => Host::Track,
            Self::Status | Self::Share => Host::Base,
        }
    }
}

/// Whether a request is for a host that has the routes of this listener.
pub(super) struct OnHost {
    shared: Arc<Shared>,
    listener: Host,
    /// The program's own host with these routes, where it counts.
    own_name: Option<String>,
}

impl OnHost {
    /// Hosts of organizations only.
    pub(super) fn custom(shared: &Arc<Shared>, listener: Host) -> Self {
        Self {
            shared: Arc::clone(shared),
            listener,
            own_name: None,
        }
    }

    /// The program's own host as well.
    pub(super) fn any(shared: &Arc<Shared>, listener: Host) -> Self {
        let [base, track, links] = shared.urls.hosts_place().own_names;
        let own_name = match listener {
            Host::Base => base,
            Host::Track => track,
            Host::Links => links,
        };
        Self {
            own_name: Some(own_name),
            ..Self::custom(shared, listener)
        }
    }
}

impl Guard for OnHost {
    fn check(&self, context: &GuardContext<'_>) -> bool {
        let head = context.head();
        let is_own = |own: &String| host_name(head).is_some_and(|name| name == *own);
        match self.shared.custom_host(head) {
            Some(host) => host.serves.listener() == self.listener,
            None => self.own_name.as_ref().is_some_and(is_own),
        }
    }
}

/// What a host shows that nobody has. It says nothing of the program.
pub(super) async fn nothing() -> HttpResponse {
    let body = "There is nothing here.\n";
    let mut response = HttpResponse::NotFound();
    response.content_type(ContentType::plaintext()).body(body)
}

/// The name in the target of a request, or else in its `Host` header: in lower case, without port and final dot. None where
/// a request names several.
fn host_name(head: &RequestHead) -> Option<String> {
    let mut headers = head.headers().get_all(HOST);
    let header = headers.next();
    if headers.next().is_some() {
        return None;
    }
    match head.uri.host() {
        Some(name) => read_host(name),
        None => read_host(header?.to_str().ok()?),
    }
}

/// The name in a `Host` header, in lower case and without a port; `None` for addresses and what is no name.
pub(super) fn read_host(header: &str) -> Option<String> {
    let (name, port) = header.split_once(':').unwrap_or((header, ""));
    let name = name.strip_suffix('.').unwrap_or(name);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let is_name = !name.is_empty() && name.bytes().all(plain);
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit());
    (is_name && is_port).then(|| name.to_ascii_lowercase())
}

/// Leads a request for the host of a page to what is below the page's path. Beside it is why it can't be answered.
pub(super) async fn enter(
    shared: &Shared,
    mut request: ServiceRequest,
) -> (ServiceRequest, Option<Fault>) {
    let Some(host) = shared.custom_host(request.head()) else {
        return (request, None);
    };
    if request.path().starts_with(assets::FOLDER) || request.path() == HEALTH {
        return (request, None);
    }
    let mut refused = None;
    let subject = host.subject.as_deref().unwrap_or_default();
    // What has moved to another organization is not shown on the host of this one.
    let owner = &host.organization;
    let home = match host.serves {
        HostUse::Links | HostUse::Tracker => return (request, None),
        HostUse::Status => {
            let pages = shared.status_pages.view();
            let page = pages.by_id(subject);
            let page = page.filter(|page| page.organization == *owner);
            let slug = page.map_or(NO_PAGE, |page| &page.fields.slug);
            format!("/status/{slug}")
        }
        HostUse::Share => {
            let share = shared.share_hosts.find(&shared.shares, subject).await;
            let share = share.unwrap_or_else(|fault| {
                refused = Some(fault);
                None
            });
            let share = share.filter(|share| shared.shows_of(share, owner));
            let slug = share.as_ref().map_or(NO_SHARE, |share| &share.slug);
            format!("/share/{slug}")
        }
    };
    let path = below(&home, request.path());
    if let Cow::Owned(path) = path {
        lead(&mut request, &path);
    }
    (request, refused)
}

/// The path below a page's own that a path on its host means.
fn below<'p>(home: &str, path: &'p str) -> Cow<'p, str> {
    let rest = path.strip_prefix(home);
    let is_own = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if is_own || path.starts_with(assets::FOLDER) || path == HEALTH {
        return Cow::Borrowed(path);
    }
    Cow::Owned(format!("{home}{}", path.trim_end_matches('/')))
}

/// Sets the path that a request is routed by.
fn lead(request: &mut ServiceRequest, path: &str) {
    let mut parts = request.uri().clone().into_parts();
    let query = parts.path_and_query.as_ref().and_then(PathAndQuery::query);
    let target = query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    parts.path_and_query = PathAndQuery::try_from(target).ok();
    if let Ok(uri) = Uri::from_parts(parts) {
        request.match_info_mut().get_mut().update(&uri);
        request.head_mut().uri = uri;
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn named(request: TestRequest) -> Option<String> {
        let request = request.to_http_request();
        host_name(request.head())
    }

    #[test]
    fn a_request_names_one_host_in_many_spellings() {
        for spelled in [
            "go.acme.com",
            "GO.Acme.com",
            "go.acme.com:8443",
            "go.acme.com.",
            "go.acme.com.:80",
        ] {
            let request = TestRequest::get().insert_header((HOST, spelled));
            assert_eq!(named(request).as_deref(), Some("go.acme.com"), "{spelled}");
        }
        // The target counts before the header, as in HTTP/2.
        let absolute = TestRequest::get()
            .uri("http://go.acme.com/a")
            .insert_header((HOST, "other.example"));
        assert_eq!(named(absolute).as_deref(), Some("go.acme.com"));
        let twice = TestRequest::get()
            .append_header((HOST, "go.acme.com"))
            .append_header((HOST, "other.example"));
        assert_eq!(named(twice), None);
        for nonsense in [
            "",
            "a b",
            "go.acme.com/a",
            "go.acme.com,other.example",
            "user@go.acme.com@x",
        ] {
            let request = TestRequest::get().insert_header((HOST, nonsense));
            assert_ne!(named(request).as_deref(), Some("go.acme.com"), "{nonsense}");
        }
        assert_eq!(named(TestRequest::get()), None);
    }

    #[test]
    fn the_root_of_a_host_is_the_page_and_nothing_else_of_the_program_is_there() {
        for (path, meant) in [
            ("/", "/status/acme"),
            ("/feed.rss", "/status/acme/feed.rss"),
            ("/api/v2/summary.json", "/status/acme/api/v2/summary.json"),
            ("/status/acme/logo", "/status/acme/logo"),
            ("/status/other", "/status/acme/status/other"),
            ("/status/acme2", "/status/acme/status/acme2"),
            ("/login", "/status/acme/login"),
            ("/v1/query", "/status/acme/v1/query"),
            ("/console/assets/console.css", "/console/assets/console.css"),
            ("/console/home", "/status/acme/console/home"),
            ("/health", "/health"),
        ] {
            assert_eq!(below("/status/acme", path), meant, "{path}");
        }
    }
}

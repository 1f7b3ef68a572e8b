//! The request for a page: its caller, what the page asks for, and the frame around it.

use std::{future::Ready, ops::Deref, sync::Arc};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest, HttpResponse, HttpResponseBuilder,
    dev::Payload,
    http::{StatusCode, header::VARY},
    web,
};
use maud::Markup;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{answer, cookies, reader::Reader};
use crate::{
    access::{Permission, Principal, SessionGrant},
    actors::{shares::Share, websites::Website},
    analytics::{Target, catalogue::FIELDS, run::Answers},
    fault::{Fault, Kind, Window},
    http::{
        Shared,
        auth::{self, Caller},
        edge::RequestId,
        language,
        procedures::{
            Call, Handle, Input, Output, Procedure,
            bodies::{EmptyBody, IdBody, OrganizationBody},
            preferences,
            websites::{self, WebsiteOut},
        },
        v1,
        wire::{self, Wire},
    },
    locale::{Language, Texts},
    pages::{
        frame::{Choice, Frame, NavItem, centered_page, framed_page},
        problem::Problems,
        time::{DateFormat, zone},
        view::{Filter, View},
    },
};

/// The cookie in which the script leaves the browser's time zone.
const ZONE: &str = "pharos_zone";

/// A request for a page, with or without a session.
#[derive(Debug, Clone)]
pub(super) struct PublicContext {
    /// The caller, and everything that can be called.
    pub(super) call: Call,
    pub(super) request: HttpRequest,
}

impl PublicContext {
    pub(super) fn new(request: &HttpRequest) -> Result<Self, Fault> {
        let shared = request.app_data::<web::Data<Shared>>();
        let shared =
            shared.ok_or_else(|| Fault::internal(anyhow::anyhow!("a page without state")))?;
        let caller = request.extensions().get::<Caller>().cloned();
        Ok(Self {
            call: Call {
                shared: Arc::clone(shared),
                caller: caller.map_or(Principal::Anonymous, |caller| caller.principal),
                address: request.extensions().get().copied(),
            },
            request: request.clone(),
        })
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.call.shared
    }

    /// The session, if the caller is signed in.
    pub(super) fn session(&self) -> Option<&Arc<SessionGrant>> {
        match &self.call.caller {
            Principal::Session(session) => Some(session),
            Principal::Key(_) | Principal::Anonymous => None,
        }
    }

    /// A parameter of the query string; empty when it is not there.
    pub(super) fn parameter(&self, name: &str) -> String {
        let pairs = url::form_urlencoded::parse(self.request.query_string().as_bytes());
        let mut own = pairs.filter(|(own, _)| own == name);
        own.next()
            .map(|(_, value)| value.into_owned())
            .unwrap_or_default()
    }

    /// The browser's time zone, as the script has left it.
    pub(super) fn browsers_zone(&self) -> Option<chrono_tz::Tz> {
        let text = auth::cookie(self.request.headers(), ZONE)?;
        let (name, _) = url::form_urlencoded::parse(text.as_bytes()).next()?;
        zone(&name)
    }

    /// The texts of the language that the browser asks for.
    pub(super) fn texts(&self) -> Texts {
        language::browsers_language(self.request.headers()).texts()
    }

    /// A small page without a session, in the language of [`texts`](Self::texts), as its title is.
    pub(super) fn centered(&self, status: StatusCode, title: &str, main: &Markup) -> HttpResponse {
        let page = centered_page(self.texts().language(), title, main);
        answer::in_language(status, page)
    }

    /// The page of a form without a session again, with what a fault says about it.
    ///
    /// # Errors
    /// The fault itself, when it is not about the form.
    pub(super) fn reject_centered(
        &self,
        fault: Fault,
        title: &str,
        main: impl FnOnce(&Problems) -> Markup,
    ) -> Result<HttpResponse, Fault> {
        let (rejection, problems) = form_problems_in(self.texts(), fault)?;
        let page = centered_page(self.texts().language(), title, &main(&problems));
        Ok(rejection.in_language(page))
    }

    /// The formats of a stranger: the browser's zone and language.
    pub(super) fn browsers_format(&self) -> DateFormat {
        DateFormat {
            zone: self.browsers_zone().unwrap_or(chrono_tz::Tz::UTC),
            texts: self.texts(),
            ..DateFormat::default()
        }
    }

    /// Calls a procedure with the rights of the visitor or the signed-in person.
    pub(super) async fn ask<I: Input, O: Output>(
        &self,
        procedure: &Handle<I, O>,
        input: I,
    ) -> Result<O, Fault> {
        procedure.call(self.call.clone(), input).await
    }

    /// The same for a change, whose input the audit log gets to know.
    pub(super) async fn change<I: Input + Serialize, O: Output>(
        &self,
        procedure: &Handle<I, O>,
        input: I,
    ) -> Result<O, Fault> {
        let input = json!(input);
        procedure.submit(self.call.clone(), &input).await
    }

    /// The same for a procedure without its types.
    pub(super) async fn invoke(
        &self,
        procedure: Procedure,
        input: Map<String, Value>,
    ) -> Result<Value, Fault> {
        procedure.invoke(self.call.clone(), input.into()).await
    }

    /// The same with the fields of a form, which have the names of the input's fields.
    pub(super) async fn submit<I: Input, O: Output>(
        &self,
        procedure: &Handle<I, O>,
        input: Map<String, Value>,
    ) -> Result<O, Fault> {
        let input = Value::Object(input);
        procedure.submit(self.call.clone(), &input).await
    }

    /// Queries a website, as `POST /v1/query` does.
    pub(super) async fn query(&self, website: &str, body: Value) -> Result<Answers, Fault> {
        self.read_website(website).await?.ask(body).await
    }

    /// A website for several queries.
    pub(super) async fn read_website(&self, website: &str) -> Result<Reader, Fault> {
        self.read(v1::TargetQuery {
            website_id: Some(website.to_owned()),
            ..v1::TargetQuery::default()
        })
        .await
    }

    /// What is public of the website of a share link, whoever calls.
    pub(super) fn read_shared(&self, share: &Share) -> Result<Reader, Fault> {
        let target = v1::shared_website(self.shared(), share);
        let target = target.ok_or_else(|| Fault::not_found("share link", share.id.as_str()))?;
        Ok(self.reader(v1::TargetQuery::default(), target))
    }

    async fn read(&self, about: v1::TargetQuery) -> Result<Reader, Fault> {
        let target = v1::resolve(self.shared(), &self.call.caller, &about).await?;
        Ok(self.reader(about, target))
    }

    fn reader(&self, about: v1::TargetQuery, target: Target) -> Reader {
        let request = RequestId::from_request(&self.request);
        Reader::new(self.call.clone(), request, about, target)
    }

    /// Queries a link.
    pub(super) async fn query_link(&self, link: &str, body: Value) -> Result<Answers, Fault> {
        let about = v1::TargetQuery {
            link_id: Some(link.to_owned()),
            ..v1::TargetQuery::default()
        };
        self.read(about).await?.ask(body).await
    }

    /// Queries the active organization.
    pub(super) async fn query_organization(&self, body: Value) -> Result<Answers, Fault> {
        let own = self
            .session()
            .and_then(|own| own.active_organization.as_ref());
        self.query_owner(own.map(ToString::to_string), body).await
    }

    /// Queries all that an organization has; by default the caller's.
    pub(super) async fn query_owner(
        &self,
        organization_id: Option<String>,
        body: Value,
    ) -> Result<Answers, Fault> {
        let about = v1::TargetQuery {
            organization_id,
            ..v1::TargetQuery::default()
        };
        self.read(about).await?.ask(body).await
    }

    /// Queries a monitor.
    pub(super) async fn query_monitor(&self, monitor: &str, body: Value) -> Result<Answers, Fault> {
        let about = v1::TargetQuery {
            schedule_id: Some(monitor.to_owned()),
            ..v1::TargetQuery::default()
        };
        self.read(about).await?.ask(body).await
    }
}

impl FromRequest for PublicContext {
    type Error = Fault;
    type Future = Ready<Result<Self, Fault>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Self::new(request))
    }
}

/// A request for a page by a person who is signed in.
#[derive(Debug, Clone)]
pub(super) struct PageContext {
    public: PublicContext,
    pub(super) session: Arc<SessionGrant>,
}

impl Deref for PageContext {
    type Target = PublicContext;

    fn deref(&self) -> &PublicContext {
        &self.public
    }
}

impl FromRequest for PageContext {
    type Error = Fault;
    type Future = Ready<Result<Self, Fault>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let context =
            PublicContext::new(request).and_then(|public| match public.session().cloned() {
                Some(session) => Ok(Self { public, session }),
                None => Err(Fault::unauthenticated()),
            });
        std::future::ready(context)
    }
}

impl PageContext {
    /// The formats that the person prefers. Without a preferred zone, the browser's zone.
    pub(super) async fn date_format(&self) -> Result<DateFormat, Fault> {
        let own = EmptyBody {};
        let preferred = self.ask(&preferences::GET_USER_PREFERENCES, own).await?;
        let zone = zone(&preferred.timezone).or_else(|| self.browsers_zone());
        Ok(DateFormat {
            zone: zone.unwrap_or(chrono_tz::Tz::UTC),
            date: preferred.date_format,
            time: preferred.time_format,
            ..DateFormat::default()
        })
    }

    /// Whether a link to something is shown. The procedure decides for itself.
    pub(super) fn can(&self, permission: Permission) -> bool {
        can(&self.session, permission)
    }

    /// A website, if the person may see it.
    pub(super) async fn website(&self, id: &str) -> Result<WebsiteOut, Fault> {
        let body = IdBody { id: id.to_owned() };
        self.ask(&websites::GET_BY_ID, body).await
    }

    /// The websites that the person can choose among.
    pub(super) fn websites(&self) -> Vec<Choice> {
        sites(&self.public.call)
    }

    /// The frame around a page; `site` is the website that it is about, which the person may see.
    pub(super) fn frame(&self, item: NavItem, site: Option<&str>) -> Frame {
        frame(&self.public, &self.session, item, site)
    }

    /// A page within its frame.
    pub(super) fn show(&self, item: NavItem, title: &str, main: &Markup) -> HttpResponse {
        answer::page(framed_page(&self.frame(item, None), title, main))
    }

    /// The same for a page about a website.
    pub(super) fn show_site(
        &self,
        item: NavItem,
        site: &str,
        title: &str,
        main: &Markup,
    ) -> HttpResponse {
        answer::page(framed_page(&self.frame(item, Some(site)), title, main))
    }
}

/// The head of the answer to a form that is refused: its status, and when to try again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rejection {
    status: StatusCode,
    window: Option<Window>,
}

impl Rejection {
    /// The page of the form, with what is wrong.
    pub(super) fn html(self, page: Markup) -> HttpResponse {
        self.embeddable_html(page, &[])
    }

    /// The same in the language that the browser asks for.
    fn in_language(self, page: Markup) -> HttpResponse {
        let mut answer = self.begin();
        answer.insert_header((VARY, language::VARIES));
        answer::finish(&mut answer, page)
    }

    /// The same where pages of these origins may embed it.
    pub(super) fn embeddable_html(self, page: Markup, origins: &[String]) -> HttpResponse {
        answer::finish_embeddable(&mut self.begin(), page, origins)
    }

    fn begin(self) -> HttpResponseBuilder {
        let mut answer = HttpResponse::build(self.status);
        if let Some(window) = &self.window {
            wire::rate_headers(&mut answer, window);
        }
        answer
    }
}

/// What a fault says about a form that was sent.
///
/// # Errors
/// The fault itself, when it is not about the form.
pub(super) fn form_problems(fault: Fault) -> Result<(Rejection, Problems), Fault> {
    form_problems_in(Texts::ENGLISH, fault)
}

/// The same in a language, as far as it has the sentences.
fn form_problems_in(texts: Texts, fault: Fault) -> Result<(Rejection, Problems), Fault> {
    let (status, _) = Wire::Page.meaning(&fault);
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    let window = match fault.kind {
        Kind::RateLimited(window) => Some(window),
        _ => None,
    };
    let problems = Problems::from_fault_in(texts, fault)?;
    Ok((Rejection { status, window }, problems))
}

/// The page of a form again, with what a fault says about it.
///
/// # Errors
/// The fault itself, when it is not about the form.
pub(super) fn reject(
    fault: Fault,
    page: impl FnOnce(&Problems) -> Markup,
) -> Result<HttpResponse, Fault> {
    let (rejection, problems) = form_problems(fault)?;
    Ok(rejection.html(page(&problems)))
}

/// The frame around a page of a session.
pub(super) fn frame(
    public: &PublicContext,
    session: &SessionGrant,
    item: NavItem,
    site: Option<&str>,
) -> Frame {
    let call = &public.call;
    let view = call.shared.organizations.view();
    let person = view.person(&session.user);
    let organizations = session.memberships.iter().filter_map(|member| {
        let organization = view.organization(member.organization.as_str())?;
        Some(Choice {
            id: member.organization.to_string(),
            name: organization.name.clone(),
        })
    });
    Frame {
        person: person.map(|person| person.name.clone()).unwrap_or_default(),
        email: person
            .map(|person| person.email.clone())
            .unwrap_or_default(),
        organizations: organizations.collect(),
        organization: session
            .active_organization
            .as_ref()
            .map(ToString::to_string),
        websites: sites(call),
        site: site.map(str::to_owned),
        item,
        can_add: can(session, Permission::WebsiteManage),
        forbidden: GUARDED
            .iter()
            .filter(|(_, permission)| !can(session, *permission))
            .map(|(item, _)| *item)
            .collect(),
        view: carried_view(public),
        theme: cookies::theme(&public.request),
        // The console has no texts in other languages yet.
        language: Language::En,
    }
}

/// The range and the filters that links to other reports keep. What only one report knows is left out.
fn carried_view(public: &PublicContext) -> View {
    let view = View::read(public.request.query_string(), &[]);
    let is_common = |filter: &Filter| {
        let mut common = FIELDS[0].iter();
        filter.field.starts_with("trait:") || common.any(|field| field.name == filter.field)
    };
    View {
        metric: String::new(),
        filters: view.filters.into_iter().filter(is_common).collect(),
        ..view
    }
}

/// The websites that a caller can choose among.
fn sites(call: &Call) -> Vec<Choice> {
    // Without an organization there are none to see.
    let websites = websites::visible(call, &OrganizationBody::default()).unwrap_or_default();
    let choice = |website: &Arc<Website>| Choice {
        id: website.id.to_string(),
        name: website.name.clone(),
    };
    websites.iter().map(choice).collect()
}

/// Pages that need a permission to be seen.
const GUARDED: [(NavItem, Permission); 4] = [
    (NavItem::ScheduledReports, Permission::WebsiteConfigure),
    (NavItem::Keys, Permission::KeysManage),
    (NavItem::Audit, Permission::AuditRead),
    (NavItem::Import, Permission::LinkWrite),
];

/// Whether a person's role in the active organization has a permission. The procedure decides for itself.
fn can(session: &SessionGrant, permission: Permission) -> bool {
    let organization = session.active_organization.as_ref();
    let role = organization.and_then(|organization| session.role_in(organization));
    role.is_some_and(|role| role.may(permission))
}

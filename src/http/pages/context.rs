//! Somebody who looks at a page: who it is, what they ask, and what stands around the answer.

use std::{future::Ready, ops::Deref, sync::Arc};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest, HttpResponse, dev::Payload, http::StatusCode, web,
};
use maud::Markup;
use serde_json::{Map, Value};

use super::answer;
use crate::{
    access::{Permission, Principal, SessionGrant},
    actors::websites::Website,
    analytics::run::Answers,
    fault::{Fault, Kind, Window},
    http::{
        Shared,
        auth::{self, Caller},
        procedures::{
            Call, Handle, Input, Output,
            bodies::{EmptyBody, OrganizationBody},
            preferences, websites,
        },
        v1,
        wire::{self, Wire},
    },
    pages::{
        frame::{Choice, Frame, Place, framed},
        problem::Problems,
        time::{DateFormat, zone},
    },
};

/// In which the script leaves the browser's time zone.
const ZONE: &str = "pharos_zone";

/// Anybody who looks at a page.
#[derive(Debug, Clone)]
pub(super) struct PublicContext {
    /// Who asks, and everything that can be asked.
    pub(super) call: Call,
    /// What was requested.
    pub(super) request: HttpRequest,
}

impl PublicContext {
    /// Whoever has sent a request.
    pub(super) fn of(request: &HttpRequest) -> Result<Self, Fault> {
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

    /// Everything that is shared.
    pub(super) fn shared(&self) -> &Shared {
        &self.call.shared
    }

    /// The session, if somebody is signed in.
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

    /// Calls a procedure with the rights of the visitor or the signed-in person.
    pub(super) async fn ask<I: Input, O: Output>(
        &self,
        procedure: &Handle<I, O>,
        input: I,
    ) -> Result<O, Fault> {
        procedure.call(self.call.clone(), input).await
    }

    /// The same with what a form gave, whose fields are called as those of the input.
    pub(super) async fn submit<I: Input, O: Output>(
        &self,
        procedure: &Handle<I, O>,
        input: Map<String, Value>,
    ) -> Result<O, Fault> {
        let input = Value::Object(input);
        procedure.submit(self.call.clone(), &input).await
    }

    /// Asks about a website what `POST /v1/query` is asked, in the same way.
    pub(super) async fn query(&self, website: &str, body: Value) -> Result<Answers, Fault> {
        let target = v1::TargetQuery {
            website_id: Some(website.to_owned()),
            ..v1::TargetQuery::default()
        };
        self.query_about(&target, body).await
    }

    /// The same about a link.
    pub(super) async fn query_link(&self, link: &str, body: Value) -> Result<Answers, Fault> {
        let target = v1::TargetQuery {
            link_id: Some(link.to_owned()),
            ..v1::TargetQuery::default()
        };
        self.query_about(&target, body).await
    }

    /// The same about all that the organization has that is worked in.
    pub(super) async fn query_organization(&self, body: Value) -> Result<Answers, Fault> {
        let own = self
            .session()
            .and_then(|own| own.active_organization.as_ref());
        let target = v1::TargetQuery {
            organization_id: own.map(ToString::to_string),
            ..v1::TargetQuery::default()
        };
        self.query_about(&target, body).await
    }

    /// The same about a monitor.
    pub(super) async fn query_monitor(&self, monitor: &str, body: Value) -> Result<Answers, Fault> {
        let target = v1::TargetQuery {
            schedule_id: Some(monitor.to_owned()),
            ..v1::TargetQuery::default()
        };
        self.query_about(&target, body).await
    }

    async fn query_about(&self, target: &v1::TargetQuery, body: Value) -> Result<Answers, Fault> {
        v1::answered(self.shared(), &self.call.caller, target, body).await
    }
}

impl FromRequest for PublicContext {
    type Error = Fault;
    type Future = Ready<Result<Self, Fault>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Self::of(request))
    }
}

/// Somebody who is signed in and looks at a page.
#[derive(Debug, Clone)]
pub(super) struct PageContext {
    public: PublicContext,
    /// Whose session it is.
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
            PublicContext::of(request).and_then(|public| match public.session().cloned() {
                Some(session) => Ok(Self { public, session }),
                None => Err(Fault::unauthenticated()),
            });
        std::future::ready(context)
    }
}

impl PageContext {
    /// How the person writes dates and times: as they said, and where they said nothing, in the browser's zone.
    pub(super) async fn date_format(&self) -> Result<DateFormat, Fault> {
        let own = EmptyBody {};
        let said = self.ask(&preferences::GET_USER_PREFERENCES, own).await?;
        let zone = zone(&said.timezone).or_else(|| self.browsers_zone());
        Ok(DateFormat {
            zone: zone.unwrap_or(chrono_tz::Tz::UTC),
            date: said.date_format,
            time: said.time_format,
        })
    }

    /// Whether a way to something is shown; what is asked decides for itself.
    pub(super) fn may(&self, permission: Permission) -> bool {
        may(&self.session, permission)
    }

    /// The websites that the person may choose among.
    pub(super) fn websites(&self) -> Vec<Choice> {
        sites(&self.public.call)
    }

    /// What stands around a page; `site` is the website that it is about, which the person may see.
    pub(super) fn frame(&self, place: Place, site: Option<&str>) -> Frame {
        frame(&self.public.call, &self.session, place, site)
    }

    /// A page about everything.
    pub(super) fn show(&self, place: Place, title: &str, main: &Markup) -> HttpResponse {
        answer::shown(framed(&self.frame(place, None), title, main))
    }

    /// A page about a website.
    pub(super) fn show_site(
        &self,
        place: Place,
        site: &str,
        title: &str,
        main: &Markup,
    ) -> HttpResponse {
        answer::shown(framed(&self.frame(place, Some(site)), title, main))
    }

    /// The page of a form about a website again, with what is wrong with what was sent.
    pub(super) fn again_site(
        &self,
        refused: Refused,
        place: Place,
        site: &str,
        title: &str,
        main: &Markup,
    ) -> HttpResponse {
        refused.html(framed(&self.frame(place, Some(site)), title, main))
    }

    /// The page of a form again, with what is wrong with what was sent.
    pub(super) fn again(
        &self,
        refused: Refused,
        place: Place,
        title: &str,
        main: &Markup,
    ) -> HttpResponse {
        refused.html(framed(&self.frame(place, None), title, main))
    }
}

/// How the answer to a form that is refused begins: its status, and when to come back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refused {
    status: StatusCode,
    window: Option<Window>,
}

impl Refused {
    /// Something in the form cannot be right.
    pub(super) const INVALID: Self = Self {
        status: StatusCode::BAD_REQUEST,
        window: None,
    };

    /// The form again, with what was wrong.
    pub(super) fn html(self, page: Markup) -> HttpResponse {
        let mut answer = HttpResponse::build(self.status);
        if let Some(window) = &self.window {
            wire::rate_headers(&mut answer, window);
        }
        answer::finish(&mut answer, page)
    }
}

/// What a refusal says to whoever sent a form.
///
/// # Errors
/// The refusal itself, when it is about something else than the form.
pub(super) fn told(fault: Fault) -> Result<(Refused, Problems), Fault> {
    let (status, _) = Wire::Page.meaning(&fault);
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    let window = match fault.kind {
        Kind::RateLimited(window) => Some(window),
        _ => None,
    };
    Ok((Refused { status, window }, Problems::of(fault)?))
}

/// What stands around a page of a session.
pub(super) fn frame(
    call: &Call,
    session: &SessionGrant,
    place: Place,
    site: Option<&str>,
) -> Frame {
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
        place,
        may_add: may(session, Permission::WebsiteManage),
        closed: GUARDED
            .iter()
            .filter(|(_, permission)| !may(session, *permission))
            .map(|(place, _)| *place)
            .collect(),
    }
}

/// The websites that somebody may choose among.
fn sites(call: &Call) -> Vec<Choice> {
    // Without an organization there are none to see.
    let websites = websites::visible(call, &OrganizationBody::default()).unwrap_or_default();
    let choice = |website: &Arc<Website>| Choice {
        id: website.id.to_string(),
        name: website.name.clone(),
    };
    websites.iter().map(choice).collect()
}

/// Places that not everybody may see.
const GUARDED: [(Place, Permission); 2] = [
    (Place::Keys, Permission::KeysManage),
    (Place::Audit, Permission::AuditRead),
];

/// Whether a way to something is shown to somebody: as far as the role goes where they work. What is asked decides for itself.
fn may(session: &SessionGrant, permission: Permission) -> bool {
    let organization = session.active_organization.as_ref();
    let role = organization.and_then(|organization| session.role_in(organization));
    role.is_some_and(|role| role.may(permission))
}

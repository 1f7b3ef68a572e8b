//! The page on which a person allows an app something, or not.
//!
//! The form carries what was asked, sealed for the session that was asked: no other page, person or app can make or change it
//! (threat T71).

use actix_web::http::StatusCode;
use secrecy::ExposeSecret as _;

use super::keys::SCOPES;
use crate::{
    access::Scope,
    actors::oauth::{Approval, Destination, PendingConsent, RedirectUri, Resource, is_address},
    http::{
        oauth::authorize::{self, CONSENT, Objection, Question},
        pages::prelude::*,
    },
    ids::OrganizationId,
    locale::Language,
    pages::{
        frame::centered_page,
        part::{Field, checkboxes, hidden},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        page_route(CONSENT, |route| route.to(show)),
        form_route(CONSENT, |route| route.to(decide)),
    ]
}

const TITLE: &str = "Connect an app";

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let question = match authorize::read(context.shared(), &context.request).await? {
        Ok(question) => question,
        Err(objection) => return Ok(draw_objection(&objection)),
    };
    let pending = PendingConsent {
        session: context.session.id.to_string(),
        app: question.app.id.clone(),
        redirect_uri: question.redirect_uri.clone(),
        state: question.state.clone(),
        scopes: question.scopes.clone(),
        resource: question.resource,
        challenge: question.challenge.clone(),
        until_ms: context.shared().oauth.consent_until_ms(),
    };
    let active = context.session.active_organization.as_ref();
    let asked = question.scopes.iter().copied();
    let answer = Answer {
        organization: active.map(ToString::to_string).unwrap_or_default(),
        scopes: asked.filter(|scope| reads(*scope)).collect(),
    };
    draw(
        &context,
        &question,
        &pending,
        &answer,
        &Problems::NONE,
        StatusCode::OK,
    )
}

/// Whether a scope changes nothing. Others are off until the person turns them on.
fn reads(scope: Scope) -> bool {
    scope.as_str().starts_with("read:")
}

/// What the person has chosen.
struct Answer {
    organization: String,
    scopes: Vec<Scope>,
}

async fn decide(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let shared = context.shared();
    let pending = shared.oauth.open_consent(sent.text("request"));
    let own = |pending: &PendingConsent| pending.session == context.session.id.as_str();
    let Some(pending) = pending.filter(own) else {
        let why = "This page is older than 10 minutes, or of another sign-in.";
        return Ok(draw_objection(&Objection::Unknown(why.into())));
    };
    let back = |said: &[(&str, &str)]| {
        let state = pending.state.as_deref();
        authorize::answer(&shared.urls, &pending.redirect_uri, state, said)
    };
    if sent.text("decision") != "allow" {
        return Ok(answer::redirect(&back(&[("error", "access_denied")])?));
    }
    let Some(app) = shared.oauth.find_app(pending.app.as_str()).await? else {
        let why = "The app isn't registered here any longer.";
        return Ok(draw_objection(&Objection::Unknown(why.into())));
    };
    let chosen: Vec<&str> = sent.all("scopes").collect();
    let scopes = pending.scopes.iter().copied();
    let answer = Answer {
        organization: sent.text("organization").to_owned(),
        scopes: scopes
            .filter(|scope| chosen.contains(&scope.as_str()))
            .collect(),
    };
    let method = shared
        .organizations
        .view()
        .sign_in_method(&context.session.id);
    let approval = Approval {
        app: app.clone(),
        user: context.session.user.clone(),
        organization: OrganizationId::from(answer.organization.as_str()),
        method: method.ok_or_else(Fault::unauthenticated)?,
        scopes: answer.scopes.clone(),
        resource: pending.resource,
        redirect_uri: pending.redirect_uri.clone(),
        challenge: pending.challenge.clone(),
    };
    match shared.oauth.approve(approval).await {
        Ok(code) => Ok(answer::redirect(&back(&[("code", code.expose_secret())])?)),
        Err(error) => {
            let (status, problems) = problems(error.into())?;
            let question = Question {
                app,
                redirect_uri: pending.redirect_uri.clone(),
                state: None,
                scopes: pending.scopes.clone(),
                resource: pending.resource,
                challenge: String::new(),
            };
            draw(&context, &question, &pending, &answer, &problems, status)
        }
    }
}

/// What a fault says about the answer, if it is about it.
fn problems(fault: Fault) -> Result<(StatusCode, Problems), Fault> {
    let (status, _) = crate::http::wire::Wire::Page.meaning(&fault);
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    Ok((status, Problems::from_fault(fault)?))
}

/// What is behind addresses, for people.
pub(super) fn destination(uris: &[String]) -> String {
    let parsed = uris.iter().filter_map(|uri| RedirectUri::parse(uri).ok());
    let mut named: Vec<String> = parsed.map(|uri| label(&uri)).collect();
    named.dedup();
    named.join(", ")
}

fn label(uri: &RedirectUri) -> String {
    match uri.destination() {
        Destination::Host(host) => host,
        Destination::Machine => "an app on your computer".to_owned(),
        Destination::Scheme(scheme) => format!("an app on your device ({scheme}:)"),
    }
}

fn draw(
    context: &PageContext,
    question: &Question,
    pending: &PendingConsent,
    answer: &Answer,
    problems: &Problems,
    status: StatusCode,
) -> Result<HttpResponse, Fault> {
    let shared = context.shared();
    let uri = RedirectUri::parse(&question.redirect_uri);
    let uri = uri.map_err(|why| Fault::internal(anyhow::anyhow!(why)))?;
    let view = shared.organizations.view();
    let organizations: Vec<(&str, &str)> = (context.session.memberships.iter())
        .filter_map(|member| view.organization(member.organization.as_str()))
        .map(|one| (one.tenant.id.as_str(), one.name.as_str()))
        .collect();
    let person = view.person(&context.session.user);
    let email = person
        .map(|person| person.email.as_str())
        .unwrap_or_default();
    let sealed = shared
        .oauth
        .seal_consent(pending)
        .map_err(Fault::internal)?;
    let asked = SCOPES
        .iter()
        .filter(|(scope, _)| question.scopes.iter().any(|own| own.as_str() == *scope))
        .copied();
    let chosen: Vec<&str> = answer.scopes.iter().map(|scope| scope.as_str()).collect();
    let organization = Field::text("organization", "Organization")
        .value(&answer.organization)
        .hint("The app sees this organization only.");
    let place = match question.resource {
        Resource::Mcp => "as an AI agent (MCP)",
        Resource::Api => "through the API",
    };
    let main = html! {
        h1 { "Connect “" (question.app.name) "”?" }
        p { "The app asks to use pharos " (place) " for you, " strong { (email) } "." }
        @if is_address(question.app.id.as_str()) { p { "The app describes itself at " strong { (question.app.id) } "." } }
        p { "Access goes to " strong { (label(&uri)) } ". The name is the app's own, and pharos hasn't checked it. Continue only if you started this." }
        @if organizations.is_empty() {
            p.wrong role="alert" { "You aren't a member of an organization. Create one first." }
        } @else {
            form.form method="post" action=(CONSENT) {
                @for message in problems.above(&["organization", "scopes"]) { p.wrong role="alert" { (message) } }
                (hidden("request", sealed.expose_secret()))
                (organization.select(&organizations, problems))
                (checkboxes(
                    "scopes", "Permissions",
                    "Changes are off until you select them. The app never gets more than your role allows, also when your role changes.",
                    asked, &chosen, problems,
                ))
                p.send {
                    button.button.first type="submit" name="decision" value="allow" { "Allow" } " "
                    button.button type="submit" name="decision" value="deny" { "Deny" }
                }
            }
            p.dim { "You can revoke access at any time under " a href="/console/account" { "Your account" } "." }
        }
    };
    let page = centered_page(Language::En, TITLE, &main);
    Ok(answer::page_that_leads_to(
        status,
        &uri.policy_source(),
        page,
    ))
}

/// What is wrong with a request, and what to do. A link leads back to an app's own address only if the person follows it.
fn draw_objection(objection: &Objection) -> HttpResponse {
    let main = match objection {
        Objection::Unknown(why) => html! {
            h1 { "This app can't be connected" }
            p { (why) }
            p { "Close this page, and start again in the app." }
        },
        Objection::Wrong {
            app,
            answer,
            description,
        } => html! {
            h1 { "“" (app.name) "” can't be connected" }
            p { "The app's request is wrong: " (description) "." }
            // Other schemes could be anything.
            @if answer.starts_with("https:") || answer.starts_with("http:") {
                p.actions { a.button rel="noreferrer" href=(answer) { "Back to the app" } }
            }
        },
    };
    let page = centered_page(Language::En, TITLE, &main);
    answer::html(StatusCode::BAD_REQUEST, page)
}

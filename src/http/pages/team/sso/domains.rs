//! The domains of the organization.

use super::Sso;
use crate::{
    http::{
        pages::prelude::*,
        procedures::sso::{self, DomainBody, DomainIdBody, DomainOut},
    },
    pages::{
        part::{Field, confirm, copyable, hidden, time},
        time::{ago, moment},
    },
};

const CHECK: &str = "/console/members/sso/domains/check";
const REMOVE: &str = "/console/members/sso/domains/remove";
const ADD: &str = "/console/members/sso/domains/add";

pub(super) fn routes() -> Vec<Route> {
    vec![
        form_route(ADD, |route| route.to(add)),
        form_route(CHECK, |route| route.to(check)),
        form_route(REMOVE, |route| route.to(remove)),
    ]
}

pub(super) fn draw(domains: &[DomainOut], page: &Page<'_>) -> Markup {
    let name = Field::text("domain", "Domain").value(page.sent.raw("domain"));
    let name = name.example("example.com").draw(page.problems);
    html! {
        p { "Your providers sign in people whose email address is in a verified domain." }
        @for domain in domains { (draw_one(domain, page)) }
        (small_form(ADD, "Add domain", &name))
    }
}

fn draw_one(domain: &DomainOut, page: &Page<'_>) -> Markup {
    let (date_format, now_ms) = (page.date_format, page.now_ms);
    let checked = domain.checked_at.as_deref().and_then(moment);
    let lost = domain.lost_at.as_deref().and_then(moment);
    let consequence =
        "Sessions of people with an address in this domain end, if they began at your providers.";
    let remove = confirm(
        "Remove domain…",
        consequence,
        REMOVE,
        "Remove domain",
        &hidden("id", &domain.id),
    );
    html! {
        h3 { (domain.domain) " "
            @if domain.verified { span.state.good { "Verified" } } @else { span.state { "Not verified" } }
        }
        @if !domain.verified || lost.is_some() {
            p { "Create this TXT record at your DNS provider, then check the domain." }
            (copyable(&format!("Name of the TXT record of {}", domain.domain), &domain.record_name))
            (copyable(&format!("Value of the TXT record of {}", domain.domain), &domain.record_text))
        }
        @if let Some(at) = checked {
            p.dim { (describe(domain)) " Checked " (time(at, &ago(at, now_ms), date_format)) "." }
        }
        @if let Some(at) = lost {
            p.wrong { "The domain is no longer verified after " (time(at, &date_format.moment(at), date_format)) ", unless the record is found before." }
        }
        form.plain method="post" action=(CHECK) { (hidden("id", &domain.id)) button.button.small type="submit" { "Check domain" } }
        (remove)
    }
}

/// What the last check found.
fn describe(domain: &DomainOut) -> String {
    match domain.outcome {
        Some("found") => "The TXT record was found.".to_owned(),
        Some("missing") if domain.found_records.is_empty() => {
            "No TXT record with this name yet.".to_owned()
        }
        Some("missing") => {
            let found = domain.found_records.join(", ");
            format!("The TXT record has another value: {found}.")
        }
        _ => {
            let why = domain.problem.as_deref().unwrap_or_default();
            format!("The record can't be read: {why}. Try again.")
        }
    }
}

async fn add(form: Submission) -> Result<HttpResponse, Fault> {
    let body = DomainBody {
        organization_id: None,
        domain: form.sent.text("domain").to_owned(),
    };
    let outcome = form.context.ask(&sso::ADD_DOMAIN, body).await;
    form.finish_change::<Sso>(outcome).await
}

async fn check(form: Submission) -> Result<HttpResponse, Fault> {
    let outcome = form.context.ask(&sso::CHECK_DOMAIN, id(&form)).await;
    let outcome = outcome.map(|_| Reply::Redirect(Sso::PATH.to_owned()));
    form.finish::<Sso>(outcome).await
}

async fn remove(form: Submission) -> Result<HttpResponse, Fault> {
    let outcome = form.context.ask(&sso::REMOVE_DOMAIN, id(&form)).await;
    form.finish_change::<Sso>(outcome).await
}

fn id(form: &Submission) -> DomainIdBody {
    let id = form.sent.text("id").to_owned();
    DomainIdBody { id }
}

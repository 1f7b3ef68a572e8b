//! Adding a website.

use actix_web::HttpResponse;
use maud::{Markup, html};

use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
        },
        procedures::websites::{self, CreateBody},
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{Field, Form},
        problem::Problems,
    },
};

const TITLE: &str = "Add a website";

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/sites/new", |route| route.to(show)),
        sent("/console/sites/new", |route| route.to(add)),
    ]
}

async fn show(context: PageContext) -> HttpResponse {
    context.show(Place::NewWebsite, TITLE, &draw("", "", &Problems::NONE))
}

fn draw(domain: &str, name: &str, problems: &Problems) -> Markup {
    let form = Form {
        action: "/console/sites/new",
        send: TITLE,
        problems,
        fields: &["domain", "name"],
    };
    let site = Field::text("domain", "Domain").value(domain);
    let site =
        site.hint("Such as www.example.com. Pages of this domain may send events, and no others.");
    let called = Field::text("name", "Name").value(name).optional();
    let called = called.hint("What it is called here; by default its domain.");
    html! {
        div.title-row { h1 { (TITLE) } }
        section.panel { (form.around(&html! { (site.draw(problems)) (called.draw(problems)) })) }
    }
}

async fn add(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let (domain, name) = (sent.text("domain"), sent.text("name"));
    let called = if name.is_empty() { bare(domain) } else { name };
    let body = CreateBody {
        name: called.to_owned(),
        domain: domain.to_owned(),
        ..CreateBody::default()
    };
    match context.ask(&websites::CREATE, body).await {
        Ok(website) => Ok(answer::see(&format!("/console/site/{}/setup", website.id))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let main = draw(domain, name, &problems);
            Ok(context.again(refused, Place::NewWebsite, TITLE, &main))
        }
    }
}

/// An address without what is not part of its domain.
fn bare(domain: &str) -> &str {
    let rest = domain.split_once("://").map_or(domain, |(_, rest)| rest);
    rest.split(['/', ':', '?', '#']).next().unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn a_website_is_called_like_its_domain() {
        assert_eq!(bare("https://www.example.com:8080/a?b"), "www.example.com");
        assert_eq!(bare("example.com"), "example.com");
        assert_eq!(bare(""), "");
    }
}

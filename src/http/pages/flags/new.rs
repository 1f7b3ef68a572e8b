//! Making a flag.

use actix_web::HttpResponse;
use maud::{Markup, html};
use serde_json::json;

use super::{fields, path};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
        },
        procedures::flags::{self, ScopeBody},
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{Field, Form, choice},
        problem::Problems,
    },
};

const TITLE: &str = "Make a flag";

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/flags/new", |route| route.to(show)),
        sent("/console/flags/new", |route| route.to(make)),
    ]
}

async fn show(context: PageContext) -> HttpResponse {
    let main = draw(&context, &FormData::default(), &Problems::NONE);
    context.show(Place::Flags, TITLE, &main)
}

fn draw(context: &PageContext, sent: &FormData, problems: &Problems) -> Markup {
    let form = Form {
        action: "/console/flags/new",
        send: "Make it",
        problems,
        fields: &fields::NAMES,
    };
    let websites = context.websites();
    let mut among: Vec<(&str, &str)> = websites
        .iter()
        .map(|one| (one.id.as_str(), one.name.as_str()))
        .collect();
    among.push(("", "The organization, and no website"));
    let chosen = sent
        .some("websiteId")
        .or_else(|| Some(websites.first()?.id.as_str()));
    let key =
        Field::text("key", "Key").hint("What programs ask for, such as new-checkout. It stays.");
    html! {
        div.title-row { h1 { (TITLE) } }
        section.panel { (form.around(&html! {
            (key.value(sent.raw("key")).draw(problems))
            (choice("websiteId", "For", &among, chosen.unwrap_or_default()))
            (fields::draw(sent, problems))
        })) }
    }
}

async fn make(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let made = async {
        let mut said = fields::body(&sent)?;
        said.insert("key".to_owned(), json!(sent.text("key")));
        let website_id = sent.some("websiteId").map(str::to_owned);
        let own = context.session.active_organization.as_ref();
        let organization = own.filter(|_| website_id.is_none());
        let scope = ScopeBody {
            organization_id: organization.map(ToString::to_string),
            website_id,
        };
        let input = flags::CreateBody { scope, said };
        context.ask(&flags::CREATE, input).await
    }
    .await;
    match made {
        Ok(flag) => Ok(answer::see(&path(&flag.id))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            Ok(context.again(
                refused,
                Place::Flags,
                TITLE,
                &draw(&context, &sent, &problems),
            ))
        }
    }
}

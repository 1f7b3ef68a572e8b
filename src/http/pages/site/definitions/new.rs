//! Making a goal or a funnel.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};

use super::{fields, kind::Kind};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
            site::website,
        },
        procedures::{definitions::Create, funnels, goals},
        routes::Route,
    },
    pages::{part::Form, problem::Problems},
};

pub(super) fn routes() -> Vec<Route> {
    let (goal, funnel) = (
        "/console/site/{id}/goals/new",
        "/console/site/{id}/funnels/new",
    );
    vec![
        page(goal, |route| route.to(show)),
        sent(goal, |route| route.to(make)),
        page(funnel, |route| route.to(show)),
        sent(funnel, |route| route.to(make)),
    ]
}

fn title(kind: Kind) -> String {
    format!("Make a {}", kind.one())
}

fn draw(kind: Kind, site: &str, sent: &FormData, problems: &Problems) -> Markup {
    let action = format!("{}/new", kind.path(site));
    let form = Form {
        action: &action,
        send: "Make it",
        problems,
        fields: &fields::NAMES,
    };
    html! {
        div.title-row { h1 { (title(kind)) } }
        p.lead { (kind.says()) }
        section.panel { (form.around(&fields::draw(kind, sent, true, problems))) }
    }
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = website(&context, &id).await?;
    let kind = Kind::from_route(&context);
    let main = draw(kind, &website.id, &FormData::default(), &Problems::NONE);
    Ok(context.show_site(kind.place(), &website.id, &title(kind), &main))
}

async fn make(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let website = website(&context, &id).await?;
    let kind = Kind::from_route(&context);
    let made: Result<String, Fault> = async {
        let website_id = website.id.clone();
        let fields = fields::body(kind, &sent, true)?;
        match kind {
            Kind::Goal => {
                let body = Create {
                    website_id,
                    fields: fields.into(),
                };
                Ok(context.ask(&goals::CREATE, body).await?.id)
            }
            Kind::Funnel => {
                let body = Create {
                    website_id,
                    fields: fields.into(),
                };
                Ok(context.ask(&funnels::CREATE, body).await?.listed.id)
            }
        }
    }
    .await;
    match made {
        Ok(made) => Ok(answer::see(&kind.path_of(&website.id, &made))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let main = draw(kind, &website.id, &sent, &problems);
            Ok(context.again_site(refused, kind.place(), &website.id, &title(kind), &main))
        }
    }
}

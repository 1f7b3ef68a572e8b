//! Making a link.

use actix_web::HttpResponse;
use maud::{Markup, html};
use serde_json::json;

use super::{fields, folders, inputs, path};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
        },
        procedures::{link_folders::CountedOut, links},
        routes::Route,
    },
    pages::{frame::Place, part::Form, problem::Problems},
};

const TITLE: &str = "Make a link";
/// Characters of a name.
const MAX_NAME: usize = 255;

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/links/new", |route| route.to(show)),
        sent("/console/links/new", |route| route.to(make)),
    ]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let folders = folders(&context).await?;
    // A link that is made from a folder's list is in that folder.
    let sent = FormData::with([("folderId", context.parameter("folder"))]);
    Ok(context.show(Place::Links, TITLE, &draw(&sent, &folders, &Problems::NONE)))
}

fn draw(sent: &FormData, folders: &[CountedOut], problems: &Problems) -> Markup {
    let form = Form {
        action: "/console/links/new",
        send: "Make it",
        problems,
        fields: &fields::NAMES,
    };
    html! {
        div.title-row { h1 { (TITLE) } }
        section.panel { (form.around(&inputs::draw(sent, folders, problems))) }
    }
}

async fn make(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let date_format = context.date_format().await?;
    let made = async {
        let mut body = fields::body(&sent, &date_format)?;
        // Without a name it is called like its slug, and without that like where it leads.
        if body["name"].is_null() {
            let other = sent.some("slug").or_else(|| sent.some("targetUrl"));
            let name: String = other.unwrap_or_default().chars().take(MAX_NAME).collect();
            body.insert("name".to_owned(), json!(name));
        }
        context.submit(&links::CREATE, body).await
    }
    .await;
    match made {
        Ok(link) => Ok(answer::see(&path(&link.id))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let main = draw(&sent, &folders(&context).await?, &problems);
            Ok(context.again(refused, Place::Links, TITLE, &main))
        }
    }
}

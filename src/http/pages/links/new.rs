//! Making a link.

use actix_web::HttpResponse;
use serde_json::json;

use super::{fields, folder_choices, path};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            context::PageContext,
            form::{Choices, FormData, Inputs, Section},
            resource::{Creation, Draft, creation},
        },
        procedures::links,
        routes::Route,
    },
    pages::frame::Place,
};

/// Characters of a name.
const MAX_NAME: usize = 255;

pub(super) fn routes() -> [Route; 2] {
    creation::<NewLink>("/console/links/new")
}

struct NewLink;

impl Creation for NewLink {
    type Key = ();
    const PLACE: Place = Place::Links;
    const TITLE: &'static str = "Make a link";
    const FORM: &'static [Section] = fields::FORM;

    /// A link that is made from a folder's list is in that folder.
    fn blank(context: &PageContext, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&json!({ "folderId": context.parameter("folder") }))
    }

    async fn choices(context: &PageContext, (): &()) -> Result<Choices, Fault> {
        folder_choices(context).await
    }

    async fn create(draft: &Draft<'_, Self>) -> Result<HttpResponse, Fault> {
        let sent = draft.sent;
        let mut body = fields::read(&draft.inputs, sent)?;
        // Without a name it is called like its slug, and without that like where it leads.
        if body["name"].is_null() {
            let other = sent.some("slug").or_else(|| sent.some("targetUrl"));
            let name: String = other.unwrap_or_default().chars().take(MAX_NAME).collect();
            body.insert("name".to_owned(), json!(name));
        }
        let link = draft.context.submit(&links::CREATE, body).await?;
        Ok(answer::see(&path(&link.id)))
    }
}

//! Making a flag.

use actix_web::HttpResponse;
use serde_json::json;

use super::{fields, path};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            context::PageContext,
            form::{Choices, FormData, Inputs, Section},
            resource::{Creation, Draft, creation},
        },
        procedures::flags,
        routes::Route,
    },
    pages::frame::{Choice, Place},
};

pub(super) fn routes() -> Vec<Route> {
    creation::<NewFlag>("/console/flags/new").into()
}

struct NewFlag;

impl Creation for NewFlag {
    type Key = ();
    const PLACE: Place = Place::Flags;
    const TITLE: &'static str = "Make a flag";
    const FORM: &'static [Section] = fields::NEW;

    fn blank(context: &PageContext, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        let first = context.websites().into_iter().next();
        inputs.fill(&json!({ "websiteId": first.map(|one| one.id) }))
    }

    async fn choices(context: &PageContext, (): &()) -> Result<Choices, Fault> {
        let mut among = context.websites();
        among.push(Choice {
            id: String::new(),
            name: "The organization, and no website".to_owned(),
        });
        Ok(Choices::default().with("websiteId", among))
    }

    async fn create(draft: &Draft<'_, Self>) -> Result<HttpResponse, Fault> {
        let mut body = draft.inputs.read(draft.sent)?;
        if body["websiteId"].is_null() {
            let own = &draft.context.session.active_organization;
            body.insert("organizationId".to_owned(), json!(own));
        }
        let flag = draft.context.submit(&flags::CREATE, body).await?;
        Ok(answer::see(&path(&flag.id)))
    }
}

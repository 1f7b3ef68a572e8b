//! Making a status page.

use actix_web::HttpResponse;

use super::{fields, path};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            form::Section,
            resource::{Creation, Draft, creation},
        },
        procedures::status_page::pages,
        routes::Route,
    },
    pages::frame::Place,
};

pub(super) fn routes() -> [Route; 2] {
    creation::<NewPage>("/console/status-pages/new")
}

struct NewPage;

impl Creation for NewPage {
    type Key = ();
    const PLACE: Place = Place::StatusPages;
    const TITLE: &'static str = "Make a status page";
    const FORM: &'static [Section] = fields::FORM;

    async fn create(draft: &Draft<'_, Self>) -> Result<HttpResponse, Fault> {
        let body = draft.inputs.read(draft.sent)?;
        let made = draft.context.submit(&pages::CREATE, body).await?;
        Ok(answer::see(&path(&made.id)))
    }
}

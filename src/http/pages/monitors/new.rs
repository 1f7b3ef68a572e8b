//! Making a monitor.

use actix_web::HttpResponse;

use super::{fields, path};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            context::PageContext,
            form::{Choices, Inputs, Section},
            resource::{Creation, Draft, creation},
        },
        procedures::uptime,
        routes::Route,
    },
    pages::frame::Place,
};

pub(super) fn routes() -> [Route; 2] {
    creation::<NewMonitor>("/console/monitors/new")
}

struct NewMonitor;

impl Creation for NewMonitor {
    type Key = ();
    const PLACE: Place = Place::Monitors;
    const TITLE: &'static str = "Watch something";
    const SEND: &'static str = "Watch it";
    const FORM: &'static [Section] = fields::NEW;

    async fn choices(context: &PageContext, (): &()) -> Result<Choices, Fault> {
        Ok(Choices::default().with("websiteId", context.websites()))
    }

    async fn create(draft: &Draft<'_, Self>) -> Result<HttpResponse, Fault> {
        let inputs = Inputs {
            kind: draft.sent.some("kind").unwrap_or("http"),
            ..draft.inputs
        };
        let body = fields::read(&inputs, draft.sent)?;
        let made = draft.context.submit(&uptime::CREATE_SCHEDULE, body).await?;
        Ok(answer::see(&path(&made.schedule_id)))
    }
}

//! A website's dashboard: the numbers of some days, how they went, and what is in them. Everything on it is one call of the query
//! function, with the lists that the panels show.

mod ask;
mod draw;
mod labels;
mod lists;
mod notes;
mod places;
mod trend;

use actix_web::{HttpResponse, web};
use serde_json::json;

pub(super) use self::{
    ask::{SERIES, bodies, kind},
    draw::Seen,
    lists::NAMES,
};
use super::{
    days::{PeriodQuery, chosen},
    site_name, website,
};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            page,
        },
        routes::Route,
    },
    pages::frame::Place,
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = vec![page("/console/site/{id}", |route| route.to(show))];
    routes.extend(notes::routes());
    routes
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = website(&context, &id).await?;
    let date_format = context.date_format().await?;
    let path = format!("/console/site/{}", website.id);
    if let Some(address) = chosen(context.request.query_string(), &path, &NAMES) {
        return Ok(answer::see(&address));
    }
    let now_ms = context.shared().clock.now_ms();
    let asked = PeriodQuery::read(context.request.query_string(), &NAMES, date_format, now_ms);
    let bodies = bodies(&asked, false);
    let (answers, problems) = match context.query(&website.id, json!(bodies)).await {
        Ok(answers) => (Some(answers), asked.problems.clone()),
        Err(fault) => (None, told(fault).map(|(_, problems)| problems)?),
    };
    let notes = notes::found(&context, &website.id, &asked).await?;
    let seen = draw::Seen {
        id: &website.id,
        name: site_name(&website),
        domain: &website.domain,
        path: &path,
        asked: &asked,
        answers: answers.as_ref(),
        problems: &problems,
        notes: &notes,
        may_write: context.may(notes::WRITING),
        public: false,
        base: &context.shared().urls.base,
    };
    Ok(context.show_site(Place::Dashboard, &website.id, seen.name, &seen.draw()))
}

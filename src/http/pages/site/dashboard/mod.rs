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
    days::{Asked, chosen},
    website,
};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer, page,
            visit::{Visit, told},
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

async fn show(visit: Visit, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = website(&visit, &id).await?;
    let date_format = visit.date_format().await?;
    let path = format!("/console/site/{}", website.id);
    if let Some(address) = chosen(visit.request.query_string(), &path, &NAMES) {
        return Ok(answer::see(&address));
    }
    let now_ms = visit.shared().clock.now_ms();
    let asked = Asked::read(visit.request.query_string(), &NAMES, date_format, now_ms);
    let bodies = bodies(&asked, false);
    let (answers, problems) = match visit.query(&website.id, json!(bodies)).await {
        Ok(answers) => (Some(answers), asked.problems.clone()),
        Err(fault) => (None, told(fault).map(|(_, problems)| problems)?),
    };
    let notes = notes::found(&visit, &website.id, &asked).await?;
    let seen = draw::Seen {
        id: &website.id,
        name: &website.name,
        domain: &website.domain,
        path: &path,
        asked: &asked,
        answers: answers.as_ref(),
        problems: &problems,
        notes: &notes,
        may_write: visit.may(notes::WRITING),
        public: false,
        base: &visit.shared().urls.base,
    };
    Ok(visit.show_site(Place::Dashboard, &website.id, &website.name, &seen.draw()))
}

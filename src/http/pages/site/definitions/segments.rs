//! Filters under a name: saved from the filters of an address, and put into addresses again.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::filters;
use crate::{
    access::Permission,
    actors::definitions::SegmentFields,
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
            site::website,
        },
        procedures::{
            bodies::{IdBody, WebsiteIdBody},
            definitions::{Create, Update},
            segments::{self, SegmentOut},
        },
        routes::Route,
    },
    pages::{
        frame::{Place, site_path},
        part::{Field, Form, Heading, confirm, empty, panel, things},
        problem::Problems,
        view::View,
    },
};

const TITLE: &str = "Segments";
const NAMES: [&str; 3] = ["name", "description", "filters"];

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/site/{id}/segments", |route| route.to(show)),
        sent("/console/site/{id}/segments", |route| route.to(make)),
        page("/console/site/{id}/segment/{segment}", |route| {
            route.to(edit)
        }),
        sent("/console/site/{id}/segment/{segment}", |route| {
            route.to(change)
        }),
        sent("/console/site/{id}/segment/{segment}/delete", |route| {
            route.to(delete)
        }),
    ]
}

fn path(site: &str) -> String {
    format!("{}/segments", site_path(site))
}

fn path_of(ids: &(String, String)) -> String {
    format!("{}/segment/{}", site_path(&ids.0), ids.1)
}

/// A segment as its form shows it.
fn form(segment: &SegmentOut) -> FormData {
    let SegmentFields {
        name,
        description,
        filters,
    } = &segment.fields;
    form_of(&json!(filters))
        .and("name", name)
        .and("description", description.as_deref().unwrap_or_default())
}

/// A form with nothing but filters in it.
fn form_of(filters: &Value) -> FormData {
    let mut fields = Vec::new();
    filters::form(filters::WHOLE, filters, &mut fields);
    FormData::from(fields)
}

fn body(sent: &FormData) -> Map<String, Value> {
    let said = [
        ("name", json!(sent.text("name"))),
        ("description", json!(sent.some("description"))),
        ("filters", json!(filters::body(filters::WHOLE, sent))),
    ];
    said.into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn fields(sent: &FormData, problems: &Problems) -> Markup {
    html! {
        (Field::text("name", "Name").value(sent.raw("name")).draw(problems))
        (filters::draw(sent, "Filters", problems))
        (Field::text("description", "Description").value(sent.raw("description")).optional().draw(problems))
    }
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let view = View::read(context.request.query_string(), &[]);
    let sent = form_of(&filters::from_view(&view));
    let (site, main) = draw(&context, &id, &sent, &Problems::NONE).await?;
    Ok(context.show_site(Place::Segments, &site, TITLE, &main))
}

async fn draw(
    context: &PageContext,
    id: &str,
    sent: &FormData,
    problems: &Problems,
) -> Result<(String, Markup), Fault> {
    let website = website(context, id).await?;
    let body = WebsiteIdBody {
        website_id: website.id.clone(),
    };
    let all = context.ask(&segments::LIST, body).await?;
    let action = path(&website.id);
    let around = Form {
        action: &action,
        send: "Save it",
        problems,
        fields: &NAMES,
    };
    let main = html! {
        div.title-row { h1 { (TITLE) } span.dim { "Filters under a name" } }
        section.panel {
            @if all.is_empty() { (empty("Nothing is saved yet", &html! { p { "Filters that are needed again and again are saved under a name, here or with the filters of the dashboard." } })) }
            @else { (draw_table(&website.id, &all)) }
        }
        @if context.may(Permission::WebsiteConfigure) { (panel("Save filters", &around.around(&fields(sent, problems)))) }
    };
    Ok((website.id, main))
}

fn draw_table(site: &str, all: &[SegmentOut]) -> Markup {
    let headings = [
        Heading::Text("Segment"),
        Heading::Text("Filters"),
        Heading::Hidden("Use"),
    ];
    let rows = html! {
        @for one in all { tr {
            td { a.name href=(path_of(&(site.to_owned(), one.id.clone()))) { (one.fields.name) } span.dim { (one.fields.description.as_deref().unwrap_or_default()) } }
            td.wide data-label="Filters" { (filters::describe(&one.fields.filters)) }
            td { a.button.small href=(filters::to_view(&one.fields.filters).address(&site_path(site))) { "Show on the dashboard" } }
        } }
    };
    things("Segments, newest first", &headings, &rows)
}

async fn make(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let body = Create {
        website_id: id.to_string(),
        fields: body(&sent).into(),
    };
    match context.ask(&segments::CREATE, body).await {
        Ok(_) => Ok(answer::see(&path(&id))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let (site, main) = draw(&context, &id, &sent, &problems).await?;
            Ok(context.again_site(refused, Place::Segments, &site, TITLE, &main))
        }
    }
}

/// A website's id and a segment's.
type Ids = web::Path<(String, String)>;

/// The segment, if it is the website's.
async fn load(context: &PageContext, ids: &(String, String)) -> Result<SegmentOut, Fault> {
    let website = website(context, &ids.0).await?;
    let body = IdBody { id: ids.1.clone() };
    let segment = context.ask(&segments::GET_BY_ID, body).await?;
    if segment.website_id == website.id {
        Ok(segment)
    } else {
        Err(Fault::not_found("segment", ids.1.as_str()))
    }
}

fn draw_segment(
    context: &PageContext,
    ids: &(String, String),
    segment: &SegmentOut,
    sent: &FormData,
    problems: &Problems,
) -> (String, Markup) {
    let SegmentFields { name, filters, .. } = &segment.fields;
    let own = path_of(ids);
    let around = Form {
        action: &own,
        send: "Save",
        problems,
        fields: &NAMES,
    };
    let may = context.may(Permission::WebsiteConfigure);
    let main = html! {
        div.title-row {
            h1 { (name) }
            div.actions { a.button href=(filters::to_view(filters).address(&site_path(&ids.0))) { "Show on the dashboard" } }
        }
        p.lead { (filters::describe(filters)) }
        @if may {
            (panel("Settings", &around.around(&fields(sent, problems))))
            (panel("Delete", &confirm("Delete this segment…", "Addresses that have its filters stay as they are.", &format!("{own}/delete"), "Delete it", &html! {})))
        }
    };
    (name.clone(), main)
}

async fn edit(context: PageContext, ids: Ids) -> Result<HttpResponse, Fault> {
    let segment = load(&context, &ids).await?;
    let (title, main) = draw_segment(&context, &ids, &segment, &form(&segment), &Problems::NONE);
    Ok(context.show_site(Place::Segments, &ids.0, &title, &main))
}

async fn change(context: PageContext, ids: Ids, sent: FormData) -> Result<HttpResponse, Fault> {
    let segment = load(&context, &ids).await?;
    let body = Update {
        id: ids.1.clone(),
        fields: body(&sent).into(),
    };
    match context.ask(&segments::UPDATE, body).await {
        Ok(_) => Ok(answer::see(&path(&ids.0))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let (title, main) = draw_segment(&context, &ids, &segment, &sent, &problems);
            Ok(context.again_site(refused, Place::Segments, &ids.0, &title, &main))
        }
    }
}

async fn delete(context: PageContext, ids: Ids) -> Result<HttpResponse, Fault> {
    load(&context, &ids).await?;
    let body = IdBody { id: ids.1.clone() };
    context.ask(&segments::DELETE, body).await?;
    Ok(answer::see(&path(&ids.0)))
}

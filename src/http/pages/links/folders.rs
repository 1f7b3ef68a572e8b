//! Folders of links.

use actix_web::HttpResponse;
use maud::{Markup, html};

use super::load_folders;
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
        },
        procedures::{
            bodies::IdBody,
            link_folders::{self, CountedOut, FolderOut},
        },
        routes::Route,
    },
    pages::{
        frame::Place,
        number,
        part::{Field, Form, confirm, empty, hidden, more, panel},
        problem::Problems,
    },
};

const PATH: &str = "/console/links/folders";

pub(super) fn routes() -> Vec<Route> {
    vec![
        page(PATH, |route| route.to(show)),
        sent(PATH, |route| route.to(make)),
        sent("/console/links/folders/rename", |route| route.to(rename)),
        sent("/console/links/folders/delete", |route| route.to(delete)),
    ]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let main = draw(
        &context,
        &load_folders(&context).await?,
        "",
        &Problems::NONE,
    );
    Ok(context.show(Place::Links, "Folders", &main))
}

fn draw(context: &PageContext, folders: &[CountedOut], name: &str, problems: &Problems) -> Markup {
    let form = Form {
        action: PATH,
        send: "Make it",
        problems,
        fields: &["name"],
    };
    let field = Field::text("name", "Name").value(name);
    let may_write = context.may(Permission::LinkWrite);
    html! {
        div.title-row { h1 { "Folders" } div.actions { a.button href="/console/links" { "All links" } } }
        section.panel {
            @if folders.is_empty() { (empty("There is no folder yet", &html! { "Folders keep links of one kind together." })) }
            @for folder in folders { (one(folder, may_write)) }
        }
        @if may_write || !problems.is_empty() { (panel("Make a folder", &form.around(&field.draw(problems)))) }
    }
}

fn one(CountedOut { folder, link_count }: &CountedOut, may_write: bool) -> Markup {
    html! {
        div.entry {
            div.bar {
                strong { a href=(format!("/console/links?folder={}", folder.id)) { (folder.name) } }
                span.dim { (folder.slug) " · " (number::counted(*link_count, "link", "links")) }
            }
            @if may_write {
                (more("Rename or delete", false, &html! {
                    form.inline method="post" action="/console/links/folders/rename" {
                        (hidden("id", &folder.id))
                        input name="name" value=(folder.name) required aria-label=(format!("New name of {}", folder.name));
                        button.button type="submit" { "Rename" }
                    }
                    (confirm(
                        "Delete this folder…", "Its links stay, and are in no folder then.",
                        "/console/links/folders/delete", "Delete it", &hidden("id", &folder.id),
                    ))
                }))
            }
        }
    }
}

async fn make(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let name = sent.text("name");
    let input = link_folders::CreateBody {
        organization_id: None,
        name: name.to_owned(),
        slug: None,
    };
    let made = context.ask(&link_folders::CREATE, input).await;
    done(&context, made, name).await
}

async fn rename(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let input = link_folders::UpdateBody {
        id: sent.text("id").to_owned(),
        name: Some(sent.text("name").to_owned()),
        slug: None,
    };
    let renamed = context.ask(&link_folders::UPDATE, input).await;
    done(&context, renamed, "").await
}

async fn delete(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let id = sent.text("id").to_owned();
    let input = IdBody { id };
    context.ask(&link_folders::DELETE, input).await?;
    Ok(answer::see(PATH))
}

async fn done(
    context: &PageContext,
    outcome: Result<FolderOut, Fault>,
    typed: &str,
) -> Result<HttpResponse, Fault> {
    match outcome {
        Ok(_) => Ok(answer::see(PATH)),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let main = draw(context, &load_folders(context).await?, typed, &problems);
            Ok(context.again(refused, Place::Links, "Folders", &main))
        }
    }
}

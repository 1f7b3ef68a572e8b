//! Folders of links.

use super::load_folders;
use crate::{
    http::{
        pages::prelude::*,
        procedures::{
            bodies::IdBody,
            link_folders::{self, CountedOut},
        },
    },
    pages::{
        number,
        part::{Field, confirm, empty, hidden, more, panel},
    },
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = resource::routes::<Folders>();
    routes.extend([
        form_route(Folders::PATH, |route| route.to(create)),
        form_route("/console/links/folders/rename", |route| route.to(rename)),
        form_route("/console/links/folders/delete", |route| route.to(delete)),
    ]);
    routes
}

/// The folders of the organization.
struct Folders(Vec<CountedOut>);

impl Resource for Folders {
    const PATH: &'static str = "/console/links/folders";
    const NAV_ITEM: NavItem = NavItem::ShortLinks;
    const WRITE: Option<Permission> = Some(Permission::LinkWrite);

    fn changed_path(_: &Key) -> String {
        Self::PATH.to_owned()
    }

    async fn load(context: &PageContext, _: &Key) -> Result<Self, Fault> {
        Ok(Self(load_folders(context).await?))
    }

    fn title(&self) -> &'static str {
        "Folders"
    }

    fn head(&self, _: &Page<'_>) -> Markup {
        html! { div.title-row { h1 { (self.title()) } div.actions { a.button href="/console/links" { "All short links" } } } }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let field = Field::text("name", "Name").value(page.sent.text("name"));
        let form = small_form(page.path, "Create folder", &field.draw(page.problems));
        Ok(html! {
            section.panel {
                @if self.0.is_empty() { (empty("No folders yet", &html! { "Folders group short links." })) }
                @for folder in &self.0 { (draw_folder(folder, page.can_change)) }
            }
            @if page.can_change { (panel("Create folder", &form)) }
        })
    }
}

fn draw_folder(CountedOut { folder, link_count }: &CountedOut, can_write: bool) -> Markup {
    html! {
        div.entry {
            div.bar {
                strong { a href=(format!("/console/links?folder={}", folder.id)) { (folder.name) } }
                span.dim { (folder.slug) " · " (number::with_noun(*link_count, "link", "links")) }
            }
            @if can_write {
                (more("Rename or delete", false, &html! {
                    form.inline method="post" action="/console/links/folders/rename" {
                        (hidden("id", &folder.id))
                        input name="name" value=(folder.name) required aria-label=(format!("New name of {}", folder.name));
                        button.button type="submit" { "Rename folder" }
                    }
                    (confirm(
                        "Delete folder…", "Its links are kept without a folder.",
                        "/console/links/folders/delete", "Delete folder", &hidden("id", &folder.id),
                    ))
                }))
            }
        }
    }
}

async fn create(form: Submission) -> Result<HttpResponse, Fault> {
    let input = link_folders::CreateBody {
        organization_id: None,
        name: form.sent.text("name").to_owned(),
        slug: None,
    };
    let outcome = form.context.ask(&link_folders::CREATE, input).await;
    form.finish_change::<Folders>(outcome).await
}

async fn rename(form: Submission) -> Result<HttpResponse, Fault> {
    let input = link_folders::UpdateBody {
        id: form.sent.text("id").to_owned(),
        name: Some(form.sent.text("name").to_owned()),
        slug: None,
    };
    let outcome = form.context.ask(&link_folders::UPDATE, input).await;
    form.finish_change::<Folders>(outcome).await
}

async fn delete(form: Submission) -> Result<HttpResponse, Fault> {
    let id = form.sent.text("id").to_owned();
    let input = IdBody { id };
    form.context.change(&link_folders::DELETE, input).await?;
    Ok(answer::redirect(Folders::PATH))
}

//! A chat: its messages, a form to say more, buttons to stop an answer, and its name.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};

use super::{has_model, read_message, website_name, words};
use crate::{
    fault::Fault,
    http::{
        agent,
        pages::{
            context::PageContext,
            form::FormData,
            form_route,
            resource::{self, Key, Page, Resource, finish_change},
        },
        procedures::{
            Procedure,
            chats::{self, IdBody, RenameBody, WholeOut},
        },
        routes::Route,
    },
    pages::{
        frame::NavItem,
        part::{Field, button, confirm, more, notice, panel},
    },
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = resource::routes::<WholeOut>();
    routes.extend([
        form_route(WholeOut::PATH, |route| route.to(say)),
        form_route("/console/chat/{chat}/rename", |route| route.to(rename)),
    ]);
    routes
}

impl Resource for WholeOut {
    const PATH: &'static str = "/console/chat/{chat}";
    const LIST: &'static str = "/console/chats";
    const NAV_ITEM: NavItem = NavItem::Chats;
    const OTHERS: &'static [&'static str] = &["message", "title"];
    const ACTIONS: &'static [(&'static str, Procedure)] =
        &[("/console/chat/{chat}/stop", chats::STOP.erase())];
    const DELETE: Option<(&'static str, Procedure)> =
        Some(("/console/chat/{chat}/delete", chats::DELETE.erase()));

    fn changed_path(key: &Key) -> String {
        key.fill(Self::PATH)
    }

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let id = key.id().to_owned();
        let found = context.ask(&chats::GET, IdBody { id }).await?;
        found.ok_or_else(|| Fault::not_found("chat", key.id()))
    }

    fn title(&self) -> &str {
        &self.chat.title
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        html! {
            div.title-row {
                h1 { (self.chat.title) }
                @if let Some(name) = website_name(page.context, &self.chat) { span.dim { "about " (name) } }
                div.actions {
                    @if self.active_stream_id.is_some() { a.button href=(page.path) { "Look again" } (button(&page.below("stop"), "Stop")) }
                    a.button href=(Self::LIST) { "All chats" }
                }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let writes = self.active_stream_id.is_some();
        let (sent, problems) = (page.sent, page.problems);
        let message = Field::text("message", "Message").value(sent.text("message"));
        let title = sent.some("title").unwrap_or(&self.chat.title);
        let title = Field::text("title", "Name").value(title).draw(problems);
        Ok(html! {
            section.panel aria-label="What was said" {
                @if self.messages.is_empty() { p.dim { "Nothing was said yet." } }
                ol #talk.talk data-talk=[writes.then_some(&self.chat.id)] { (words::draw(&self.messages, (!writes).then_some(page.path))) }
                @if writes { p.dim role="status" { "The answer is being written." } }
            }
            @if !has_model(page.context) { (notice("warn", &html! { "There is no model any more that could answer." })) }
            @else if !writes { (panel("Say more", &page.form(page.path, "Send", &message.lines(3, problems)))) }
            (more("This chat", !problems.beside("title").is_empty(), &html! {
                (page.form(&page.below("rename"), "Rename", &title))
                (confirm("Delete this chat…", "All that was said in it is gone.", &page.below("delete"), "Delete it", &html! {}))
            }))
        })
    }
}

async fn say(
    context: PageContext,
    key: web::Path<Key>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    // What is wrong with the form is said of a chat that is there.
    WholeOut::load(&context, &key).await?;
    let outcome = async {
        let message = read_message(&sent)?.within(key.id());
        agent::say(&context.call, message).await
    };
    let outcome = outcome.await;
    finish_change::<WholeOut>(&context, &key, Some(&sent), outcome).await
}

async fn rename(
    context: PageContext,
    key: web::Path<Key>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    WholeOut::load(&context, &key).await?;
    let input = RenameBody {
        id: key.id().to_owned(),
        title: sent.text("title").to_owned(),
    };
    let outcome = context.ask(&chats::RENAME, input).await;
    finish_change::<WholeOut>(&context, &key, Some(&sent), outcome).await
}

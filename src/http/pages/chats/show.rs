//! A chat: its messages, a form to say more, buttons to stop an answer, and its name.

use super::{has_model, read_message, website_name, words};
use crate::{
    http::{
        agent,
        pages::prelude::*,
        procedures::{
            bodies::IdBody,
            chats::{self, RenameBody, WholeOut},
        },
    },
    pages::part::{Field, button, confirm, more, notice, panel},
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
    const NAV_ITEM: NavItem = NavItem::Assistant;
    const ACTIONS: &'static [Action] = &[("/console/chat/{chat}/stop", chats::STOP.erase())];
    const DELETE: Option<Action> = Some(("/console/chat/{chat}/delete", chats::DELETE.erase()));

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
                @if let Some(name) = website_name(page.context, &self.chat) { span.dim { (name) } }
                div.actions {
                    @if self.active_stream_id.is_some() { a.button href=(page.path) { "Refresh" } (button(&page.below("stop"), "Stop answer")) }
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
            section.panel aria-label="Messages" {
                @if self.messages.is_empty() { p.dim { "No messages yet." } }
                ol #talk.talk data-talk=[writes.then_some(&self.chat.id)] { (words::draw(&self.messages, (!writes).then_some(page.path))) }
                @if writes { p.dim role="status" { "Writing the answer…" } }
            }
            @if !has_model(page.context) { (notice("warn", &html! { "No model is configured, so this chat can't continue." })) }
            @else if !writes { (panel("New message", &small_form(page.path, "Send message", &message.lines(3, problems)))) }
            (more("Chat settings", problems.is_wrong("title"), &html! {
                (small_form(&page.below("rename"), "Rename chat", &title))
                (confirm("Delete chat…", "All of its messages are deleted.", &page.below("delete"), "Delete chat", &html! {}))
            }))
        })
    }
}

async fn say(form: Submission) -> Result<HttpResponse, Fault> {
    // A chat that is not there comes before problems of the form.
    WholeOut::load(&form.context, &form.key).await?;
    let outcome = async {
        let message = read_message(&form.sent)?.within(form.key.id());
        agent::say(&form.context.call, message).await
    };
    let outcome = outcome.await;
    form.finish_change::<WholeOut>(outcome).await
}

async fn rename(form: Submission) -> Result<HttpResponse, Fault> {
    WholeOut::load(&form.context, &form.key).await?;
    let input = RenameBody {
        id: form.key.id().to_owned(),
        title: form.sent.text("title").to_owned(),
    };
    let outcome = form.context.ask(&chats::RENAME, input).await;
    form.finish_change::<WholeOut>(outcome).await
}

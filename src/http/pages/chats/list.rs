//! The person's chats, with the form of a new one.

use super::{has_model, read_message, website_name};
use crate::{
    http::{
        agent,
        pages::{form::Kind, prelude::*},
        procedures::{
            bodies::OrganizationBody,
            chats::{self, ChatOut, CreateBody, WholeOut},
        },
    },
    pages::{
        part::{copyable, empty, notice, panel, time},
        time::moment,
    },
};

/// Characters of the first title of a chat.
const MAX_TITLE: usize = 60;
/// An example of the settings that chats need.
const SETTINGS: &str =
    "[agent]\nbase_url = \"http://127.0.0.1:11434/v1\"\nmodel = \"llama3.3\"\napi_key = \"\"";

/// The person's chats, with the form of a new one.
pub(super) struct NewChat;

impl Creation for NewChat {
    type Resource = WholeOut;
    const PATH: &'static str = WholeOut::LIST;
    const TITLE: &'static str = "Assistant";
    const SEND: &'static str = "Ask question";
    const FORM: &'static [Section] = &[Section::plain(&[
        Input::new(Kind::Area(3), "message", "Question")
            .hint("Example: Which pages lost visitors this week?")
            .required(),
        Input::choice("websiteId", "Scope", &[("", "Entire organization")]),
    ])];
    const CREATE: Procedure = chats::CREATE.erase();

    async fn choices(context: &PageContext) -> Result<Choices, Fault> {
        Ok(Choices::default().with("websiteId", context.websites()))
    }

    async fn draw(draft: &Draft<'_>, problems: &Problems) -> Result<Markup, Fault> {
        let context = draft.context;
        let chats = context
            .ask(&chats::LIST, OrganizationBody::default())
            .await?;
        let form = Self::draw_form(draft, problems).await?;
        Ok(html! {
            div.title-row { h1 { (Self::TITLE) } }
            @if has_model(context) { (panel("New chat", &form)) } @else { (draw_missing_model(problems)) }
            @if !chats.is_empty() { (panel("Your chats", &table(context, &chats, draft.inputs.date_format))) }
            @else if has_model(context) {
                section.panel { (empty("No chats yet", &html! { "Your questions and answers appear here. Only you can see them." })) }
            }
        })
    }

    async fn create(draft: &Draft<'_>) -> Result<HttpResponse, Fault> {
        let (context, sent) = (draft.context, draft.sent);
        // Nothing is created without a model, or without a question.
        let message = read_message(sent)?;
        agent::ready(&context.call)?;
        let chat = CreateBody {
            organization_id: None,
            website_id: sent.some("websiteId").map(str::to_owned),
            title: Some(shorten(sent.text("message"))),
        };
        let chat = context.ask(&chats::CREATE, chat).await?;
        agent::say(&context.call, message.within(&chat.id)).await?;
        Ok(answer::redirect(&WholeOut::path(&[&chat.id])))
    }
}

/// The notice that no model is configured.
fn draw_missing_model(problems: &Problems) -> Markup {
    html! {
        @for message in problems.above(&[]) { (notice("bad", &html! { (message) })) }
        section.panel {
            (empty("No model configured", &html! {
                p { "The assistant answers questions about your data with your own model. Any server with an OpenAI-compatible chat API works. Questions and results are sent to that server." }
                p { "Add the model to the settings and restart pharos:" }
            }))
            (copyable("Model settings", SETTINGS))
        }
    }
}

fn table(context: &PageContext, chats: &[ChatOut], date_format: &DateFormat) -> Markup {
    html! {
        table.table.sites {
            caption.hide { "Chats, newest first" }
            thead { tr { th scope="col" { "Chat" } th scope="col" { "Scope" } th scope="col" { "Last message" } } }
            tbody { @for chat in chats { tr {
                td { a.name href=(WholeOut::path(&[&chat.id])) { (chat.title) } }
                td data-label="Scope" { (website_name(context, chat).as_deref().unwrap_or("Entire organization")) }
                td data-label="Last message" { @if let Some(at) = moment(&chat.updated_at) { (time(at, &date_format.moment(at), date_format)) } }
            } } }
        }
    }
}

/// The first title of a chat: the beginning of its question.
fn shorten(question: &str) -> String {
    let words = question.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= MAX_TITLE {
        return words;
    }
    words.chars().take(MAX_TITLE - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_first_question_is_shortened_for_the_title() {
        assert_eq!(shorten("  how\n many? "), "how many?");
        assert_eq!(shorten(&"ä".repeat(MAX_TITLE)), "ä".repeat(MAX_TITLE));
        let long = shorten(&"ä".repeat(MAX_TITLE + 1));
        assert_eq!(long.chars().count(), MAX_TITLE);
        assert!(long.ends_with('…'), "{long}");
    }
}

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
    const TITLE: &'static str = "Chats";
    const SEND: &'static str = "Ask";
    const FORM: &'static [Section] = &[Section::plain(&[
        Input::new(Kind::Area(3), "message", "What do you want to know?")
            .hint(
                "For instance: which pages lost visitors this week, and where did they come from?",
            )
            .required(),
        Input::choice("websiteId", "About", &[("", "Everything")]),
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
            @if has_model(context) { (panel("Ask something", &form)) } @else { (draw_missing_model(problems)) }
            @if !chats.is_empty() { (panel("Your chats", &table(context, &chats, draft.inputs.date_format))) }
            @else if has_model(context) {
                section.panel { (empty("You have asked nothing yet", &html! { "What you ask, and what is answered, stands here. Nobody else sees it." })) }
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
            (empty("There is no model that could answer", &html! {
                p { "Chats answer questions about your data with a model of your own: any server that speaks OpenAI's chat completions. What is asked, and what is found, goes to that server." }
                p { "The operator of this installation puts it into the settings, and starts the program again:" }
            }))
            (copyable("Settings of the model", SETTINGS))
        }
    }
}

fn table(context: &PageContext, chats: &[ChatOut], date_format: &DateFormat) -> Markup {
    html! {
        table.table.sites {
            caption.hide { "Chats, the last one first" }
            thead { tr { th scope="col" { "Chat" } th scope="col" { "About" } th scope="col" { "Last" } } }
            tbody { @for chat in chats { tr {
                td { a.name href=(WholeOut::path(&[&chat.id])) { (chat.title) } }
                td data-label="About" { (website_name(context, chat).as_deref().unwrap_or("everything")) }
                td data-label="Last" { @if let Some(at) = moment(&chat.updated_at) { (time(at, &date_format.moment(at), date_format)) } }
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
    fn a_chat_is_called_as_it_begins_and_it_is_seen_that_it_goes_on() {
        assert_eq!(shorten("  how\n many? "), "how many?");
        assert_eq!(shorten(&"ä".repeat(MAX_TITLE)), "ä".repeat(MAX_TITLE));
        let long = shorten(&"ä".repeat(MAX_TITLE + 1));
        assert_eq!(long.chars().count(), MAX_TITLE);
        assert!(long.ends_with('…'), "{long}");
    }
}

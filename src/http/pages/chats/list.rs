//! One's own chats, and beginning another one.

use actix_web::HttpResponse;
use maud::{Markup, html};

use super::{has_model, path, said, website_name};
use crate::{
    fault::Fault,
    http::{
        agent,
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
        },
        procedures::{
            bodies::OrganizationBody,
            chats::{self, ChatOut, CreateBody},
        },
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{Field, Form, choice, copied, empty, notice, panel, time},
        problem::Problems,
        time::{DateFormat, moment},
    },
};

/// Characters of what is asked that a chat is called by.
const CALLED: usize = 60;
/// What makes chats possible.
const SETTINGS: &str =
    "[agent]\nbase_url = \"http://127.0.0.1:11434/v1\"\nmodel = \"llama3.3\"\napi_key = \"\"";

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/chats", |route| route.to(show)),
        sent("/console/chats", |route| route.to(begin)),
    ]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let main = draw(&context, &FormData::default(), &Problems::NONE).await?;
    Ok(context.show(Place::Chats, "Chats", &main))
}

async fn draw(
    context: &PageContext,
    sent: &FormData,
    problems: &Problems,
) -> Result<Markup, Fault> {
    let date_format = context.date_format().await?;
    let chats = context
        .ask(&chats::LIST, OrganizationBody::default())
        .await?;
    Ok(html! {
        div.title-row { h1 { "Chats" } }
        @if has_model(context) { (panel("Ask something", &form(context, sent, problems))) } @else { (nobody(problems)) }
        @if !chats.is_empty() { (panel("Your chats", &table(context, &chats, &date_format))) }
        @else if has_model(context) {
            section.panel { (empty("You have asked nothing yet", &html! { "What you ask, and what is answered, stands here. Nobody else sees it." })) }
        }
    })
}

fn form(context: &PageContext, sent: &FormData, problems: &Problems) -> Markup {
    let form = Form {
        action: "/console/chats",
        send: "Ask",
        problems,
        fields: &["message", "websiteId"],
    };
    let message = Field::text("message", "What do you want to know?")
        .value(sent.text("message"))
        .hint("For instance: which pages lost visitors this week, and where did they come from?");
    let websites = context.websites();
    let mut among = vec![("", "Everything")];
    among.extend(
        websites
            .iter()
            .map(|one| (one.id.as_str(), one.name.as_str())),
    );
    form.around(&html! {
        (message.lines(3, problems))
        (choice("websiteId", "About", &among, sent.text("websiteId")))
    })
}

/// What is said where nobody would answer.
fn nobody(problems: &Problems) -> Markup {
    html! {
        @for said in problems.above(&[]) { (notice("bad", &html! { (said) })) }
        section.panel {
            (empty("There is no model that could answer", &html! {
                p { "Chats answer questions about your data with a model of your own: any server that speaks OpenAI's chat completions. What is asked, and what is found, goes to that server." }
                p { "The operator of this installation puts it into the settings, and starts the program again:" }
            }))
            (copied("Settings of the model", SETTINGS))
        }
    }
}

fn table(context: &PageContext, chats: &[ChatOut], date_format: &DateFormat) -> Markup {
    html! {
        table.table.sites {
            caption.hide { "Chats, the last one first" }
            thead { tr { th scope="col" { "Chat" } th scope="col" { "About" } th scope="col" { "Last" } } }
            tbody { @for chat in chats { tr {
                td { a.name href=(path(&chat.id)) { (chat.title) } }
                td data-label="About" { (website_name(context, chat).as_deref().unwrap_or("everything")) }
                td data-label="Last" { @if let Some(at) = moment(&chat.updated_at) { (time(at, &date_format.moment(at), date_format)) } }
            } } }
        }
    }
}

/// What a chat is called at first: the beginning of what is asked.
fn called(asked: &str) -> String {
    let words = asked.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= CALLED {
        return words;
    }
    words.chars().take(CALLED - 1).chain(['…']).collect()
}

async fn begin(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let begun = async {
        // Nothing is made where nobody would answer, or nothing is asked.
        let words = said(&sent)?;
        agent::ready(&context.call)?;
        let called = called(sent.text("message"));
        let chat = CreateBody {
            organization_id: None,
            website_id: sent.some("websiteId").map(str::to_owned),
            title: Some(called),
        };
        let chat = context.ask(&chats::CREATE, chat).await?;
        agent::say(&context.call, words.within(&chat.id)).await?;
        Ok::<_, Fault>(chat)
    }
    .await;
    match begun {
        Ok(chat) => Ok(answer::see(&path(&chat.id))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let main = draw(&context, &sent, &problems).await?;
            Ok(context.again(refused, Place::Chats, "Chats", &main))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_is_called_as_it_begins_and_it_is_seen_that_it_goes_on() {
        assert_eq!(called("  how\n many? "), "how many?");
        assert_eq!(called(&"ä".repeat(CALLED)), "ä".repeat(CALLED));
        let long = called(&"ä".repeat(CALLED + 1));
        assert_eq!(long.chars().count(), CALLED);
        assert!(long.ends_with('…'), "{long}");
    }
}

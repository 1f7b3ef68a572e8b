//! A chat: what was said, saying more, stopping an answer, calling it otherwise, its end.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};

use super::{has_model, path, said, website_name, words};
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
            bodies::IdBody,
            chats::{self, RenameBody, WholeOut},
        },
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{Field, Form, button, confirm, more, notice, panel},
        problem::Problems,
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/chat/{chat}", |route| route.to(show)),
        sent("/console/chat/{chat}", |route| route.to(say)),
        sent("/console/chat/{chat}/stop", |route| route.to(stop)),
        sent("/console/chat/{chat}/rename", |route| route.to(rename)),
        sent("/console/chat/{chat}/delete", |route| route.to(delete)),
    ]
}

async fn load_chat(context: &PageContext, id: &str) -> Result<WholeOut, Fault> {
    let found = context.ask(&chats::GET, chat_id(id)).await?;
    found.ok_or_else(|| Fault::not_found("chat", id))
}

fn chat_id(id: &str) -> IdBody {
    IdBody { id: id.to_owned() }
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let found = load_chat(&context, &id).await?;
    let main = draw(&context, &found, &FormData::default(), &Problems::NONE);
    Ok(context.show(Place::Chats, &found.chat.title, &main))
}

fn draw(context: &PageContext, found: &WholeOut, sent: &FormData, problems: &Problems) -> Markup {
    let own = path(&found.chat.id);
    let writes = found.active_stream_id.is_some();
    html! {
        div.title-row {
            h1 { (found.chat.title) }
            @if let Some(name) = website_name(context, &found.chat) { span.dim { "about " (name) } }
            div.actions {
                @if writes { a.button href=(own) { "Look again" } (button(&format!("{own}/stop"), "Stop")) }
                a.button href="/console/chats" { "All chats" }
            }
        }
        @for said in problems.above(&["message", "title"]) { (notice("bad", &html! { (said) })) }
        section.panel aria-label="What was said" {
            @if found.messages.is_empty() { p.dim { "Nothing was said yet." } }
            ol #talk.talk data-talk=[writes.then_some(&found.chat.id)] { (words::draw(&found.messages, (!writes).then_some(&own))) }
            @if writes { p.dim role="status" { "The answer is being written." } }
        }
        @if !has_model(context) { (notice("warn", &html! { "There is no model any more that could answer." })) }
        @else if !writes { (panel("Say more", &form(&own, sent, problems))) }
        (more("This chat", !problems.beside("title").is_empty(), &html! {
            (title(&own, &found.chat.title, sent, problems))
            (confirm("Delete this chat…", "All that was said in it is gone.", &format!("{own}/delete"), "Delete it", &html! {}))
        }))
    }
}

fn form(own: &str, sent: &FormData, problems: &Problems) -> Markup {
    let form = Form {
        action: own,
        send: "Send",
        problems: &Problems::NONE,
        fields: &["message"],
    };
    let message = Field::text("message", "Message").value(sent.text("message"));
    form.around(&message.lines(3, problems))
}

fn title(own: &str, title: &str, sent: &FormData, problems: &Problems) -> Markup {
    let action = format!("{own}/rename");
    let form = Form {
        action: &action,
        send: "Rename",
        problems: &Problems::NONE,
        fields: &["title"],
    };
    let field = Field::text("title", "Name").value(sent.some("title").unwrap_or(title));
    form.around(&field.draw(problems))
}

async fn say(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let done = async {
        // What is wrong is said of a chat that is there.
        load_chat(&context, &id).await?;
        agent::say(&context.call, said(&sent)?.within(&id)).await
    };
    let done = done.await;
    after(&context, &id, done, &sent).await
}

/// The chat as it is now, or with what is wrong.
async fn after(
    context: &PageContext,
    id: &str,
    done: Result<(), Fault>,
    sent: &FormData,
) -> Result<HttpResponse, Fault> {
    let Err(fault) = done else {
        return Ok(answer::see(&path(id)));
    };
    let (refused, problems) = told(fault)?;
    let found = load_chat(context, id).await?;
    let main = draw(context, &found, sent, &problems);
    Ok(context.again(refused, Place::Chats, &found.chat.title, &main))
}

async fn stop(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    context.ask(&chats::STOP, chat_id(&id)).await?;
    Ok(answer::see(&path(&id)))
}

async fn rename(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    load_chat(&context, &id).await?;
    let input = RenameBody {
        id: id.clone(),
        title: sent.text("title").to_owned(),
    };
    let done = context.ask(&chats::RENAME, input).await;
    after(&context, &id, done.map(drop), &sent).await
}

async fn delete(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    context.ask(&chats::DELETE, chat_id(&id)).await?;
    Ok(answer::see("/console/chats"))
}

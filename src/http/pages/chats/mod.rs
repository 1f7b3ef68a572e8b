//! Chats of the person with the model that the operator has configured.

mod list;
mod show;
mod words;

use super::resource::creation;
use crate::http::{agent, pages::prelude::*, procedures::chats::ChatOut};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = show::routes();
    routes.extend(creation::<list::NewChat>());
    routes
}

/// The name of the website that a chat is about, if the person may see it.
fn website_name(context: &PageContext, chat: &ChatOut) -> Option<String> {
    let own = chat.website_id.as_ref()?;
    let found = context.websites().into_iter().find(|one| one.id == *own);
    found.map(|one| one.name)
}

/// Whether there is a model to talk with.
fn has_model(context: &PageContext) -> bool {
    context.shared().agents.has_model()
}

/// The message or the confirmation of a form, in a chat that is yet to be named.
fn read_message(sent: &FormData) -> Result<agent::SendBody, Fault> {
    let body = match sent.some("confirm") {
        Some(id) => serde_json::json!({ "id": "", "confirm": id }),
        None => serde_json::json!({ "id": "", "message": sent.text("message") }),
    };
    agent::SendBody::read(body.to_string().as_bytes())
}

//! Chats with the model that the operator has configured: one's own, and what is said in each.

mod list;
mod show;
mod words;

use super::{context::PageContext, form::FormData};
use crate::{
    fault::Fault,
    http::{agent, procedures::chats::ChatOut, routes::Route},
};

pub(super) fn routes() -> Vec<Route> {
    [list::routes(), show::routes()]
        .into_iter()
        .flatten()
        .collect()
}

/// Where a chat is.
fn path(id: &str) -> String {
    format!("/console/chat/{id}")
}

/// The name of the website that a chat is about, where whoever looks may see it.
fn website_name(context: &PageContext, chat: &ChatOut) -> Option<String> {
    let own = chat.website_id.as_ref()?;
    let found = context.websites().into_iter().find(|one| one.id == *own);
    found.map(|one| one.name)
}

/// Whether there is a model to talk with.
fn has_model(context: &PageContext) -> bool {
    context.shared().agents.has_model()
}

/// What a form says, in a chat that is yet to be named.
fn said(sent: &FormData) -> Result<agent::SendBody, Fault> {
    let body = match sent.some("confirm") {
        Some(id) => serde_json::json!({ "id": "", "confirm": id }),
        None => serde_json::json!({ "id": "", "message": sent.text("message") }),
    };
    agent::SendBody::read(body.to_string().as_bytes())
}

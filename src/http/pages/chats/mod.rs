//! Chats with the model that the operator has configured: one's own, and what is said in each.

mod list;
mod show;
mod words;

use serde::Deserialize;

use super::{context::PageContext, form::FormData};
use crate::{
    actors::chats::{Part, Role, Status},
    fault::Fault,
    http::{agent, routes::Route},
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

/// What lists need of a chat.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chat {
    id: String,
    website_id: Option<String>,
    title: String,
    updated_at: String,
}

impl Chat {
    /// The name of the website that it is about, where whoever looks may see it.
    fn about(&self, context: &PageContext) -> Option<String> {
        let own = self.website_id.as_ref()?;
        let found = context.websites().into_iter().find(|one| one.id == *own);
        found.map(|one| one.name)
    }
}

/// What the page of a chat needs of it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Whole {
    #[serde(flatten)]
    chat: Chat,
    messages: Vec<Message>,
    active_stream_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Message {
    id: String,
    role: Role,
    status: Status,
    parts: Vec<Part>,
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

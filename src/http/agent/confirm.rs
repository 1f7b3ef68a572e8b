//! Changes that a tool has shown and a person wants to have made. Pure.

use serde_json::{Map, Value};

use crate::{
    actors::chats::{ChatMessage, Part},
    fault::{Fault, Kind},
};

/// A change that waits for the person.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pending {
    pub(super) id: String,
    pub(super) tool: String,
    pub(super) input: Map<String, Value>,
}

/// What a tool call has shown and the person has not confirmed yet.
pub(super) fn pending(said: &[ChatMessage], id: &str) -> Result<Pending, Fault> {
    let parts = || said.iter().flat_map(|message| &message.body.parts);
    let is_confirmed = parts()
        .any(|part| matches!(part, Part::Confirmation { tool_call_id, .. } if tool_call_id == id));
    if is_confirmed {
        let kind = Kind::Conflict {
            resource: "tool call",
            id: Some(id.to_owned()),
        };
        return Err(Fault::new(kind, "It has been confirmed already"));
    }
    let is_shown = parts().any(|part| {
        matches!(part, Part::ToolResult { tool_call_id, output, is_error: false, .. }
            if tool_call_id == id && output["done"] == false)
    });
    let called = parts().find_map(|part| match part {
        Part::ToolCall {
            tool_call_id,
            tool_name,
            input: Value::Object(input),
        } if tool_call_id == id => Some((tool_name, input)),
        _ => None,
    });
    let Some((tool, input)) = called.filter(|_| is_shown) else {
        return Err(Fault::not_found("tool call", id));
    };
    Ok(Pending {
        id: id.to_owned(),
        tool: tool.clone(),
        input: input.clone(),
    })
}

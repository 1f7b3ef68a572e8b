//! What was said, as it is stored and shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{entities::agent_message, ids::MessageId};

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "AgentMessageRole")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool that the model called.
    Tool,
}

impl Role {
    /// The role as stored.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    pub(super) fn parse(text: &str) -> Self {
        match text {
            "user" => Self::User,
            "tool" => Self::Tool,
            _ => Self::Assistant,
        }
    }
}

/// How far a message has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "AgentMessageStatus")]
pub enum Status {
    /// It is whole.
    Complete,
    /// It is being written.
    Streaming,
    /// It was stopped, or its person lost the right to have it written.
    Stopped,
    /// The model failed.
    Failed,
    /// The program stopped while it was written.
    Interrupted,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
#[schemars(rename = "AgentMessagePart")]
pub enum Part {
    /// Words.
    Text {
        /// As they were said.
        text: String,
    },
    /// The model wants a tool to be called.
    ToolCall {
        /// Which call it is.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// Its arguments.
        input: Value,
    },
    /// What a tool gave back.
    ToolResult {
        /// Which call it answers.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// What it said.
        output: Value,
        /// Whether it failed.
        is_error: bool,
    },
    /// The person had a change made that a tool had only shown.
    Confirmation {
        /// The call that showed it.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// What the tool said.
        output: Value,
        /// Whether it failed.
        is_error: bool,
    },
    /// Why there is no more of it.
    Error {
        /// For programs.
        code: String,
        /// For people.
        message: String,
    },
}

/// What a message says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// How far it has come.
    pub status: Status,
    /// Its pieces, in order.
    pub parts: Vec<Part>,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatMessage {
    pub id: MessageId,
    /// Who said it.
    pub role: Role,
    pub body: Body,
    /// When, Unix ms.
    pub created_ms: i64,
}

impl From<agent_message::Model> for ChatMessage {
    fn from(row: agent_message::Model) -> Self {
        // A later program may know pieces that this one does not: what cannot be read is shown as nothing.
        let unreadable = Body {
            status: Status::Complete,
            parts: Vec::new(),
        };
        Self {
            id: row.id.into(),
            role: Role::parse(&row.role),
            body: serde_json::from_str(&row.body).unwrap_or(unreadable),
            created_ms: row.created_at.timestamp_millis(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_are_stored_as_they_are_shown() {
        let call = Part::ToolCall {
            tool_call_id: "1".into(),
            tool_name: "get_data".into(),
            input: json!({ "a": 1 }),
        };
        let body = Body {
            status: Status::Streaming,
            parts: vec![Part::Text { text: "é".into() }, call],
        };
        let stored = serde_json::to_value(&body).unwrap();
        let expected = json!({ "status": "streaming", "parts": [
            { "type": "text", "text": "é" },
            { "type": "tool-call", "toolCallId": "1", "toolName": "get_data", "input": { "a": 1 } },
        ] });
        assert_eq!(stored, expected);
        assert_eq!(serde_json::from_value::<Body>(stored).unwrap(), body);
        for role in [Role::User, Role::Assistant, Role::Tool] {
            assert_eq!(Role::parse(role.as_str()), role);
            assert_eq!(serde_json::to_value(role).unwrap(), role.as_str());
        }
    }
}

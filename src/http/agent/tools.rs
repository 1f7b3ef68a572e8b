//! The model's tools: those of the MCP endpoint, with the caller's rights, and without the power to confirm.

use serde_json::{Map, Value, json};

use crate::http::agent_model::chunks::ToolRequest;
use crate::{
    access::Principal,
    http::{
        mcp::{self, Tool},
        procedures::Call,
    },
};

/// Tools that models take at most.
const MAX_TOOLS: usize = 128;
/// Characters of a result, as JSON.
const MAX_RESULT: usize = 30_000;
/// By which a change is made instead of shown.
const CONFIRMED: &str = "confirmed";

/// What a tool gave back.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outcome {
    pub(super) output: Value,
    pub(super) is_error: bool,
}

impl Outcome {
    fn from_result(told: Result<Value, Value>) -> Self {
        let is_error = told.is_err();
        let (Ok(output) | Err(output)) = told;
        Self {
            output: cap(output),
            is_error,
        }
    }

    fn refuse(why: &str, fix: &str) -> Self {
        Self {
            output: json!({ "error": why, "fix": fix }),
            is_error: true,
        }
    }
}

/// The tools that a caller may use, as the model gets them.
pub(super) fn list_tools(caller: &Principal) -> Vec<Value> {
    let mut tools: Vec<&Tool> = mcp::tools()
        .iter()
        .filter(|tool| tool.is_for(caller))
        .collect();
    // Asking comes first where there is no room for all.
    tools.sort_by_key(|tool| !tool.reads());
    tools
        .into_iter()
        .take(MAX_TOOLS)
        .map(describe_tool)
        .collect()
}

fn describe_tool(tool: &Tool) -> Value {
    let mut parameters = tool.shown["inputSchema"].clone();
    if let Some(fields) = parameters["properties"].as_object_mut() {
        fields.shift_remove(CONFIRMED);
    }
    json!({ "type": "function", "function": {
        "name": tool.name, "description": tool.shown["description"], "parameters": parameters,
    } })
}

/// Calls a tool as the model wants it. What would change something is shown, whatever the model says.
pub(super) async fn run(call: &Call, wanted: &ToolRequest) -> Outcome {
    match arguments(wanted) {
        Some(mut arguments) => {
            arguments.shift_remove(CONFIRMED);
            invoke(call, &wanted.name, arguments).await
        }
        None => Outcome::refuse(
            "the arguments are no JSON object",
            "Call again with an object that fits the tool's parameters.",
        ),
    }
}

/// Has a change made that was shown before, because the person wants it.
pub(super) async fn confirm(call: &Call, name: &str, mut input: Map<String, Value>) -> Outcome {
    input.insert(CONFIRMED.to_owned(), json!(true));
    invoke(call, name, input).await
}

async fn invoke(call: &Call, name: &str, arguments: Map<String, Value>) -> Outcome {
    let tool = mcp::tools().iter().find(|tool| tool.name == name);
    match tool {
        Some(tool) => Outcome::from_result(mcp::outcome(call, tool, arguments).await),
        None => Outcome::refuse("there is no such tool", "Use a tool of the list."),
    }
}

/// The arguments of a call; nothing where they are no object. None at all are an empty one.
pub(super) fn arguments(wanted: &ToolRequest) -> Option<Map<String, Value>> {
    let text = wanted.arguments.trim();
    if text.is_empty() {
        return Some(Map::new());
    }
    serde_json::from_str(text).ok()
}

/// A result that fits into a conversation; of a larger one its beginning is kept, as text.
fn cap(output: Value) -> Value {
    let text = output.to_string();
    if text.chars().count() <= MAX_RESULT {
        return output;
    }
    let beginning: String = text.chars().take(MAX_RESULT).collect();
    json!({ "truncated": true, "beginning": beginning })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_whole_or_say_that_they_are_not() {
        let fits = json!("é".repeat(MAX_RESULT - 2));
        assert_eq!(cap(fits.clone()), fits);
        let large = json!("é".repeat(MAX_RESULT - 1));
        let cut = cap(large);
        assert_eq!(cut["truncated"], true);
        let beginning = cut["beginning"].as_str().unwrap();
        assert_eq!(beginning.chars().count(), MAX_RESULT);
    }

    #[test]
    fn arguments_are_an_object_or_none() {
        let wanted = |text: &str| {
            arguments(&ToolRequest {
                arguments: text.to_owned(),
                ..ToolRequest::default()
            })
        };
        assert_eq!(wanted(" "), Some(Map::new()));
        assert_eq!(wanted(r#"{"a":1}"#).unwrap()["a"], 1);
        for text in ["[]", "{", "null", "1"] {
            assert_eq!(wanted(text), None, "{text}");
        }
    }
}

//! What the endpoint answers, method by method.

use serde_json::{Map, Value, json};

use super::{
    call,
    message::{Request, RpcError},
    prompts::{self, INSTRUCTIONS, capabilities},
    revision::{self, Revision, SUPPORTED, agreed},
    tools::{all, allowed},
};
use crate::{analytics::nearest, http::procedures::Call};

pub(super) async fn answer(
    call: &Call,
    revision: Revision,
    asked: &Request,
) -> Result<Value, RpcError> {
    let by_request = revision == Revision::ByRequest;
    match asked.method.as_str() {
        "initialize" => hello(asked),
        "ping" if !by_request => Ok(json!({})),
        "server/discover" if by_request => Ok(json!({
            "supportedVersions": SUPPORTED, "capabilities": capabilities(), "instructions": INSTRUCTIONS,
        })),
        "tools/list" => Ok(json!({ "tools": tools(call) })),
        "tools/call" => tool(call, asked).await,
        "prompts/list" => Ok(json!({ "prompts": prompts::prompts() })),
        "prompts/get" => prompts::prompt(asked),
        "resources/list" => Ok(json!({ "resources": prompts::resources() })),
        "resources/templates/list" => Ok(json!({ "resourceTemplates": [] })),
        "resources/read" => prompts::resource(call, asked, !by_request),
        unknown => Err(RpcError::method(unknown, revision.unknown_method())),
    }
}

fn hello(asked: &Request) -> Result<Value, RpcError> {
    let requested = asked.needed("protocolVersion")?;
    Ok(json!({
        "protocolVersion": agreed(requested),
        "capabilities": capabilities(),
        "serverInfo": revision::server(),
        "instructions": INSTRUCTIONS,
    }))
}

/// The tools that the caller may use.
fn tools(call: &Call) -> Vec<&'static Value> {
    let allowed = all()
        .iter()
        .filter(|tool| allowed(&call.caller, &tool.procedure));
    allowed.map(|tool| &tool.shown).collect()
}

async fn tool(call: &Call, asked: &Request) -> Result<Value, RpcError> {
    let name = asked.needed("name")?;
    let arguments = match asked.params.get("arguments") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(_) => return Err(RpcError::params("`arguments` must be an object")),
    };
    let Some(tool) = all().iter().find(|tool| tool.name == name) else {
        let mut message = format!("there is no tool `{name}`");
        let known = all()
            .iter()
            .filter(|tool| allowed(&call.caller, &tool.procedure));
        if let Some(meant) = nearest(name, known.map(|tool| tool.name.as_str())) {
            message = format!("{message}: did you mean `{meant}`?");
        }
        return Err(RpcError::params(message));
    };
    Ok(call::call(call, tool, arguments).await)
}

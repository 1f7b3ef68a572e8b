//! JSON-RPC 2.0 as the protocol uses it.

use actix_web::{HttpResponse, http::StatusCode};
use serde_json::{Map, Value, json};

const PARSE: i32 = -32_700;
const REQUEST: i32 = -32_600;
const METHOD: i32 = -32_601;
const PARAMS: i32 = -32_602;
const HEADERS: i32 = -32_020;
const VERSION: i32 = -32_022;
const RESOURCE: i32 = -32_002;

/// What was sent.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    /// It wants an answer.
    Request(Request),
    /// It wants none; its method.
    Notification(String),
    /// It is an answer to something that we have not asked.
    Response,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Map<String, Value>,
}

impl Request {
    /// A text of the parameters.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.params.get(name)?.as_str()
    }

    /// A text of the parameters that has to be there.
    pub(super) fn needed(&self, name: &str) -> Result<&str, RpcError> {
        self.text(name)
            .ok_or_else(|| RpcError::params(format!("`{name}` is required and a string")))
    }
}

impl Message {
    pub(super) fn id(&self) -> &Value {
        match self {
            Self::Request(asked) => &asked.id,
            Self::Notification(_) | Self::Response => &Value::Null,
        }
    }

    pub(super) fn method(&self) -> Option<&str> {
        match self {
            Self::Request(asked) => Some(&asked.method),
            Self::Notification(method) => Some(method),
            Self::Response => None,
        }
    }
}

pub(super) fn read(sent: Value) -> Result<Message, RpcError> {
    let Value::Object(mut sent) = sent else {
        return Err(RpcError::request("a message is an object"));
    };
    if sent.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(RpcError::request("`jsonrpc` must be \"2.0\""));
    }
    let Some(method) = sent.remove("method") else {
        let answers = sent.contains_key("result") || sent.contains_key("error");
        return if answers {
            Ok(Message::Response)
        } else {
            Err(RpcError::request("`method` is required"))
        };
    };
    let Value::String(method) = method else {
        return Err(RpcError::request("`method` must be a string"));
    };
    let params = match sent.remove("params") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Err(RpcError::request("`params` must be an object")),
    };
    match sent.remove("id") {
        None => Ok(Message::Notification(method)),
        Some(id) if id.is_string() || id.is_i64() || id.is_u64() => {
            Ok(Message::Request(Request { id, method, params }))
        }
        Some(_) => Err(RpcError::request("`id` must be a string or a whole number")),
    }
}

pub(super) fn success(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// Why a message is not answered as it wishes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RpcError {
    status: StatusCode,
    code: i32,
    message: String,
    data: Option<Value>,
}

impl RpcError {
    fn new(status: StatusCode, code: i32, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            data: None,
        }
    }

    /// What was sent cannot be read.
    pub(super) fn parse(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, PARSE, message)
    }

    /// What was sent is no message.
    pub(super) fn request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, REQUEST, message)
    }

    /// The media types are not those of the protocol.
    pub(super) fn media(status: StatusCode, message: impl Into<String>) -> Self {
        Self::new(status, REQUEST, message)
    }

    /// The parameters are not what the method takes.
    pub(super) fn params(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, PARAMS, message)
    }

    /// The metadata of a request is not what its revision asks for.
    pub(super) fn metadata(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, PARAMS, message)
    }

    /// The method is unknown.
    pub(super) fn method(method: &str, status: StatusCode) -> Self {
        Self::new(status, METHOD, format!("there is no method `{method}`"))
    }

    /// The resource is unknown; the last revision has no code of its own for it.
    pub(super) fn resource(uri: &str, own_code: bool) -> Self {
        let code = if own_code { RESOURCE } else { PARAMS };
        let message = format!("there is no resource `{uri}`: see resources/list");
        Self::new(StatusCode::OK, code, message)
    }

    /// Headers say something else than the body.
    pub(super) fn headers(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, HEADERS, message)
    }

    /// We do not speak this revision.
    pub(super) fn version(requested: &str, supported: &[&str]) -> Self {
        let message = format!(
            "protocol version `{requested}` is not supported: use one of {}",
            supported.join(", ")
        );
        Self {
            data: Some(json!({ "requested": requested, "supported": supported })),
            ..Self::new(StatusCode::BAD_REQUEST, VERSION, message)
        }
    }

    /// The body of its answer.
    pub(super) fn body(&self, id: &Value) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    }

    pub(super) fn answer(&self, id: &Value) -> HttpResponse {
        HttpResponse::build(self.status).json(self.body(id))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn messages_are_told_apart() {
        let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        assert!(matches!(read(asked), Ok(Message::Request(asked)) if asked.method == "ping"));
        let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert!(matches!(read(told), Ok(Message::Notification(_))));
        let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
        assert_eq!(read(answer), Ok(Message::Response));
        for wrong in [
            json!([]),
            json!("ping"),
            json!({ "id": 1, "method": "ping" }),
            json!({ "jsonrpc": "1.0", "id": 1, "method": "ping" }),
            json!({ "jsonrpc": "2.0", "id": 1 }),
            json!({ "jsonrpc": "2.0", "id": null, "method": "ping" }),
            json!({ "jsonrpc": "2.0", "id": 1.5, "method": "ping" }),
            json!({ "jsonrpc": "2.0", "id": 1, "method": 1 }),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1] }),
        ] {
            assert_eq!(read(wrong.clone()).unwrap_err().code, REQUEST, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn nothing_that_is_sent_panics(text in "\\PC{0,80}") {
            if let Ok(value) = serde_json::from_str(&text) {
                let _ = read(value);
            }
        }
    }
}

//! One operation of the document, from a route or a procedure.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::{
    access::Scope,
    http::{
        Host,
        procedures::{Needs, Procedure},
        routes::{Access, ErrorFormat, Route},
        wire::Wire,
    },
    scim::schemas::MEDIA,
};

/// A key or a session.
pub(super) fn any_caller() -> Value {
    json!([{ "apiKey": [] }, { "bearer": [] }, { "session": [] }])
}

/// The failures of an operation: a name for them, and the content by media type.
struct Failure {
    name: String,
    content: Value,
}

impl Failure {
    /// In the style of the route's path, and in the route's other style, if any.
    fn for_route(route: &Route, wire: Wire) -> Self {
        let name = match wire {
            Wire::Rpc => "RpcError",
            Wire::Track => "IngestionError",
            Wire::Rest | Wire::Page => "RestError",
            Wire::Scim => {
                let name = "ScimError".to_owned();
                let content = json!({ MEDIA: { "schema": schema(&name) } });
                return Self { name, content };
            }
        };
        let usual = schema(name);
        let (name, content) = match route.told {
            None => (name.to_owned(), json(&usual)),
            Some(ErrorFormat::As(other)) => (
                format!("{name}Or{other}"),
                json(&json!({ "anyOf": [usual, schema(other)] })),
            ),
            Some(ErrorFormat::Page) => {
                let mut content = json(&usual);
                content["text/html"] = json!({ "schema": { "type": "string" } });
                (format!("{name}OrPage"), content)
            }
        };
        Self { name, content }
    }

    /// In style A.
    fn for_procedure(is_enveloped: bool) -> Self {
        let plain = schema("RpcError");
        if is_enveloped {
            let both = json!({ "anyOf": [plain, enveloped(&plain)] });
            let name = "RpcErrorOrEnvelope".to_owned();
            return Self {
                name,
                content: json(&both),
            };
        }
        let name = "RpcError".to_owned();
        Self {
            name,
            content: json(&plain),
        }
    }
}

fn schema(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn json(schema: &Value) -> Value {
    json!({ "application/json": { "schema": schema } })
}

/// The statuses of a route beside its success: most follow from its access, its path and its input.
fn statuses(route: &Route) -> BTreeSet<u16> {
    if !route.may_fail {
        return BTreeSet::new();
    }
    // A key that is present decides, also where none is needed.
    let mut statuses = BTreeSet::from([401, 429, 503]);
    if route.access != Access::Public {
        statuses.extend([400, 402, 403, 413, 500]);
    }
    if route.body.is_some() || route.form.is_some() || route.is_file {
        statuses.extend([400, 413, 415, 500]);
    }
    if !route.parameters.is_empty() {
        statuses.insert(400);
    }
    // What is not found is named by the path, or by the input of a known caller; of events it is the website.
    let names = route.path.contains('{') || route.host == Host::Track;
    let input = route.body.is_some() || !route.parameters.is_empty();
    if names || input && route.access != Access::Public {
        statuses.insert(404);
    }
    statuses.extend(&route.statuses);
    statuses
}

/// What a caller shows, and the scope that a key needs.
fn security(access: Access) -> (Value, Option<Scope>) {
    match access {
        Access::Public => (json!([]), None),
        Access::Scoped(scope) => (any_caller(), Some(scope)),
        Access::Keyed(scope) => (json!([{ "apiKey": [] }, { "bearer": [] }]), Some(scope)),
        Access::AnyKey => (json!([{ "apiKey": [] }, { "bearer": [] }]), None),
        Access::Known => (any_caller(), None),
        Access::Session => (json!([{ "session": [] }]), None),
        Access::Scim | Access::Probe => (json!([{ "bearer": [] }]), None),
        Access::Ingest => (
            json!([{ "apiKey": [] }, { "bearer": [] }, {}]),
            Some(Scope::TrackEvents),
        ),
    }
}

/// Adds to `responses` what it may answer beside its success.
pub(super) fn route(route: &Route, wire: Wire, responses: &mut Map<String, Value>) -> Value {
    let mut success = json!({ "description": "Success", "headers": request_id() });
    if !route.media.is_empty() {
        success["content"] = json!({ route.media: { "schema": route.answer } });
    }
    for media in &route.other_media {
        success["content"][media] = json!({ "schema": {} });
    }
    let mut operation = json!({
        "operationId": id(route),
        "summary": route.summary,
        "description": route.description,
        "responses": { (route.status.to_string()): success },
    });
    if let Some(tag) = route.tag {
        operation["tags"] = json!([tag]);
    }
    let parameters = parameters(route);
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    }
    let mut bodies = json!({});
    if let Some(schema) = &route.body {
        bodies["application/json"] = json!({ "schema": schema });
        if wire == Wire::Scim {
            bodies[MEDIA] = json!({ "schema": schema });
        }
    }
    if let Some(form) = &route.form {
        bodies["application/x-www-form-urlencoded"] = json!({ "schema": form });
    }
    if bodies.as_object().is_some_and(|bodies| !bodies.is_empty()) {
        operation["requestBody"] = json!({ "required": true, "content": bodies });
    }
    if route.is_file {
        operation["requestBody"] = json!({
            "required": false,
            "content": { "application/octet-stream": { "schema": { "type": "string", "format": "binary" } } },
        });
    }
    let (security, scope) = security(route.access);
    operation["security"] = security;
    if let Some(scope) = scope {
        operation["x-required-scopes"] = json!([scope.as_str()]);
    }
    let (fine, failed): (Vec<u16>, Vec<u16>) = statuses(route)
        .into_iter()
        .partition(|status| *status < 400);
    for status in fine {
        operation["responses"][status.to_string()] =
            json!({ "description": "Nothing to say", "headers": request_id() });
    }
    fail(
        &mut operation,
        &failed,
        &Failure::for_route(route, wire),
        responses,
    );
    operation
}

/// What a procedure takes and answers, on one of its mounts.
pub(super) struct Shapes {
    pub(super) input: Value,
    /// Whether the input may be left out altogether.
    pub(super) is_optional: bool,
    pub(super) output: Value,
    is_enveloped: bool,
}

impl Shapes {
    pub(super) fn plain(input: Value, is_optional: bool, output: Value) -> Self {
        Self {
            input,
            is_optional,
            output,
            is_enveloped: false,
        }
    }

    /// Plain JSON, or the same in an envelope.
    pub(super) fn or_enveloped(self) -> Self {
        let both = |plain: Value| json!({ "anyOf": [plain, enveloped(&plain)] });
        Self {
            input: both(self.input),
            output: both(self.output),
            is_enveloped: true,
            ..self
        }
    }
}

/// An envelope around a value.
fn enveloped(value: &Value) -> Value {
    json!({
        "type": "object", "required": ["json"], "additionalProperties": false,
        "properties": { "json": value, "meta": schema("EnvelopeMeta") },
    })
}

/// Adds to `responses` what it may answer beside its success.
pub(super) fn procedure(
    procedure: &Procedure,
    mount: &str,
    shapes: &Shapes,
    responses: &mut Map<String, Value>,
) -> Value {
    let mut operation = json!({
        "operationId": format!("{mount}{}.{}", procedure.router, procedure.name),
        "tags": [procedure.tag],
        "summary": procedure.summary,
        "requestBody": {
            "required": !shapes.is_optional,
            "content": { "application/json": { "schema": shapes.input } },
        },
        "responses": {
            "200": {
                "description": "Success",
                "headers": request_id(),
                "content": { "application/json": { "schema": shapes.output } },
            },
        },
    });
    match (procedure.needs, procedure.needs.scope()) {
        (Needs::Nothing, _) => operation["security"] = json!([]),
        (_, Some(scope)) => operation["x-required-scopes"] = json!([scope.as_str()]),
        (Needs::Session | Needs::Permission(_), None) => {
            operation["security"] = json!([{ "session": [] }]);
        }
    }
    fail(
        &mut operation,
        &[400, 401, 402, 403, 404, 409, 413, 415, 429, 500, 503],
        &Failure::for_procedure(shapes.is_enveloped),
        responses,
    );
    operation
}

/// The same procedure, asked with `GET`.
pub(super) fn as_get(mut operation: Value, procedure: &Procedure, shapes: &Shapes) -> Value {
    if let Some(operation) = operation.as_object_mut() {
        operation.remove("requestBody");
    }
    if let Some(responses) = operation["responses"].as_object_mut() {
        responses.shift_remove("415");
    }
    operation["operationId"] = json!(format!("rpc.get.{}.{}", procedure.router, procedure.name));
    operation["parameters"] = json!([{
        "name": "data", "in": "query", "required": !shapes.is_optional, "description": "The input as JSON.",
        "content": { "application/json": { "schema": shapes.input } },
    }]);
    operation
}

fn parameters(route: &Route) -> Vec<Value> {
    let in_path = route
        .path
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split(['}', ':']).next());
    let in_path = in_path.map(|name| {
        json!({
            "name": name, "in": "path", "required": true, "schema": { "type": "string" },
        })
    });
    let in_query = route.parameters.iter().map(|parameter| {
        let mut shown = json!({
            "name": parameter.name, "in": "query", "required": parameter.required,
            "description": parameter.description, "schema": parameter.schema,
        });
        if parameter.schema["type"] == "object" {
            shown["style"] = json!("form");
            shown["explode"] = json!(true);
        }
        shown
    });
    in_path.chain(in_query).collect()
}

/// Adds failures with these statuses; operations share them.
fn fail(
    operation: &mut Value,
    codes: &[u16],
    failure: &Failure,
    responses: &mut Map<String, Value>,
) {
    for code in codes {
        let mut headers = request_id();
        if matches!(code, 429 | 503) {
            headers["Retry-After"] = header("Seconds to wait.", "integer");
        }
        if *code == 429 {
            headers["X-RateLimit-Limit"] = header("Limit of the window.", "integer");
            headers["X-RateLimit-Remaining"] = header("Remaining requests.", "integer");
            headers["X-RateLimit-Reset"] = header(
                "Unix milliseconds at which one more request is admitted.",
                "integer",
            );
        }
        let name = format!("{}{code}", failure.name);
        operation["responses"][code.to_string()] =
            json!({ "$ref": format!("#/components/responses/{name}") });
        responses.entry(name).or_insert_with(|| {
            json!({ "description": meaning(*code), "headers": headers, "content": failure.content })
        });
    }
}

fn request_id() -> Value {
    json!({ "X-Request-ID": header("Request id.", "string") })
}

fn header(description: &str, kind: &str) -> Value {
    json!({ "description": description, "schema": { "type": kind } })
}

fn meaning(code: u16) -> &'static str {
    match code {
        400 => "The request is wrong",
        401 => "Authentication is required",
        402 => "Not in the plan, or the plan's limit is reached",
        403 => "No permission",
        404 => "Not found",
        406 => "The answer is of no media type that is accepted",
        409 => "A resource with this identifier exists already",
        412 => "The resource has another version",
        413 => "The body is too large",
        415 => "The body's media type or encoding is not understood",
        429 => "Too many requests",
        501 => "Not supported",
        503 => "Unavailable, try again later",
        _ => "Unexpected error",
    }
}

/// `getV1QueryTypes` for `GET /v1/query/types`; host-qualified where both hosts have the path.
fn id(route: &Route) -> String {
    let mut id = route.method.as_str().to_ascii_lowercase();
    if route.host == Host::Track {
        id.push_str("Track");
    }
    for word in route
        .path
        .split(|character: char| !character.is_ascii_alphanumeric())
    {
        let mut letters = word.chars();
        id.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        id.push_str(letters.as_str());
    }
    id
}

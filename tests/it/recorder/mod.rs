//! Holds every exchange of a test against the published document, in both directions.
//!
//! An answer has to have a status, a media type and a body that the document has. A request that was accepted has to be one that
//! the document allows; one that was refused for its form, one that it does not. What the document does not name is found as well:
//! members without a description, parameters, paths.

mod exceptions;
mod published;

use std::{collections::HashMap, sync::Mutex};

use pharos::http::Host;
use reqwest::{Request, Url, header};
use serde_json::{Value, json};

use self::{
    exceptions::{is_either, is_ignored_member, is_ignored_parameter, is_left_out},
    published::{Lookup, published},
};
use crate::{app::Answer, process, schema::Checker};

/// Collects the differences in this file instead of failing.
const REPORT: &str = "PHAROS_OPENAPI_REPORT";

const FORM: &str = "application/x-www-form-urlencoded";
const FILE: &str = "application/octet-stream";

/// Codes of issues that are about a member's being there, and its type.
const FORM_CODES: [&str; 2] = ["invalid_type", "missing"];

static LISTENING: Mutex<Option<HashMap<String, Host>>> = Mutex::new(None);

/// Notes that an address is one of ours.
pub fn note_address(url: &str, host: Host) {
    // Another program has another document.
    if process::other_binary().is_none() {
        let authority = Url::parse(url).unwrap().authority().to_owned();
        let mut listening = LISTENING.lock().unwrap();
        listening.get_or_insert_default().insert(authority, host);
    }
}

/// A request to one of our addresses.
pub struct RecordedRequest {
    host: Host,
    method: String,
    url: Url,
    media: String,
    /// Nothing when it is compressed or streamed.
    body: Option<Vec<u8>>,
}

/// What is about to be sent, if it goes to the program.
pub fn record(request: &Request) -> Option<RecordedRequest> {
    let url = request.url().clone();
    let listening = LISTENING.lock().unwrap();
    let host = *listening.as_ref()?.get(url.authority())?;
    let headers = request.headers();
    let is_plain = !headers.contains_key(header::CONTENT_ENCODING);
    let body = match request.body() {
        None => Some(Vec::new()),
        Some(body) => body.as_bytes().map(<[u8]>::to_vec),
    };
    let content_type = headers.get(header::CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    Some(RecordedRequest {
        host,
        method: request.method().as_str().to_owned(),
        url,
        media: media(content_type.unwrap_or_default()).to_owned(),
        body: body.filter(|_| is_plain),
    })
}

impl RecordedRequest {
    /// Fails when the document says otherwise about what came back from an address.
    pub fn compare(&self, from: &Url, answer: &Answer) {
        if *from != self.url || self.method == "OPTIONS" {
            return;
        }
        let found = self.find_differences(answer);
        if found.is_empty() {
            return;
        }
        let (method, path) = (&self.method, self.url.path());
        let query = self.url.query().unwrap_or_default();
        let told = format!("{method} {path}?{query} {}: {found:#?}", answer.status);
        match std::env::var_os(REPORT) {
            None => panic!(
                "the OpenAPI document says otherwise: {told}\n{}",
                answer.text
            ),
            Some(file) => {
                use std::io::Write as _;
                let file = std::fs::File::options()
                    .create(true)
                    .append(true)
                    .open(file);
                let test = std::thread::current().name().unwrap_or_default().to_owned();
                for one in &found {
                    let line = json!([method, self.template(), answer.status, one, test, path]);
                    let line = format!("{line}\n");
                    file.as_ref().unwrap().write_all(line.as_bytes()).unwrap();
                }
            }
        }
    }

    fn template(&self) -> String {
        let method = self.documented_method();
        match published().find(self.host, method, self.url.path()) {
            Lookup::Operation(_, path) => path,
            _ => self.url.path().to_owned(),
        }
    }

    /// `GET` answers `HEAD`, too.
    fn documented_method(&self) -> &str {
        if self.method == "HEAD" {
            "GET"
        } else {
            &self.method
        }
    }

    fn find_differences(&self, answer: &Answer) -> Vec<String> {
        let path = self.url.path();
        match published().find(self.host, self.documented_method(), path) {
            Lookup::Operation(operation, _) => self.compare_operation(&operation, answer),
            Lookup::OtherMethods if answer.status == 405 => compare_failure(answer),
            Lookup::Nothing if is_left_out(self.host, path) => Vec::new(),
            Lookup::Nothing if matches!(answer.status, 400..500) => compare_failure(answer),
            _ => vec!["the document has no such operation".to_owned()],
        }
    }

    fn compare_operation(&self, operation: &Value, answer: &Answer) -> Vec<String> {
        let responses = &operation["responses"];
        let Some(response) = responses.get(answer.status.to_string()) else {
            return vec![format!("{} is no status of it", answer.status)];
        };
        let shared = response["$ref"]
            .as_str()
            .map(|path| published().refer(path));
        let response = shared.as_deref().unwrap_or(response);
        let mut found = self.compare_answer(&response["content"], answer);
        if answer.status == 400 && operation.get("requestBody").is_some() {
            found.extend(self.compare_refused(operation, answer));
        }
        if answer.status < 300 {
            found.extend(self.compare_parameters(operation));
            found.extend(self.compare_body(operation, answer));
        }
        found
    }

    fn compare_answer(&self, content: &Value, answer: &Answer) -> Vec<String> {
        if answer.text.is_empty() || self.method == "HEAD" {
            return Vec::new();
        }
        let media = media(answer.header("content-type"));
        let Some(described) = content.get(media) else {
            return vec![format!("{media} is no media type of {}", answer.status)];
        };
        if is_json(media) {
            check(&described["schema"], &answer.body, "answer")
        } else {
            Vec::new()
        }
    }

    /// Parameters of the query, each a text that has to be of its type.
    fn compare_parameters(&self, operation: &Value) -> Vec<String> {
        let described = operation["parameters"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let mut found = Vec::new();
        let is_open = described
            .iter()
            .any(|one| one["schema"]["type"] == "object");
        for (name, value) in self.url.query_pairs() {
            let Some(parameter) = described.iter().find(|one| one["name"] == *name) else {
                if !is_open && !is_ignored_parameter(&name) {
                    found.push(format!("query/{name}: not in the document"));
                }
                continue;
            };
            let place = format!("query/{name}");
            let by_json = &parameter["content"]["application/json"]["schema"];
            if by_json.is_null() {
                let fits = readings(&value)
                    .iter()
                    .any(|reading| check(&parameter["schema"], reading, &place).is_empty());
                if !fits {
                    found.push(format!("{place}: `{value}` is not {}", parameter["schema"]));
                }
            } else {
                let value = serde_json::from_str(&value).unwrap_or_default();
                found.extend(check(by_json, &value, &place));
            }
        }
        let given: Vec<_> = self.url.query_pairs().map(|(name, _)| name).collect();
        for parameter in described {
            let name = parameter["name"].as_str().unwrap();
            let is_needed = parameter["in"] == "query" && parameter["required"] == true;
            if is_needed && !given.iter().any(|given| given == name) {
                found.push(format!("query/{name}: required, and left out"));
            }
        }
        found
    }

    fn compare_body(&self, operation: &Value, answer: &Answer) -> Vec<String> {
        let Some(sent) = &self.body else {
            return Vec::new();
        };
        let described = &operation["requestBody"];
        match (sent.trim_ascii(), described) {
            ([], described) if described["required"] == true => {
                vec!["body: required, and left out".to_owned()]
            }
            ([], _) | (b"{}", Value::Null) => Vec::new(),
            // Mail programs send a form along when they unsubscribe (RFC 8058), some without saying so.
            (_, Value::Null)
                if self.method == "GET" || [FORM, ""].contains(&self.media.as_str()) =>
            {
                Vec::new()
            }
            (_, Value::Null) => vec!["body: the document has none".to_owned()],
            (_, described) if self.media == FORM && described["content"].get(FORM).is_some() => {
                Vec::new()
            }
            (_, described) if described["content"].get(FILE).is_some() => Vec::new(),
            (sent, described) => match serde_json::from_slice(sent) {
                Ok(value) => {
                    let mut value = without_refused(value, &answer.body["results"]);
                    let mut found = check(json_schema(described), &value, "body");
                    // A key for one website means it where a website has to be named.
                    let input = match &mut value {
                        Value::Object(fields) if fields.contains_key("json") => &mut value["json"],
                        _ => &mut value,
                    };
                    if !found.is_empty() && input.is_object() && input["websiteId"].is_null() {
                        input["websiteId"] = json!("own");
                        if check(json_schema(described), &value, "body").is_empty() {
                            found.clear();
                        }
                    }
                    let found = found.into_iter();
                    found
                        .filter(|one| !is_ignored_member(self.url.path(), one))
                        .collect()
                }
                // What is deeper than our reader goes.
                Err(_) => Vec::new(),
            },
        }
    }

    /// A body that was refused for a member that is missing or of another type must be one that the document refuses.
    fn compare_refused(&self, operation: &Value, answer: &Answer) -> Vec<String> {
        let plain = &answer.body["data"]["issues"];
        let enveloped = &answer.body["json"]["data"]["issues"];
        let issues = plain.as_array().or_else(|| enveloped.as_array());
        let issues = issues.map_or(&[][..], Vec::as_slice);
        let is_about_form = |issue: &Value| {
            let place = issue["path"][0].as_str().unwrap_or_default();
            FORM_CODES.iter().any(|code| issue["code"] == *code)
                && !is_either(self.url.path(), place)
        };
        let body = self.body.as_deref().map(serde_json::from_slice::<Value>);
        match body {
            Some(Ok(mut body)) if !issues.is_empty() && issues.iter().all(is_about_form) => {
                let schema = json_schema(&operation["requestBody"]);
                // A change to null may be none.
                if let Some(members) = body.as_object_mut() {
                    members.retain(|_, member| !member.is_null());
                }
                if check(schema, &body, "body").is_empty() {
                    vec![format!("body: allowed, and refused for {issues:?}")]
                } else {
                    Vec::new()
                }
            }
            _ => Vec::new(),
        }
    }
}

/// The accepted members of a batch, each of which has its own answer.
fn without_refused(body: Value, results: &Value) -> Value {
    let (Value::Array(members), Value::Array(results)) = (&body, results) else {
        return body;
    };
    let is_refused = |result: &Value| result["status"] == "error" || result["success"] == false;
    let members = members.iter().zip(results);
    let accepted = members.filter(|(_, result)| !is_refused(result));
    accepted.map(|(member, _)| member.clone()).collect()
}

/// The schema of a body of JSON.
fn json_schema(body: &Value) -> &Value {
    &body["content"]["application/json"]["schema"]
}

/// The possible values of a parameter's text.
fn readings(text: &str) -> Vec<Value> {
    let read = serde_json::from_str::<Value>(text).ok();
    let read = read.filter(|value| value.is_number() || value.is_boolean());
    read.into_iter().chain([Value::from(text)]).collect()
}

/// A failure of no operation: in one of the styles, or without words.
fn compare_failure(answer: &Answer) -> Vec<String> {
    if answer.text.is_empty() || media(answer.header("content-type")) == "text/html" {
        return Vec::new();
    }
    let styles = [
        "RestError",
        "RpcError",
        "IngestionError",
        "JsonRpcError",
        // The other hosts refuse that path in its words, too.
        "FlagDefinitionsError",
    ];
    let styles = styles.map(|name| json!({ "$ref": format!("#/components/schemas/{name}") }));
    check(&json!({ "anyOf": styles }), &answer.body, "answer")
}

fn check(schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let find = |path: &str| published().refer(path);
    Checker::new(&find, true).check(schema, value, place)
}

fn media(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

fn is_json(media: &str) -> bool {
    media == "application/json" || media.ends_with("+json")
}

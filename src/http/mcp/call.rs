//! Calling a tool: the same way as its procedure, with the caller's own rights.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{
    sanitize::{MAX_ITEMS, sanitize},
    tools::{Form, Tool, all, allowed},
};
use crate::{
    access::{Permission, authorize},
    actors::websites::Website,
    analytics::nearest,
    fault::{Fault, Issue, Kind},
    http::{procedures::Call, wire::Wire},
};

const FAILED: &str = "Input validation failed";
/// Names that a refusal lists.
const MAX_LISTED: usize = 10;

/// The result of a call as the protocol has it; what went wrong is a result, too, for the agent to act on.
pub(super) async fn call(call: &Call, tool: &Tool, arguments: Map<String, Value>) -> Value {
    match outcome(call, tool, arguments).await {
        Ok(structured) => json!({
            "content": [{ "type": "text", "text": structured.to_string() }],
            "structuredContent": structured,
            "isError": false,
        }),
        Err(told) => {
            json!({ "content": [{ "type": "text", "text": told.to_string() }], "isError": true })
        }
    }
}

/// What a call gives back, or what went wrong and what to do about it; either can be read by an agent.
pub(in crate::http) async fn outcome(
    call: &Call,
    tool: &Tool,
    arguments: Map<String, Value>,
) -> Result<Value, Value> {
    let outcome = run(call, tool, arguments).await;
    outcome.map_err(|fault| sanitize(describe_fault(tool, &fault)))
}

async fn run(call: &Call, tool: &Tool, mut arguments: Map<String, Value>) -> Result<Value, Fault> {
    let procedure = &tool.procedure;
    procedure.needs.admit(&call.caller)?;
    check_arguments(tool, &arguments)?;
    if tool.by_website {
        name_website(call, &mut arguments)?;
    }
    if procedure.reads {
        let output = procedure
            .invoke(call.clone(), Value::Object(arguments))
            .await?;
        return Ok(formed(tool.form, output));
    }
    let confirmed = match arguments.remove("confirmed") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(confirmed)) => confirmed,
        Some(_) => {
            return Err(issue(
                "invalid_type",
                "confirmed",
                "`confirmed` is true or false",
            ));
        }
    };
    let input = Value::Object(arguments);
    procedure.check(&input)?;
    if confirmed {
        let output = procedure.invoke(call.clone(), input).await?;
        return Ok(json!({ "done": true, "result": formed(tool.form, output) }));
    }
    let current = current(call, tool, &input).await?;
    Ok(json!({ "done": false, "preview": {
        "tool": tool.name,
        "does": procedure.summary,
        "arguments": sanitize(input),
        "current": current,
        "next": "Show this to the person you work for. To do it, call again with the same arguments and `confirmed: true`.",
    } }))
}

/// What is there before a change: the thing with this id, if it can be read; a change that would be refused is refused here.
async fn current(call: &Call, tool: &Tool, input: &Value) -> Result<Value, Fault> {
    let changes = ["update", "delete", "pause", "resume"];
    let id = ["id", "scheduleId"]
        .into_iter()
        .find_map(|name| Some((name, input.get(name)?.clone())));
    let (Some((field, id)), true) = (id, changes.iter().any(|verb| tool.name.starts_with(verb)))
    else {
        return Ok(Value::Null);
    };
    let router = tool.procedure.router;
    let reader = all().iter().find(|other| {
        let name = other.procedure.name;
        other.procedure.router == router && ["getById", "get", "getSchedule"].contains(&name)
    });
    let Some(reader) = reader.filter(|reader| allowed(&call.caller, &reader.procedure)) else {
        return Ok(Value::Null);
    };
    let mut asked = json!({ field: id });
    if let Some(website) = input.get("websiteId") {
        asked["websiteId"] = website.clone();
    }
    let found = reader.procedure.invoke(call.clone(), asked).await?;
    Ok(sanitize(found))
}

/// An output as the object that a tool gives back.
fn formed(form: Form, output: Value) -> Value {
    match (form, output) {
        (Form::Object, output) => sanitize(output),
        (Form::List, Value::Array(items)) => {
            let count = items.len();
            json!({ "items": sanitize(Value::Array(items)), "count": count, "truncated": count > MAX_ITEMS })
        }
        (_, output) => json!({ "value": sanitize(output) }),
    }
}

/// Refuses arguments that the tool does not take: what is misspelled would be left out silently.
fn check_arguments(tool: &Tool, arguments: &Map<String, Value>) -> Result<(), Fault> {
    let Some(fields) = &tool.fields else {
        return Ok(());
    };
    let mut issues = Vec::new();
    for name in arguments.keys().filter(|name| !fields.contains(name)) {
        let meant = nearest(name, fields.iter().map(String::as_str));
        let meant = meant.map(|meant| format!("Did you mean '{meant}'?"));
        let message = format!("`{}` takes no `{name}`", tool.name);
        issues.push(Issue::new("unrecognized_keys", name.clone(), message).suggest(meant));
    }
    if issues.is_empty() {
        return Ok(());
    }
    Err(Fault::issues(FAILED, issues))
}

/// Puts the id of a website in the place of its name or domain.
fn name_website(call: &Call, arguments: &mut Map<String, Value>) -> Result<(), Fault> {
    let mut named = |field: &str| -> Result<Option<String>, Fault> {
        match arguments.remove(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(issue(
                "invalid_type",
                field,
                &format!("`{field}` is a text"),
            )),
        }
    };
    let (name, domain) = (named("websiteName")?, named("websiteDomain")?);
    if name.is_none() && domain.is_none() {
        return Ok(());
    }
    let field = if name.is_some() {
        "websiteName"
    } else {
        "websiteDomain"
    };
    let readable = readable(call);
    let same = |wanted: &Option<String>, own: &str| {
        wanted
            .as_ref()
            .is_none_or(|wanted| wanted.trim().eq_ignore_ascii_case(own))
    };
    let mut found = readable
        .iter()
        .filter(|website| same(&name, &website.name) && same(&domain, &website.domain));
    match (found.next(), found.next()) {
        (Some(website), None) => {
            let id = json!(website.id.as_str());
            if arguments.get("websiteId").is_some_and(|other| *other != id) {
                return Err(issue(
                    "invalid_value",
                    field,
                    "names another website than `websiteId`",
                ));
            }
            arguments.insert("websiteId".to_owned(), id);
            Ok(())
        }
        (Some(_), Some(_)) => Err(issue(
            "ambiguous",
            field,
            "fits several websites: use `websiteId`",
        )),
        (None, _) => {
            let known = readable
                .iter()
                .take(MAX_LISTED)
                .map(|website| website.domain.as_str());
            let known = known.collect::<Vec<_>>().join(", ");
            let message = format!("no website that you may read is called so; there are: {known}");
            Err(issue("unknown", field, &message))
        }
    }
}

/// The websites that the caller may read.
fn readable(call: &Call) -> Vec<Arc<Website>> {
    let view = call.shared.websites.view();
    let organizations = call.caller.organizations().into_iter();
    let websites = organizations.flat_map(|organization| view.owned_by(organization));
    let may = |website: &Arc<Website>| {
        let (permission, id) = (Permission::WebsiteRead, website.id.as_str());
        authorize::website(&call.caller, permission, id, Some(&website.site())).is_ok()
    };
    websites.filter(may).collect()
}

fn issue(code: &'static str, field: &str, message: &str) -> Fault {
    let issue = Issue::new(code, field.to_owned(), message.to_owned());
    Fault::issues(FAILED, vec![issue])
}

/// What went wrong and what to do about it.
fn describe_fault(tool: &Tool, fault: &Fault) -> Value {
    let (status, code) = Wire::Rpc.meaning(fault);
    let mut told = json!({ "error": fault.message, "code": code, "status": status });
    if let Kind::Invalid { issues } = &fault.kind
        && !issues.is_empty()
    {
        told["issues"] = json!(issues);
    }
    let fix = match &fault.kind {
        Kind::Invalid { .. } => {
            "Correct what is named and call again; the tool's inputSchema says what it takes."
                .to_owned()
        }
        Kind::Forbidden | Kind::Unauthenticated => match tool.procedure.needs.scope() {
            Some(scope) => format!(
                "The credentials must allow `{}` here. Do not try again: tell the person you work for.",
                scope.as_str()
            ),
            None => "Do not try again: tell the person you work for.".to_owned(),
        },
        Kind::NotFound { .. } => "Look the id up with a list tool; ids are not names.".to_owned(),
        Kind::Conflict { .. } => "Choose another name, or update what is there.".to_owned(),
        Kind::RateLimited(window) => format!("Wait {} seconds.", window.retry_after),
        Kind::Unavailable { retry_after } => {
            format!("Try again in {} seconds.", retry_after.as_secs().max(1))
        }
        Kind::FeatureUnavailable { .. } | Kind::PlanLimitExceeded { .. } => {
            "The plan does not allow it. Do not try again: tell the person you work for.".to_owned()
        }
        _ => "It is not your mistake. Try again later, once.".to_owned(),
    };
    told["fix"] = json!(fix);
    told
}

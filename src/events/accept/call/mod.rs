//! Tool calls that an MCP server reports: the array of `/mcp`.
//!
//! The reports come from servers, about what happened there: texts that are too long are cut, because a report that is
//! refused says nothing at all. Ids and times keep the rules of every route.

mod client;
mod failure;

use super::{
    Target, clean,
    field::{Check, EVENT_ID, ID},
    invalid, spans,
    time::Texts,
    wire::{self, Item, Value, fields},
};
use crate::{
    events::{
        enrich::{Identity, SenderContext},
        event::{Call, Details, Event},
        store::Accepted,
    },
    fault::{Fault, Issue},
};

/// Characters kept of a tool's name.
const TOOL: usize = 256;
/// Characters kept of a failure's code and of a client's or server's version.
const SHORT: usize = 64;
/// Characters kept of names.
const NAME: usize = 128;
/// Characters kept of a user agent.
const USER_AGENT: usize = 512;
/// Characters kept of an environment.
const ENVIRONMENT: usize = 32;

fields! {
    Reported, required [tool, duration] {
        event_id: Value = "eventId",
        tool: Value = "tool",
        duration: Value = "durationMs",
        error: Value = "error",
        error_code: Value = "errorCode",
        output: Value = "outputChars",
        session_id: Value = "sessionId",
        client_name: Value = "clientName",
        client_version: Value = "clientVersion",
        server_name: Value = "serverName",
        server_version: Value = "serverVersion",
        user_agent: Value = "userAgent",
        timestamp: Value = "timestamp",
        website_id: Value = "websiteId",
        environment: Value = "environment",
    }
}

/// A body of `/mcp`, read but not checked.
pub struct Body<'a>(Vec<Item<Reported<'a>>>);

/// Takes a body apart.
///
/// # Errors
/// It is no JSON array, or an empty one.
pub fn read(bytes: &[u8]) -> Result<Body<'_>, Fault> {
    let (code, message) = match wire::read(bytes)? {
        wire::Body::Many(items) if !items.is_empty() => return Ok(Body(items)),
        wire::Body::Many(_) => ("too_short", "Expected at least one tool call"),
        wire::Body::One(_) => ("invalid_type", "Expected an array of objects"),
    };
    Err(invalid(vec![Issue::new(code, "", message)]))
}

fn website_id<'a>(item: &'a Item<Reported<'_>>) -> Option<&'a str> {
    match item {
        Item::Object(call) => super::custom::named(&call.website_id),
        Item::Hollow | Item::Other => None,
    }
}

impl Body<'_> {
    /// The website ids that the calls name, `None` for one that names none.
    pub fn website_ids(&self) -> impl Iterator<Item = Option<&str>> {
        self.0.iter().map(website_id)
    }

    /// Checks every call; `target` knows the website that a call names (or leaves open).
    ///
    /// # Errors
    /// Any call breaks a rule, or its target is unknown to `target`.
    pub fn accept<'t>(
        self,
        visit: &SenderContext,
        target: impl Fn(Option<&str>) -> Result<Target<'t>, Fault>,
    ) -> Result<Vec<Accepted>, Fault> {
        spans::accept_all(
            self.0,
            true,
            visit.received,
            |item| target(website_id(item)),
            |call, target, check| event(call, visit, target, check),
        )
    }
}

fn event(
    reported: &Reported<'_>,
    visit: &SenderContext,
    target: &Target<'_>,
    check: &mut Check,
) -> Accepted {
    check.require("tool", &reported.tool);
    let tool = check.cut("tool", &reported.tool, TOOL);
    if tool.is_none() && matches!(reported.tool, Value::Text(_)) {
        let message = "`tool` must not be empty".to_owned();
        check.issue("too_short", "tool", message);
    }
    let mut event = Event {
        organization: target.access.organization().0,
        website: target.access.website().0,
        time: check.time(&reported.timestamp, Texts::Refused),
        name: tool.unwrap_or_default(),
        details: Details::Call(Box::new(call(reported, check))),
        ..Event::default()
    };
    check.text("websiteId", &reported.website_id, ID);
    let event_id = check.text("eventId", &reported.event_id, EVENT_ID);
    let session = check.text("sessionId", &reported.session_id, ID);
    let identity = Identity {
        session: session.as_deref().unwrap_or_default(),
        ..Identity::default()
    };
    visit.stamp(&mut event, identity);
    Accepted { event, event_id }
}

fn call(reported: &Reported<'_>, check: &mut Check) -> Call {
    check.require("durationMs", &reported.duration);
    let own_code = check.cut("errorCode", &reported.error_code, SHORT);
    let failure = match &reported.error {
        Value::Text(text) => Some(failure::read(text)),
        other => {
            check.cut("error", other, 0);
            None
        }
    };
    let client_name = check.cut("clientName", &reported.client_name, NAME);
    let user_agent = check.cut("userAgent", &reported.user_agent, USER_AGENT);
    Call {
        duration_ms: check
            .count("durationMs", &reported.duration, u32::MAX)
            .unwrap_or_default(),
        output_chars: check
            .count("outputChars", &reported.output, u32::MAX)
            .unwrap_or_default(),
        is_error: failure.is_some(),
        error_code: own_code.or_else(|| failure.as_ref().and_then(|found| found.code.clone())),
        error: failure
            .map(|found| found.message)
            .filter(|message| !message.is_empty()),
        client: client::product(client_name.as_deref(), user_agent.as_deref()),
        client_name,
        client_version: check.cut("clientVersion", &reported.client_version, SHORT),
        user_agent,
        server_name: check.cut("serverName", &reported.server_name, NAME),
        server_version: check.cut("serverVersion", &reported.server_version, SHORT),
        environment: check.cut("environment", &reported.environment, ENVIRONMENT),
    }
}

impl Check {
    /// A single-line text, cut to `most` characters; `None` when there is nothing in it.
    fn cut(&mut self, field: &str, value: &Value<'_>, most: usize) -> Option<String> {
        let text = self.long_text(field, value, usize::MAX)?;
        let text = clean::line(&text);
        let text = clean::cut(&text, most).trim_end();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

#[cfg(test)]
mod tests;

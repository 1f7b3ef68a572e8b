//! `/batch`: page events and outgoing links, each handled on its own.

use serde::Serialize;

use super::{
    Context,
    field::Check,
    invalid,
    page::{self, Sort, Tracked},
    wire::{self, Fields as _, Item, Value},
};
use crate::{
    events::{enrich::bot::Fate, store::Accepted},
    fault::{Fault, Issue},
};

/// Items that are answered one by one although they are no events at all. Every answer is some hundred bytes, an item
/// may be one: a batch with more of them is refused as a whole, or two megabytes would become hundreds.
const MAX_HOLLOW: usize = 1_000;

#[derive(Debug)]
pub struct Batch {
    pub accepted: Vec<Accepted>,
    /// One answer per item, in order.
    pub results: Vec<Outcome>,
    pub track: usize,
    pub outgoing_link: usize,
    pub bots: usize,
}

/// The answer to one item, as it is written on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// `success` or `error`.
    pub status: &'static str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<&'static str>,
    /// The type that the item claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_type: Option<String>,
    /// `ignored` for bots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Issue>,
    /// The item's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
}

impl Outcome {
    fn stored(sort: Sort, event_id: Option<String>) -> Self {
        Self {
            status: "success",
            kind: Some(sort.as_str()),
            message: None,
            event_type: None,
            error: None,
            errors: Vec::new(),
            event_id,
        }
    }

    fn refused(message: &'static str, event_type: String) -> Self {
        Self {
            status: "error",
            kind: None,
            message: Some(message),
            event_type: Some(event_type),
            error: None,
            errors: Vec::new(),
            event_id: None,
        }
    }

    fn broken(event_type: String, event_id: Option<String>, errors: Vec<Issue>) -> Self {
        Self {
            errors,
            event_id,
            ..Self::refused("Invalid event schema", event_type)
        }
    }
}

/// Reads the array of `/batch`; items of a declared bot are answered as ignored.
///
/// # Errors
/// The body is no JSON array, or of too many things that are no events.
pub fn accept(bytes: &[u8], context: &Context<'_>) -> Result<Batch, Fault> {
    let wire::Body::Many(items) = wire::read::<Tracked<'_>>(bytes)? else {
        let message = "Batch endpoint expects array of events";
        return Err(invalid(vec![Issue::new("invalid_type", "", message)]));
    };
    let hollow = |item: &&Item<Tracked<'_>>| match item {
        Item::Object(tracked) => tracked.is_hollow(),
        Item::Hollow | Item::Other => true,
    };
    if items.iter().filter(hollow).nth(MAX_HOLLOW).is_some() {
        let message = format!("More than {MAX_HOLLOW} items are no events: they have no `eventId`");
        return Err(invalid(vec![Issue::new("too_many", "", message)]));
    }
    let mut batch = Batch {
        accepted: Vec::with_capacity(items.len()),
        results: Vec::with_capacity(items.len()),
        track: 0,
        outgoing_link: 0,
        bots: 0,
    };
    for item in items {
        let outcome = batch.take(&item, context);
        batch.results.push(outcome);
    }
    Ok(batch)
}

impl Batch {
    /// How many items broke a rule.
    pub fn refused(&self) -> usize {
        self.results.len() - self.track - self.outgoing_link - self.bots
    }

    fn take(&mut self, item: &Item<Tracked<'_>>, context: &Context<'_>) -> Outcome {
        let mut check = Check::new(None, context.visit.received);
        let track = || Sort::Track.as_str().to_owned();
        let tracked = match item {
            Item::Object(tracked) => tracked,
            // One of very many: the answer stays as small as the item was.
            Item::Hollow => return Outcome::refused("Invalid event schema", track()),
            Item::Other => return Outcome::broken(track(), None, check.no_object().into_issues()),
        };
        let event_type = match &tracked.kind {
            Value::Absent => track(),
            Value::Text(text) => super::clean::cut(text, 64).to_owned(),
            _ => String::new(),
        };
        let fate = context.visit.fate(context.target.bots);
        if fate.ignored().is_some() {
            self.bot(fate, tracked, check, context);
            return Outcome {
                error: Some("ignored"),
                ..Outcome::refused("Bot detected", event_type)
            };
        }
        let Some(sort) = Sort::read(&tracked.kind) else {
            return Outcome::refused("Unknown event type", event_type);
        };
        let accepted = page::build(sort, tracked, &mut check, context);
        if !check.is_clean() {
            return Outcome::broken(event_type, accepted.event_id, check.into_issues());
        }
        match sort {
            Sort::Track => self.track += 1,
            Sort::OutgoingLink => self.outgoing_link += 1,
        }
        let outcome = Outcome::stored(sort, accepted.event_id.clone());
        self.accepted.push(accepted);
        outcome
    }

    /// Ignores an item, but keeps a page that an agent has seen as a request of that agent.
    fn bot(&mut self, fate: Fate, tracked: &Tracked<'_>, check: Check, context: &Context<'_>) {
        let request = page::seen_by_agent(fate, tracked, check, context);
        self.accepted.extend(request);
        self.bots += 1;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{super::test_fixture::*, *};
    use crate::events::event::Details;

    fn results(batch: &Batch) -> Value {
        serde_json::to_value(&batch.results).unwrap()
    }

    fn page(id: &str) -> Value {
        json!({"eventId": id, "name": "screen_view", "path": "https://example.com/"})
    }

    #[test]
    fn one_bad_item_does_not_fail_the_others() {
        let visit = visit();
        let body = json!([
            page("a"),
            {"type": "outgoing_link", "eventId": "b", "href": "https://x.example/"},
            {"eventId": "c", "name": "screen_view"},
            {"type": "purchase", "eventId": "d"},
            4,
            {"eventId": "e", "name": "n", "path": "https://example.com/", "properties": {"k": "x".repeat(40_000)}},
        ]);
        let batch = accept(body.to_string().as_bytes(), &context(&visit)).unwrap();
        assert_eq!(
            (batch.accepted.len(), batch.track, batch.outgoing_link),
            (2, 1, 1)
        );
        let results = results(&batch);
        assert_eq!(
            results[0],
            json!({"status": "success", "type": "track", "eventId": "a"})
        );
        assert_eq!(
            results[1],
            json!({"status": "success", "type": "outgoing_link", "eventId": "b"})
        );
        assert_eq!(results[2]["message"], "Invalid event schema");
        assert_eq!(results[2]["errors"][0]["field"], "path");
        assert_eq!(
            (&results[2]["eventType"], &results[2]["eventId"]),
            (&json!("track"), &json!("c"))
        );
        assert_eq!(
            results[3],
            json!({"status": "error", "message": "Unknown event type", "eventType": "purchase"})
        );
        assert_eq!(results[4]["errors"][0]["code"], "invalid_type");
        assert_eq!(results[5]["errors"][0]["code"], "too_large");
    }

    #[test]
    fn items_of_a_bot_are_ignored() {
        let visit = context_for("Mozilla/5.0 (compatible; Googlebot/2.1)");
        let batch = accept(json!([page("a")]).to_string().as_bytes(), &context(&visit)).unwrap();
        assert!(batch.accepted.is_empty());
        assert_eq!(batch.bots, 1);
        let ignored = json!([{"status": "error", "message": "Bot detected", "eventType": "track", "error": "ignored"}]);
        assert_eq!(results(&batch), ignored);
    }

    #[test]
    fn a_thousand_items_that_are_no_events_are_answered_and_not_one_more() {
        let visit = visit();
        for item in ["{}", "0", r#"{"name":"n"}"#] {
            let take = |count: usize| {
                let body = format!("[{}]", vec![item; count].join(","));
                accept(body.as_bytes(), &context(&visit))
            };
            assert_eq!(take(1_000).unwrap().results.len(), 1_000);
            let found = codes(take(1_001).unwrap_err());
            assert_eq!(found, [("too_many".to_owned(), String::new())]);
        }
    }

    #[test]
    fn pages_that_an_agent_has_seen_are_kept_as_its_requests() {
        let visit =
            context_for("Mozilla/5.0 (compatible; ChatGPT-User/1.0; +https://openai.com/bot)");
        let body = json!([
            page("a"),
            {"eventId": "b", "name": "page_exit", "path": "https://example.com/"},
            {"type": "outgoing_link", "eventId": "c", "href": "https://x.example/"},
            {"eventId": "d", "name": "screen_view", "path": "nonsense"},
        ]);
        let batch = accept(body.to_string().as_bytes(), &context(&visit)).unwrap();
        assert_eq!((batch.accepted.len(), batch.bots), (1, 4));
        assert_eq!((batch.track, batch.outgoing_link), (0, 0));
        let event = &batch.accepted[0].event;
        assert_eq!(event.name, "ChatGPT-User");
        assert_eq!((event.visitor, event.session), (0, 0));
        let Details::Agent(agent) = &event.details else {
            panic!("{event:?}");
        };
        assert_eq!(
            [&agent.product, &agent.operator, &agent.purpose],
            ["ChatGPT", "OpenAI", "ai_user"]
        );
    }

    #[test]
    fn anything_but_an_array_is_refused() {
        let visit = visit();
        let fault = accept(page("a").to_string().as_bytes(), &context(&visit)).unwrap_err();
        assert_eq!(codes(fault), [("invalid_type".to_owned(), String::new())]);
    }

    proptest::proptest! {
        #[test]
        fn every_item_gets_one_answer(body in any_body()) {
            let visit = visit();
            if let Ok(batch) = accept(body.to_string().as_bytes(), &context(&visit)) {
                proptest::prop_assert_eq!(batch.results.len(), body.as_array().unwrap().len());
                proptest::prop_assert_eq!(batch.track + batch.outgoing_link, batch.accepted.len());
            }
        }
    }
}

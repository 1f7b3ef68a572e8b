//! Requests of other products' clients.

use pharos::{
    events::accept::protocols::{Batch, Failure, Item, Outcome, Protocol, Request, Visitor},
    fault::Kind,
};

use super::{
    bodies::context,
    promises::{NOW, is_refusal, judge},
};

/// A request: its first line is path and query, the rest is the body. Every protocol reads it.
pub fn protocols(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (line, body) = bytes.split_at(end.unwrap_or(bytes.len()));
    let Ok(line) = std::str::from_utf8(line) else {
        return;
    };
    let body = body.strip_prefix(b"\n").unwrap_or(body);
    let (path, query) = line.split_once('?').unwrap_or((line, ""));
    for protocol in Protocol::ALL {
        let adapter = protocol.adapter();
        let Ok(inner) = (adapter.unwrap)(body) else {
            continue;
        };
        let request = Request {
            method: "POST",
            path,
            query,
            body: inner.as_deref().unwrap_or(body),
            authorization: Some(line),
            user_agent: Some("Mozilla/5.0"),
            received: NOW,
        };
        let _ = (adapter.find_claim)(&request);
        match (adapter.read)(&request) {
            Ok(batch) => accept(&batch),
            // Two websites in one request.
            Err(fault) if fault.kind == Kind::Forbidden => {}
            Err(fault) => is_refusal(&fault),
        }
        let failure = Failure {
            status: 400,
            code: "",
            message: "refused",
            issues: &[],
        };
        assert!((adapter.failure)(&request, &failure).status >= 200);
        assert!((adapter.success)(&request, &Outcome::default()).status < 300);
    }
}

fn accept(batch: &Batch<'_>) {
    let visitor = Visitor {
        anonymous: "anon_1",
        session: "sess_1",
    };
    for (index, item) in batch.items.iter().enumerate() {
        match item {
            Item::Event(input) => {
                input.time_ms(NOW);
                judge(input.accept(Some(index), visitor, &context()));
            }
            Item::Person(person) => match person.accept() {
                Ok(said) => assert!(!said.profile.is_empty() && said.traits.len() <= 50),
                Err(fault) => is_refusal(&fault),
            },
        }
    }
}

//! Files of other tools, turned into events: one file per format, each a [`Source`] of records.
//!
//! A record goes the way of any event ([`super::accept`]), so the rules for texts, times and addresses are the
//! same, and what breaks them is refused with the same words. What a file knows better than we could (a country, a
//! browser) is put on the event afterwards. Visitors are distinguished with a salt of the import, which is forgotten
//! with its end, so no address can be derived from stored events.

mod access_log;
mod bounded;
mod cells;
mod columns;
mod format;
mod ga4;
mod known;
mod lines;
mod matomo;
mod own;
mod person;
mod plausible;
mod posthog;
mod prefix;
mod read;
mod report;
mod rows;
mod umami;

use std::{fs::File, io, path::Path};

use serde_json::Value;

pub use self::{
    format::Format,
    person::NamedPerson,
    prefix::Prefix,
    read::{Chunk, Reading, yield_to_requests},
    report::{Omitted, RefusedRecord, Report},
};
use super::{
    accept::{Context, Target, custom, page},
    enrich::{
        Enricher, NoSalt, Request, SenderContext, bot::Headers, geo::ProxyGeo, user_agent::Hints,
    },
    event::{Event, Trust},
    store::Accepted,
};
use crate::fault::{Fault, Kind};

/// Where events go, and what they are judged by.
pub struct Import<'a> {
    /// The import's id; ids of events are made of it and of their position in the file.
    pub id: &'a str,
    pub target: Target<'a>,
    /// Knows browsers and countries; its salt is the import's.
    pub enricher: &'a Enricher,
    /// Now, Unix ms: when all of it is received.
    pub now: i64,
}

/// What a record came to.
#[derive(Debug)]
pub enum Outcome {
    /// An event to store.
    Event(Box<Accepted>),
    /// No event, but a person.
    Person,
    /// Nothing that is stored, and why.
    LeftOut(&'static str),
    /// It cannot be read, or breaks a rule.
    Refused(String),
}

#[derive(Debug)]
pub struct Record {
    /// Its line, from 1.
    pub line: u64,
    /// Where it ends, in bytes; never before the one in front of it.
    pub end: u64,
    /// Up to where the file is done when this record and all in front of it are stored: an import that was cut off goes on
    /// with the first record that ends behind it.
    pub done: u64,
    pub outcome: Outcome,
    /// What it says about the person whose it is.
    pub person: Option<Box<NamedPerson>>,
    /// Fields of it that are not carried.
    pub omitted: Vec<&'static Omission>,
}

/// A field that is not carried, and why.
#[derive(Debug, PartialEq, Eq)]
pub struct Omission {
    pub field: &'static str,
    pub reason: &'static str,
}

impl Record {
    /// A record with which everything up to its end is done.
    const fn new(line: u64, end: u64, outcome: Outcome) -> Self {
        Self {
            line,
            end,
            done: end,
            outcome,
            person: None,
            omitted: Vec::new(),
        }
    }
}

/// A file that is read record by record, from its beginning.
pub trait Source {
    /// The next record; `None` at the end of the file, or in front of a last line that is not whole.
    fn next(&mut self, import: &Import<'_>) -> io::Result<Option<Record>>;
}

/// Opens a file.
pub fn open(format: Format, path: &Path) -> io::Result<Box<dyn Source>> {
    let file = File::open(path)?;
    Ok(match format {
        Format::AccessLog => Box::new(access_log::AccessLog::new(file)),
        Format::Umami => Box::new(umami::Umami::new(file)?),
        Format::Own => Box::new(own::Own::new(file)?),
        Format::Plausible => Box::new(plausible::Plausible::new(file)?),
        Format::Ga4 => Box::new(rows::Rows::new(&ga4::ADAPTER, file)?),
        Format::Matomo => Box::new(rows::Rows::new(&matomo::ADAPTER, file)?),
        Format::PostHog => Box::new(rows::Rows::new(&posthog::ADAPTER, file)?),
    })
}

impl Outcome {
    fn event(event: Event, id: String) -> Self {
        let event_id = Some(id);
        Self::Event(Box::new(Accepted { event, event_id }))
    }
}

/// Where the row of a table that was read last ends, in bytes, in a file of this length.
fn row_end<R: io::Read>(table: &csv::Reader<R>, length: u64) -> u64 {
    // The reader may be behind the end by the line break that it has not looked at yet.
    if table.is_done() {
        length
    } else {
        table.position().byte()
    }
}

impl Import<'_> {
    /// Gives an event its id: where its record ends, and what is in it. So a chunk that is stored again is recognised,
    /// and nothing else is, whichever file is at hand.
    fn with_event_id(&self, body: &Value, end: u64) -> String {
        let mut text = body.to_string();
        let id = self.event_id(blake3::hash(text.as_bytes()), end);
        // In front of the bracket that closes the object; an id needs no escapes.
        text.pop();
        text.push_str(",\"eventId\":\"");
        text.push_str(&id);
        text.push_str("\"}");
        text
    }

    /// The id of an event whose record ends there, and has this in it.
    fn event_id(&self, digest: blake3::Hash, end: u64) -> String {
        format!("import-{}-{end}-{}", self.id, &digest.to_hex()[..16])
    }

    /// Takes a page event as the tracker would send it.
    fn page(&self, body: Value, end: u64, visit: &SenderContext) -> Outcome {
        let context = Context {
            visit,
            target: self.target,
        };
        match page::accept(self.with_event_id(&body, end).as_bytes(), &context) {
            Ok((_, accepted)) => Outcome::Event(Box::new(accepted)),
            Err(fault) => Outcome::Refused(describe_fault(&fault)),
        }
    }

    /// Takes a custom event as a page would send it.
    fn custom(&self, body: Value, end: u64, visit: &SenderContext) -> Outcome {
        let text = self.with_event_id(&body, end);
        let accepted =
            custom::read(text.as_bytes()).and_then(|body| body.accept(visit, |_| Ok(self.target)));
        match accepted.map(|mut all| all.pop()) {
            Ok(Some(accepted)) => Outcome::Event(Box::new(accepted)),
            Ok(None) => Outcome::Refused("there is no event in it".to_owned()),
            Err(fault) => Outcome::Refused(describe_fault(&fault)),
        }
    }

    /// The visit that a request is part of.
    fn visit(&self, request: &Request<'_>) -> Result<SenderContext, Outcome> {
        let visit = self.enricher.visit(request);
        visit.map_err(|NoSalt| Outcome::Refused(NoSalt.to_string()))
    }

    /// A request that says nothing about its visitor.
    fn visitor_of_nobody(&self) -> Result<SenderContext, Outcome> {
        self.visit(&Request {
            ip: None,
            user_agent: None,
            hints: Hints::default(),
            told: ProxyGeo::default(),
            headers: Headers::default(),
            trust: Trust::Key,
            received: self.now,
        })
    }

    /// Takes an event whose visitor another tool has enriched already; `stamp` puts that on the event.
    fn enriched(
        &self,
        body: Value,
        end: u64,
        is_page: bool,
        stamp: impl FnOnce(&mut Event),
    ) -> Outcome {
        let mut outcome = match self.visitor_of_nobody() {
            Ok(visit) if is_page => self.page(body, end, &visit),
            Ok(visit) => self.custom(body, end, &visit),
            Err(outcome) => outcome,
        };
        if let Outcome::Event(accepted) = &mut outcome {
            stamp(&mut accepted.event);
        }
        outcome
    }
}

/// A text that describes, no longer than any of ours.
fn clip(text: Option<String>) -> Option<String> {
    let clean = |text: String| text.chars().filter(|c| !c.is_control()).take(128).collect();
    text.map(clean).filter(|text: &String| !text.is_empty())
}

/// What is wrong, in one line.
fn describe_fault(fault: &Fault) -> String {
    let Kind::Invalid { issues } = &fault.kind else {
        return fault.message.to_string();
    };
    let all: Vec<&str> = issues.iter().map(|issue| &*issue.message).collect();
    if all.is_empty() {
        fault.message.to_string()
    } else {
        all.join("; ")
    }
}

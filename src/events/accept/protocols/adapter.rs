//! What an adapter is, and what it is given.

use serde::Serialize;
use serde_json::Value;

use super::{Item, json};
use crate::{
    access::authorize,
    events::tree::Text,
    fault::{Fault, Issue},
};

/// Takes a body out of another one; `None` where there is nothing to take it out of.
pub type Unwrap = fn(&[u8]) -> Result<Option<Vec<u8>>, Fault>;

/// How clients of one product are understood and answered.
pub struct Adapter {
    /// The product, as people know it.
    pub product: &'static str,
    pub routes: &'static [Route],
    /// The id that a website gets unless its owner chooses one.
    pub suggested_id: SuggestedId,
    /// Whether clients can send a secret beside the id.
    pub has_secret: bool,
    /// Whether bodies may be forms.
    pub has_form: bool,
    /// What a request names beside its body, by which it may be refused before its body is looked at.
    pub find_claim: for<'a> fn(&Request<'a>) -> Option<Claim<'a>>,
    /// The body that is wrapped in another one, still packed if it was.
    pub unwrap: Unwrap,
    /// Takes a request apart.
    pub read: for<'a> fn(&Request<'a>) -> Result<Batch<'a>, Fault>,
    pub success: fn(&Request<'_>, &Outcome) -> Answer,
    pub failure: fn(&Request<'_>, &Failure<'_>) -> Answer,
    /// What a body holds, for the OpenAPI document.
    pub body: fn() -> Value,
}

impl Adapter {
    /// A product whose clients send no events.
    pub(super) const WITHOUT_EVENTS: Self = Self {
        product: "",
        routes: &[],
        suggested_id: SuggestedId::Number,
        has_secret: false,
        has_form: false,
        find_claim: |_| None,
        unwrap: |_| Ok(None),
        read: |_| Err(json::broken("Clients of this product send no events")),
        success: |_, _| Answer::empty(204),
        failure: |_, failure| Answer::text(failure.status, failure.message),
        body: || Value::Null,
    };
}

/// An address that clients send to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// `POST` or `GET`.
    pub method: &'static str,
    pub path: &'static str,
    /// Other spellings.
    pub also: &'static [&'static str],
    /// What it does, in a few words.
    pub summary: &'static str,
    /// Status and media type of success.
    pub success: (u16, &'static str),
    /// Statuses of other successes and failures that our own routes do not answer.
    pub other_statuses: &'static [u16],
}

impl Route {
    /// An address that takes posts and answers JSON, as most do.
    pub(super) const fn post(path: &'static str, summary: &'static str) -> Self {
        Self {
            method: "POST",
            path,
            also: &[],
            summary,
            success: (200, "application/json"),
            other_statuses: &[],
        }
    }
}

/// The id that a website gets unless its owner chooses one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuggestedId {
    /// The website's domain.
    Domain,
    /// Its client id.
    ClientId,
    /// A new key with this prefix, which cannot be guessed.
    Key(&'static str),
    /// A new number.
    Number,
}

/// A request as far as adapters look at it.
pub struct Request<'a> {
    pub method: &'a str,
    pub path: &'a str,
    /// The query string, without `?`.
    pub query: &'a str,
    /// The body, unpacked.
    pub body: &'a [u8],
    /// The header `Authorization`.
    pub authorization: Option<&'a str>,
    /// The header `User-Agent`.
    pub user_agent: Option<&'a str>,
    /// When it arrived, Unix ms.
    pub received: i64,
}

impl<'a> Request<'a> {
    /// A parameter of the query string, decoded; of several the last.
    pub(super) fn parameter(&self, name: &str) -> Option<Text<'a>> {
        let pairs = url::form_urlencoded::parse(self.query.as_bytes());
        let named = pairs.filter(|(key, _)| key == name).last();
        named.map(|(_, value)| value)
    }

    /// Whether what sent it runs where the visitor is: a library that does, or else a browser.
    pub(super) fn is_at_visitor(&self, library: Option<&str>, at_visitor: &[&str]) -> bool {
        match library {
            Some(library) => at_visitor.contains(&library),
            None => self
                .user_agent
                .is_some_and(|agent| agent.starts_with("Mozilla/")),
        }
    }
}

/// Which website a request says that it is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claim<'a> {
    pub id: Text<'a>,
    /// What was sent to prove that the id may be used.
    pub secret: Option<Text<'a>>,
}

impl<'a> Claim<'a> {
    /// An id that comes without a secret.
    pub(super) fn new(id: impl Into<Text<'a>>) -> Self {
        Self {
            id: id.into(),
            secret: None,
        }
    }
}

/// What a request asks for: all of it or nothing.
#[derive(Debug, Default)]
pub struct Batch<'a> {
    /// What the body says of the website.
    pub claim: Option<Claim<'a>>,
    /// Whether it is to be checked and not to be kept.
    pub is_dry_run: bool,
    /// How it wants to be answered.
    pub reply: Reply,
    pub items: Vec<Item<'a>>,
}

impl<'a> Batch<'a> {
    /// Notes an id that an item names; all of a request name the same.
    pub(super) fn claim(&mut self, claim: Claim<'a>) -> Result<(), Fault> {
        match &self.claim {
            Some(known) if *known != claim => Err(authorize::website_mismatch()),
            Some(_) => Ok(()),
            None => {
                self.claim = Some(claim);
                Ok(())
            }
        }
    }
}

/// How a request wants to be answered, where clients have a choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reply {
    #[default]
    Usual,
    /// With the number of events.
    Counts,
    Nothing,
}

/// What became of a request that was not refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Items that were taken.
    pub count: usize,
    pub reply: Reply,
    /// Whether nothing was kept, because a bot sent it or a visitor opted out.
    pub is_ignored: bool,
    /// The visitor and the session of the last event, as numbers; 0 = none.
    pub visitor: u64,
    pub session: u64,
}

/// Why a request was refused, as we say it.
#[derive(Debug, Clone, Copy)]
pub struct Failure<'a> {
    pub status: u16,
    pub code: &'a str,
    pub message: &'a str,
    pub issues: &'a [Issue],
}

impl Failure<'_> {
    /// What is wrong and where, in one line.
    pub(super) fn sentence(&self) -> String {
        match self.issues.first() {
            None => self.message.to_owned(),
            Some(issue) => format!("{}: {}", self.message, issue.message),
        }
    }
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// Media type of the body; empty without one.
    pub media: &'static str,
    pub body: Vec<u8>,
    /// A further header.
    pub header: Option<(&'static str, &'static str)>,
}

impl Answer {
    pub(super) fn json(status: u16, body: &impl Serialize) -> Self {
        Self {
            status,
            media: "application/json",
            body: serde_json::to_vec(body).unwrap_or_default(),
            header: None,
        }
    }

    pub(super) fn text(status: u16, body: &str) -> Self {
        Self {
            status,
            media: "text/plain; charset=utf-8",
            body: body.as_bytes().to_vec(),
            header: None,
        }
    }

    pub(super) fn empty(status: u16) -> Self {
        Self {
            status,
            media: "",
            body: Vec::new(),
            header: None,
        }
    }
}

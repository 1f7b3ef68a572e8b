//! The context of an evaluation.

use std::{
    borrow::Cow,
    cell::{Cell, OnceCell},
    net::IpAddr,
};

use serde_json::{Map, Value};

use super::text::text;

#[derive(Default)]
pub struct Context<'a> {
    pub user_id: Option<String>,
    pub email: Option<String>,
    pub organization_id: Option<String>,
    pub team_id: Option<String>,
    pub properties: Map<String, Value>,
    /// Unix ms.
    pub now_ms: i64,
    pub address: Option<IpAddr>,
    /// Facts about the request, read at most once and only if a rule needs them.
    pub request: Option<&'a dyn Fn() -> RequestFacts>,
    pub memo: Memo,
}

/// Results that are computed at most once for a context.
#[derive(Debug, Default)]
pub struct Memo {
    known: OnceCell<RequestFacts>,
    /// Whether a percentage was decided for an anonymous user.
    used_anonymous: Cell<bool>,
}

/// Facts about the request itself.
#[derive(Debug, Clone, Default)]
pub struct RequestFacts {
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// `mobile`, `tablet` or `desktop`.
    pub device: Option<String>,
}

impl Context<'_> {
    /// The user's id, unless it is empty.
    pub(super) fn user(&self) -> Option<&str> {
        filled(self.user_id.as_deref())
    }

    pub(super) fn email(&self) -> Option<&str> {
        filled(self.email.as_deref())
    }

    /// The user for percentages.
    pub(super) fn person(&self) -> &str {
        let named = self.user().or_else(|| self.email());
        named.unwrap_or_else(|| {
            self.memo.used_anonymous.set(true);
            ANONYMOUS
        })
    }

    /// Whether a percentage was decided for an anonymous user since the last call.
    pub fn used_anonymous(&self) -> bool {
        self.memo.used_anonymous.take()
    }

    /// The user, or the session if there is no user, for percentages in Unleash's buckets.
    pub(super) fn user_or_session(&self) -> Option<Cow<'_, str>> {
        let session = || self.property(SESSION).map(text);
        let who = self.user().map(Cow::Borrowed).or_else(session);
        let who = who.filter(|who| !who.is_empty());
        if who.is_none() {
            self.memo.used_anonymous.set(true);
        }
        who
    }

    pub(super) fn organization_id(&self) -> Option<&str> {
        filled(self.organization_id.as_deref())
    }

    pub(super) fn team_id(&self) -> Option<&str> {
        filled(self.team_id.as_deref())
    }

    pub(super) fn organization(&self) -> &str {
        self.organization_id().unwrap_or(ANONYMOUS)
    }

    pub(super) fn team(&self) -> &str {
        self.team_id().unwrap_or(ANONYMOUS)
    }

    /// A property; null is none.
    pub(super) fn property(&self, field: &str) -> Option<&Value> {
        self.properties.get(field).filter(|value| !value.is_null())
    }

    pub(super) fn request(&self) -> &RequestFacts {
        self.memo
            .known
            .get_or_init(|| self.request.map(|ask| ask()).unwrap_or_default())
    }
}

const ANONYMOUS: &str = "anonymous";
/// The property with the session of a visitor.
const SESSION: &str = "sessionId";

fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Contexts are personal data.
        formatter
            .debug_struct("Context")
            .field("properties", &self.properties.len())
            .finish_non_exhaustive()
    }
}

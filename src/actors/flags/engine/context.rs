//! Who asks.

use std::{
    cell::{Cell, OnceCell},
    net::IpAddr,
};

use serde_json::{Map, Value};

/// Who asks for a flag, and from where.
#[derive(Default)]
pub struct Context<'a> {
    /// The caller's id of the person.
    pub user_id: Option<String>,
    /// The person's address.
    pub email: Option<String>,
    pub organization_id: Option<String>,
    pub team_id: Option<String>,
    pub properties: Map<String, Value>,
    /// Now, Unix ms.
    pub now_ms: i64,
    /// Where the request comes from.
    pub address: Option<IpAddr>,
    /// What is known of the request, asked at most once and only when a rule wants it.
    pub request: Option<&'a dyn Fn() -> RequestFacts>,
    /// What is found out on the way.
    pub memo: Memo,
}

/// What is found out while a context is asked about.
#[derive(Debug, Default)]
pub struct Memo {
    known: OnceCell<RequestFacts>,
    /// Whether somebody without a name was given a share.
    took_nobody: Cell<bool>,
}

/// What a request itself tells.
#[derive(Debug, Clone, Default)]
pub struct RequestFacts {
    /// Two-letter code of the country.
    pub country: Option<String>,
    /// `mobile`, `tablet` or `desktop`.
    pub device: Option<String>,
}

impl Context<'_> {
    /// The user's id, if it says something.
    pub(super) fn user(&self) -> Option<&str> {
        filled(self.user_id.as_deref())
    }

    /// The person's address, if it says something.
    pub(super) fn email(&self) -> Option<&str> {
        filled(self.email.as_deref())
    }

    /// Who the person is for shares of everybody.
    pub(super) fn person(&self) -> &str {
        let named = self.user().or_else(|| self.email());
        named.unwrap_or_else(|| {
            self.memo.took_nobody.set(true);
            ANONYMOUS
        })
    }

    /// Whether, since it was asked last, a share was given by the name of somebody who has none.
    pub fn took_nobody(&self) -> bool {
        self.memo.took_nobody.take()
    }

    /// The organization for shares of organizations.
    pub(super) fn organization(&self) -> &str {
        filled(self.organization_id.as_deref()).unwrap_or(ANONYMOUS)
    }

    /// The team for shares of teams.
    pub(super) fn team(&self) -> &str {
        filled(self.team_id.as_deref()).unwrap_or(ANONYMOUS)
    }

    /// A property; null is none.
    pub(super) fn property(&self, field: &str) -> Option<&Value> {
        self.properties.get(field).filter(|value| !value.is_null())
    }

    /// What the request tells.
    pub(super) fn request(&self) -> &RequestFacts {
        self.memo
            .known
            .get_or_init(|| self.request.map(|ask| ask()).unwrap_or_default())
    }
}

/// Who has no name.
const ANONYMOUS: &str = "anonymous";

fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Not who it is.
        formatter
            .debug_struct("Context")
            .field("properties", &self.properties.len())
            .finish_non_exhaustive()
    }
}

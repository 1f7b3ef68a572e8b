//! The target of a query.

use std::{collections::HashMap, sync::Arc};

use super::{catalogue::Subject, people::People};
use crate::{
    access::ReadAccess,
    ids::{WebsiteId, WebsiteKey},
};

/// The rows that a query may read, and the rights of its caller.
#[derive(Debug, Clone)]
pub struct Target {
    /// Proof that the rows may be read.
    pub access: ReadAccess,
    /// Whether the caller is anonymous (decides 401 or 403 for private types).
    pub anonymous: bool,
    /// What the rows are about; nothing for all that an organization has.
    pub subject: Option<Subject>,
    /// The website's own domain, which is no referrer; `None` for organizations.
    pub domain: Option<String>,
    /// Ids of the organization's websites by their number in rows; may be empty for a website target.
    pub websites: HashMap<WebsiteKey, WebsiteId>,
    /// Websites that count some kinds of bots as people, with those kinds as bits
    /// ([`Signals`](crate::events::enrich::bot::Signals)).
    pub lenient: Vec<(WebsiteKey, u32)>,
    /// Whether error types may be asked.
    pub error_tracking: ErrorTracking,
    /// Profiles of people; `None` in tests of events alone.
    pub people: Option<Arc<dyn People>>,
}

impl Target {
    /// All rows that a proof is for, with nothing known of their websites.
    pub fn new(access: ReadAccess, subject: Option<Subject>) -> Self {
        Self {
            access,
            anonymous: false,
            subject,
            domain: None,
            websites: HashMap::new(),
            lenient: Vec::new(),
            error_tracking: ErrorTracking::Included,
            people: None,
        }
    }

    /// The websites whose rows may be read, as far as they are known.
    pub(in crate::analytics) fn website_keys(&self) -> Vec<WebsiteKey> {
        match self.access.website() {
            Some(website) => vec![website],
            None => self.websites.keys().copied().collect(),
        }
    }
}

/// Whether the target's plan includes the `Errors` category (402 otherwise).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorTracking {
    Included,
    /// It does not; the plan that does, if one is known.
    From(Option<String>),
}

//! What answers say about people beyond their events; another module keeps it.

use std::{collections::HashMap, fmt::Debug};

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use crate::ids::WebsiteKey;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Person {
    pub display_name: Option<String>,
    pub email: Option<String>,
    pub traits: Map<String, Value>,
}

/// Which values of a trait are wanted. Values are compared as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraitTest {
    In(Vec<String>),
    Contains(String),
    /// Beginning with this.
    StartsWith(String),
}

/// A filter on traits that more people pass than a statement can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the trait filter matches more than {0} profiles: narrow it")]
pub struct TooMany(pub usize);

/// Finds profiles by the id that the website gave them.
pub trait People: Debug + Send + Sync {
    /// The profiles with these ids, as far as they exist.
    fn find_people<'a>(
        &'a self,
        websites: &'a [WebsiteKey],
        profiles: &'a [String],
    ) -> BoxFuture<'a, anyhow::Result<HashMap<String, Person>>>;

    /// Ids of all profiles that have a trait with such a value, without repetition ([`TooMany`] beyond 10,000). `email` is a
    /// trait that can be compared as a whole only.
    fn with_trait<'a>(
        &'a self,
        websites: &'a [WebsiteKey],
        key: &'a str,
        test: &'a TraitTest,
    ) -> BoxFuture<'a, anyhow::Result<Vec<String>>>;
}

//! What answers say about people beyond their events. Somebody else keeps it; this is what is asked of them.

use std::{collections::HashMap, fmt::Debug};

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use crate::ids::WebsiteKey;

/// What is known of a person.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Person {
    /// How they are called.
    pub display_name: Option<String>,
    /// Their address.
    pub email: Option<String>,
    /// What the website says about them.
    pub traits: Map<String, Value>,
}

/// Which values of a trait are wanted. Values are compared as text, letter by letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraitTest {
    /// One of these.
    In(Vec<String>),
    /// With this in it.
    Contains(String),
    /// Beginning with this.
    StartsWith(String),
}

/// A filter on traits that more people pass than a statement can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the trait filter matches more than {0} profiles: narrow it")]
pub struct TooMany(pub usize);

/// Keeper of what is known of people, by the id that their website gave them.
pub trait People: Debug + Send + Sync {
    /// What is known of these people; nothing about those of whom nothing is known.
    fn known<'a>(
        &'a self,
        websites: &'a [WebsiteKey],
        profiles: &'a [String],
    ) -> BoxFuture<'a, anyhow::Result<HashMap<String, Person>>>;

    /// Ids of everybody who has a trait with such a value, without repetition ([`TooMany`] beyond 10,000). `email` is a
    /// trait that can be compared as a whole only.
    fn with_trait<'a>(
        &'a self,
        websites: &'a [WebsiteKey],
        key: &'a str,
        test: &'a TraitTest,
    ) -> BoxFuture<'a, anyhow::Result<Vec<String>>>;
}

//! Contexts of recent evaluations, on which you can test a change before you save it.
//!
//! In memory only, and bounded: [`MAX`] different contexts of each of [`MAX_SCOPES`] websites or organizations. The oldest go
//! first. Nothing is stored, and no address is kept. An evaluation never waits: while another thread writes, its context is
//! dropped.

use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Mutex, PoisonError, TryLockError},
};

use lru::LruCache;
use serde_json::{Map, Value};

use super::engine::{Context, RequestFacts};

/// Contexts of a website or organization.
const MAX: usize = 200;
const MAX_SCOPES: usize = 64;
/// Bytes of a context; larger ones are dropped.
const MAX_BYTES: usize = 2_048;

#[derive(Debug, Clone, PartialEq)]
pub struct RecentContext {
    /// The caller's id of the person.
    pub user_id: Option<String>,
    pub email: Option<String>,
    pub organization_id: Option<String>,
    pub team_id: Option<String>,
    pub properties: Map<String, Value>,
    /// Two-letter code of the country of the request.
    pub country: Option<String>,
    /// Kind of device of the request.
    pub device: Option<String>,
    /// The first evaluation, Unix ms.
    pub seen_ms: i64,
}

impl RecentContext {
    /// Calls `then` with this context at this time.
    pub fn ask<T>(&self, now_ms: i64, then: impl FnOnce(&Context<'_>) -> T) -> T {
        let facts = || RequestFacts {
            country: self.country.clone(),
            device: self.device.clone(),
        };
        let context = Context {
            user_id: self.user_id.clone(),
            email: self.email.clone(),
            organization_id: self.organization_id.clone(),
            team_id: self.team_id.clone(),
            properties: self.properties.clone(),
            now_ms,
            request: Some(&facts),
            ..Context::default()
        };
        then(&context)
    }
}

/// Contexts by the public id of a website or organization.
pub struct RecentContexts(Mutex<LruCache<Box<str>, Ring>>);

/// Contexts with their hashes, newest last.
type Ring = VecDeque<(u64, RecentContext)>;

impl Default for RecentContexts {
    fn default() -> Self {
        let most = std::num::NonZeroUsize::new(MAX_SCOPES).unwrap_or(std::num::NonZeroUsize::MIN);
        Self(Mutex::new(LruCache::new(most)))
    }
}

impl std::fmt::Debug for RecentContexts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Contexts are personal data.
        formatter
            .debug_struct("RecentContexts")
            .finish_non_exhaustive()
    }
}

impl RecentContexts {
    /// Records a context of a website or organization, unless it is known.
    pub fn record(&self, scope: &str, context: &Context<'_>) {
        let Some(hash) = hash(context) else {
            return;
        };
        let mut all = match self.0.try_lock() {
            Ok(all) => all,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if let Some(ring) = all.get(scope)
            && ring.iter().any(|(known, _)| *known == hash)
        {
            return;
        }
        let facts = context.request.map(|ask| ask()).unwrap_or_default();
        let seen = RecentContext {
            user_id: context.user_id.clone(),
            email: context.email.clone(),
            organization_id: context.organization_id.clone(),
            team_id: context.team_id.clone(),
            properties: context.properties.clone(),
            country: facts.country,
            device: facts.device,
            seen_ms: context.now_ms,
        };
        let ring = all.get_or_insert_mut(scope.into(), VecDeque::new);
        if ring.len() == MAX {
            ring.pop_front();
        }
        ring.push_back((hash, seen));
    }

    pub fn newest(&self, scope: &str) -> Vec<RecentContext> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ring = all.peek(scope).into_iter().flatten();
        ring.rev().map(|(_, seen)| seen.clone()).collect()
    }
}

/// A hash of the context; `None` if it is too large.
fn hash(context: &Context<'_>) -> Option<u64> {
    let texts = [
        &context.user_id,
        &context.email,
        &context.organization_id,
        &context.team_id,
    ];
    let mut hasher = DefaultHasher::new();
    texts.hash(&mut hasher);
    let mut bytes: usize = texts.into_iter().flatten().map(String::len).sum();
    if !context.properties.is_empty() {
        let properties = serde_json::to_vec(&context.properties).ok()?;
        bytes += properties.len();
        properties.hash(&mut hasher);
    }
    (bytes <= MAX_BYTES).then(|| hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(id: &str) -> Context<'static> {
        Context {
            user_id: Some(id.to_owned()),
            now_ms: 1,
            ..Context::default()
        }
    }

    fn users(seen: &RecentContexts, scope: &str) -> Vec<String> {
        let last = seen.newest(scope).into_iter();
        last.map(|one| one.user_id.unwrap()).collect()
    }

    #[test]
    fn everybody_is_there_once_the_newest_first_and_the_oldest_goes() {
        let seen = RecentContexts::default();
        for id in ["a", "b", "a"] {
            seen.record("s", &user(id));
        }
        assert_eq!(users(&seen, "s"), ["b", "a"]);
        for id in 0..MAX {
            seen.record("s", &user(&id.to_string()));
        }
        let left = users(&seen, "s");
        assert_eq!((left.len(), left[0].as_str()), (MAX, "199"));
        assert!(!left.contains(&"a".to_owned()));
        assert!(seen.newest("other").is_empty());
    }

    #[test]
    fn scopes_are_bounded_and_so_is_each_context() {
        let seen = RecentContexts::default();
        for scope in 0..=MAX_SCOPES {
            seen.record(&scope.to_string(), &user("a"));
        }
        assert!(seen.newest("0").is_empty());
        assert_eq!(seen.newest("1").len(), 1);
        seen.record("1", &user(&"x".repeat(MAX_BYTES + 1)));
        assert_eq!(seen.newest("1").len(), 1);
        seen.record("1", &user(&"x".repeat(MAX_BYTES)));
        assert_eq!(seen.newest("1").len(), 2);
    }

    #[test]
    fn different_properties_are_different_contexts() {
        let seen = RecentContexts::default();
        for plan in ["free", "pro", "free"] {
            let mut context = user("a");
            context.properties.insert("plan".to_owned(), plan.into());
            seen.record("s", &context);
        }
        assert_eq!(seen.newest("s").len(), 2);
    }
}

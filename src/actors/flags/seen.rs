//! Who asked for flags lately: so that a change can be tried on them before it is saved.
//!
//! In memory only, and little of it: [`MAX`] different contexts of each of [`MAX_SCOPES`] websites or organizations, the
//! oldest going first. Nothing of it is stored, and no address is in it. Whoever evaluates never waits for it: while somebody
//! else writes, a context is let go by.

use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Mutex, PoisonError, TryLockError},
};

use lru::LruCache;
use serde_json::{Map, Value};

use super::engine::{Context, RequestFacts};

/// Different contexts of a website or organization.
const MAX: usize = 200;
/// Websites and organizations whose contexts are kept.
const MAX_SCOPES: usize = 64;
/// Bytes of a context; larger ones are not kept.
const MAX_BYTES: usize = 2_048;

/// Who asked.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenContext {
    /// The caller's id of the person.
    pub user_id: Option<String>,
    /// The person's address.
    pub email: Option<String>,
    pub organization_id: Option<String>,
    pub team_id: Option<String>,
    pub properties: Map<String, Value>,
    /// Two-letter code of the country of the request.
    pub country: Option<String>,
    /// Kind of device of the request.
    pub device: Option<String>,
    /// When they asked first, Unix ms.
    pub seen_ms: i64,
}

impl SeenContext {
    /// Asks `then` as they did, now.
    pub fn ask<T>(&self, now_ms: i64, then: impl FnOnce(&Context<'_>) -> T) -> T {
        let told = || RequestFacts {
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
            request: Some(&told),
            ..Context::default()
        };
        then(&context)
    }
}

/// Contexts by the public id of a website or organization.
pub struct Seen(Mutex<LruCache<Box<str>, Ring>>);

/// Contexts with what stands for each, the newest last.
type Ring = VecDeque<(u64, SeenContext)>;

impl Default for Seen {
    fn default() -> Self {
        let most = std::num::NonZeroUsize::new(MAX_SCOPES).unwrap_or(std::num::NonZeroUsize::MIN);
        Self(Mutex::new(LruCache::new(most)))
    }
}

impl std::fmt::Debug for Seen {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Not who it is.
        formatter.debug_struct("Seen").finish_non_exhaustive()
    }
}

impl Seen {
    /// Remembers who asks for the flags of a website or organization.
    pub fn note(&self, scope: &str, context: &Context<'_>) {
        let Some(mark) = mark(context) else {
            return;
        };
        let mut all = match self.0.try_lock() {
            Ok(all) => all,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if let Some(ring) = all.get(scope)
            && ring.iter().any(|(known, _)| *known == mark)
        {
            return;
        }
        let told = context.request.map(|ask| ask()).unwrap_or_default();
        let seen = SeenContext {
            user_id: context.user_id.clone(),
            email: context.email.clone(),
            organization_id: context.organization_id.clone(),
            team_id: context.team_id.clone(),
            properties: context.properties.clone(),
            country: told.country,
            device: told.device,
            seen_ms: context.now_ms,
        };
        let ring = all.get_or_insert_mut(scope.into(), VecDeque::new);
        if ring.len() == MAX {
            ring.pop_front();
        }
        ring.push_back((mark, seen));
    }

    /// Who asked last, newest first.
    pub fn last(&self, scope: &str) -> Vec<SeenContext> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ring = all.peek(scope).into_iter().flatten();
        ring.rev().map(|(_, seen)| seen.clone()).collect()
    }
}

/// Stands for a context; `None` for those that are too large.
fn mark(context: &Context<'_>) -> Option<u64> {
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

    fn users(seen: &Seen, scope: &str) -> Vec<String> {
        let last = seen.last(scope).into_iter();
        last.map(|one| one.user_id.unwrap()).collect()
    }

    #[test]
    fn everybody_is_there_once_the_newest_first_and_the_oldest_goes() {
        let seen = Seen::default();
        for id in ["a", "b", "a"] {
            seen.note("s", &user(id));
        }
        assert_eq!(users(&seen, "s"), ["b", "a"]);
        for id in 0..MAX {
            seen.note("s", &user(&id.to_string()));
        }
        let left = users(&seen, "s");
        assert_eq!((left.len(), left[0].as_str()), (MAX, "199"));
        assert!(!left.contains(&"a".to_owned()));
        assert!(seen.last("other").is_empty());
    }

    #[test]
    fn scopes_are_bounded_and_so_is_each_context() {
        let seen = Seen::default();
        for scope in 0..=MAX_SCOPES {
            seen.note(&scope.to_string(), &user("a"));
        }
        assert!(seen.last("0").is_empty());
        assert_eq!(seen.last("1").len(), 1);
        seen.note("1", &user(&"x".repeat(MAX_BYTES + 1)));
        assert_eq!(seen.last("1").len(), 1);
        seen.note("1", &user(&"x".repeat(MAX_BYTES)));
        assert_eq!(seen.last("1").len(), 2);
    }

    #[test]
    fn different_properties_are_different_contexts() {
        let seen = Seen::default();
        for plan in ["free", "pro", "free"] {
            let mut context = user("a");
            context.properties.insert("plan".to_owned(), plan.into());
            seen.note("s", &context);
        }
        assert_eq!(seen.last("s").len(), 2);
    }
}

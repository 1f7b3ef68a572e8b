//! Names the people of a file.

use std::collections::HashMap;

use futures_util::future::try_join_all;

use crate::{
    access::IngestAccess,
    actors::{
        kit::Handle,
        profiles::{Identify, ProfileError, Profiles},
    },
    events::{accept::identify::TraitValue, event::Trust, import::NamedPerson},
};

/// People of one write: requests that name people come in between.
const TOGETHER: usize = 200;
/// People whose last words are known, so that nothing is said to storage again.
const MAX_KNOWN: usize = 100_000;

/// The people of a file, as far as it was read.
pub(super) struct People {
    profiles: Handle<Profiles>,
    access: IngestAccess,
    /// Digests of what was said last.
    known: HashMap<String, blake3::Hash>,
}

impl People {
    pub(super) fn new(profiles: Handle<Profiles>, access: IngestAccess) -> Self {
        Self {
            profiles,
            access,
            known: HashMap::new(),
        }
    }

    /// Names them, in this order. It is durable when this returns; saying it again changes nothing.
    pub(super) async fn name(&mut self, people: Vec<NamedPerson>) -> Result<(), ProfileError> {
        let mut calls = Vec::new();
        for person in people {
            if self.is_news(&person) {
                calls.push(self.call(person));
            }
        }
        while !calls.is_empty() {
            let rest = calls.split_off(calls.len().min(TOGETHER));
            let asked = calls.into_iter().map(async |call| {
                match self.profiles.ask(call).await {
                    // The profile is full: what it has stays.
                    Err(ProfileError::Invalid(_)) => Ok(()),
                    other => other,
                }
            });
            try_join_all(asked).await?;
            calls = rest;
        }
        Ok(())
    }

    fn is_news(&mut self, person: &NamedPerson) -> bool {
        let digest = digest(person);
        let profile = &person.identified.profile;
        if self.known.get(profile) == Some(&digest) {
            return false;
        }
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        self.known.insert(profile.clone(), digest);
        true
    }

    fn call(&self, person: NamedPerson) -> Identify {
        Identify {
            access: self.access,
            trust: Trust::Key,
            profile: person.identified.profile,
            visitors: person.visitors,
            traits: person.identified.traits,
            said_ms: Some(person.said_ms),
        }
    }
}

/// What is said of a person beside when, as one number.
fn digest(person: &NamedPerson) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    // What a text is followed by occurs in none.
    let mut text = |text: &str| {
        hasher.update(text.as_bytes()).update(&[0xff]);
    };
    text(&person.identified.anonymous);
    for (name, value) in &person.identified.traits {
        text(name);
        match value {
            None => text(""),
            Some(TraitValue::Text(value)) => text(&format!("t{value}")),
            Some(TraitValue::Number(value)) => text(&format!("n{value}")),
            Some(TraitValue::Bool(value)) => text(&format!("b{value}")),
        }
    }
    for visitor in &person.visitors {
        text(&format!("{visitor:?}"));
    }
    hasher.finalize()
}

//! Cached answers to statements whose rows have not changed since.
//!
//! What is asked is the statement, its values and its scope; whether an answer still holds is decided by the scope's
//! [`Position`], which is taken before the rows are read: an answer may know more than its position says, never less.

use std::{
    hash::{Hash, Hasher},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use lru::LruCache;

use crate::events::{
    positions::Position,
    statement::{Bind, Rows, Statement},
};

/// An answer of more than this part of the room is not kept: it would push out all others.
const LARGEST_PART: usize = 8;
/// Bytes that an answer takes beside its values.
const OVERHEAD: usize = 256;

type Question = [u8; 32];

/// The answers, up to so many bytes, the ones asked for least lately going first.
pub(super) struct ResultCache {
    entries: Mutex<Entries>,
    room: usize,
    hits: AtomicU64,
}

struct Entries {
    answers: LruCache<Question, Answer>,
    bytes: usize,
}

struct Answer {
    position: Position,
    rows: Rows,
    bytes: usize,
}

impl ResultCache {
    /// Nothing yet, with room for so many bytes; 0 remembers nothing.
    pub(super) fn new(room: u64) -> Self {
        Self {
            entries: Mutex::new(Entries {
                answers: LruCache::unbounded(),
                bytes: 0,
            }),
            room: usize::try_from(room).unwrap_or(usize::MAX),
            hits: AtomicU64::new(0),
        }
    }

    /// What is asked; `None` when nothing is remembered at all.
    pub(super) fn question(&self, statement: &Statement) -> Option<Question> {
        (self.room > 0).then(|| question(statement))
    }

    /// The answer that was given to this question, if it still holds.
    pub(super) fn recall(&self, question: &Question, position: Position) -> Option<Rows> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = entries.answers.get(question)?;
        if answer.position != position {
            return None;
        }
        self.hits.fetch_add(1, Relaxed);
        Some(answer.rows.clone())
    }

    /// Remembers an answer that was read when the rows were at least at this position.
    pub(super) fn keep(&self, question: Question, position: Position, rows: &Rows) {
        let bytes = size(rows);
        if bytes > self.room / LARGEST_PART {
            return;
        }
        let answer = Answer {
            position,
            rows: rows.clone(),
            bytes,
        };
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(earlier) = entries.answers.put(question, answer) {
            entries.bytes -= earlier.bytes;
        }
        entries.bytes += bytes;
        while entries.bytes > self.room
            && let Some((_, oldest)) = entries.answers.pop_lru()
        {
            entries.bytes -= oldest.bytes;
        }
    }

    /// How often an answer was remembered.
    pub(super) fn hits(&self) -> u64 {
        self.hits.load(Relaxed)
    }
}

/// Cryptographic, because values come from requests: no caller can craft a question that meets another owner's answer.
struct Digest(blake3::Hasher);

impl Hasher for Digest {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

fn question(statement: &Statement) -> Question {
    let mut digest = Digest(blake3::Hasher::new());
    statement.text.hash(&mut digest);
    statement.scope.hash(&mut digest);
    statement.binds.len().hash(&mut digest);
    for bind in &statement.binds {
        std::mem::discriminant(bind).hash(&mut digest);
        match bind {
            Bind::Int(value) => value.hash(&mut digest),
            Bind::Hash(value) => value.hash(&mut digest),
            Bind::Float(value) => value.to_bits().hash(&mut digest),
            Bind::Text(value) => value.hash(&mut digest),
        }
    }
    *digest.0.finalize().as_bytes()
}

/// Bytes that an answer takes in memory.
fn size(rows: &Rows) -> usize {
    OVERHEAD + rows.bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{
        positions::Positions,
        statement::{Cell, Scope},
    };

    const SCOPE: Scope = Scope {
        organization: 1,
        website: Some(2),
        from: 0,
        to: 9,
    };

    fn statement(text: &str, binds: Vec<Bind>) -> Statement {
        Statement {
            spilling: None,
            text: text.into(),
            binds,
            scope: SCOPE,
        }
    }

    fn rows(text: &str) -> Rows {
        Rows {
            columns: vec!["a".into()],
            rows: vec![vec![Cell::Text(text.into())]].into(),
            ..Rows::default()
        }
    }

    #[test]
    fn every_part_of_a_question_tells() {
        let int = |value| Bind::Int(value);
        let mut other = statement("a", vec![int(1)]);
        other.scope.from = 1;
        let asked = [
            statement("a", vec![int(1)]),
            statement("b", vec![int(1)]),
            statement("a", vec![int(2)]),
            statement("a", vec![Bind::Hash(1)]),
            statement("a", vec![int(1), int(1)]),
            statement("a", vec![Bind::Text("1".into())]),
            statement("a", vec![Bind::Float(1.0)]),
            other,
        ];
        let mut questions: Vec<Question> = asked.iter().map(question).collect();
        assert_eq!(question(&asked[0]), question(&asked[0].clone()));
        questions.sort_unstable();
        questions.dedup();
        assert_eq!(questions.len(), asked.len());
    }

    #[test]
    fn room_is_kept_and_what_was_asked_lately_stays() {
        let position = Positions::default().get(&SCOPE);
        let one = size(&rows("x"));
        let room = one * LARGEST_PART;
        let result_cache = ResultCache::new(room as u64);
        let asked = |at: usize| question(&statement(&at.to_string(), Vec::new()));
        for at in 0..LARGEST_PART {
            result_cache.keep(asked(at), position, &rows("x"));
        }
        assert_eq!(result_cache.recall(&asked(0), position), Some(rows("x")));
        result_cache.keep(asked(99), position, &rows("y"));
        assert_eq!(result_cache.recall(&asked(1), position), None);
        assert!(result_cache.recall(&asked(0), position).is_some());
        assert_eq!(result_cache.hits(), 2);
        // The same question again takes no more room; one that is too large is not kept.
        result_cache.keep(asked(0), position, &rows("z"));
        assert_eq!(result_cache.recall(&asked(2), position), Some(rows("x")));
        result_cache.keep(asked(3), position, &rows(&"x".repeat(one)));
        assert_eq!(result_cache.recall(&asked(3), position), Some(rows("x")));
        assert!(
            ResultCache::new(0)
                .question(&statement("a", Vec::new()))
                .is_none()
        );
    }
}

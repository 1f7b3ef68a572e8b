//! Memory of large answers on their way from the engine to whoever asked: bounded for all of them together, so that an
//! engine that is faster than those who read its answers waits for them.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

/// Bytes of large answers that are held at a time; one that is larger is held alone.
const ROOM: usize = 48 << 20;
/// Answers of fewer bytes are not counted.
const SMALL: usize = 256 << 10;
/// How often somebody who waits looks whether anybody still wants the answer.
const AGAIN: Duration = Duration::from_millis(20);

/// The answers that are held.
#[derive(Debug, Clone, Default)]
pub struct Answers(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    held: Mutex<usize>,
    freed: Condvar,
}

/// The room that an answer takes, until it is dropped. A copy takes none: whoever keeps one has room of its own.
#[derive(Debug, Default)]
pub struct Room(Option<(Arc<Inner>, usize)>);

impl Answers {
    /// Waits for room for an answer of so many bytes; none when it is `given_up` meanwhile.
    pub fn room(&self, bytes: usize, given_up: impl Fn() -> bool) -> Room {
        if bytes < SMALL {
            return Room(None);
        }
        let mut held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
        while *held > 0 && held.saturating_add(bytes) > ROOM {
            if given_up() {
                return Room(None);
            }
            let waited = self.0.freed.wait_timeout(held, AGAIN);
            held = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *held += bytes;
        Room(Some((Arc::clone(&self.0), bytes)))
    }
}

impl Clone for Room {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl PartialEq for Room {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Some((answers, bytes)) = self.0.take() {
            *answers.held.lock().unwrap_or_else(PoisonError::into_inner) -= bytes;
            answers.freed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_waits_until_something_is_dropped() {
        let answers = Answers::default();
        let held = || *answers.0.held.lock().unwrap();
        let first = answers.room(ROOM, || false);
        let copy = first.clone();
        assert_eq!(held(), ROOM);
        drop(answers.room(SMALL, || true));
        assert_eq!(held(), ROOM, "nobody waits for it any more");
        drop(answers.room(SMALL - 1, || false));
        std::thread::scope(|scope| {
            let next = scope.spawn(|| answers.room(SMALL, || false));
            drop(first);
            drop(copy);
            let room = next.join().unwrap();
            assert_eq!(held(), SMALL);
            drop(room);
        });
        assert_eq!(held(), 0);
        // Larger than all of it, but alone.
        drop(answers.room(2 * ROOM, || false));
        assert_eq!(held(), 0);
    }
}

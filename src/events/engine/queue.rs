//! Work of several owners, who take turns.

use std::{
    cell::Cell,
    collections::{HashMap, VecDeque},
    hash::Hash,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

/// Work that waits, and who has how much of it in progress.
pub(super) struct Queue<K: Copy + Eq + Hash, T> {
    state: Mutex<State<K, T>>,
    changed: Condvar,
    /// Work of one owner that is in progress at a time.
    each: usize,
}

struct State<K, T> {
    waiting: HashMap<K, VecDeque<T>>,
    /// Those who wait, in the order of their turns.
    order: VecDeque<K>,
    running: HashMap<K, usize>,
    closed: bool,
}

/// Work in progress; its owner has a place for more when this is dropped.
pub(super) struct Job<'q, K: Copy + Eq + Hash, T> {
    queue: &'q Queue<K, T>,
    owner: K,
    work: Cell<Option<T>>,
}

impl<K: Copy + Eq + Hash, T> Queue<K, T> {
    pub(super) fn new(each: usize) -> Self {
        Self {
            state: Mutex::new(State {
                waiting: HashMap::new(),
                order: VecDeque::new(),
                running: HashMap::new(),
                closed: false,
            }),
            changed: Condvar::new(),
            each,
        }
    }

    /// Adds work behind the owner's own. A closed queue drops it.
    pub(super) fn push(&self, owner: K, work: T) {
        let mut state = self.state();
        if state.closed {
            return;
        }
        let own = state.waiting.entry(owner).or_default();
        own.push_back(work);
        if own.len() == 1 {
            state.order.push_back(owner);
        }
        self.changed.notify_one();
    }

    /// Waits for work; `None` when the queue is closed and empty.
    pub(super) fn next(&self) -> Option<Job<'_, K, T>> {
        let mut state = self.state();
        loop {
            if let Some((owner, work)) = state.take(self.each) {
                return Some(Job {
                    queue: self,
                    owner,
                    work: Cell::new(Some(work)),
                });
            }
            if state.closed && state.order.is_empty() {
                return None;
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State<K, T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Eq + Hash, T> State<K, T> {
    /// The oldest work of the first owner in turn who may have more in progress.
    fn take(&mut self, each: usize) -> Option<(K, T)> {
        let may = |owner: &K| {
            self.running
                .get(owner)
                .is_none_or(|running| *running < each)
        };
        let at = self.order.iter().position(may)?;
        let owner = self.order.remove(at)?;
        let own = self.waiting.get_mut(&owner)?;
        let work = own.pop_front()?;
        if own.is_empty() {
            self.waiting.remove(&owner);
        } else {
            self.order.push_back(owner);
        }
        *self.running.entry(owner).or_default() += 1;
        Some((owner, work))
    }
}

impl<K: Copy + Eq + Hash, T> Job<'_, K, T> {
    /// The work, once.
    pub(super) fn take(&self) -> Option<T> {
        self.work.take()
    }
}

impl<K: Copy + Eq + Hash, T> Drop for Job<'_, K, T> {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        if let Some(running) = state.running.get_mut(&self.owner) {
            *running -= 1;
            if *running == 0 {
                state.running.remove(&self.owner);
            }
        }
        self.queue.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_take_turns_and_each_keeps_its_order() {
        let queue = Queue::new(100);
        for work in 0..4 {
            queue.push("many", work);
        }
        queue.push("one", 10);
        queue.push("two", 20);
        queue.push("two", 21);
        queue.close();
        let order = std::iter::from_fn(|| queue.next()?.take());
        assert_eq!(order.collect::<Vec<_>>(), [0, 10, 20, 1, 21, 2, 3]);
    }

    #[test]
    fn an_owner_with_all_its_places_is_passed_over_until_one_is_free() {
        let queue = Queue::new(2);
        for work in 0..4 {
            queue.push("many", work);
        }
        queue.push("one", 10);
        let first = queue.next().unwrap();
        let other = queue.next().unwrap();
        let second = queue.next().unwrap();
        let taken = [&first, &other, &second].map(|turn| turn.take().unwrap());
        assert_eq!(taken, [0, 10, 1]);
        drop(other);
        assert!(queue.state().take(2).is_none(), "two are in progress");
        drop(first);
        assert_eq!(queue.next().unwrap().take(), Some(2));
        drop(second);
        assert!(queue.state().running.is_empty());
    }

    #[test]
    fn a_closed_queue_gives_what_is_in_it_and_takes_nothing() {
        let queue = Queue::new(1);
        queue.push(1, 'a');
        queue.close();
        queue.push(1, 'b');
        assert_eq!(queue.next().unwrap().take(), Some('a'));
        assert!(queue.next().is_none());
    }
}

//! Memory for request bodies, over all requests of a process.
//!
//! What has arrived of a body is counted until its request is answered. The first [`FREE`] bytes of each are free:
//! small requests always get through. An address gets at most as much as is left over for the others: half of the whole
//! when it is alone, a third beside one that has as much.

use std::{
    cell::{Cell, OnceCell},
    collections::HashMap,
    rc::Rc,
    sync::{Arc, Mutex, PoisonError},
};

use actix_web::{HttpMessage, HttpRequest, dev::ServiceRequest};

use super::edge::ClientAddress;
use crate::fault::Fault;

/// Bytes of each body that are not counted.
const FREE: usize = 16 * 1024;

/// What bodies may take and take now.
#[derive(Debug)]
pub struct BodyMemory {
    total: usize,
    taken: Mutex<MemoryUse>,
}

#[derive(Debug, Default)]
struct MemoryUse {
    all: usize,
    by_address: HashMap<Option<ClientAddress>, usize>,
}

impl BodyMemory {
    /// Memory of `total` bytes; a single body of `limit` bytes takes at most a quarter of it.
    pub fn new(total: usize, limit: usize) -> Arc<Self> {
        Arc::new(Self {
            total: total.max(limit.saturating_mul(4)),
            taken: Mutex::default(),
        })
    }

    fn take(&self, address: Option<ClientAddress>, bytes: usize) -> bool {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.by_address.get(&address).copied().unwrap_or_default();
        let left = self.total.saturating_sub(taken.all.saturating_add(bytes));
        if own.saturating_add(bytes) > left {
            return false;
        }
        taken.all += bytes;
        taken.by_address.insert(address, own + bytes);
        true
    }

    fn give_back(&self, address: Option<ClientAddress>, bytes: usize) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.all -= bytes;
        if let Some(own) = taken.by_address.get_mut(&address) {
            *own -= bytes;
            if *own == 0 {
                taken.by_address.remove(&address);
            }
        }
    }
}

/// What one request takes of it, given back when the request is gone.
#[derive(Debug)]
pub(super) struct Share {
    memory: Arc<BodyMemory>,
    address: OnceCell<Option<ClientAddress>>,
    /// Bytes that have come, counted or not.
    come: Cell<usize>,
    taken: Cell<usize>,
    is_refused: Cell<bool>,
}

impl Share {
    /// Begins to count for a request.
    pub(super) fn begin(memory: &Arc<BodyMemory>, request: &ServiceRequest) -> Rc<Self> {
        let share = Rc::new(Self::new(memory));
        let address = request.extensions().get::<ClientAddress>().copied();
        let _ = share.address.set(address.map(ClientAddress::network_only));
        request.extensions_mut().insert(Rc::clone(&share));
        share
    }

    fn new(memory: &Arc<BodyMemory>) -> Self {
        Self {
            memory: Arc::clone(memory),
            address: OnceCell::new(),
            come: Cell::default(),
            taken: Cell::default(),
            is_refused: Cell::default(),
        }
    }

    /// The one of a request, if it has a body.
    pub(super) fn from_request(request: &HttpRequest) -> Option<Rc<Self>> {
        request.extensions().get::<Rc<Self>>().cloned()
    }

    /// Counts further bytes.
    pub(super) fn grow(&self, bytes: usize) -> Result<(), Fault> {
        let come = self.come.get().saturating_add(bytes);
        let more = come.saturating_sub(FREE) - self.taken.get();
        let address = self.address.get().copied().flatten();
        if more > 0 && !self.memory.take(address, more) {
            self.is_refused.set(true);
            return Err(no_memory());
        }
        self.come.set(come);
        self.taken.set(self.taken.get() + more);
        Ok(())
    }

    /// Whether the body was refused for lack of memory.
    pub(super) fn is_refused(&self) -> bool {
        self.is_refused.get()
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let address = self.address.get().copied().flatten();
        let taken = self.taken.get();
        if taken > 0 {
            self.memory.give_back(address, taken);
        }
    }
}

/// The answer to a body for which there is no memory.
pub(super) fn no_memory() -> Fault {
    Fault::unavailable("Service temporarily unavailable")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn address(last: u8) -> ClientAddress {
        ClientAddress([10, 0, 0, last].into())
    }

    fn share(memory: &Arc<BodyMemory>, last: u8) -> Share {
        let share = Share::new(memory);
        share.address.set(Some(address(last))).unwrap();
        share
    }

    #[test]
    fn small_bodies_are_free_and_large_ones_give_back_what_they_took() {
        let memory = BodyMemory::new(1_000, 0);
        let small = share(&memory, 1);
        small.grow(FREE).unwrap();
        let large = share(&memory, 1);
        large.grow(FREE + 400).unwrap();
        assert!(large.grow(101).is_err() && large.is_refused());
        small.grow(100).unwrap();
        assert!(small.grow(1).is_err(), "half of it, for one address");
        drop(large);
        small.grow(400).unwrap();
        drop(small);
        let taken = memory.taken.lock().unwrap();
        assert_eq!((taken.all, taken.by_address.len()), (0, 0));
    }

    #[test]
    fn what_one_address_holds_leaves_room_for_another() {
        let memory = BodyMemory::new(1_000, 0);
        let greedy: Vec<Share> = (0..100).map(|_| share(&memory, 1)).collect();
        let got = greedy.iter().filter(|one| one.grow(FREE + 100).is_ok());
        assert_eq!(got.count(), 5);
        share(&memory, 2).grow(FREE + 250).unwrap();
    }

    proptest! {
        #[test]
        fn the_whole_is_never_exceeded_and_comes_back(
            steps in prop::collection::vec((0_u8..5, 0_usize..60_000, any::<bool>()), 1..100)
        ) {
            const TOTAL: usize = 200_000;
            let memory = BodyMemory::new(TOTAL, 0);
            let mut open: Vec<Share> = Vec::new();
            for (last, bytes, ends) in steps {
                let one = share(&memory, last);
                let _ = one.grow(bytes);
                open.push(one);
                if ends {
                    open.remove(0);
                }
                let held: usize = open.iter().map(|one| one.taken.get()).sum();
                prop_assert!(held <= TOTAL);
                prop_assert_eq!(memory.taken.lock().unwrap().all, held);
            }
            drop(open);
            prop_assert_eq!(memory.taken.lock().unwrap().all, 0);
        }
    }
}

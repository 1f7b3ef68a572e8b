//! A table of ids and what is summed up for each.

#![expect(unsafe_code, reason = "slots lie in the arena of the run")]

use std::{
    marker::PhantomData,
    mem,
    ptr::{self, NonNull},
    slice,
};

use crate::arena::{Arena, Full};

/// Slots of a table that has any: enough for the one id of most small groups.
const FEWEST: usize = 2;

/// What a table holds of an id.
///
/// # Safety
/// It consists of whole words, needs no drop, and is valid if all of them are 0.
pub(crate) unsafe trait Entry: Copy {
    /// 0 in an empty slot, and nowhere else.
    fn id(&self) -> u64;

    /// Adds what another entry says of the same id.
    fn add(&mut self, other: &Self);
}

/// An open table. It is a state of the engine: valid if all of it is 0, moved at will, never dropped.
#[derive(Debug)]
pub(crate) struct Table<E> {
    slots: *mut E,
    /// A power of two, or 0.
    capacity: usize,
    ids: usize,
    /// That of the run, which lasts longer than the run's states.
    arena: *const Arena,
    entries: PhantomData<E>,
}

impl<E> Default for Table<E> {
    fn default() -> Self {
        Self {
            slots: ptr::null_mut(),
            capacity: 0,
            ids: 0,
            arena: ptr::null(),
            entries: PhantomData,
        }
    }
}

impl<E: Entry> Table<E> {
    /// How many different ids there are.
    pub(crate) fn ids(&self) -> usize {
        self.ids
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = &E> {
        self.slots().iter().filter(|entry| entry.id() != 0)
    }

    /// The arena, if there is any id.
    pub(crate) fn arena(&self) -> Option<&Arena> {
        // SAFETY: see the field.
        unsafe { self.arena.as_ref() }
    }

    fn slots(&self) -> &[E] {
        if self.capacity == 0 {
            return &[];
        }
        // SAFETY: `grow` took so many slots, which stay in the arena.
        unsafe { slice::from_raw_parts(self.slots, self.capacity) }
    }

    fn slots_mut(&mut self) -> &mut [E] {
        if self.capacity == 0 {
            return &mut [];
        }
        // SAFETY: as above, and no other state has them.
        unsafe { slice::from_raw_parts_mut(self.slots, self.capacity) }
    }

    /// Adds what is said of an id other than 0.
    pub(crate) fn add(&mut self, entry: E, arena: &Arena) -> Result<(), Full> {
        if self.put(entry, arena) {
            return Ok(());
        }
        self.grow(self.ids + 1, arena)?;
        self.put(entry, arena);
        Ok(())
    }

    /// Whether there was a place. Three eighths of the slots stay empty, so that searches are short and end.
    fn put(&mut self, entry: E, arena: &Arena) -> bool {
        let has_place = is_enough(self.capacity, self.ids + 1);
        let mask = self.capacity.wrapping_sub(1);
        let product = u128::from(entry.id() ^ arena.seed()) * 0x9e37_79b9_7f4a_7c15;
        let mut at = (product as u64 ^ (product >> 64) as u64) as usize & mask;
        while let Some(slot) = self.slots_mut().get_mut(at) {
            if slot.id() == entry.id() {
                slot.add(&entry);
                return true;
            }
            if slot.id() == 0 {
                if has_place {
                    *slot = entry;
                    self.ids += 1;
                }
                return has_place;
            }
            at = (at + 1) & mask;
        }
        false
    }

    /// Adds all that another table of the same run says, which is empty afterwards.
    pub(crate) fn merge(&mut self, other: &mut Self) -> Result<(), Full> {
        if self.ids < other.ids {
            mem::swap(self, other);
        }
        // SAFETY: it lasts as long as both.
        let Some(arena) = (unsafe { other.arena.as_ref() }) else {
            return Ok(());
        };
        // Ids come in the order of their places. Without room for all of them the first places would fill up, and searches
        // there would become long.
        self.grow(self.ids + other.ids, arena)?;
        for entry in other.entries() {
            self.add(*entry, arena)?;
        }
        mem::take(other).give_back();
        Ok(())
    }

    /// Makes room for so many ids.
    fn grow(&mut self, ids: usize, arena: &Arena) -> Result<(), Full> {
        if is_enough(self.capacity, ids) {
            return Ok(());
        }
        let mut capacity = self.capacity.max(FEWEST);
        while !is_enough(capacity, ids) {
            capacity *= 2;
        }
        let grown = Self {
            slots: arena.take(words::<E>(capacity))?.as_ptr().cast(),
            capacity,
            arena,
            ..Self::default()
        };
        let before = mem::replace(self, grown);
        for entry in before.entries() {
            self.put(*entry, arena);
        }
        before.give_back();
        Ok(())
    }

    fn give_back(self) {
        if let (Some(arena), Some(slots)) = (self.arena(), NonNull::new(self.slots)) {
            arena.give_back(slots.cast(), words::<E>(self.capacity));
        }
    }
}

fn is_enough(capacity: usize, ids: usize) -> bool {
    ids * 8 <= capacity * 5
}

const fn words<E>(slots: usize) -> usize {
    slots * size_of::<E>() / size_of::<u64>()
}

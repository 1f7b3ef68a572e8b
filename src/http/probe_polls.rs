//! Requests for work that are held back: one of each probe, so those of one organization take no place from others.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio_util::sync::CancellationToken;

use crate::ids::ProbeId;

/// The requests that are held back; cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct ProbePolls(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    /// How many requests there were.
    count: u64,
    /// By number.
    polls: HashMap<ProbeId, (u64, CancellationToken)>,
}

/// A request that is held back until this is dropped.
#[derive(Debug)]
pub(super) struct Poll {
    all: ProbePolls,
    probe: ProbeId,
    number: u64,
    replaced: CancellationToken,
}

impl ProbePolls {
    /// Begins to hold a request, and ends an older one of the probe.
    pub(super) fn begin(&self, probe: &ProbeId) -> Poll {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.count += 1;
        let (number, replaced) = (held.count, CancellationToken::new());
        let own = (number, replaced.clone());
        if let Some((_, older)) = held.polls.insert(probe.clone(), own) {
            older.cancel();
        }
        Poll {
            all: self.clone(),
            probe: probe.clone(),
            number,
            replaced,
        }
    }
}

impl Poll {
    pub(super) fn is_replaced(&self) -> bool {
        self.replaced.is_cancelled()
    }

    /// Resolves when the probe has made another request.
    pub(super) async fn replaced(&self) {
        self.replaced.cancelled().await;
    }
}

impl Drop for Poll {
    fn drop(&mut self) {
        let mut held = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.polls.get(&self.probe).map(|own| own.0) == Some(self.number) {
            held.polls.remove(&self.probe);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_request_ends_the_older_one_of_its_probe_only() {
        let polls = ProbePolls::default();
        let (first, other) = (polls.begin(&"p".into()), polls.begin(&"q".into()));
        let second = polls.begin(&"p".into());
        assert!(first.is_replaced() && !second.is_replaced() && !other.is_replaced());
        // The end of the older one does not make the newer one unknown.
        drop(first);
        let third = polls.begin(&"p".into());
        assert!(second.is_replaced() && !third.is_replaced());
        drop((second, third, other));
        assert!(polls.0.lock().unwrap().polls.is_empty());
    }
}

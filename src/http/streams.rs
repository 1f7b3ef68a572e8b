//! Streams of server-sent events keep their connection for as long as the client likes, so only so many are open at a time.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::fault::Fault;

/// The places of streams.
#[derive(Debug)]
pub struct Streams(Arc<Semaphore>);

impl Streams {
    /// Places for half of the connections of a listener: the rest is for requests that end.
    pub fn new(connections: usize) -> Self {
        Self(Arc::new(Semaphore::new((connections / 2).max(1))))
    }

    /// A place, which is free again when the permit is dropped.
    pub(super) fn open(&self) -> Result<OwnedSemaphorePermit, Fault> {
        Arc::clone(&self.0)
            .try_acquire_owned()
            .map_err(|_| Fault::unavailable("Too many streams are open"))
    }
}

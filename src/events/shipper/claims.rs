//! Ids of events that several nodes may have been sent.

use std::fmt;

use futures_util::future::BoxFuture;

/// Whoever knows, for all nodes, which of them stores the event of an id.
///
/// Claims are made for events that are safe in the claiming node's log, when they are shipped. So one step is enough: whoever claims an
/// id stores its event, after whatever crash, and the others leave theirs out.
pub trait Claims: fmt::Debug + Send + Sync {
    /// Claims ids for a node; gives which of them are its own, now or since an earlier claim.
    ///
    /// # Errors
    /// Nobody knows, for the reason given; to claim them again is harmless.
    fn claim<'a>(
        &'a self,
        node: &'a str,
        ids: &'a [u128],
    ) -> BoxFuture<'a, Result<Vec<bool>, String>>;
}

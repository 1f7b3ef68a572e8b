//! The orderly end: everything that was accepted is finished, then the domain flushes and stops.

use std::time::Duration;

use actix::{ActorContext, ActorFutureExt, AtomicResponse, Context, Handler, Message, fut};
use tokio::time::Instant;

use super::{Child, Domain, Live, handle::Slot};

/// The last message of a life, queued behind everything that was accepted.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub(super) struct Drain;

impl<D: Domain> Handler<Drain> for Live<D> {
    type Result = AtomicResponse<Self, ()>;

    fn handle(&mut self, _: Drain, _: &mut Context<Self>) -> Self::Result {
        let flushed = self.domain.drain();
        AtomicResponse::new(Box::pin(
            fut::wrap_future::<_, Self>(flushed).map(|(), _, context| context.stop()),
        ))
    }
}

/// Closes the slot to newcomers. Has to come before [`Drain`] is sent.
pub(super) fn close<D: Domain>(slot: &Slot<D>) {
    slot.address.store(None);
}

/// Drains the domains one after another, last started first, under one deadline. Names those that were late or
/// failed; an empty list is a clean stop.
pub async fn drain_all(children: Vec<Child>, grace: Duration) -> Vec<&'static str> {
    let deadline = Instant::now() + grace;
    let mut late = Vec::new();
    for mut child in children.into_iter().rev() {
        child.stop();
        let actor = child.name();
        match tokio::time::timeout_at(deadline, child.ended()).await {
            Ok(Ok(())) => {
                tracing::debug!(actor, "actor `{actor}` drained");
                continue;
            }
            Ok(Err(error)) => {
                let error = format!("{error:#}");
                tracing::error!(actor, error, "actor `{actor}` failed to drain");
            }
            Err(_) => tracing::error!(actor, "actor `{actor}` did not drain in time"),
        }
        late.push(actor);
    }
    late
}

//! What every domain is made of: one writer with a published read model, kept alive by a supervisor.
//!
//! A [`Domain`] is plain state with a `boot` from storage. The kit wraps it into the actor [`Live`], which alone
//! may publish its view. Everyone else holds a [`Handle`] and has three ways in: [`Handle::ask`] (an answer is
//! needed), [`Handle::tell`] (a fact that may be dropped under overload) and [`Handle::view`] (a wait-free read).
//!
//! Invariants:
//! - A handle exists only after the first boot has ended, so an empty view is an empty store.
//! - After `ask` returns, the view shows the write: [`commit`] publishes before the answer leaves.
//! - A panic or a stop reboots the domain from storage; handles stay valid and the old view stays readable.
//!   A used-up restart budget ends the [`Child`] with an error, and the platform ends the process.
//! - Drain goes through the mailbox after the slot is closed: what was accepted is finished.
//! - A write whose outcome is unknown ([`UnknownOutcome`]) stops the actor: boot finds the truth.
//! - What another process has written is in memory before a message is handled ([`Domain::epoch_source`]), and soon in
//!   the view.
//!
//! Long-lived work (probes, connections) belongs into a `tokio::task::JoinSet` field of the domain, which aborts
//! it together with the actor, and comes back as messages to the address of the context.

mod boot;
mod child;
mod current;
mod drain;
mod handle;
mod handlers;
mod reply;
mod resident;
mod supervise;
#[cfg(test)]
mod tests;

use std::{
    future::Future,
    ops::{Deref, DerefMut},
    sync::Arc,
};

use actix::{Actor, Context};
use arc_swap::ArcSwap;
use futures_util::future::LocalBoxFuture;
use tokio::sync::oneshot;

pub use child::Child;
pub use current::{ask, follow};
pub use drain::drain_all;
pub use handle::Handle;
pub(crate) use handlers::handlers;
pub use handlers::{Decision, commit_work, decide, prepare, run_beside};
pub use reply::{
    Reply, UnknownOutcome, commit, commit_exclusive, read_beside, refuse, run_exclusive,
};
pub use resident::{Resident, Unavailable};
pub use supervise::{RestartPolicy, any_ended, supervise};

use crate::store::StateDb;

/// One bounded context of the monolith: a single writer with a published read model.
pub trait Domain: Sized + Send + Unpin + 'static {
    /// The domain's name in logs, readiness and errors.
    const NAME: &'static str;
    /// Messages that may wait; `tell` is refused beyond it and `ask` waits.
    const MAILBOX: usize = 256;
    /// Everything the domain needs to come alive: stores, clock, handles of earlier domains.
    type Env: Clone + Send + Sync + Unpin + 'static;
    /// Immutable read model, visible to every thread without asking the actor.
    type View: Send + Sync + 'static;

    /// Rebuilds the whole in-memory state from storage, on the first start and on every restart.
    fn boot(env: Self::Env) -> impl Future<Output = anyhow::Result<Self>> + Send;

    /// The read model of the present state. The kit publishes it after boot and after every fold, so it has to be
    /// cheap: hold the current `Arc` and change it with `Arc::make_mut`.
    fn view(&self) -> Arc<Self::View>;

    /// The state database, handed out for this domain, if what is in memory was read from it: then it is read anew once
    /// another process has written it. A domain that decides everything from storage, inside of its transactions, needs
    /// none.
    fn epoch_source(_env: &Self::Env) -> Option<&StateDb> {
        None
    }

    /// Domains whose memory has to be read before this one's is.
    fn depends_on(_env: &Self::Env) -> Vec<&dyn Resident> {
        Vec::new()
    }

    /// Takes over what was read anew because another process has written; keeps what is in no storage.
    fn reread(&mut self, fresh: Self) {
        *self = fresh;
    }

    /// Runs once in every life, before the first message: the place for timers.
    fn started(_live: &mut Live<Self>, _context: &mut Context<Live<Self>>) {}

    /// Last words: flushes what would be lost. Everything accepted before has been finished; the kit stops the
    /// actor afterwards.
    fn drain(&mut self) -> LocalBoxFuture<'static, ()> {
        Box::pin(async {})
    }
}

/// Write side of a read model. Deliberately not `Clone`: one writer.
struct Publisher<V>(Arc<ArcSwap<V>>);

impl<V> Publisher<V> {
    fn publish(&self, next: Arc<V>) {
        if !Arc::ptr_eq(&self.0.load(), &next) {
            self.0.store(next);
        }
    }
}

/// A running domain: the actor that handles its messages. Dereferences to the domain's state.
pub struct Live<D: Domain> {
    domain: D,
    env: D::Env,
    publisher: Publisher<D::View>,
    /// Dropped with the actor, however it ends; that is how the supervisor learns of it.
    _lifeline: oneshot::Sender<()>,
}

impl<D: Domain> Live<D> {
    /// Shows the present state to readers. Needed only where state changes outside [`commit`] and [`run_exclusive`].
    pub fn publish(&self) {
        self.publisher.publish(self.domain.view());
    }
}

impl<D: Domain> Deref for Live<D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.domain
    }
}

impl<D: Domain> DerefMut for Live<D> {
    fn deref_mut(&mut self) -> &mut D {
        &mut self.domain
    }
}

impl<D: Domain> Actor for Live<D> {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        context.set_mailbox_capacity(D::MAILBOX);
        D::started(self, context);
    }
}

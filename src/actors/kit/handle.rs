//! How the rest of the program talks to a domain.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use actix::{
    Actor, Addr, Context, Handler, MailboxError, Message,
    dev::{SendError, ToEnvelope},
};
use arc_swap::{ArcSwap, ArcSwapOption};
use futures_util::future::BoxFuture;

use super::{
    Domain, Live,
    current::{CatchUp, ask},
    resident::{Resident, Unavailable},
};
use crate::store::StateDb;

/// How long a caller waits for an answer. What has been started by then is still finished.
const ASK_TIMEOUT: Duration = Duration::from_secs(5);

/// The fixed point between callers and the changing lives of one domain.
pub(super) struct Slot<D: Domain> {
    /// Empty while the actor restarts, drains or is gone for good.
    pub(super) address: ArcSwapOption<Addr<Live<D>>>,
    /// Survives restarts.
    pub(super) view: Arc<ArcSwap<D::View>>,
    /// What [`Domain::epoch_source`].
    pub(super) db: Option<StateDb>,
    pub(super) deaths: AtomicU64,
}

impl<D: Domain> Slot<D> {
    /// The view is what was read.
    pub(super) fn remembered(&self) {
        if let Some(db) = &self.db {
            db.remembered();
        }
    }
}

/// How the rest of the program talks to a domain. Cheap to clone; survives restarts of the actor behind it.
pub struct Handle<D: Domain>(pub(super) Arc<Slot<D>>);

impl<D: Domain> Clone for Handle<D> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<D: Domain> std::fmt::Debug for Handle<D> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Handle({})", D::NAME)
    }
}

impl<D: Domain> Handle<D> {
    /// Sends a request and awaits the typed answer.
    pub async fn ask<M, T, E>(&self, message: M) -> Result<T, E>
    where
        M: Message<Result = Result<T, E>> + Send + 'static,
        Live<D>: Handler<M> + Actor<Context = Context<Live<D>>>,
        T: Send + 'static,
        E: From<Unavailable> + Send + 'static,
    {
        let address = self.address()?;
        let answer = tokio::time::timeout(ASK_TIMEOUT, ask(&address, message)).await;
        answer.unwrap_or_else(|_| Err(Unavailable::Timeout(D::NAME).into()))
    }

    /// Hands over a fact without waiting. Never queues past the mailbox bound; the caller may ignore a refusal.
    pub fn tell<M>(&self, message: M) -> Result<(), Unavailable>
    where
        M: Message + Send + 'static,
        M::Result: Send,
        Live<D>: Handler<M>,
        <Live<D> as Actor>::Context: ToEnvelope<Live<D>, M>,
    {
        self.address()?
            .try_send(message)
            .map_err(|error| match error {
                SendError::Full(_) => Unavailable::Overloaded(D::NAME),
                SendError::Closed(_) => Unavailable::Restarting(D::NAME),
            })
    }

    /// The latest published read model; wait-free.
    pub fn view(&self) -> Arc<D::View> {
        self.0.view.load_full()
    }

    /// Without waiting for the write lock: nothing is decided.
    fn read(&self, how: CatchUp) -> BoxFuture<'static, Result<(), Unavailable>> {
        let address = self.address();
        Box::pin(async move {
            match address?.send(how).timeout(ASK_TIMEOUT).await {
                Ok(outcome) => outcome,
                Err(MailboxError::Closed) => Err(Unavailable::Restarting(D::NAME)),
                Err(MailboxError::Timeout) => Err(Unavailable::Timeout(D::NAME)),
            }
        })
    }

    fn address(&self) -> Result<Arc<Addr<Live<D>>>, Unavailable> {
        self.0
            .address
            .load_full()
            .ok_or(Unavailable::Restarting(D::NAME))
    }
}

impl<D: Domain> Resident for Handle<D> {
    fn name(&self) -> &'static str {
        D::NAME
    }

    fn is_running(&self) -> bool {
        self.0
            .address
            .load()
            .as_ref()
            .is_some_and(|address| address.connected())
    }

    fn deaths(&self) -> u64 {
        self.0.deaths.load(Ordering::Relaxed)
    }

    fn epoch(&self) -> Option<i64> {
        self.0.db.as_ref()?.known_epoch()
    }

    fn catch_up(&self, epoch: i64) -> BoxFuture<'static, Result<(), Unavailable>> {
        self.read(CatchUp::To(epoch))
    }

    fn take_over(&self) -> BoxFuture<'static, Result<(), Unavailable>> {
        self.read(CatchUp::Always)
    }

    fn inject_panic(&self) -> BoxFuture<'static, Result<(), Unavailable>> {
        let handle = self.clone();
        Box::pin(async move { handle.ask(Panic).await })
    }
}

/// Blows up whichever domain handles it.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), Unavailable>")]
struct Panic;

impl<D: Domain> Handler<Panic> for Live<D> {
    type Result = Result<(), Unavailable>;

    #[expect(clippy::panic, reason = "this is what the message is for")]
    fn handle(&mut self, _: Panic, _: &mut Context<Self>) -> Self::Result {
        panic!("injected into `{}`", D::NAME)
    }
}

//! How a handler answers: refuse at once, or await storage and fold the result into memory.

use std::future::Future;

use actix::{ActorContext, ActorFutureExt, AsyncContext, AtomicResponse, Context, fut};

use tokio_util::task::AbortOnDropHandle;

use super::{Domain, Live};

/// The answer of a handler that may write.
pub type Reply<D, T, E> = AtomicResponse<Live<D>, Result<T, E>>;

/// Separates a refused write from one whose outcome is unknown.
pub trait UnknownOutcome {
    /// Whether storage may or may not hold the write. Memory cannot be trusted after that.
    fn outcome_unknown(&self) -> bool;
}

/// Awaits `io` with the mailbox paused, folds its result into the domain and publishes the view.
///
/// `io` owns what it needs; nothing of the actor is borrowed while it waits, and it never asks the network. It
/// runs to its end even when the caller has gone away. An error whose outcome is unknown stops the actor.
pub fn commit<D, T, R, E>(
    io: impl Future<Output = Result<T, E>> + 'static,
    fold: impl FnOnce(&mut D, T) -> R + 'static,
) -> Reply<D, R, E>
where
    D: Domain,
    T: 'static,
    R: 'static,
    E: UnknownOutcome + std::fmt::Display + 'static,
{
    AtomicResponse::new(Box::pin(fut::wrap_future::<_, Live<D>>(io).map(
        move |outcome, live, context| match outcome {
            Ok(value) => {
                let answer = fold(live, value);
                live.publish();
                Ok(answer)
            }
            Err(error) => {
                if error.outcome_unknown() {
                    stop(&error, context);
                }
                Err(error)
            }
        },
    )))
}

/// Answers with a refusal; nothing was touched.
pub fn refuse<D, R, E>(error: impl Into<E>) -> Reply<D, R, E>
where
    D: Domain,
    R: 'static,
    E: 'static,
{
    AtomicResponse::new(Box::pin(fut::ready(Err(error.into()))))
}

/// Awaits `io` with the mailbox paused, folds its result and publishes; for work that no caller waits for.
pub fn run_exclusive<D, T>(
    context: &mut Context<Live<D>>,
    io: impl Future<Output = T> + 'static,
    fold: impl FnOnce(&mut D, T) + 'static,
) where
    D: Domain,
    T: 'static,
{
    context.wait(
        fut::wrap_future::<_, Live<D>>(io).map(move |outcome, live, _| {
            fold(live, outcome);
            live.publish();
        }),
    );
}

/// Awaits a read beside the mailbox, and hands over its result; it ends with the actor.
///
/// It is a task of its own. What a context has spawned itself stands still while a handler waits for a write: a read that
/// already has the connection would keep it from that write.
pub fn read_beside<D, T>(
    context: &mut Context<Live<D>>,
    io: impl Future<Output = T> + 'static,
    take: impl FnOnce(&mut Live<D>, T, &mut Context<Live<D>>) + 'static,
) where
    D: Domain,
    T: 'static,
{
    let running = AbortOnDropHandle::new(actix::spawn(io));
    context.spawn(
        fut::wrap_future::<_, Live<D>>(running).map(move |outcome, live, context| match outcome {
            Ok(done) => take(live, done, context),
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // The thread ends.
            Err(_) => {}
        }),
    );
}

/// Awaits a write with the mailbox paused, folds its result and publishes; for work that no caller waits for. An error whose
/// outcome is unknown stops the actor.
pub fn commit_exclusive<D, T, E>(
    context: &mut Context<Live<D>>,
    io: impl Future<Output = Result<T, E>> + 'static,
    fold: impl FnOnce(&mut D, Result<T, E>) + 'static,
) where
    D: Domain,
    T: 'static,
    E: UnknownOutcome + std::fmt::Display + 'static,
{
    context.wait(
        fut::wrap_future::<_, Live<D>>(io).map(move |outcome, live, context| {
            if let Err(error) = &outcome
                && error.outcome_unknown()
            {
                stop(error, context);
                return;
            }
            fold(live, outcome);
            live.publish();
        }),
    );
}

fn stop<D: Domain>(error: &impl std::fmt::Display, context: &mut Context<Live<D>>) {
    tracing::error!(actor = D::NAME, %error, "`{}` stops: a write may or may not have happened", D::NAME);
    context.stop();
}

//! Which message a domain answers with which function, as a table.

use std::future::Future;

use actix::{Actor, Addr, Context, Handler, Message, ResponseFuture};

use super::{Domain, Live, Reply, Unavailable, UnknownOutcome, ask, commit, refuse};

/// What a domain decides about a message from memory: a refusal at once, or the reply of a [`commit`].
pub type Decision<D, T, E> = Result<Reply<D, T, E>, E>;

/// The handlers of a domain. Each row names a message and the function that answers it:
///
/// - `commit M => work` and `commit M => work, fold`: [`commit`] of `work(env, message)`. Without `fold`, memory stays as it
///   is and the answer is what `work` returns.
/// - `decide M => function`: `function(&mut domain, message)` returns a [`Decision`].
/// - `beside M => function`: `function(&mut domain, message, address)` returns work that runs beside the mailbox.
/// - `prepare M => function`: `function(&mut domain, message)` returns work that runs beside the mailbox and results in a
///   second message. The domain's answer to that one is the answer.
/// - `now M => function`: `function(&mut live, message, context)` returns the answer.
macro_rules! handlers {
    ($domain:ident: $($kind:ident $message:ty => $function:expr $(, $fold:expr)?;)+) => {$(
        impl ::actix::Handler<$message> for $crate::actors::kit::Live<$domain> {
            type Result = $crate::actors::kit::handlers!(@result $kind $domain, $message);

            fn handle(
                &mut self,
                message: $message,
                context: &mut ::actix::Context<Self>,
            ) -> Self::Result {
                $crate::actors::kit::handlers!(@$kind self, message, context, $function $(, $fold)?)
            }
        }
    )+};
    (@result beside $domain:ident, $message:ty) => {
        ::actix::ResponseFuture<<$message as ::actix::Message>::Result>
    };
    (@result prepare $domain:ident, $message:ty) => {
        $crate::actors::kit::handlers!(@result beside $domain, $message)
    };
    (@result now $domain:ident, $message:ty) => {
        <$message as ::actix::Message>::Result
    };
    (@result $kind:ident $domain:ident, $message:ty) => {
        ::actix::AtomicResponse<Self, <$message as ::actix::Message>::Result>
    };
    (@commit $live:ident, $message:ident, $context:ident, $work:expr) => {
        $crate::actors::kit::handlers!(@commit $live, $message, $context, $work, |_, answer| answer)
    };
    (@commit $live:ident, $message:ident, $context:ident, $work:expr, $fold:expr) => {{
        let _ = $context;
        $crate::actors::kit::commit_work($live, $message, $work, $fold)
    }};
    (@decide $live:ident, $message:ident, $context:ident, $function:expr) => {{
        let _ = $context;
        $crate::actors::kit::decide($live, $message, $function)
    }};
    (@beside $live:ident, $message:ident, $context:ident, $function:expr) => {{
        let address = ::actix::AsyncContext::address($context);
        $crate::actors::kit::run_beside($live, $message, address, $function)
    }};
    (@prepare $live:ident, $message:ident, $context:ident, $function:expr) => {{
        let address = ::actix::AsyncContext::address($context);
        $crate::actors::kit::prepare($live, $message, address, $function)
    }};
    (@now $live:ident, $message:ident, $context:ident, $function:expr) => {
        $function($live, $message, $context)
    };
}

pub(crate) use handlers;

/// Commits work that needs the environment and the message alone.
pub fn commit_work<D, M, T, R, E, F>(
    live: &Live<D>,
    message: M,
    work: impl FnOnce(D::Env, M) -> F,
    fold: impl FnOnce(&mut D, T) -> R + 'static,
) -> Reply<D, R, E>
where
    D: Domain,
    F: Future<Output = Result<T, E>> + 'static,
    T: 'static,
    R: 'static,
    E: UnknownOutcome + std::fmt::Display + 'static,
{
    commit(work(live.env.clone(), message), fold)
}

/// Answers with what is decided from memory; an error refuses, and nothing was touched.
pub fn decide<D, M, T, E>(
    live: &mut Live<D>,
    message: M,
    decision: impl FnOnce(&mut D, M) -> Decision<D, T, E>,
) -> Reply<D, T, E>
where
    D: Domain,
    T: 'static,
    E: 'static,
{
    decision(live, message).unwrap_or_else(refuse)
}

/// Answers with slow work that runs beside the mailbox. It may send messages to the address.
pub fn run_beside<D, M, F>(
    live: &mut Live<D>,
    message: M,
    address: Addr<Live<D>>,
    work: impl FnOnce(&mut D, M, Addr<Live<D>>) -> F,
) -> ResponseFuture<M::Result>
where
    D: Domain,
    M: Message,
    F: Future<Output = M::Result> + 'static,
{
    Box::pin(work(live, message, address))
}

/// Answers with the domain's answer to the message that slow work beside the mailbox results in.
pub fn prepare<D, M, N, T, E, F>(
    live: &mut Live<D>,
    message: M,
    address: Addr<Live<D>>,
    work: impl FnOnce(&mut D, M) -> F,
) -> ResponseFuture<Result<T, E>>
where
    D: Domain,
    F: Future<Output = Result<N, E>> + 'static,
    N: Message<Result = Result<T, E>> + Send + 'static,
    Live<D>: Handler<N> + Actor<Context = Context<Live<D>>>,
    T: Send + 'static,
    E: From<Unavailable> + Send + 'static,
{
    let work = work(live, message);
    Box::pin(async move { ask(&address, work.await?).await })
}

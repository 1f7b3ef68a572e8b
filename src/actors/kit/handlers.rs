//! Which message a domain answers with which function, as a table.

use std::future::Future;

use actix::{Addr, Message, ResponseFuture};

use super::{Domain, Live, Reply, UnknownOutcome, commit, refuse};

/// What a domain decides about a message from memory: a refusal at once, or the reply of a [`commit`].
pub type Decision<D, T, E> = Result<Reply<D, T, E>, E>;

/// The handlers of a domain. Each row names a message and the function that answers it:
///
/// - `commit M => work` and `commit M => work, fold`: [`commit`] of `work(env, message)`. Without `fold`, memory stays as it
///   is and the answer is what `work` returns.
/// - `decide M => function`: `function(&mut domain, message)` returns a [`Decision`].
/// - `beside M => function`: `function(&mut domain, message, address)` returns work that runs beside the mailbox.
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

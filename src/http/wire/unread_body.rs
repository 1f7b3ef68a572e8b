//! Bodies of requests that were refused before anybody read them.
//!
//! The RPC mount answers in the style that was asked, which only the body says. Most refusals come
//! before the body is read, and have to: so it stays within reach, and is looked at when there is a refusal to write.

use std::{
    cell::RefCell,
    rc::Rc,
    task::{Context, Poll},
    time::Duration,
};

use actix_web::{
    HttpMessage,
    dev::{Payload, ServiceRequest},
};
use futures_util::{Stream, StreamExt, stream};
use tokio::time::timeout;

use super::envelope::is_enveloped;

/// What is read of a refused body; longer ones are answered plainly.
const MAX: usize = 64 * 1024;
/// How long a refusal waits for a body that is still on its way.
const PATIENCE: Duration = Duration::from_secs(1);

/// A request's body, shared with the request's handler.
pub(super) struct UnreadBody(Rc<RefCell<Payload>>);

impl UnreadBody {
    /// Keeps the body of a request within reach; the request reads it as before.
    pub(super) fn take_payload(request: &mut ServiceRequest) -> Self {
        let kept = Self(Rc::new(RefCell::new(request.take_payload())));
        request.set_payload(Payload::Stream {
            payload: Box::pin(kept.chunks()),
        });
        kept
    }

    fn chunks(&self) -> impl Stream<Item = <Payload as Stream>::Item> + use<> {
        let payload = Rc::clone(&self.0);
        stream::poll_fn(move |context: &mut Context<'_>| -> Poll<_> {
            payload.borrow_mut().poll_next_unpin(context)
        })
    }

    /// Whether an envelope is in what was not read.
    pub(super) async fn is_enveloped(&self) -> bool {
        let read = async {
            let (mut body, mut chunks) = (Vec::new(), self.chunks());
            while let Some(Ok(chunk)) = chunks.next().await {
                if body.len() + chunk.len() > MAX {
                    return Vec::new();
                }
                body.extend_from_slice(&chunk);
            }
            body
        };
        let body = timeout(PATIENCE, read).await.unwrap_or_default();
        serde_json::from_slice(&body).is_ok_and(|body| is_enveloped(&body))
    }
}

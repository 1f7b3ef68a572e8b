//! Bodies in chunks need not end. What a handler leaves of one is read up to a bound; beyond it the connection is
//! closed with the answer, instead of being read for as long as the client sends (threat T19).

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    task::{Context, Poll},
};

use actix_web::{
    HttpMessage,
    dev::{Payload, ServiceRequest},
    http::header::TRANSFER_ENCODING,
};
use futures_util::{StreamExt, stream};

use super::{edge::Answer, response_bodies::GuardedBody, size};

/// Outside of everything that writes an answer.
pub(super) async fn cut(
    mut request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Answer,
) -> Answer {
    if !request.headers().contains_key(TRANSFER_ENCODING) {
        return next(request).await;
    }
    let open = Open::new(request.take_payload());
    request.set_payload(open.payload());
    let response = next(request).await?;
    if !open.ended.get() {
        size::drain(open.payload()).await;
    }
    if open.ended.get() {
        return Ok(response);
    }
    // The server closes the connection when the answer begins and the body is there, unread.
    Ok(response.map_body(|_, body| GuardedBody::boxed(body, open)))
}

/// A body that may have no end, shared between its reader and [`cut`].
#[derive(Clone)]
struct Open {
    payload: Rc<RefCell<Payload>>,
    ended: Rc<Cell<bool>>,
}

impl Open {
    fn new(payload: Payload) -> Self {
        Self {
            payload: Rc::new(RefCell::new(payload)),
            ended: Rc::default(),
        }
    }

    /// The body from where it was read to.
    fn payload(&self) -> Payload {
        let open = self.clone();
        let chunks = stream::poll_fn(move |context: &mut Context<'_>| {
            let chunk = open.payload.borrow_mut().poll_next_unpin(context);
            if matches!(chunk, Poll::Ready(None | Some(Err(_)))) {
                open.ended.set(true);
            }
            chunk
        });
        Payload::Stream {
            payload: Box::pin(chunks),
        }
    }
}

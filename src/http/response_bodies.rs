//! Answers that keep something until they are sent or given up.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use bytes::Bytes;

/// A body that drops what it holds when it goes.
pub(super) struct GuardedBody<T> {
    body: BoxBody,
    _held: T,
}

impl<T: Unpin + 'static> GuardedBody<T> {
    /// `body`, with `held` for as long as it is there.
    pub(super) fn boxed(body: BoxBody, held: T) -> BoxBody {
        BoxBody::new(Self { body, _held: held })
    }
}

impl<T: Unpin> MessageBody for GuardedBody<T> {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(context)
    }
}

/// A body of known length in pieces.
pub(super) struct PiecesBody {
    left: std::vec::IntoIter<Bytes>,
    bytes: u64,
}

impl PiecesBody {
    /// The pieces in their order.
    pub(super) fn new(pieces: Vec<Bytes>) -> Self {
        Self {
            bytes: pieces.iter().map(|piece| piece.len() as u64).sum(),
            left: pieces.into_iter(),
        }
    }
}

impl MessageBody for PiecesBody {
    type Error = std::convert::Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.bytes)
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Poll::Ready(self.left.next().map(Ok))
    }
}

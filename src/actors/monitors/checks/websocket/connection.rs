//! Messages of a WebSocket after its upgrade.

use bytes::{Buf as _, BytesMut};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    task::coop::consume_budget,
};

use super::{
    super::random_bytes,
    frame::{
        BINARY, CLOSE, CONTINUATION, Frame, PING, PONG, TEXT, broken, frame, read_frame, too_large,
    },
};
use crate::egress::{Class, Failure, Trace};

/// Frames of a message, with the pings in between.
const MAX_FRAMES: usize = 1_000;
/// Bytes that are read at a time, at least.
const CHUNK: usize = 4_096;

pub(in crate::actors::monitors::checks) struct Connection<'t, S> {
    stream: S,
    /// Bytes that no frame was made of yet.
    buffer: BytesMut,
    /// The message whose frames are coming in.
    begun: Option<Vec<u8>>,
    /// Bytes of a message at most.
    most: usize,
    trace: &'t mut Trace,
}

impl<'t, S: AsyncRead + AsyncWrite + Unpin> Connection<'t, S> {
    /// `most`: bytes of a message at most.
    pub(in crate::actors::monitors::checks) fn new(
        stream: S,
        trace: &'t mut Trace,
        most: usize,
    ) -> Self {
        Self {
            stream,
            buffer: BytesMut::new(),
            begun: None,
            most,
            trace,
        }
    }

    /// Bytes that came in.
    pub(in crate::actors::monitors::checks) fn received(&self) -> u64 {
        self.trace.bytes
    }

    pub(in crate::actors::monitors::checks) async fn send_text(
        &mut self,
        text: &str,
    ) -> Result<(), Failure> {
        self.send(TEXT, text.as_bytes()).await
    }

    /// Says goodbye. The server may be gone already, which fails nothing.
    pub(in crate::actors::monitors::checks) async fn close(&mut self) {
        let _ = self.send(CLOSE, &1_000_u16.to_be_bytes()).await;
    }

    async fn send(&mut self, opcode: u8, payload: &[u8]) -> Result<(), Failure> {
        let frame = frame(opcode, payload, random_bytes()?);
        let lost = |_| Failure::new(Class::Reset, "the server closed the connection");
        self.stream.write_all(&frame).await.map_err(lost)?;
        self.stream.flush().await.map_err(lost)
    }

    /// The next message; nothing if the server closes the connection. May be dropped and called again.
    pub(in crate::actors::monitors::checks) async fn receive(
        &mut self,
    ) -> Result<Option<Vec<u8>>, Failure> {
        for _ in 0..MAX_FRAMES {
            let Some(frame) = self.next().await? else {
                return Ok(None);
            };
            match (frame.opcode, self.begun.is_some()) {
                (CLOSE, _) => return Ok(None),
                (PING, _) => self.send(PONG, &frame.payload).await?,
                (PONG, _) => {}
                (TEXT | BINARY, false) => self.begun = Some(frame.payload),
                (CONTINUATION, true) => {
                    let begun = self.begun.get_or_insert_default();
                    begun.extend_from_slice(&frame.payload);
                }
                _ => return broken("the server sends frames out of order"),
            }
            let length = self.begun.as_ref().map_or(0, Vec::len);
            if length > self.most {
                return too_large(self.most);
            }
            if frame.is_final && frame.opcode < CLOSE {
                return Ok(self.begun.take());
            }
        }
        broken("the server sends too many frames")
    }

    async fn next(&mut self) -> Result<Option<Frame>, Failure> {
        loop {
            // One read may bring thousands of frames. Other checks of this thread go on meanwhile.
            consume_budget().await;
            if let Some((frame, length)) = read_frame(&self.buffer, self.most)? {
                // What follows stays where it is.
                self.buffer.advance(length);
                return Ok(Some(frame));
            }
            self.buffer.reserve(CHUNK);
            let read = self.stream.read_buf(&mut self.buffer).await;
            let lost = |_| Failure::new(Class::Reset, "the connection was cut");
            let length = read.map_err(lost)?;
            if length == 0 {
                return Ok(None);
            }
            self.trace.bytes += length as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, pin::pin};

    use super::*;
    use crate::actors::monitors::checks::wire;

    /// An empty message.
    const EMPTY: [u8; 2] = [0x81, 0];

    #[tokio::test]
    async fn a_frame_is_taken_without_moving_those_behind_it() {
        let (stream, _server) = wire::recorded(&EMPTY.repeat(100)).await.unwrap();
        let mut trace = Trace::begin();
        let mut connection = Connection::new(stream, &mut trace, 10);
        connection.receive().await.unwrap().unwrap();
        for _ in 0..50 {
            let before = connection.buffer.as_ptr();
            connection.receive().await.unwrap().unwrap();
            let after = connection.buffer.as_ptr();
            assert_eq!(after, before.wrapping_add(EMPTY.len()));
        }
    }

    #[tokio::test]
    async fn a_flood_of_frames_lets_other_checks_go_on() {
        let (stream, _server) = wire::recorded(&EMPTY.repeat(2_000)).await.unwrap();
        let mut trace = Trace::begin();
        let mut connection = Connection::new(stream, &mut trace, 10);
        let reading = async {
            let mut messages = 0;
            while connection.receive().await.unwrap().is_some() {
                messages += 1;
            }
            messages
        };
        let (mut reading, mut turns) = (pin!(reading), 0);
        let messages = poll_fn(|context| {
            turns += 1;
            reading.as_mut().poll(context)
        });
        assert_eq!(messages.await, 2_000);
        assert!(turns >= 10, "{turns}");
    }
}

//! A connection whose reads are bounded in size and by the deadline.

use std::time::Duration;

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream},
    time::{Instant, timeout_at},
};

use crate::egress::{Class, Failure, Phase, Trace};

/// Bytes that a check reads of a server.
const MAX_BYTES: usize = 1 << 20;
/// Bytes of a line.
const MAX_LINE: usize = 8 << 10;
/// Bytes that are read at once.
const CHUNK: usize = 4 << 10;

/// What protocols are spoken over.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection. The first byte that comes in ends the phase `ttfb`.
pub(super) struct Wire<'t, S> {
    stream: S,
    deadline: Instant,
    trace: &'t mut Trace,
    has_answered: bool,
    /// What came in and is not read yet.
    buffer: Vec<u8>,
    /// Bytes that came in.
    count: usize,
}

impl<'t, S: Stream> Wire<'t, S> {
    pub(super) fn new(stream: S, deadline: Instant, trace: &'t mut Trace) -> Self {
        trace.enter(Phase::Ttfb);
        Self {
            stream,
            deadline,
            trace,
            has_answered: false,
            buffer: Vec::new(),
            count: 0,
        }
    }

    /// A connection that has changed to TLS after an answer in the clear.
    pub(super) fn resumed(stream: S, deadline: Instant, trace: &'t mut Trace) -> Self {
        let mut wire = Self::new(stream, deadline, trace);
        wire.trace.enter(Phase::Transfer);
        wire.has_answered = true;
        wire
    }

    /// The connection itself, to change it to TLS. Bytes that came too early could be taken for bytes of the TLS
    /// connection, so they are a failure.
    pub(super) fn into_stream(self) -> Result<S, Failure> {
        if self.buffer.is_empty() {
            return Ok(self.stream);
        }
        Err(Failure::new(
            Class::Protocol,
            "the server sent data before TLS began",
        ))
    }

    pub(super) async fn send(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let sending = async {
            self.stream.write_all(bytes).await?;
            self.stream.flush().await
        };
        match timeout_at(self.deadline, sending).await {
            Err(_) => Err(self.late()),
            Ok(sent) => {
                sent.map_err(|error| Failure::from_socket(&error, "while sending the request"))
            }
        }
    }

    /// Says goodbye; whether that arrives changes nothing.
    pub(super) async fn close(mut self, bytes: &[u8]) {
        let _ = self.send(bytes).await;
    }

    /// The next line, without its end.
    pub(super) async fn line(&mut self) -> Result<String, Failure> {
        let mut seen = 0;
        loop {
            let unseen = self.buffer.get(seen..).unwrap_or_default();
            if let Some(place) = unseen.iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = self.buffer.drain(..=seen + place).collect();
                while line.last().is_some_and(|byte| b"\r\n".contains(byte)) {
                    line.pop();
                }
                return Ok(String::from_utf8_lossy(&line).into_owned());
            }
            seen = self.buffer.len();
            if seen > MAX_LINE {
                return Err(Failure::new(
                    Class::Protocol,
                    "a line of the answer is too long",
                ));
            }
            self.fill().await?;
        }
    }

    /// The next bytes, exactly so many.
    pub(super) async fn take(&mut self, length: usize) -> Result<Vec<u8>, Failure> {
        // A length that is a lie takes no memory.
        if length > MAX_BYTES {
            return Err(too_large());
        }
        while self.buffer.len() < length {
            self.fill().await?;
        }
        Ok(self.buffer.drain(..length).collect())
    }

    pub(super) async fn array<const N: usize>(&mut self) -> Result<[u8; N], Failure> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.take(N).await?);
        Ok(bytes)
    }

    async fn fill(&mut self) -> Result<(), Failure> {
        let mut chunk = [0; CHUNK];
        let Ok(read) = timeout_at(self.deadline, self.stream.read(&mut chunk)).await else {
            return Err(self.late());
        };
        let read =
            read.map_err(|error| Failure::from_socket(&error, "while reading the answer"))?;
        if read == 0 {
            let message = if self.has_answered {
                "the other side closed the connection before the end of the answer"
            } else {
                "the other side closed the connection without an answer"
            };
            return Err(Failure::new(Class::Closed, message));
        }
        if !self.has_answered {
            self.has_answered = true;
            self.trace.enter(Phase::Transfer);
        }
        self.trace.bytes += read as u64;
        self.count += read;
        if self.count > MAX_BYTES {
            return Err(too_large());
        }
        self.buffer
            .extend_from_slice(chunk.get(..read).unwrap_or_default());
        Ok(())
    }

    fn late(&self) -> Failure {
        Failure::late(self.has_answered)
    }
}

fn too_large() -> Failure {
    Failure::new(Class::BodyTooLarge, "the answer is too large")
}

/// A connection to a server that sends this at once and then hangs up, and the server's end of it, which takes what it is asked.
pub(super) async fn recorded(bytes: &[u8]) -> Result<(DuplexStream, DuplexStream), Failure> {
    let (stream, mut server) = tokio::io::duplex(2 * MAX_BYTES + bytes.len());
    let sending = async {
        server.write_all(bytes).await?;
        server.shutdown().await
    };
    let sent = sending.await;
    sent.map_err(|error| Failure::from_socket(&error, "while sending the recording"))?;
    Ok((stream, server))
}

/// Talks to a server that sends this at once and then hangs up, whatever it is asked.
pub(super) async fn replay<T>(
    bytes: &[u8],
    talk: impl AsyncFnOnce(&mut Wire<'_, DuplexStream>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (stream, _server) = recorded(bytes).await?;
    let mut trace = Trace::begin();
    let deadline = Instant::now() + Duration::from_mins(1);
    let mut wire = Wire::new(stream, deadline, &mut trace);
    talk(&mut wire).await
}

#[cfg(test)]
pub(super) mod testing {
    use super::{super::Credentials, *};

    pub(in super::super) use super::replay as served;

    pub(in super::super) const ADA: Credentials<'static> = Credentials {
        username: "ada",
        password: "secret",
    };

    /// The class of the failure that this answer is.
    pub(in super::super) async fn failed<T: std::fmt::Debug>(
        bytes: &[u8],
        talk: impl AsyncFnOnce(&mut Wire<'_, DuplexStream>) -> Result<T, Failure>,
    ) -> Class {
        served(bytes, talk).await.unwrap_err().class
    }
}

#[cfg(test)]
mod tests {
    use super::{testing::*, *};

    #[tokio::test]
    async fn lines_end_with_a_line_feed_and_have_a_bound() {
        let two = served(b"a\r\nb\n", async |wire| {
            Ok((wire.line().await?, wire.line().await?))
        });
        assert_eq!(two.await.unwrap(), ("a".to_owned(), "b".to_owned()));
        let endless = vec![b'x'; MAX_LINE + 2 * CHUNK];
        let class = failed(&endless, async |wire| wire.line().await).await;
        assert_eq!(class, Class::Protocol);
        let class = failed(b"no end", async |wire| wire.line().await).await;
        assert_eq!(class, Class::Closed);
    }

    #[tokio::test]
    async fn bytes_are_exact_and_have_a_bound() {
        let read = served(b"abcd", async |wire| wire.array::<4>().await).await;
        assert_eq!(read.unwrap(), *b"abcd");
        let class = failed(b"abc", async |wire| wire.take(4).await).await;
        assert_eq!(class, Class::Closed);
        let class = failed(b"abc", async |wire| wire.take(usize::MAX).await).await;
        assert_eq!(class, Class::BodyTooLarge);
        let endless = [b'x'; 1_023].into_iter().chain([b'\n']);
        let endless: Vec<u8> = endless.cycle().take(MAX_BYTES + 1_024).collect();
        let all = failed(&endless, async |wire| {
            for _ in 0..=MAX_BYTES / 1_024 {
                wire.line().await?;
            }
            Ok(())
        });
        assert_eq!(all.await, Class::BodyTooLarge);
    }

    #[tokio::test]
    async fn a_silent_server_is_late_for_the_first_byte_and_then_for_the_rest() {
        let (stream, mut server) = tokio::io::duplex(64);
        let mut trace = Trace::begin();
        // The deadline is over, so nothing is waited for.
        let mut wire = Wire::new(stream, Instant::now(), &mut trace);
        let late = wire.line().await.unwrap_err();
        assert_eq!(late.class, Class::FirstByteTimeout);
        server.write_all(b"x").await.unwrap();
        let late = wire.line().await.unwrap_err();
        assert_eq!(late.class, Class::TransferTimeout);
        assert!(wire.into_stream().is_err(), "a byte was left over");
    }
}

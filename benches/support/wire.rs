//! The least HTTP/1.1 that a keep-alive client needs: asking costs little beside answering.

use std::net::SocketAddr;

use anyhow::{Context, bail};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// One connection, one request at a time.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// Where the last answer's body begins.
    body: usize,
}

impl Connection {
    /// Connects.
    pub(crate) async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(16 << 10),
            body: 0,
        })
    }

    /// Sends a whole request and reads the whole answer; gives its status.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<u16> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let head = loop {
            self.more().await?;
            if let Some(at) = find(&self.buffer, b"\r\n\r\n") {
                break at + 4;
            }
        };
        let (status, length) = parse(&self.buffer[..head])?;
        while self.buffer.len() < head + length {
            self.more().await?;
        }
        self.body = head;
        Ok(status)
    }

    /// The body of the last answer.
    pub(crate) fn body(&self) -> &[u8] {
        &self.buffer[self.body..]
    }

    async fn more(&mut self) -> anyhow::Result<()> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!("the server closed the connection");
        }
        Ok(())
    }
}

/// A request as it goes over the wire; `headers` are whole lines.
pub(crate) fn post(path: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn parse(head: &[u8]) -> anyhow::Result<(u16, usize)> {
    let text = std::str::from_utf8(head)?;
    let status: u16 = text.get(9..12).context("no status")?.parse()?;
    if status == 204 {
        return Ok((status, 0));
    }
    let mut lines = text.split("\r\n").filter_map(|line| line.split_once(": "));
    let length = lines
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .context("no content-length")?
        .1
        .parse()?;
    Ok((status, length))
}

/// Where a text begins in another.
pub(crate) fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

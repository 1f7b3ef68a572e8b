//! An answer while it comes: when its head was there, when a text in it, and when all of it.

use std::{net::SocketAddr, time::Instant};

use anyhow::{Context, bail, ensure};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::wire::find;

/// Milliseconds since the request, and the body.
pub(crate) struct Watched {
    /// When the head was there.
    pub(crate) begun: f64,
    /// When the text was there that was waited for.
    pub(crate) marked: f64,
    /// When all was there.
    pub(crate) all: f64,
    pub(crate) body: Vec<u8>,
}

/// Sends a request on a connection of its own.
///
/// # Errors
/// Another status than 200, or an answer without `mark`.
pub(crate) async fn watch(
    address: SocketAddr,
    request: &[u8],
    mark: &[u8],
) -> anyhow::Result<Watched> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let start = Instant::now();
    let since = || start.elapsed().as_secs_f64() * 1e3;
    stream.write_all(request).await?;
    let (mut buffer, mut head, mut marked) = (Vec::with_capacity(256 << 10), None, None);
    let mut seen = 0;
    loop {
        if stream.read_buf(&mut buffer).await? == 0 {
            bail!("the server closed the connection");
        }
        if head.is_none() {
            head = find(&buffer, b"\r\n\r\n").map(|at| (at + 4, since()));
        }
        let Some((at, begun)) = head else { continue };
        let from = seen.max(at + mark.len()) - mark.len();
        if marked.is_none() && find(&buffer[from..], mark).is_some() {
            marked = Some(since());
        }
        seen = buffer.len();
        let text = std::str::from_utf8(&buffer[..at])?;
        ensure!(text.starts_with("HTTP/1.1 200"), "answered {text}");
        let length = content_length(text)?;
        let is_whole = match length {
            Some(length) => seen >= at + length,
            None => buffer[at..].ends_with(b"\r\n0\r\n\r\n"),
        };
        if is_whole {
            let body = &buffer[at..];
            return Ok(Watched {
                begun,
                marked: marked.context("the text that was waited for did not come")?,
                all: since(),
                body: match length {
                    Some(_) => body.to_vec(),
                    None => join_chunks(body)?,
                },
            });
        }
    }
}

/// The length of an answer that is not in chunks.
fn content_length(head: &str) -> anyhow::Result<Option<usize>> {
    let mut lines = head.split("\r\n").filter_map(|line| line.split_once(": "));
    let length = lines.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    Ok(length.map(|(_, length)| length.parse()).transpose()?)
}

fn join_chunks(mut text: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut whole = Vec::with_capacity(text.len());
    loop {
        let end = find(text, b"\r\n").context("a chunk without a length")?;
        let length = usize::from_str_radix(std::str::from_utf8(&text[..end])?, 16)?;
        let chunk = text.get(end + 2..end + 2 + length);
        whole.extend_from_slice(chunk.context("a chunk that is cut off")?);
        if length == 0 {
            return Ok(whole);
        }
        text = &text[end + 4 + length..];
    }
}

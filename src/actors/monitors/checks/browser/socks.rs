//! SOCKS 5 (RFC 1928) as a browser speaks it: without a sign-in, and with the names of hosts.

use std::{
    io::{self, ErrorKind},
    net::{Ipv4Addr, Ipv6Addr},
};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use url::Url;

const VERSION: u8 = 5;
const NO_SIGN_IN: u8 = 0;
const CONNECT: u8 = 1;
const IPV4: u8 = 1;
const NAME: u8 = 3;
const IPV6: u8 = 4;

/// What became of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reply {
    Connected = 0,
    Failed = 1,
    NotAllowed = 2,
}

/// Where the browser wants a connection to: a URL of a host and a port.
pub(super) async fn read_target(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
) -> io::Result<Url> {
    let [version, methods] = read_array(stream).await?;
    let methods = read_bytes(stream, methods).await?;
    if version != VERSION || !methods.contains(&NO_SIGN_IN) {
        return Err(invalid());
    }
    stream.write_all(&[VERSION, NO_SIGN_IN]).await?;
    let [version, command, _, form] = read_array(stream).await?;
    if version != VERSION || command != CONNECT {
        return Err(invalid());
    }
    let host = match form {
        IPV4 => Ipv4Addr::from(read_array::<4>(stream).await?).to_string(),
        IPV6 => format!("[{}]", Ipv6Addr::from(read_array::<16>(stream).await?)),
        NAME => {
            let [length] = read_array(stream).await?;
            let name = read_bytes(stream, length).await?;
            String::from_utf8(name).map_err(|_| invalid())?
        }
        _ => return Err(invalid()),
    };
    let port = u16::from_be_bytes(read_array(stream).await?);
    let is_host = !host
        .bytes()
        .any(|byte| matches!(byte, b'/' | b'\\' | b'?' | b'#' | b'@'));
    let host = if host.parse::<Ipv6Addr>().is_ok() {
        format!("[{host}]")
    } else {
        host
    };
    let url = Url::parse(&format!("http://{host}:{port}/")).ok();
    url.filter(|_| is_host).ok_or_else(invalid)
}

pub(super) async fn write_reply(
    stream: &mut (impl AsyncWrite + Unpin),
    reply: Reply,
) -> io::Result<()> {
    // The address that follows says nothing.
    let bytes = [VERSION, reply as u8, 0, IPV4, 0, 0, 0, 0, 0, 0];
    stream.write_all(&bytes).await
}

async fn read_array<const N: usize>(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes).await?;
    Ok(bytes)
}

async fn read_bytes(stream: &mut (impl AsyncRead + Unpin), length: u8) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length.into()];
    stream.read_exact(&mut bytes).await?;
    Ok(bytes)
}

fn invalid() -> io::Error {
    ErrorKind::InvalidData.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The target of a client that sends this and ends.
    async fn target(sent: &[u8]) -> Option<String> {
        let (mut near, mut far) = tokio::io::duplex(1_024);
        far.write_all(sent).await.unwrap();
        far.shutdown().await.unwrap();
        let target = read_target(&mut near).await;
        target.ok().map(|url| url.to_string())
    }

    #[tokio::test]
    async fn names_and_addresses_are_read() {
        for (rest, url) in [
            (
                &b"\x03\x0bexample.com\x01\xbb"[..],
                "http://example.com:443/",
            ),
            (b"\x03\x0810.0.0.1\0\x50", "http://10.0.0.1/"),
            (b"\x03\x03::1\0\x51", "http://[::1]:81/"),
            (b"\x01\x7f\0\0\x01\0\x51", "http://127.0.0.1:81/"),
            (
                b"\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\x51",
                "http://[::1]:81/",
            ),
        ] {
            let sent = [&b"\x05\x01\0\x05\x01\0"[..], rest].concat();
            assert_eq!(target(&sent).await.as_deref(), Some(url));
            for length in 0..sent.len() {
                assert_eq!(target(&sent[..length]).await, None);
            }
        }
    }

    #[tokio::test]
    async fn what_is_no_request_is_refused() {
        for sent in [
            &b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"[..],
            b"\x04\x01\0\x05\x01\0\x01\x7f\0\0\x01\0\x50",
            b"\x05\x01\x02\x05\x01\0\x01\x7f\0\0\x01\0\x50",
            b"\x05\x01\0\x05\x02\0\x01\x7f\0\0\x01\0\x50",
            b"\x05\x01\0\x05\x01\0\x05\x7f\0\0\x01\0\x50",
            b"\x05\x01\0\x05\x01\0\x03\x03a@b\0\x50",
            b"\x05\x01\0\x05\x01\0\x03\x03a/b\0\x50",
            b"\x05\x01\0\x05\x01\0\x03\x02\xff\xff\0\x50",
            b"\x05\x01\0\x05\x01\0\x03\0\0\x50",
        ] {
            assert_eq!(target(sent).await, None, "{sent:?}");
        }
    }
}

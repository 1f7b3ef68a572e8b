//! Bodies of ingestion: whatever content type, plain or gzip, counted after decompression (threats T19, T20).
//!
//! A body is received first and unpacked when its sender is known to be allowed to send it: a refused request
//! costs no decompression and learns nothing of its encoding.

use std::{
    cell::{Cell, OnceCell},
    io::Read as _,
};

use actix_web::{
    HttpMessage as _, HttpRequest,
    dev::{self, ServiceRequest},
    error::PayloadError,
    http::header::{CONTENT_ENCODING, HeaderMap},
    web::Payload,
};
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, stream};

use super::large_bodies::{LARGE_BODIES, LargeBodyPermit, SenderId};
use crate::{
    events::accept,
    fault::{Fault, Issue, Kind},
    http::{
        body_memory::{self, Share},
        size,
    },
};

/// Bodies beyond this many bytes are worked on one after the other.
const LARGE: usize = 256 * 1024;
/// The first bytes of gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A body, and for large ones the permit to work on it: two megabytes may become a hundred times their size in rows, so one
/// at a time keeps memory bounded.
pub(super) struct Body {
    sent: Bytes,
    limit: usize,
    plain: OnceCell<Bytes>,
    permit: Cell<Option<LargeBodyPermit>>,
}

impl Body {
    /// Receives a body of at most `limit` bytes.
    pub(super) async fn receive(payload: Payload, limit: usize) -> Result<Self, Fault> {
        Ok(Self {
            sent: collect(payload.into_inner(), limit).await?,
            limit,
            plain: OnceCell::new(),
            permit: Cell::default(),
        })
    }

    /// Unpacks it, once.
    pub(super) fn unpack(&self, request: &HttpRequest) -> Result<&[u8], Fault> {
        if self.plain.get().is_none() {
            let plain = self.decode(request)?;
            self.plain.get_or_init(|| plain);
        }
        Ok(self.unpacked().unwrap_or_default())
    }

    /// [`Self::unpack`] of a body that may be wrapped in another one, and packed without saying so.
    pub(super) fn unwrap(
        &self,
        request: &HttpRequest,
        unwrap: impl FnOnce(&[u8]) -> Result<Option<Vec<u8>>, Fault>,
    ) -> Result<&[u8], Fault> {
        if self.plain.get().is_none() {
            let mut plain = self.decode(request)?;
            if let Some(inner) = unwrap(&plain)? {
                plain = inner.into();
            }
            // One layer, wherever it is said.
            if plain.starts_with(&GZIP) && !is_gzip(request.headers())? {
                plain = unpack_counted(request, &plain, self.limit)?;
            }
            self.plain.get_or_init(|| plain);
        }
        Ok(self.unpacked().unwrap_or_default())
    }

    /// The body without what `Content-Encoding` says of it.
    fn decode(&self, request: &HttpRequest) -> Result<Bytes, Fault> {
        if is_gzip(request.headers())? {
            unpack_counted(request, &self.sent, self.limit)
        } else {
            Ok(self.sent.clone())
        }
    }

    /// The unpacked bytes of a body that was looked at.
    pub(super) fn unpacked(&self) -> Option<&[u8]> {
        Some(self.plain.get()?)
    }

    /// [`Self::unpacked`], to keep.
    pub(super) fn into_unpacked(self) -> Option<Bytes> {
        self.plain.into_inner()
    }

    /// Waits for the permit to work on it, if it is large.
    pub(super) async fn await_permit(&self, sender: impl FnOnce() -> SenderId) {
        if self.unpacked().is_some_and(|plain| plain.len() > LARGE) {
            self.permit.set(LARGE_BODIES.take(sender()).await);
        }
    }

    /// Lets the next large body have the permit: this one is rows no more.
    pub(super) fn end_turn(&self) {
        drop(self.permit.take());
    }
}

/// Unpacks the body of a request whose handler reads plain bytes; a body that is not packed stays where it is.
///
/// # Errors
/// It is packed in a way that is not understood, it is no gzip, or more than `limit` bytes come out of it.
pub(in crate::http) async fn unpack_request(
    request: &mut ServiceRequest,
    limit: usize,
) -> Result<(), Fault> {
    if !is_gzip(request.headers())? {
        return Ok(());
    }
    let sent = collect(request.take_payload(), limit).await?;
    if !sent.is_empty() {
        let plain = unpack_counted(request.request(), &sent, limit)?;
        request.set_payload(dev::Payload::Stream {
            payload: Box::pin(stream::once(async { Ok(plain) })),
        });
    }
    Ok(())
}

/// [`unpack`], counted in the memory of bodies.
fn unpack_counted(request: &HttpRequest, packed: &[u8], limit: usize) -> Result<Bytes, Fault> {
    let plain = unpack(packed, limit)?;
    if let Some(share) = Share::from_request(request) {
        share.grow(plain.len())?;
    }
    Ok(plain)
}

/// One layer of gzip or none; everything else is 415.
fn is_gzip(headers: &HeaderMap) -> Result<bool, Fault> {
    let mut encodings = headers.get_all(CONTENT_ENCODING);
    let first = encodings
        .next()
        .map(|value| value.to_str().unwrap_or("?").trim());
    match (first, encodings.next()) {
        (None | Some("" | "identity"), None) => Ok(false),
        (Some(name), None)
            if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") =>
        {
            Ok(true)
        }
        _ => Err(Fault::new(
            Kind::UnsupportedEncoding,
            "Only gzip or no Content-Encoding is understood",
        )),
    }
}

async fn collect(mut payload: dev::Payload, limit: usize) -> Result<Bytes, Fault> {
    let mut first = Bytes::new();
    let mut whole = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|error| broken(&error))?;
        if first.len() + whole.len() + chunk.len() > limit {
            return Err(accept::too_large());
        }
        // Nearly every body is one chunk, which needs no copy.
        if first.is_empty() && whole.is_empty() {
            first = chunk;
            continue;
        }
        if whole.is_empty() {
            whole.extend_from_slice(&std::mem::take(&mut first));
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(if whole.is_empty() {
        first
    } else {
        whole.freeze()
    })
}

fn broken(error: &PayloadError) -> Fault {
    if size::lacks_memory(error) {
        return body_memory::no_memory();
    }
    let issue = Issue::new(
        "incomplete",
        "",
        format!("The body could not be read: {error}"),
    );
    Fault::issues("Invalid request body", vec![issue])
}

/// Unpacks a body of gzip to at most `limit` bytes: every member of it, for what follows the first one must not be
/// dropped without a word.
///
/// # Errors
/// It is no gzip, or more comes out of it.
pub fn unpack(packed: &[u8], limit: usize) -> Result<Bytes, Fault> {
    let most = limit.saturating_add(1);
    let mut plain = Vec::with_capacity(packed.len().saturating_mul(4).min(most));
    flate2::read::MultiGzDecoder::new(packed)
        .take(most as u64)
        .read_to_end(&mut plain)
        .map_err(|error| {
            let issue = Issue::new(
                "invalid_gzip",
                "",
                format!("The body is not valid gzip: {error}"),
            );
            Fault::issues("Invalid request body", vec![issue])
        })?;
    if plain.len() > limit {
        return Err(accept::too_large());
    }
    Ok(plain.into())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use actix_web::test::TestRequest;

    use super::*;

    fn packed(plain: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn the_limit_counts_what_comes_out() {
        assert_eq!(unpack(&packed(&[b' '; 1_000]), 1_000).unwrap().len(), 1_000);
        assert_eq!(
            unpack(&packed(&[b' '; 1_001]), 1_000).unwrap_err().kind,
            Kind::TooLarge
        );
        let bomb = packed(&vec![0; 64 * 1024 * 1024]);
        assert!(bomb.len() < 100_000);
        assert_eq!(unpack(&bomb, 2_097_152).unwrap_err().kind, Kind::TooLarge);
    }

    #[test]
    fn every_member_counts_and_nothing_else_may_follow() {
        let two = [packed(b"[1,"), packed(b"2]")].concat();
        assert_eq!(unpack(&two, 5).unwrap().as_ref(), b"[1,2]");
        assert_eq!(unpack(&two, 4).unwrap_err().kind, Kind::TooLarge);
        let trailing = [packed(b"[1]").as_slice(), b"more"].concat();
        assert!(matches!(
            unpack(&trailing, 1_000).unwrap_err().kind,
            Kind::Invalid { .. }
        ));
    }

    #[test]
    fn broken_gzip_is_refused() {
        let whole = packed(b"{\"name\":\"a\"}");
        for bytes in [&b""[..], b"{}", &whole[..whole.len() - 9]] {
            assert!(matches!(
                unpack(bytes, 1_000).unwrap_err().kind,
                Kind::Invalid { .. }
            ));
        }
    }

    #[test]
    fn one_layer_of_gzip_and_nothing_else() {
        let encoded = |values: &[&str]| {
            let mut request = TestRequest::post();
            for value in values {
                request = request.append_header((CONTENT_ENCODING, *value));
            }
            is_gzip(request.to_http_request().headers()).map_err(|fault| fault.kind)
        };
        assert_eq!(encoded(&[]), Ok(false));
        assert_eq!(encoded(&["identity"]), Ok(false));
        assert_eq!(encoded(&["GZIP"]), Ok(true));
        for refused in [
            &["br"][..],
            &["zstd"],
            &["deflate"],
            &["gzip, gzip"],
            &["gzip", "gzip"],
        ] {
            assert_eq!(
                encoded(refused),
                Err(Kind::UnsupportedEncoding),
                "{refused:?}"
            );
        }
    }
}

//! Reading a body: all of it, but no more than is paid for, packed or unpacked.

use std::io::Write as _;

use http_body_util::BodyExt as _;
use hyper::{
    body::Incoming,
    header::{self, HeaderMap},
};

use super::{Bounds, Class, Failure, Trace};
use crate::egress::broken::{Missing, failed};

/// Reads a body to its end; what is kept of it is unpacked.
pub(super) async fn read(
    body: &mut Incoming,
    headers: &HeaderMap,
    bounds: &Bounds,
    trace: &mut Trace,
) -> Result<Vec<u8>, Failure> {
    let coding = headers.get(header::CONTENT_ENCODING);
    let coding = coding
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let mut unpacked = Unpacked::new(coding, bounds.text);
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| failed(&error, Missing::Rest))?;
        let Some(data) = frame.data_ref() else {
            continue;
        };
        length += data.len() as u64;
        trace.bytes += data.len() as u64;
        if length > bounds.body {
            let message = format!("the body has more than {} bytes", bounds.body);
            return Err(Failure::new(Class::BodyTooLarge, message));
        }
        match unpacked.take(data) {
            Err(failure) if bounds.whole => return Err(failure),
            Err(_) => unpacked = Unpacked::Nothing,
            Ok(()) => {}
        }
    }
    match unpacked.end() {
        Err(_) if !bounds.whole => Ok(Vec::new()),
        end => end,
    }
}

/// What is kept of a body.
enum Unpacked {
    Nothing,
    Plain(BoundedBuffer),
    Gzip(flate2::write::MultiGzDecoder<BoundedBuffer>),
    Deflate(flate2::write::ZlibDecoder<BoundedBuffer>),
}

impl Unpacked {
    fn new(coding: &str, most: usize) -> Self {
        let kept = BoundedBuffer {
            text: Vec::new(),
            most,
        };
        match coding.trim().to_ascii_lowercase().as_str() {
            _ if most == 0 => Self::Nothing,
            "gzip" | "x-gzip" => Self::Gzip(flate2::write::MultiGzDecoder::new(kept)),
            "deflate" => Self::Deflate(flate2::write::ZlibDecoder::new(kept)),
            _ => Self::Plain(kept),
        }
    }

    fn take(&mut self, data: &[u8]) -> Result<(), Failure> {
        let taken = match self {
            Self::Nothing => Ok(()),
            Self::Plain(kept) => kept.write_all(data),
            Self::Gzip(decoder) => decoder.write_all(data),
            Self::Deflate(decoder) => decoder.write_all(data),
        };
        taken.map_err(|error| unpacking(&error))
    }

    fn end(self) -> Result<Vec<u8>, Failure> {
        let kept = match self {
            Self::Nothing => return Ok(Vec::new()),
            Self::Plain(kept) => Ok(kept),
            Self::Gzip(decoder) => decoder.finish(),
            Self::Deflate(decoder) => decoder.finish(),
        };
        Ok(kept.map_err(|error| unpacking(&error))?.text)
    }
}

/// Text with an end.
struct BoundedBuffer {
    text: Vec<u8>,
    most: usize,
}

impl std::io::Write for BoundedBuffer {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        if self.text.len() + data.len() > self.most {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.text.extend_from_slice(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn unpacking(error: &std::io::Error) -> Failure {
    if error.kind() == std::io::ErrorKind::FileTooLarge {
        return Failure::new(
            Class::BodyTooLarge,
            "the body is larger than what is looked at",
        );
    }
    Failure::new(
        Class::Protocol,
        "the body is packed in a way that cannot be unpacked",
    )
}

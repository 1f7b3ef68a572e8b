//! A form with a file, read part by part as it comes (RFC 7578): the file may be larger than memory.

use actix_web::{http::header::HeaderMap, web::Payload};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt as _, stream};

use super::{FormData, upload::boundary};
use crate::fault::Fault;

/// Bytes of the head of a part, and of a field.
const MAX_HEAD: usize = 8 << 10;
const MAX_FIELD: usize = 64 << 10;
/// Fields in front of the file.
const MAX_FIELDS: usize = 32;

/// A form whose file comes behind its other fields.
pub(in crate::http::pages) struct Multipart {
    payload: Payload,
    /// What stands between parts.
    delimiter: Vec<u8>,
    buffer: BytesMut,
}

fn broken() -> Fault {
    Fault::invalid("The form can't be read. Choose the file again")
}

impl Multipart {
    pub(in crate::http::pages) fn new(
        headers: &HeaderMap,
        payload: Payload,
    ) -> Result<Self, Fault> {
        let boundary = boundary(headers).ok_or_else(broken)?;
        Ok(Self {
            payload,
            delimiter: format!("\r\n--{boundary}").into_bytes(),
            // As if a part had ended: the first delimiter has no line break before it.
            buffer: BytesMut::from(&b"\r\n"[..]),
        })
    }

    /// The fields in front of the file, and the file's name; `None` when there is no file.
    pub(in crate::http::pages) async fn fields(
        &mut self,
    ) -> Result<(FormData, Option<String>), Fault> {
        let mut fields = Vec::new();
        let delimiter = self.delimiter.clone();
        self.until(&delimiter, MAX_HEAD).await?;
        while fields.len() < MAX_FIELDS {
            let head = self.until(b"\r\n", MAX_HEAD).await?;
            if head.starts_with(b"--") {
                return Ok((fields.into(), None));
            }
            let head = self.until(b"\r\n\r\n", MAX_HEAD).await?;
            let head = String::from_utf8_lossy(&head).into_owned();
            if let Some(name) = quoted(&head, "filename=\"") {
                return Ok((fields.into(), Some(name.to_owned())));
            }
            let value = self.until(&delimiter, MAX_FIELD).await?;
            let value = String::from_utf8_lossy(&value).into_owned();
            fields.push((
                quoted(&head, " name=\"").unwrap_or_default().to_owned(),
                value,
            ));
        }
        Err(broken())
    }

    /// The bytes of the file, after its name is known.
    pub(in crate::http::pages) fn file(self) -> impl Stream<Item = Result<Bytes, Fault>> {
        stream::unfold(Some(self), |form| async move {
            let mut form = form?;
            match form.piece().await {
                Ok(Some((bytes, is_last))) => Some((Ok(bytes), (!is_last).then_some(form))),
                Ok(None) => None,
                Err(fault) => Some((Err(fault), None)),
            }
        })
    }

    /// The next bytes of the file, and whether they are the last.
    async fn piece(&mut self) -> Result<Option<(Bytes, bool)>, Fault> {
        loop {
            if let Some(at) = find(&self.buffer, &self.delimiter) {
                return Ok(Some((self.buffer.split_to(at).freeze(), true)));
            }
            // What may be the beginning of the delimiter stays.
            let sure = self.buffer.len().saturating_sub(self.delimiter.len());
            if sure > 0 {
                return Ok(Some((self.buffer.split_to(sure).freeze(), false)));
            }
            self.read().await?;
        }
    }

    /// What comes before a pattern, which is passed over.
    async fn until(&mut self, pattern: &[u8], most: usize) -> Result<Bytes, Fault> {
        loop {
            if let Some(at) = find(&self.buffer, pattern) {
                let before = self.buffer.split_to(at).freeze();
                drop(self.buffer.split_to(pattern.len()));
                return Ok(before);
            }
            if self.buffer.len() > most + pattern.len() {
                return Err(broken());
            }
            self.read().await?;
        }
    }

    async fn read(&mut self) -> Result<(), Fault> {
        match self.payload.next().await {
            Some(Ok(bytes)) => {
                self.buffer.extend_from_slice(&bytes);
                Ok(())
            }
            _ => Err(broken()),
        }
    }
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    let first = *pattern.first()?;
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|byte| *byte == first) {
        let at = from + at;
        if bytes[at..].starts_with(pattern) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// What stands in quotation marks behind a name.
fn quoted<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let (_, rest) = head.split_once(name)?;
    rest.split_once('"').map(|(value, _)| value)
}

//! Public documents that are the same for everybody: built, tagged and compressed once per process.

use std::{
    collections::HashMap,
    fmt,
    io::Write as _,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::header::{
        AcceptEncoding, CONTENT_ENCODING, CONTENT_TYPE, ETAG, Encoding, Header as _, HeaderMap,
        HeaderValue, IF_NONE_MATCH, VARY,
    },
};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};

/// Whether the caller has the answer with this tag already.
pub(super) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let given = headers
        .get_all(IF_NONE_MATCH)
        .filter_map(|value| value.to_str().ok());
    let mut tags = given.flat_map(|value| value.split(','));
    tags.any(|given| {
        let given = given.trim();
        given == "*" || given.strip_prefix("W/").unwrap_or(given) == tag
    })
}

/// One encoding of a document, with the strong tag of exactly these bytes.
#[derive(Debug)]
struct Encoded {
    bytes: Bytes,
    tag: String,
}

impl Encoded {
    fn new(bytes: Bytes) -> Self {
        let hash = blake3::hash(&bytes).to_hex();
        let tag = format!("\"{}\"", hash.get(..32).unwrap_or_default());
        Self { bytes, tag }
    }
}

/// A document as it is sent.
#[derive(Debug)]
struct Document {
    media: &'static str,
    plain: Encoded,
    gzip: Encoded,
}

impl Document {
    fn new(media: &'static str, text: String) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        // Writing to memory cannot fail.
        let _ = encoder.write_all(text.as_bytes());
        let gzip = encoder.finish().unwrap_or_default();
        Self {
            media,
            plain: Encoded::new(text.into()),
            gzip: Encoded::new(gzip.into()),
        }
    }
}

/// The documents of a process, by path. Each is built when it is first asked for.
#[derive(Default)]
pub struct Documents(Mutex<HashMap<String, Arc<OnceLock<Document>>>>);

impl fmt::Debug for Documents {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Documents(…)")
    }
}

impl Documents {
    /// Answers with the document of a path, or 304 where the caller has it. `response` brings further headers.
    pub(super) fn answer(
        &self,
        request: &HttpRequest,
        mut response: HttpResponseBuilder,
        (path, media): (&str, &'static str),
        build: impl FnOnce() -> String,
    ) -> HttpResponse {
        let document = {
            let mut documents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match documents.get(path) {
                Some(document) => Arc::clone(document),
                None => Arc::clone(documents.entry(path.to_owned()).or_default()),
            }
        };
        let document = document.get_or_init(|| Document::new(media, build()));
        let is_gzip = accepts_gzip(request);
        let encoded = if is_gzip {
            &document.gzip
        } else {
            &document.plain
        };
        response
            .insert_header((ETAG, encoded.tag.as_str()))
            .insert_header((VARY, "accept-encoding"));
        if is_known(request.headers(), &encoded.tag) {
            response.status(actix_web::http::StatusCode::NOT_MODIFIED);
            return response.finish();
        }
        if is_gzip {
            response.insert_header((CONTENT_ENCODING, "gzip"));
        }
        response
            .insert_header((CONTENT_TYPE, HeaderValue::from_static(document.media)))
            .body(encoded.bytes.clone())
    }
}

/// Whether the client says that it takes gzip; without a word about it, it gets the plain text.
pub(super) fn accepts_gzip(request: &HttpRequest) -> bool {
    AcceptEncoding::parse(request).is_ok_and(|accepted| {
        let offered = [Encoding::gzip(), Encoding::identity()];
        !accepted.is_empty() && accepted.negotiate(offered.iter()) == Some(Encoding::gzip())
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use actix_web::{http::header::ACCEPT_ENCODING, test::TestRequest};

    use super::*;

    #[test]
    fn a_document_is_built_once_whoever_asks_and_however_often() {
        let (documents, built) = (Documents::default(), Cell::new(0));
        for accepted in ["", "gzip", "identity", "gzip"] {
            let request = TestRequest::get()
                .insert_header((ACCEPT_ENCODING, accepted))
                .to_http_request();
            let answer =
                documents.answer(&request, HttpResponse::Ok(), ("/a", "text/plain"), || {
                    built.set(built.get() + 1);
                    "text".to_owned()
                });
            assert_eq!(answer.status(), 200);
            let is_gzip = answer.headers().contains_key(CONTENT_ENCODING);
            assert_eq!(is_gzip, accepted == "gzip");
        }
        assert_eq!(built.get(), 1);
    }
}

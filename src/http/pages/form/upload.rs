//! The file of a form, as browsers send it (RFC 7578).

use actix_web::http::header::{CONTENT_TYPE, HeaderMap};

/// The bytes of the first file in a body; empty when none was chosen.
pub(in crate::http::pages) fn file<'b>(headers: &HeaderMap, body: &'b [u8]) -> &'b [u8] {
    let kind = headers.get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let boundary = kind
        .split_once("boundary=")
        .map(|(_, text)| text.trim_matches('"'));
    boundary
        .and_then(|boundary| find_file(boundary, body))
        .unwrap_or_default()
}

fn find_file<'b>(boundary: &str, body: &'b [u8]) -> Option<&'b [u8]> {
    let mut rest = body;
    let end = format!("\r\n--{boundary}");
    loop {
        let (head, content) = split(rest, b"\r\n\r\n")?;
        let (content, after) = split(content, end.as_bytes())?;
        let head = String::from_utf8_lossy(head).to_ascii_lowercase();
        if head.contains("filename=") {
            return Some(content);
        }
        rest = after;
    }
}

/// What is before a pattern, and what is after it.
fn split<'b>(bytes: &'b [u8], pattern: &[u8]) -> Option<(&'b [u8], &'b [u8])> {
    let at = bytes
        .windows(pattern.len())
        .position(|own| own == pattern)?;
    Some((&bytes[..at], &bytes[at + pattern.len()..]))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn a_file_is_found_behind_other_fields() {
        let mut headers = HeaderMap::new();
        let kind = HeaderValue::from_static("multipart/form-data; boundary=xYz");
        headers.insert(CONTENT_TYPE, kind);
        let body = b"--xYz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--xYz\r\nContent-Disposition: form-data; \
            name=\"logo\"; filename=\"l.png\"\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n--x\r\n--xYz--\r\n";
        assert_eq!(file(&headers, body), b"\x89PNG\r\n--x");
        for broken in [&b""[..], b"--xYz", b"\r\n\r\n", &body[..150]] {
            assert_eq!(file(&headers, broken), b"");
        }
        assert_eq!(file(&HeaderMap::new(), body), b"");
    }
}

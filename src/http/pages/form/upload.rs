//! The file of a form, as browsers send it (RFC 7578).

use actix_web::http::header::{CONTENT_TYPE, HeaderMap};

/// The bytes of the first file in a body; empty when none was chosen.
pub(in crate::http::pages) fn file<'b>(headers: &HeaderMap, body: &'b [u8]) -> &'b [u8] {
    boundary(headers)
        .and_then(|boundary| find_file(boundary, body))
        .unwrap_or_default()
}

pub(super) fn boundary(headers: &HeaderMap) -> Option<&str> {
    let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let (_, text) = kind.split_once("boundary=")?;
    Some(text.trim_matches('"'))
}

fn is_file(head: &str) -> bool {
    head.to_ascii_lowercase().contains("filename=")
}

fn find_file<'b>(boundary: &str, body: &'b [u8]) -> Option<&'b [u8]> {
    each_part(boundary, body, |head, content| {
        is_file(head).then_some(content)
    })
}

/// Looks at the head and the content of each part, until something is found.
fn each_part<'b, T>(
    boundary: &str,
    body: &'b [u8],
    mut look: impl FnMut(&str, &'b [u8]) -> Option<T>,
) -> Option<T> {
    let mut rest = body;
    let end = format!("\r\n--{boundary}");
    loop {
        let (head, content) = split(rest, b"\r\n\r\n")?;
        let (content, after) = split(content, end.as_bytes())?;
        if let Some(found) = look(&String::from_utf8_lossy(head), content) {
            return Some(found);
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

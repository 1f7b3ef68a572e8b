//! Errors of Chromium's network, in our words.

use super::proxy::Route;
use crate::egress::{Class, Failure};

/// A download, or an answer that has no page.
pub(super) const ABORTED: &str = "net::ERR_ABORTED";
/// An error status without a body.
pub(super) const NO_BODY: &str = "net::ERR_HTTP_RESPONSE_CODE_FAILURE";

pub(super) const NO_CREDENTIALS: &str = "net::ERR_INVALID_AUTH_CREDENTIALS";

/// Codes begin like these, the first that fits.
const ERRORS: &[(&str, Class, &str)] = &[
    (
        "ERR_CERT_DATE_INVALID",
        Class::TlsExpired,
        "the certificate's time is over, or has not come",
    ),
    (
        "ERR_CERT_COMMON_NAME_INVALID",
        Class::TlsName,
        "the certificate is for another name",
    ),
    (
        "ERR_CERT",
        Class::TlsUntrusted,
        "the browser doesn't trust the certificate",
    ),
    ("ERR_SSL", Class::TlsFailed, "the TLS handshake failed"),
    (
        "ERR_TOO_MANY_REDIRECTS",
        Class::TooManyRedirects,
        "more redirects than the browser follows",
    ),
    (
        "ERR_UNSAFE_REDIRECT",
        Class::BadRedirect,
        "a redirect leads to no http or https address",
    ),
    (
        "ERR_INVALID_AUTH_CREDENTIALS",
        Class::Credentials,
        "the server wants a user name and a password",
    ),
    (
        "ERR_INVALID_REDIRECT",
        Class::BadRedirect,
        "a redirect leads to no http or https address",
    ),
    (
        "ERR_UNSAFE_PORT",
        Class::BlockedPort,
        "the browser doesn't open this port",
    ),
    (
        "ERR_RESPONSE_HEADERS_TOO_BIG",
        Class::HeadersTooLarge,
        "the answer's head is too large",
    ),
    (
        "ERR_CONNECTION_RESET",
        Class::Reset,
        "connection reset by the other side",
    ),
    (
        "ERR_CONNECTION_CLOSED",
        Class::Closed,
        "the other side hung up",
    ),
    (
        "ERR_EMPTY_RESPONSE",
        Class::Closed,
        "the other side closed the connection without an answer",
    ),
    (
        "ERR_CONTENT_LENGTH_MISMATCH",
        Class::Closed,
        "the other side closed the connection before the end of the answer",
    ),
    (
        "ERR_INCOMPLETE",
        Class::Closed,
        "the other side closed the connection before the end of the answer",
    ),
    (
        "ERR_ABORTED",
        Class::Protocol,
        "the answer has no page to show",
    ),
    ("ERR_INVALID", Class::Protocol, "the answer is no HTTP"),
    ("ERR_UNEXPECTED", Class::Protocol, "the answer is no HTTP"),
    ("ERR_RESPONSE", Class::Protocol, "the answer is no HTTP"),
    ("ERR_HTTP2", Class::Protocol, "the answer breaks HTTP/2"),
];

/// What a code of Chromium means. The proxy knows better why there is no connection.
pub(super) fn failure(code: &str, route: Option<Route>) -> Failure {
    let name = code.strip_prefix("net::").unwrap_or(code);
    let is_way = ["ERR_SOCKS", "ERR_PROXY", "ERR_TUNNEL"]
        .iter()
        .any(|begin| name.starts_with(*begin));
    if is_way {
        let message = "the browser doesn't reach pharos, through which it opens pages";
        let unreachable = || Failure::new(Class::Other, message);
        let failure = route.and_then(|route| route.failure);
        return failure.unwrap_or_else(unreachable);
    }
    let known = ERRORS.iter().find(|(begin, ..)| name.starts_with(*begin));
    let (class, words) = known.map_or(
        (Class::Other, "the browser can't open the page"),
        |(_, class, words)| (*class, *words),
    );
    let is_code = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    if name.len() <= 60 && name.bytes().all(is_code) {
        return Failure::new(class, format!("{words} ({name})"));
    }
    Failure::new(class, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_classes_and_words() {
        for (code, class) in [
            ("net::ERR_CERT_DATE_INVALID", Class::TlsExpired),
            ("net::ERR_CERT_AUTHORITY_INVALID", Class::TlsUntrusted),
            ("net::ERR_SSL_PROTOCOL_ERROR", Class::TlsFailed),
            ("net::ERR_INVALID_REDIRECT", Class::BadRedirect),
            ("net::ERR_INVALID_AUTH_CREDENTIALS", Class::Credentials),
            ("net::ERR_INVALID_HTTP_RESPONSE", Class::Protocol),
            ("net::ERR_NEVER_SEEN", Class::Other),
            ("net::ERR_SOCKS_CONNECTION_FAILED", Class::Other),
        ] {
            assert_eq!(failure(code, None).class, class, "{code}");
        }
        let said = failure("net::ERR_EMPTY_RESPONSE", None).message;
        assert!(said.ends_with("without an answer (ERR_EMPTY_RESPONSE)"));
        // Nothing but codes is repeated.
        let said = failure("net::ERR_<b>", None).message;
        assert_eq!(said, "the browser can't open the page");
    }

    #[test]
    fn a_connection_that_was_refused_has_its_own_reason() {
        let blocked = Failure::new(Class::BlockedAddress, "not public");
        let route = Route {
            failure: Some(blocked.clone()),
            ..Route::default()
        };
        let code = "net::ERR_SOCKS_CONNECTION_FAILED";
        assert_eq!(failure(code, Some(route)), blocked);
    }
}

//! Page addresses: host, decoded pathname, query.

use std::borrow::Cow;

/// A page address taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Location<'a> {
    /// Host without port, lower case; `None` for a bare path.
    pub(super) host: Option<String>,
    /// Decoded pathname without trailing slash, `/` for the root.
    pub(super) path: String,
    /// The query, without `?`.
    pub(super) query: &'a str,
}

/// Takes a path or an http(s) URL apart. A bare path gets its leading slash; a fragment is dropped unless it is the
/// route of a page that keeps its routes there (`#/users`, `#!/users`), which belongs to the path.
pub(super) fn read(text: &str) -> Location<'_> {
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    let (address, query) = text.split_once('?').unwrap_or((text, ""));
    let (host, path) = match authority(address) {
        Some((authority, path)) => (Some(host(authority)), path),
        None => (None, address),
    };
    let mut path = pathname(path);
    if fragment.starts_with(['/', '!']) {
        let route = fragment.split('?').next().unwrap_or_default();
        let route = decode(route.trim_end_matches('/'), false);
        if !route.is_empty() {
            path.push('#');
            path.push_str(&super::clean::line(&route));
        }
    }
    Location {
        host: host.filter(|host| !host.is_empty()),
        path,
        query,
    }
}

/// Whether this is an http(s) URL whose host has a dot or is the local machine (what page events need).
pub(super) fn is_page_url(text: &str) -> bool {
    authority(text).is_some_and(|(authority, _)| {
        let host = host(authority);
        let named = host.contains('.') && host.split('.').all(|label| !label.is_empty());
        let plain = host
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_'));
        (plain && (named || host == "localhost")) || host.starts_with('[')
    })
}

/// Whether this is a URL that a referrer may have: http(s), or the app of an Android phone.
pub(super) fn is_referrer_url(text: &str) -> bool {
    let rest = match text.split_once("://") {
        Some((scheme, rest)) if is_web(scheme) || scheme.eq_ignore_ascii_case("android-app") => {
            rest
        }
        _ => return false,
    };
    rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '[')
}

fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// `(authority, path and the rest)` of an http(s) URL.
fn authority(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once("://")?;
    is_web(scheme).then(|| rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len())))
}

fn host(authority: &str) -> String {
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.rfind(']') {
        Some(end) => &host[..=end],
        None => host.split(':').next().unwrap_or_default(),
    };
    host.trim_end_matches('.').to_lowercase()
}

fn pathname(path: &str) -> String {
    let path = path.trim_end_matches('/');
    if path.is_empty() {
        return "/".to_owned();
    }
    let decoded = decode(path, false);
    let decoded = super::clean::line(&decoded);
    if decoded.starts_with('/') {
        decoded.into_owned()
    } else {
        format!("/{decoded}")
    }
}

/// Decodes `%xx` (and `+`, in a query); text that does not decode to UTF-8 stays as it is.
fn decode(text: &str, is_query: bool) -> Cow<'_, str> {
    let decoded = unescape(text, is_query).and_then(|bytes| String::from_utf8(bytes).ok());
    decoded.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Decodes a name or a value of a form; what is not UTF-8 is replaced.
pub(super) fn decode_form(text: &str) -> Cow<'_, str> {
    unescape(text, true).map_or(Cow::Borrowed(text), |bytes| {
        let read = String::from_utf8(bytes);
        read.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
            .into()
    })
}

/// The bytes that a text with escapes means; `None` without any.
fn unescape(text: &str, is_query: bool) -> Option<Vec<u8>> {
    let is_escape = |byte: u8| byte == b'%' || (is_query && byte == b'+');
    if !text.bytes().any(is_escape) {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = match (first, tail) {
            (b'%', [high, low, ..]) => digit(*high).zip(digit(*low)),
            _ => None,
        };
        if let Some((high, low)) = escaped {
            bytes.push(high << 4 | low);
            rest = &tail[2..];
        } else {
            bytes.push(if is_query && *first == b'+' {
                b' '
            } else {
                *first
            });
            rest = tail;
        }
    }
    Some(bytes)
}

fn digit(letter: u8) -> Option<u8> {
    char::from(letter).to_digit(16).map(|digit| digit as u8)
}

/// A query parameter, decoded and cut to 128 characters; `None` when missing or empty.
pub(super) fn parameter(query: &str, name: &str) -> Option<String> {
    let value = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| decode(value, true))?;
    let value = super::clean::line(&value);
    let value = super::clean::cut(&value, 128);
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, String) {
        let location = read(text);
        (location.host.unwrap_or_default(), location.path)
    }

    fn pair(host: &str, path: &str) -> (String, String) {
        (host.to_owned(), path.to_owned())
    }

    #[test]
    fn urls_and_paths_are_taken_apart() {
        assert_eq!(
            parts("https://Shop.Example.com:8443/a/b/?q=1#x"),
            pair("shop.example.com", "/a/b")
        );
        assert_eq!(parts("https://example.com"), pair("example.com", "/"));
        assert_eq!(parts("https://example.com?x=/y"), pair("example.com", "/"));
        assert_eq!(parts("http://u:p@localhost:3000//"), pair("localhost", "/"));
        assert_eq!(parts("/pricing/"), pair("", "/pricing"));
        assert_eq!(parts("pricing"), pair("", "/pricing"));
        assert_eq!(parts("/"), pair("", "/"));
        assert_eq!(parts("?q"), pair("", "/"));
        assert_eq!(parts("http://[::1]:80/x"), pair("[::1]", "/x"));
    }

    #[test]
    fn a_route_in_the_fragment_belongs_to_the_path_and_a_place_on_the_page_does_not() {
        for (text, path) in [
            ("https://example.com/app#/users/7/?tab=1", "/app#/users/7"),
            ("https://example.com/?q=1#!/caf%C3%A9", "/#!/café"),
            ("/app/#/a#b", "/app#/a#b"),
            ("https://example.com/app#/", "/app"),
            ("https://example.com/app#", "/app"),
            ("https://example.com/docs#install", "/docs"),
        ] {
            assert_eq!(parts(text).1, path, "{text}");
        }
        assert_eq!(read("https://example.com/a?q=1#/b").query, "q=1");
    }

    #[test]
    fn paths_are_decoded_once_and_only_if_they_are_text() {
        assert_eq!(parts("/caf%C3%A9%20au").1, "/café au");
        assert_eq!(parts("/100%25%41").1, "/100%A");
        assert_eq!(parts("/%FF").1, "/%FF");
        assert_eq!(parts("/%zz%4").1, "/%zz%4");
        assert_eq!(parts("/a%00%0Ab").1, "/ab");
        assert_eq!(parts("/a+b").1, "/a+b");
    }

    #[test]
    fn page_urls_need_a_host_with_a_dot() {
        for good in [
            "https://example.com/",
            "http://localhost:3000/a",
            "HTTP://a.b",
            "http://127.0.0.1:8080/",
            "https://bücher.example/",
            "http://[::1]/",
        ] {
            assert!(is_page_url(good), "{good}");
        }
        for bad in [
            "/path",
            "ftp://example.com/",
            "https://",
            "https:///x",
            "http://intranet/",
            "http://a..b/",
            "javascript:alert(1)",
            "https://ex ample.com/",
        ] {
            assert!(!is_page_url(bad), "{bad}");
        }
    }

    #[test]
    fn parameters_are_decoded() {
        let query = "a=1&utm_source=new%20s+letter&utm_medium=";
        assert_eq!(
            parameter(query, "utm_source").as_deref(),
            Some("new s letter")
        );
        assert_eq!(parameter(query, "utm_medium"), None);
        assert_eq!(parameter(query, "utm_term"), None);
    }

    proptest::proptest! {
        #[test]
        fn forms_are_decoded_as_others_do(text in "([%+aé=#]|%[0-9a-fA-F]{2})*") {
            let pair = format!("name={text}");
            let known = url::form_urlencoded::parse(pair.as_bytes()).next().unwrap().1;
            proptest::prop_assert_eq!(decode_form(&text), known);
        }

        #[test]
        fn any_address_is_survived_and_paths_are_rooted(text in ".*") {
            let location = read(&text);
            proptest::prop_assert!(location.path.starts_with('/'));
            proptest::prop_assert!(!location.path.contains('\0'));
            is_page_url(&text);
            is_referrer_url(&text);
            parameter(location.query, "utm_source");
        }
    }
}

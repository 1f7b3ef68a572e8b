//! Where answers to an app may be sent (threat T69).

use url::{Host, Url};

const MAX_LENGTH: usize = 2_000;
/// Schemes that browsers act on themselves.
const NOT_APPS: [&str; 19] = [
    "about",
    "blob",
    "chrome",
    "content",
    "data",
    "file",
    "filesystem",
    "ftp",
    "intent",
    "javascript",
    "jar",
    "mailto",
    "ms-appx",
    "sms",
    "tel",
    "vbscript",
    "view-source",
    "ws",
    "wss",
];

/// An address that an app may register: `https`, `http` on the person's own machine, or a scheme of an app's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectUri(Url);

/// Who is behind an address, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A web server of this name.
    Host(String),
    /// An app on the person's own machine.
    Machine,
    /// An app that has taken this scheme.
    Scheme(String),
}

impl RedirectUri {
    /// Reads an address.
    ///
    /// # Errors
    /// Why it cannot be registered.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.len() > MAX_LENGTH || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("A redirect URI is at most 2000 visible ASCII characters");
        }
        let url = Url::parse(text).map_err(|_| "A redirect URI isn't an absolute URI")?;
        if url.fragment().is_some() || text.contains('#') {
            return Err("A redirect URI has no fragment (#)");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("A redirect URI has no user name or password");
        }
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&url) => {}
            "http" => return Err("A redirect URI with http is on 127.0.0.1, [::1] or localhost"),
            scheme if NOT_APPS.contains(&scheme) => {
                return Err("A redirect URI has the scheme https, http or one of your app's own");
            }
            _ => {}
        }
        // It is named in a policy of the consent page.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
        if !url.host_str().unwrap_or_default().bytes().all(is_plain) {
            return Err("The host of a redirect URI has letters, digits, dots and hyphens");
        }
        Ok(Self(url))
    }

    /// Whether an app that registered this address may use the other: the same, but for the port on the person's own
    /// machine (RFC 8252, section 7.3).
    pub fn allows(registered: &str, asked: &str) -> bool {
        if registered == asked {
            return true;
        }
        let (Ok(registered), Ok(asked)) = (Self::parse(registered), Self::parse(asked)) else {
            return false;
        };
        let is_local = |uri: &Self| uri.0.scheme() == "http" && is_loopback(&uri.0);
        is_local(&registered)
            && is_local(&asked)
            && registered.0.host() == asked.0.host()
            && registered.0.path() == asked.0.path()
            && registered.0.query() == asked.0.query()
    }

    pub fn destination(&self) -> Destination {
        match (self.0.scheme(), self.0.host_str()) {
            ("http", _) => Destination::Machine,
            ("https", Some(host)) => Destination::Host(match self.0.port() {
                Some(port) => format!("{host}:{port}"),
                None => host.to_owned(),
            }),
            (scheme, _) => Destination::Scheme(scheme.to_owned()),
        }
    }

    /// What a page that leads there has to allow in its policy.
    pub fn policy_source(&self) -> String {
        let scheme = self.0.scheme();
        match (scheme, self.0.host(), self.0.port()) {
            // A policy has no word for such a host.
            (_, Some(Host::Ipv6(_)), _) => format!("{scheme}:"),
            ("http" | "https", Some(host), Some(port)) => format!("{scheme}://{host}:{port}"),
            ("http" | "https", Some(host), None) => format!("{scheme}://{host}"),
            _ => format!("{scheme}:"),
        }
    }

    /// The address with these parameters behind its own.
    pub fn with(&self, parameters: &[(&str, &str)]) -> String {
        let mut url = self.0.clone();
        url.query_pairs_mut().extend_pairs(parameters);
        url.into()
    }
}

pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apps_register_addresses_of_servers_of_the_own_machine_and_of_their_schemes() {
        for good in [
            "https://app.example/callback",
            "https://app.example:8443/callback?kept=1",
            "http://127.0.0.1:1234/callback",
            "http://[::1]/callback",
            "http://localhost/callback",
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "com.example.app:/callback",
        ] {
            assert!(RedirectUri::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "/callback",
            "http://app.example/callback",
            "http://127.0.0.1.app.example/callback",
            "http://localhost.app.example/",
            "https://app.example/callback#a",
            "https://app.example/callback#",
            "https://user@app.example/",
            "https://app.example;frame-ancestors/",
            "https://app.example/a b",
            "https://app.example/\n",
            "javascript:alert(1)",
            "JavaScript://app.example/%0aalert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
        ] {
            assert!(RedirectUri::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_address_is_compared_whole_but_for_the_port_on_the_own_machine() {
        let https = "https://app.example/callback";
        let local = "http://127.0.0.1/callback";
        for (registered, asked, allowed) in [
            (https, https, true),
            (https, "https://app.example/callback/", false),
            (https, "https://app.example/callback?x=1", false),
            (https, "https://app.example:8443/callback", false),
            (https, "https://APP.example/callback", false),
            (https, "https://app.example/../callback", false),
            (https, "https://app.example.evil.example/callback", false),
            (local, "http://127.0.0.1:40123/callback", true),
            (
                "http://127.0.0.1:1/callback",
                "http://127.0.0.1:2/callback",
                true,
            ),
            (local, "http://localhost:40123/callback", false),
            (local, "http://[::1]:40123/callback", false),
            (local, "http://127.0.0.1:40123/other", false),
            (local, "http://127.0.0.1:40123/callback?x=1", false),
            (local, "https://127.0.0.1:40123/callback", false),
            ("http://localhost:1/", "http://localhost:2/", true),
            ("cursor://a/b", "cursor://a/c", false),
        ] {
            let is_allowed = RedirectUri::allows(registered, asked);
            assert_eq!(is_allowed, allowed, "{registered} {asked}");
        }
    }

    #[test]
    fn answers_are_added_to_what_an_address_has() {
        let uri = RedirectUri::parse("https://app.example/callback?kept=1").unwrap();
        let with = uri.with(&[("code", "a&b"), ("iss", "https://pharos.example")]);
        let expected =
            "https://app.example/callback?kept=1&code=a%26b&iss=https%3A%2F%2Fpharos.example";
        assert_eq!(with, expected);
        for (text, source) in [
            ("https://app.example/callback", "https://app.example"),
            ("http://127.0.0.1:12/callback", "http://127.0.0.1:12"),
            ("http://[::1]:12/callback", "http:"),
            ("cursor://a/b", "cursor:"),
        ] {
            let uri = RedirectUri::parse(text).unwrap();
            assert_eq!(uri.policy_source(), source);
        }
    }
}

//! `http://user:password@host:8123/database`, or `https://`.

use std::fmt;

use url::Url;

/// Ports of the HTTP interface when none is named, without and with encryption.
const PORT: u16 = 8123;
const ENCRYPTED: u16 = 8443;

/// Why an address or a name cannot be used. Does not repeat it: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotAnAddress(pub(super) String);

/// Server, user and database.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// Scheme, host and port.
    pub(super) base: Url,
    /// The database that the tables are in.
    pub(super) database: String,
    pub(super) user: String,
    pub(super) password: String,
}

impl Address {
    /// Takes an address apart.
    ///
    /// # Errors
    /// It is none, or names a database with other signs than letters, digits and `_`.
    pub fn parse(text: &str) -> Result<Self, NotAnAddress> {
        let wrong = |what: &str| NotAnAddress(what.to_owned());
        let url = Url::parse(text).map_err(|_| wrong("it is no address"))?;
        let usual = match url.scheme() {
            "http" => PORT,
            "https" => ENCRYPTED,
            _ => return Err(wrong("it begins with neither http:// nor https://")),
        };
        let host = url.host_str().ok_or_else(|| wrong("it names no host"))?;
        // A port that is the default on the web but not here, such as 443, may be named: a scheme without a default port shows it.
        let named = Url::parse(&format!("x{text}")).ok();
        let port = named.and_then(|url| url.port()).unwrap_or(usual);
        let base = Url::parse(&format!("{}://{host}:{port}/", url.scheme()))
            .map_err(|_| wrong("it names no host"))?;
        let database = match url.path().trim_matches('/') {
            "" => "default",
            named => named,
        };
        name(database)?;
        let user = match url.username() {
            "" => "default".to_owned(),
            user => decoded(user),
        };
        Ok(Self {
            base,
            database: database.to_owned(),
            user,
            password: url.password().map(decoded).unwrap_or_default(),
        })
    }
}

impl Address {
    /// Whether the way there is encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.base.scheme() == "https"
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Address")
            .field("base", &self.base.as_str())
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

/// Refuses text that a statement cannot contain unquoted.
pub(super) fn name(text: &str) -> Result<(), NotAnAddress> {
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if text.bytes().all(fine) && text.starts_with(|first: char| !first.is_ascii_digit()) {
        return Ok(());
    }
    Err(NotAnAddress(
        "names of databases and clusters have letters, digits and `_`".to_owned(),
    ))
}

/// Percent-encodes a part of an address.
fn decoded(text: &str) -> String {
    let value = format!("v={}", text.replace('+', "%2B").replace('&', "%26"));
    let mut pairs = url::form_urlencoded::parse(value.as_bytes());
    pairs
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        let found = Address::parse("http://pharos:a%40b+c%26d@db.example.com/events").unwrap();
        assert_eq!(found.base.as_str(), "http://db.example.com:8123/");
        assert_eq!((&*found.user, &*found.password), ("pharos", "a@b+c&d"));
        assert_eq!(found.database, "events");
        assert!(!format!("{found:?}").contains("a@b"), "{found:?}");
        for (text, base) in [
            ("http://db.example.com:80/", "http://db.example.com/"),
            ("https://db.example.com/", "https://db.example.com:8443/"),
            ("https://db.example.com:443/", "https://db.example.com/"),
        ] {
            assert_eq!(Address::parse(text).unwrap().base.as_str(), base);
        }
        let plain = Address::parse("http://[::1]:9000").unwrap();
        assert_eq!(plain.base.as_str(), "http://[::1]:9000/");
        assert_eq!((&*plain.user, &*plain.database), ("default", "default"));
    }

    #[test]
    fn what_cannot_be_used_is_said_without_the_password() {
        for text in [
            "ftp://u:hunter2@h/d",
            "http://u:hunter2@h/d;DROP",
            "http://u:hunter2@h/a/b",
            "hunter2",
        ] {
            let said = Address::parse(text).unwrap_err().to_string();
            assert!(!said.contains("hunter2"), "{said}");
        }
    }
}

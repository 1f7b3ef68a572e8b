//! From an address to a country (built-in table) and, with a database of the operator's, region and city; or what a
//! trusted proxy says of it.

mod countries;
mod database;

pub use countries::Countries;
pub use database::Database;

/// An ISO 3166-1 alpha-2 code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Country([u8; 2]);

impl Country {
    /// A code of two upper-case letters, else nothing.
    pub fn new(code: [u8; 2]) -> Option<Self> {
        code.iter()
            .all(u8::is_ascii_uppercase)
            .then_some(Self(code))
    }

    /// A code from another source; `XX` and `ZZ` are no countries.
    fn read(text: &str) -> Option<Self> {
        let code = <[u8; 2]>::try_from(text.trim().as_bytes()).ok()?;
        let country = Self::new(code.map(|letter| letter.to_ascii_uppercase()))?;
        (![*b"XX", *b"ZZ"].contains(&country.0)).then_some(country)
    }

    pub fn as_str(&self) -> &str {
        // Only ASCII letters get in.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    pub country: Option<Country>,
    /// First-level subdivision, English.
    pub region: Option<String>,
    /// City, English.
    pub city: Option<String>,
}

/// What a proxy that the operator trusts says in the headers that the operator named, as sent.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProxyGeo<'a> {
    pub country: Option<&'a str>,
    /// Name of the first-level subdivision.
    pub region: Option<&'a str>,
    pub city: Option<&'a str>,
}

/// Characters of a region's or city's name.
const LONGEST: usize = 128;

/// A name without what no name has in it; nothing for `""`.
fn name(text: &str) -> Option<String> {
    let kept = text.trim().chars().filter(|letter| !letter.is_control());
    let name: String = kept.take(LONGEST).collect();
    (!name.is_empty()).then_some(name)
}

/// Decodes `%xx`, as some proxies write names; what does not decode to text stays as it is.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digit = |at: usize| char::from(*tail.get(at)?).to_digit(16);
        if let (b'%', Some(high), Some(low)) = (first, digit(0), digit(1)) {
            bytes.push((high << 4 | low) as u8);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

impl Location {
    /// What the proxy says, completed from this where both mean the same country.
    pub(super) fn correct_by(self, told: &ProxyGeo<'_>) -> Self {
        let country = told.country.and_then(Country::read);
        let named = |text: Option<&str>| text.map(decoded).and_then(|text| name(&text));
        let rest = if country.is_none() || country == self.country {
            self
        } else {
            Self::default()
        };
        Self {
            country: country.or(rest.country),
            region: named(told.region).or(rest.region),
            city: named(told.city).or(rest.city),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(country: &str, city: &str) -> Location {
        Location {
            country: Country::read(country),
            region: None,
            city: name(city),
        }
    }

    #[test]
    fn a_trusted_proxy_knows_better() {
        let told = |country, city| ProxyGeo {
            country,
            region: None,
            city,
        };
        let known = || location("DE", "Berlin");
        assert_eq!(known().correct_by(&ProxyGeo::default()), known());
        assert_eq!(
            known().correct_by(&told(Some("FR"), None)),
            location("FR", "")
        );
        assert_eq!(known().correct_by(&told(Some("de"), None)), known());
        assert_eq!(
            known().correct_by(&told(Some("DE"), Some("M%C3%BCnchen"))),
            location("DE", "München")
        );
        for nobodys in ["XX", "T1", "", "DEU", "\u{fc}"] {
            assert_eq!(
                known().correct_by(&told(Some(nobodys), None)),
                known(),
                "{nobodys}"
            );
        }
    }

    #[test]
    fn names_are_short_and_without_control_characters() {
        assert_eq!(name(" New\u{0}\nYork ").as_deref(), Some("NewYork"));
        assert_eq!(
            name(&"ä".repeat(500)).map(|name| name.chars().count()),
            Some(LONGEST)
        );
        assert_eq!(name(" "), None);
        assert_eq!(decoded("100%"), "100%");
        assert_eq!(decoded("%FF"), "%FF");
    }
}

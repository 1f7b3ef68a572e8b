//! The operator's own database, which may be of any maker, and damaged.

use std::{net::IpAddr, path::Path};

use maxminddb::{LookupResult, PathElement, Reader};

use super::{Country, Location, name};
use crate::events::enrich::EnrichError;

/// A city or country database in memory.
pub struct Database(Reader<Vec<u8>>);

impl Database {
    /// Reads a city or country `.mmdb` into memory.
    pub fn open(path: &Path) -> Result<Self, EnrichError> {
        Reader::open_readfile(path)
            .map(Self)
            .map_err(|cause| EnrichError::Database {
                path: path.to_owned(),
                cause,
            })
    }

    /// What the database knows; nothing for addresses outside it and for damaged records. Makers lay their records out
    /// in two ways: nested with names in several languages, or flat.
    pub fn location(&self, ip: IpAddr) -> Location {
        use PathElement::{Index, Key};
        let Ok(found) = self.0.lookup(ip) else {
            return Location::default();
        };
        let country = text(&found, &[Key("country"), Key("iso_code")])
            .or_else(|| text(&found, &[Key("country_code")]));
        let region = text(
            &found,
            &[Key("subdivisions"), Index(0), Key("names"), Key("en")],
        )
        .or_else(|| text(&found, &[Key("state1")]));
        let city = text(&found, &[Key("city"), Key("names"), Key("en")])
            .or_else(|| text(&found, &[Key("city")]));
        Location {
            country: country.and_then(Country::read),
            region: region.and_then(name),
            city: city.and_then(name),
        }
    }
}

fn text<'a>(found: &LookupResult<'a, Vec<u8>>, path: &[PathElement<'_>]) -> Option<&'a str> {
    found.decode_path::<&str>(path).ok().flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_missing_database_says_which_file() {
        let error = Database::open(Path::new("/nonexistent/city.mmdb"))
            .err()
            .unwrap();
        assert!(error.to_string().contains("/nonexistent/city.mmdb"));
    }

    /// Writes a value of a database: texts, maps and lists are all it needs.
    fn push(out: &mut Vec<u8>, value: &serde_json::Value) {
        let head = |out: &mut Vec<u8>, kind: u8, size: usize| {
            assert!(size < 29);
            if kind > 7 {
                out.extend([size as u8, kind - 7]);
            } else {
                out.push(kind << 5 | size as u8);
            }
        };
        match value {
            serde_json::Value::String(text) => {
                head(out, 2, text.len());
                out.extend(text.as_bytes());
            }
            serde_json::Value::Object(map) => {
                head(out, 7, map.len());
                for (key, value) in map {
                    push(out, &serde_json::Value::String(key.clone()));
                    push(out, value);
                }
            }
            serde_json::Value::Array(list) => {
                head(out, 11, list.len());
                for value in list {
                    push(out, value);
                }
            }
            other => panic!("{other}"),
        }
    }

    /// A database that knows two halves of the IPv4 addresses.
    fn written(low: &serde_json::Value, high: &serde_json::Value) -> Vec<u8> {
        let mut data = Vec::new();
        push(&mut data, low);
        let second = data.len();
        push(&mut data, high);
        let mut out = Vec::new();
        // One node: its records point behind the tree and the 16 bytes that part it from the data.
        for at in [0, second] {
            out.extend(&(1 + 16 + at as u32).to_be_bytes()[1..]);
        }
        out.extend([0; 16]);
        out.extend(&data);
        out.extend(b"\xab\xcd\xefMaxMind.com");
        // A map of 9: whole numbers as (key, type and size, bytes), then the rest.
        out.push(7 << 5 | 9);
        for (key, head, bytes) in [
            ("node_count", 6 << 5 | 4, &1_u32.to_be_bytes()[..]),
            ("record_size", 5 << 5 | 2, &24_u16.to_be_bytes()),
            ("ip_version", 5 << 5 | 2, &4_u16.to_be_bytes()),
            (
                "binary_format_major_version",
                5 << 5 | 2,
                &2_u16.to_be_bytes(),
            ),
            (
                "binary_format_minor_version",
                5 << 5 | 2,
                &0_u16.to_be_bytes(),
            ),
        ] {
            push(&mut out, &key.into());
            out.push(head);
            out.extend(bytes);
        }
        push(&mut out, &"build_epoch".into());
        out.extend([8, 2]);
        out.extend(1_790_000_000_u64.to_be_bytes());
        for (key, value) in [
            ("database_type", serde_json::json!("Test")),
            ("languages", serde_json::json!(["en"])),
            ("description", serde_json::json!({"en": "test"})),
        ] {
            push(&mut out, &key.into());
            push(&mut out, &value);
        }
        out
    }

    fn sample() -> Vec<u8> {
        written(
            &serde_json::json!({
                "country": {"iso_code": "DE"}, "city": {"names": {"de": "M\u{fc}nchen", "en": "Munich"}},
                "subdivisions": [{"names": {"en": "Bavaria"}}]
            }),
            &serde_json::json!({"country_code": "FR", "state1": "Occitanie", "city": "Toulouse"}),
        )
    }

    fn texts(database: &Database, ip: &str) -> [String; 3] {
        let location = database.location(ip.parse().unwrap());
        [
            location.country.map(|code| code.as_str().to_owned()),
            location.region,
            location.city,
        ]
        .map(Option::unwrap_or_default)
    }

    #[test]
    fn records_of_both_layouts_are_read() {
        let database = Database(Reader::from_source(sample()).unwrap());
        assert_eq!(texts(&database, "1.2.3.4"), ["DE", "Bavaria", "Munich"]);
        assert_eq!(
            texts(&database, "200.1.1.1"),
            ["FR", "Occitanie", "Toulouse"]
        );
        assert_eq!(texts(&database, "2001:db8::1"), ["", "", ""]);
    }

    #[test]
    fn records_of_another_shape_say_nothing() {
        let odd =
            serde_json::json!({"country": "DE", "city": {"names": ["x"]}, "subdivisions": []});
        let database =
            Database(Reader::from_source(written(&odd, &serde_json::json!("text"))).unwrap());
        for ip in ["1.2.3.4", "200.1.1.1"] {
            assert_eq!(texts(&database, ip), ["", "", ""]);
        }
    }

    proptest! {
        #[test]
        fn a_damaged_database_is_refused_or_survived(
            at in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
            cut in prop::option::of(any::<prop::sample::Index>()),
            ip: u32,
        ) {
            let mut bytes = sample();
            for (at, byte) in at {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            if let Ok(reader) = Reader::from_source(bytes) {
                Database(reader).location(IpAddr::from(ip.to_be_bytes()));
            }
        }

        #[test]
        fn any_file_is_survived(bytes in prop::collection::vec(any::<u8>(), 0..400), ip: u32) {
            let with_end = [&bytes[..], b"\xab\xcd\xefMaxMind.com", &bytes[..]].concat();
            for bytes in [bytes, with_end] {
                if let Ok(reader) = Reader::from_source(bytes) {
                    Database(reader).location(IpAddr::from(ip.to_be_bytes()));
                }
            }
        }
    }
}

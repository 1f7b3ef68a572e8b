//! The built-in table: which country announces an address.

use std::{io::Read as _, net::IpAddr};

use super::Country;

/// Compressed by `scripts/geo-table`, which also describes the format.
const TABLE: &[u8] = include_bytes!("../../../../tables/countries.bin.gz");

/// The built-in table: range starts, and the country from each start to the next (index + 1, 0 = unknown).
#[derive(Debug, Default)]
pub struct Countries {
    codes: Vec<[u8; 2]>,
    v4: Ranges<u32>,
    /// By the upper 64 bits.
    v6: Ranges<u64>,
}

#[derive(Debug, Default)]
struct Ranges<T> {
    starts: Vec<T>,
    codes: Vec<u8>,
}

impl<T: Ord + Copy> Ranges<T> {
    fn code(&self, address: T) -> u8 {
        let after = self.starts.partition_point(|start| *start <= address);
        after
            .checked_sub(1)
            .and_then(|index| self.codes.get(index))
            .copied()
            .unwrap_or(0)
    }
}

impl Countries {
    /// Unpacks the table that is compiled in (a few ms).
    pub fn built_in() -> Self {
        let mut plain = Vec::new();
        let unpacked = flate2::read::GzDecoder::new(TABLE)
            .read_to_end(&mut plain)
            .ok()
            .and_then(|_| Self::decode(&plain));
        unpacked.unwrap_or_else(|| {
            tracing::error!("the built-in country table is damaged; countries stay unknown");
            Self::default()
        })
    }

    fn decode(plain: &[u8]) -> Option<Self> {
        let mut cursor = Cursor(plain.strip_prefix(b"PHGEO1")?);
        let count = cursor.number(2)? as usize;
        let codes = cursor
            .take(count * 2)?
            .chunks_exact(2)
            .map(|code| [code[0], code[1]])
            .collect();
        let v4 = cursor.ranges(|start| u32::try_from(start).ok())?;
        let v6 = cursor.ranges(Some)?;
        cursor.0.is_empty().then_some(Self { codes, v4, v6 })
    }

    /// The country that announces the address; IPv4-mapped addresses must be canonical already.
    pub fn find(&self, ip: IpAddr) -> Option<Country> {
        let code = match ip {
            IpAddr::V4(ip) => self.v4.code(u32::from(ip)),
            IpAddr::V6(ip) => self.v6.code((u128::from(ip) >> 64) as u64),
        };
        let index = usize::from(code).checked_sub(1)?;
        Country::new(*self.codes.get(index)?)
    }
}

/// What is left of the table while it is unpacked.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(head)
    }

    fn number(&mut self, bytes: usize) -> Option<u64> {
        let bytes = self.take(bytes)?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0, |number, byte| number << 8 | u64::from(*byte)),
        )
    }

    fn leb128(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0_u64, 0);
        while shift < u64::BITS {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 127) << shift;
            if *byte < 128 {
                return Some(number);
            }
            shift += 7;
        }
        None
    }

    fn ranges<T>(&mut self, narrow: impl Fn(u64) -> Option<T>) -> Option<Ranges<T>> {
        let count = self.number(4)? as usize;
        let mut starts = Vec::with_capacity(count.min(self.0.len()));
        let mut last = 0_u64;
        for _ in 0..count {
            last = last.checked_add(self.leb128()?)?;
            starts.push(narrow(last)?);
        }
        let codes = self.take(count)?.to_vec();
        Some(Ranges { starts, codes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn country(table: &Countries, ip: &str) -> Option<String> {
        table
            .find(ip.parse().unwrap())
            .map(|country| country.as_str().to_owned())
    }

    #[test]
    fn knows_where_well_known_addresses_are() {
        let table = Countries::built_in();
        for (ip, expected) in [
            ("8.8.8.8", "US"),
            ("193.0.6.139", "NL"),
            ("200.160.2.3", "BR"),
            ("202.12.29.205", "AU"),
            ("2001:4860:4860::8888", "US"),
            ("2001:67c:2e8:22::c100:68b", "NL"),
        ] {
            assert_eq!(country(&table, ip).as_deref(), Some(expected), "{ip}");
        }
    }

    #[test]
    fn private_and_unassigned_addresses_have_no_country() {
        let table = Countries::built_in();
        for ip in [
            "127.0.0.1",
            "10.1.2.3",
            "192.168.0.1",
            "0.0.0.0",
            "255.255.255.255",
            "::1",
            "fe80::1",
            "fd00::1",
        ] {
            assert_eq!(country(&table, ip), None, "{ip}");
        }
    }

    #[test]
    fn a_damaged_table_is_refused_as_a_whole() {
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(TABLE)
            .read_to_end(&mut plain)
            .unwrap();
        assert!(Countries::decode(&plain).is_some());
        assert!(Countries::decode(&plain[..plain.len() - 1]).is_none());
        assert!(Countries::decode(&plain[1..]).is_none());
        assert!(Countries::decode(b"PHGEO1").is_none());
    }
}

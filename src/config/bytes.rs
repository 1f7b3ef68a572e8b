//! An amount of memory, written as people write it: `192M`, `1.5G` is not allowed, `1536M` is.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A number of bytes. Units are powers of 1024: `K`, `M`, `G`, `T`, optionally followed by `B` or `iB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bytes(pub u64);

const UNITS: [(char, u32); 4] = [('T', 40), ('G', 30), ('M', 20), ('K', 10)];

impl FromStr for Bytes {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "must be a whole number with a unit, such as \"192M\" or \"2G\"";
        let text = text.trim();
        let digits = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().map_err(|_| WRONG)?;
        let unit = unit.trim().to_ascii_uppercase();
        let unit = unit
            .strip_suffix("IB")
            .or(unit.strip_suffix('B'))
            .unwrap_or(&unit);
        let mut letters = unit.chars();
        let shift = match (letters.next(), letters.next()) {
            (None, _) => 0,
            (Some(letter), None) => {
                let known = UNITS.iter().find(|(name, _)| *name == letter);
                known.map(|(_, shift)| *shift).ok_or(WRONG)?
            }
            (Some(_), Some(_)) => return Err(WRONG),
        };
        number
            .checked_mul(1 << shift)
            .map(Self)
            .ok_or("is too large")
    }
}

impl TryFrom<String> for Bytes {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Bytes> for String {
    fn from(bytes: Bytes) -> Self {
        bytes.to_string()
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(bytes) = *self;
        match UNITS
            .iter()
            .find(|(_, shift)| bytes > 0 && bytes % (1 << shift) == 0)
        {
            Some((name, shift)) => write!(formatter, "{}{name}", bytes >> shift),
            None => write!(formatter, "{bytes}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn units_are_powers_of_1024() {
        for (text, bytes) in [
            ("0", 0),
            ("17", 17),
            ("64B", 64),
            ("1K", 1024),
            ("192M", 192 << 20),
            (" 192 MiB ", 192 << 20),
            ("2gb", 2 << 30),
            ("1T", 1 << 40),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "M",
            "-1",
            "1.5G",
            "12X",
            "12MM",
            "1 2M",
            "99999999999999999999",
            "18446744073709551615K",
        ] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(bytes: u64) {
            prop_assert_eq!(Bytes(bytes).to_string().parse(), Ok(Bytes(bytes)));
        }
    }
}

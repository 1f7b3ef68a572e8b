//! Row counts and checksums that do not depend on the order of rows.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::AddAssign,
};

use duckdb::arrow::{
    array::AsArray,
    datatypes::{Int64Type, UInt8Type},
    error::ArrowError,
    record_batch::RecordBatch,
};

use crate::events::{clickhouse::EncodedRows, column::kind};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checksum {
    pub rows: u64,
    /// The sum of the rows' hashes.
    pub digest: u128,
}

impl AddAssign for Checksum {
    fn add_assign(&mut self, more: Self) {
        self.rows += more.rows;
        self.digest = self.digest.wrapping_add(more.digest);
    }
}

/// Checksums by website and kind ([`kind`]).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checksums(BTreeMap<(i64, u8), Checksum>);

impl Checksums {
    /// Adds rows that have today's columns.
    pub fn add(&mut self, rows: &RecordBatch) -> Result<(), ArrowError> {
        let missing = || ArrowError::SchemaError("no column `website` or `kind`".to_owned());
        let websites = rows.column_by_name("website");
        let websites = websites.and_then(|array| array.as_primitive_opt::<Int64Type>());
        let kinds = rows.column_by_name("kind");
        let kinds = kinds.and_then(|array| array.as_primitive_opt::<UInt8Type>());
        let (websites, kinds) = websites.zip(kinds).ok_or_else(missing)?;
        let encoded = EncodedRows::from_rows(rows)?;
        let whose = websites.values().iter().zip(kinds.values());
        for ((website, kind), row) in whose.zip(encoded.rows()) {
            let mut digest = [0; 16];
            blake3::Hasher::new()
                .update(row)
                .finalize_xof()
                .fill(&mut digest);
            *self.0.entry((*website, *kind)).or_default() += Checksum {
                rows: 1,
                digest: u128::from_le_bytes(digest),
            };
        }
        Ok(())
    }

    /// Every website's number, the public name of a kind, and the checksum of these rows.
    pub fn all(&self) -> impl Iterator<Item = (i64, &'static str, Checksum)> {
        self.0
            .iter()
            .map(|((website, number), sum)| (*website, kind::name((*number).into()), *sum))
    }

    /// All websites together, by the public name of a kind.
    pub fn kinds(&self) -> BTreeMap<&'static str, Checksum> {
        let mut kinds: BTreeMap<_, Checksum> = BTreeMap::new();
        for (_, kind, sum) in self.all() {
            *kinds.entry(kind).or_default() += sum;
        }
        kinds
    }

    pub fn rows(&self) -> u64 {
        self.0.values().map(|sum| sum.rows).sum()
    }

    /// Describes where the other rows differ.
    pub fn differences(&self, there: &Self) -> Vec<String> {
        let keys: BTreeSet<_> = self.0.keys().chain(there.0.keys()).collect();
        let get = |sums: &Self, key| sums.0.get(key).copied().unwrap_or_default();
        let differing = keys.into_iter().filter_map(|key| {
            let (here, there) = (get(self, key), get(there, key));
            let what = format!("{} of website {}", kind::name(key.1.into()), key.0);
            (here != there).then(|| describe_difference(&what, here.rows, there.rows))
        });
        differing.collect()
    }
}

/// Describes a difference between `here` rows and `there` rows.
pub fn describe_difference(what: &str, here: u64, there: u64) -> String {
    if here == there {
        format!("{what}: the checksum of {here} rows is another")
    } else {
        format!("{what}: {there} rows instead of {here}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{
        batch,
        event::{Details, Event},
    };

    fn event(website: i64, name: &str) -> Event {
        Event {
            website,
            name: name.to_owned(),
            details: Details::Custom,
            ..Event::default()
        }
    }

    fn sums(events: &[Event]) -> Checksums {
        let mut sums = Checksums::default();
        for event in events {
            sums.add(&batch::columns(std::slice::from_ref(event)).unwrap())
                .unwrap();
        }
        sums
    }

    #[test]
    fn rows_count_in_any_order_and_every_one_of_them() {
        let (a, b, c) = (event(1, "a"), event(1, "b"), event(2, "a"));
        let all = sums(&[a.clone(), b.clone(), c.clone()]);
        assert_eq!(all, sums(&[c.clone(), b.clone(), a.clone()]));
        assert_eq!((all.rows(), all.kinds()["customEvents"].rows), (3, 3));
        let changed = all.differences(&sums(&[a.clone(), event(1, "B"), c.clone()]));
        assert_eq!(
            changed,
            ["customEvents of website 1: the checksum of 2 rows is another"]
        );
        let lost = all.differences(&sums(&[a.clone(), b.clone()]));
        assert_eq!(lost, ["customEvents of website 2: 0 rows instead of 1"]);
        let twice = all.differences(&sums(&[a.clone(), a, b, c]));
        assert_eq!(twice, ["customEvents of website 1: 3 rows instead of 2"]);
        assert!(all.differences(&all).is_empty());
    }
}

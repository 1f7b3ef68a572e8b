//! Whose rows a segment holds, as the manifest says it: a question about a website opens only files that have some.
//!
//! Exactly, with counts, while there are few websites; beyond that a filter that sometimes says "perhaps" too often and
//! never "no" wrongly. Segments from before the manifest knew have neither, and are judged by their bounds.

use serde::{Deserialize, Serialize};

/// Websites that are listed one by one; about ten bytes each.
const LISTED: usize = 4_096;
/// Bits of the filter: 16 KiB. Numbers of websites are random, so their last bits serve as a hash.
const FILTER_BITS: usize = 1 << 17;

/// The websites of a segment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TenantIndex {
    /// They were not recorded.
    #[default]
    Unknown,
    /// Exactly these, ascending, each with its rows.
    Exactly(Vec<(i64, u64)>),
    /// Only those whose bit is set.
    Perhaps(Vec<u8>),
}

/// How it is written: websites as differences, in variable length.
#[derive(Serialize, Deserialize)]
enum Form {
    Exactly(Vec<(u64, u64)>),
    Perhaps(Vec<u8>),
}

impl TenantIndex {
    /// Whether rows of a website may be there.
    pub fn may_hold(&self, website: i64) -> bool {
        match self {
            Self::Unknown => true,
            Self::Exactly(rows) => rows.binary_search_by_key(&website, |(key, _)| *key).is_ok(),
            Self::Perhaps(bits) => {
                let (byte, bit) = place(website);
                bits.get(byte).is_none_or(|byte| byte & bit != 0)
            }
        }
    }

    /// Rows of every website, if they are known.
    pub fn exactly(&self) -> Option<&[(i64, u64)]> {
        match self {
            Self::Exactly(rows) => Some(rows),
            Self::Unknown | Self::Perhaps(_) => None,
        }
    }

    /// As it is in the manifest; `None` when nothing is known.
    pub fn encode(&self) -> Option<Vec<u8>> {
        let form = match self {
            Self::Unknown => return None,
            Self::Perhaps(bits) => Form::Perhaps(bits.clone()),
            Self::Exactly(rows) => {
                let mut before = 0;
                let differences = rows.iter().map(|(website, count)| {
                    let difference = website.wrapping_sub(before).cast_unsigned();
                    before = *website;
                    (difference, *count)
                });
                Form::Exactly(differences.collect())
            }
        };
        postcard::to_allocvec(&form).ok()
    }

    /// [`Self::encode`] backwards; what cannot be read is unknown.
    pub fn decode(bytes: Option<&[u8]>) -> Self {
        match bytes.map(postcard::from_bytes) {
            Some(Ok(Form::Perhaps(bits))) => Self::Perhaps(bits),
            Some(Ok(Form::Exactly(differences))) => {
                let mut website = 0_i64;
                let rows = differences.into_iter().map(|(difference, count)| {
                    website = website.wrapping_add(difference.cast_signed());
                    (website, count)
                });
                Self::Exactly(rows.collect())
            }
            None | Some(Err(_)) => Self::Unknown,
        }
    }
}

/// [`TenantIndex::encode`] in files of text.
pub(super) mod written {
    use std::sync::Arc;

    use data_encoding::BASE64;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::TenantIndex;

    pub(in crate::events::segments) fn serialize<S: Serializer>(
        held: &TenantIndex,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let encoded = held.encode().map(|bytes| BASE64.encode(&bytes));
        encoded.serialize(to)
    }

    pub(in crate::events::segments) fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Arc<TenantIndex>, D::Error> {
        let encoded = Option::<String>::deserialize(from)?;
        let bytes = encoded.and_then(|text| BASE64.decode(text.as_bytes()).ok());
        Ok(Arc::new(TenantIndex::decode(bytes.as_deref())))
    }
}

/// Takes note of rows as they are written, sorted by website.
#[derive(Debug, Default)]
pub(super) struct Census {
    rows: Vec<(i64, u64)>,
    bits: Option<Vec<u8>>,
}

impl Census {
    pub(super) fn add(&mut self, website: i64) {
        match self.rows.last_mut() {
            Some((last, count)) if *last == website => *count += 1,
            _ => self.begin(website),
        }
    }

    fn begin(&mut self, website: i64) {
        if self.rows.len() >= LISTED {
            let bits = self.bits.get_or_insert_with(|| vec![0; FILTER_BITS / 8]);
            for (website, _) in self.rows.drain(..) {
                let (byte, bit) = place(website);
                bits[byte] |= bit;
            }
        }
        self.rows.push((website, 1));
    }

    pub(super) fn finish(&mut self) -> TenantIndex {
        let rows = std::mem::take(&mut self.rows);
        match self.bits.take() {
            Some(mut bits) => {
                for (website, _) in rows {
                    let (byte, bit) = place(website);
                    bits[byte] |= bit;
                }
                TenantIndex::Perhaps(bits)
            }
            // Rows that were not sorted say nothing about who is there.
            None if !rows.is_sorted_by(|a, b| a.0 < b.0) => TenantIndex::Unknown,
            None => TenantIndex::Exactly(rows),
        }
    }
}

fn place(website: i64) -> (usize, u8) {
    let at = website.cast_unsigned() as usize % FILTER_BITS;
    (at / 8, 1 << (at % 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index_of(websites: impl IntoIterator<Item = i64>) -> TenantIndex {
        let mut census = Census::default();
        for website in websites {
            census.add(website);
        }
        census.finish()
    }

    #[test]
    fn few_websites_are_known_exactly() {
        let held = index_of([0, 7, 7, 7, i64::MAX]);
        assert_eq!(held.exactly(), Some(&[(0, 1), (7, 3), (i64::MAX, 1)][..]));
        assert!(held.may_hold(7) && !held.may_hold(8) && !held.may_hold(-1));
        assert_eq!(TenantIndex::decode(held.encode().as_deref()), held);
    }

    #[test]
    fn the_list_has_an_end_and_nobody_is_missed_behind_it() {
        let spread = |n: usize| (n as i64).wrapping_mul(0x1357_9bdf_2468_ace1) >> 1;
        let mut websites: Vec<i64> = (0..=LISTED).map(spread).collect();
        websites.sort_unstable();
        assert!(index_of(websites[1..].iter().copied()).exactly().is_some());
        let held = index_of(websites.iter().copied());
        assert!(held.exactly().is_none());
        assert!(websites.iter().all(|website| held.may_hold(*website)));
        let strangers = (100_000..101_000).map(spread);
        let passed = strangers.filter(|website| held.may_hold(*website)).count();
        assert!(passed < 100, "{passed} of 1,000 strangers");
        assert!(held.encode().unwrap().len() < 17_000);
        assert_eq!(TenantIndex::decode(held.encode().as_deref()), held);
    }

    #[test]
    fn what_is_not_known_may_hold_anybody() {
        assert!(TenantIndex::Unknown.may_hold(1) && TenantIndex::Unknown.encode().is_none());
        assert_eq!(TenantIndex::decode(None), TenantIndex::Unknown);
        assert_eq!(TenantIndex::decode(Some(&[9, 9, 9])), TenantIndex::Unknown);
        assert_eq!(index_of([2, 1]), TenantIndex::Unknown, "not sorted");
    }
}

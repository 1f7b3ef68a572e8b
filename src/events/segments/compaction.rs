//! Which segments to merge: many small files cost a query more than a few large ones.

use std::{collections::BTreeMap, sync::Arc};

use super::Segment;

/// So many segments of one level become one of the next.
pub const FAN_IN: usize = 16;
/// Segments larger than this are left alone.
const MOST_ROWS: u64 = 2_000_000;

/// The segments to merge next: the oldest full group of the lowest level that has one.
pub fn choose(segments: &[Arc<Segment>]) -> Option<Vec<Arc<Segment>>> {
    let mut levels: BTreeMap<u32, Vec<&Arc<Segment>>> = BTreeMap::new();
    for segment in segments {
        if segment.row.rows < MOST_ROWS / FAN_IN as u64 && !segment.is_damaged() {
            levels.entry(segment.row.level).or_default().push(segment);
        }
    }
    levels
        .into_values()
        .find(|group| group.len() >= FAN_IN)
        .map(|mut group| {
            // Neighbours in time make files that a question about a few days can skip.
            group.sort_by_key(|segment| segment.row.times);
            group.into_iter().take(FAN_IN).cloned().collect()
        })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{super::tests::row, *};

    fn segments(count: usize, level: u32, rows: u64) -> Vec<Arc<Segment>> {
        (0..count)
            .map(|n| {
                let row = row(&format!("{level}-{n}"), level, rows, n as i64 * 100);
                Arc::new(Segment::new(Path::new("/nowhere"), row))
            })
            .collect()
    }

    #[test]
    fn a_full_group_is_merged_oldest_first() {
        let mut all = segments(FAN_IN + 3, 0, 100);
        all.reverse();
        let chosen = choose(&all).unwrap();
        assert_eq!(chosen.len(), FAN_IN);
        assert_eq!(chosen[0].row.id, "0-0");
        assert!(choose(&segments(FAN_IN - 1, 0, 100)).is_none());
    }

    #[test]
    fn large_segments_are_left_alone() {
        assert!(choose(&segments(FAN_IN, 1, 1_000_000)).is_none());
    }
}

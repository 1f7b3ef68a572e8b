//! When a delivery is tried again.

use super::sender::Pauses;

/// Characters of an error that are kept.
const MAX_ERROR: usize = 500;

/// When to try again after `attempts` tries that failed; `None` = never. `id` seeds the jitter of a pause, so every
/// process computes the same time.
pub(super) fn next_attempt_ms(
    pauses: Pauses,
    (id, attempts): (&str, u32),
    now_ms: i64,
    not_before_ms: Option<i64>,
) -> Option<i64> {
    const HALF: i64 = (u16::MAX / 2) as i64;
    if attempts >= pauses.most {
        return None;
    }
    let nth = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    let pause = *pauses.after.get(nth).or(pauses.after.last())?;
    let hash = blake3::hash(format!("{attempts}:{id}").as_bytes());
    let [first, second, ..] = *hash.as_bytes();
    let share = (i64::from(u16::from_le_bytes([first, second])) - HALF).clamp(-HALF, HALF);
    let off = pause * pauses.jitter / 100 * share / HALF;
    Some((now_ms + pause + off).max(not_before_ms.unwrap_or(0)))
}

/// An error as it is kept: one line, not too long.
pub(super) fn shorten(error: &str) -> String {
    let readable = |c: char| if c.is_control() { ' ' } else { c };
    error.chars().map(readable).take(MAX_ERROR).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_an_hour_and_end_after_a_day() {
        let mut now_ms = 0;
        let mut pauses = Vec::new();
        for attempts in 1.. {
            let Some(next) = next_attempt_ms(Pauses::USUAL, ("a", attempts), now_ms, None) else {
                assert_eq!(attempts, 28);
                break;
            };
            pauses.push(next - now_ms);
            now_ms = next;
        }
        assert!(pauses.is_sorted());
        assert_eq!((pauses[0], pauses[26]), (10_000, 3_600_000));
        let hours = now_ms / 3_600_000;
        assert!((20..=26).contains(&hours), "{hours}");
    }

    #[test]
    fn pauses_of_hours_are_near_what_is_advised_and_wait_for_who_asks_to() {
        let mut offs = std::collections::BTreeSet::new();
        for id in ["a", "b", "c", "d"] {
            for (nth, pause) in Pauses::HOURS.after.iter().enumerate() {
                let tries = (id, nth as u32 + 1);
                let next = next_attempt_ms(Pauses::HOURS, tries, 0, None).unwrap();
                assert!((next - pause).abs() <= pause / 10, "{tries:?}: {next}");
                offs.insert(next - pause);
                let told = Some(pause * 3);
                assert_eq!(next_attempt_ms(Pauses::HOURS, tries, 0, told), told);
                assert_eq!(
                    next_attempt_ms(Pauses::HOURS, tries, 0, Some(1)),
                    Some(next)
                );
            }
            assert_eq!(next_attempt_ms(Pauses::HOURS, (id, 10), 0, None), None);
        }
        assert!(
            offs.len() > 30,
            "not everything comes back at once: {offs:?}"
        );
    }

    #[test]
    fn errors_are_kept_as_one_short_line() {
        assert_eq!(shorten("a\r\nb\u{1b}[31m"), "a  b [31m");
        assert_eq!(shorten(&"ä".repeat(600)).chars().count(), 500);
    }
}

//! When a delivery is tried again.

/// Pauses after the first tries, milliseconds; after those it is the last of them each time.
const PAUSES: [i64; 6] = [
    10_000,
    60_000,
    5 * 60_000,
    15 * 60_000,
    30 * 60_000,
    60 * 60_000,
];
/// Tries before a parcel is given up: about a day.
const MOST: u32 = 28;
/// Characters of an error that are kept.
const LONGEST: usize = 500;

/// When to try again after `attempts` tries that failed; `None` = never.
pub(super) fn next_attempt_ms(attempts: u32, now_ms: i64) -> Option<i64> {
    if attempts >= MOST {
        return None;
    }
    let nth = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    let pause = PAUSES.get(nth).or(PAUSES.last())?;
    Some(now_ms + pause)
}

/// An error as it is kept: one line, not too long.
pub(super) fn kept(error: &str) -> String {
    let readable = |c: char| if c.is_control() { ' ' } else { c };
    error.chars().map(readable).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_an_hour_and_end_after_a_day() {
        let mut now_ms = 0;
        let mut pauses = Vec::new();
        for attempts in 1.. {
            let Some(next) = next_attempt_ms(attempts, now_ms) else {
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
    fn errors_are_kept_as_one_short_line() {
        assert_eq!(kept("a\r\nb\u{1b}[31m"), "a  b [31m");
        assert_eq!(kept(&"ä".repeat(600)).chars().count(), 500);
    }
}

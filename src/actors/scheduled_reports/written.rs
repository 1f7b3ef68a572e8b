//! Numbers as reports write them (pure).

/// A count with commas between thousands.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(super) fn percent(share: f64) -> String {
    format!("{share:.1}%")
}

/// Seconds: `45s`, `2m 5s`.
pub(super) fn duration(seconds: f64) -> String {
    let seconds = seconds.round().max(0.0) as u64;
    match (seconds / 60, seconds % 60) {
        (0, rest) => format!("{rest}s"),
        (minutes, rest) => format!("{minutes}m {rest}s"),
    }
}

/// The change to the period before.
pub(super) fn change(now: f64, before: f64) -> String {
    if before == 0.0 {
        return "no data before".to_owned();
    }
    let percent = 100.0 * (now - before) / before;
    format!("{percent:+.1}%").replace('-', "−")
}

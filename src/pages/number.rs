//! Numbers as people read them. A true minus sign, commas between thousands.

use crate::locale::{Texts, group_digits};

/// Between a number and a unit of several letters.
const THIN: char = '\u{202f}';
/// The placeholder of a missing number.
pub const NONE: &str = "–";
/// The change from nothing to something.
pub const NEW: &str = "New";

/// A count in full: `12,345`.
pub fn full(count: u64) -> String {
    group_digits(&count.to_string())
}

/// A count for a narrow place, exact below ten thousand: `9,999`, `12.3k`, `4.5M`, `1.2B`.
pub fn short(count: u64) -> String {
    const STEPS: [(f64, char); 3] = [(1e3, 'k'), (1e6, 'M'), (1e9, 'B')];
    if count < 10_000 {
        return full(count);
    }
    let count = count as f64;
    // A thousand of one step, as it is rounded, is one of the next.
    let fits = |(size, _): &&(f64, char)| count / size < 999.5;
    let (size, letter) = STEPS.iter().find(fits).unwrap_or(&STEPS[2]);
    let scaled = count / size;
    let decimals = usize::from(scaled < 99.95);
    format!("{scaled:.decimals$}{letter}")
}

/// A share in percent: `12.3%`, `100%`, `0.05%`.
pub fn percent(share: f64) -> String {
    format!("{}%", rounded(share))
}

/// A share in percent among others in a column, all with one decimal: `12.3%`, `100.0%`, `<0.1%`.
pub fn column_percent(share: f64) -> String {
    if share > 0.0 && share < 0.05 {
        return "<0.1%".to_owned();
    }
    format!("{share:.1}%")
}

/// The largest change in percent that is worth a number.
const MAX_CHANGE: f64 = 999.0;

/// The change to a number from an earlier one: `+12%`, and `New` where there was nothing.
pub fn change_between(now: f64, before: f64) -> String {
    if before == 0.0 && now > 0.0 {
        return NEW.to_owned();
    }
    change(if before == 0.0 {
        0.0
    } else {
        100.0 * (now - before) / before
    })
}

/// A change in percent with its sign: `+12%`, `−3.4%`, `±0%`, `>999%`.
pub fn change(percent: f64) -> String {
    if percent > MAX_CHANGE {
        return format!(">{MAX_CHANGE}%");
    }
    let text = rounded(percent.abs());
    let sign = match text.as_str() {
        "0" => '±',
        _ if percent < 0.0 => '−',
        _ => '+',
    };
    format!("{sign}{text}%")
}

/// As many decimals as are worth reading: none from a hundred on, one from one on, else two, and none that are zeros.
fn rounded(number: f64) -> String {
    let decimals = match number.abs() {
        size if size >= 99.95 => 0,
        size if size >= 0.995 => 1,
        _ => 2,
    };
    let text = format!("{number:.decimals$}");
    match text.split_once('.') {
        Some((whole, part)) if part.bytes().all(|digit| digit == b'0') => whole.to_owned(),
        _ => text,
    }
}

/// A number with two decimals at most: `1.25`, `3`, `12,345.6`.
pub fn decimal(number: f64) -> String {
    let text = money(number);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// An amount of money without its currency: `1,234.50`, `−3.00`.
pub fn money(amount: f64) -> String {
    let text = format!("{:.2}", amount.abs());
    let (whole, cents) = text.split_once('.').unwrap_or((&text, "00"));
    let is_zero = text.bytes().all(|digit| matches!(digit, b'0' | b'.'));
    let sign = if amount < 0.0 && !is_zero { "−" } else { "" };
    format!("{sign}{}.{cents}", group_digits(whole))
}

/// Seconds as a length of time in its two largest units: `45s`, `1m 23s`, `2h 5m`, `3d 4h`.
pub fn duration(seconds: f64) -> String {
    Texts::ENGLISH.duration(seconds)
}

/// Milliseconds as they are measured: `0.35 ms`, `87 ms`, `1.25 s`.
pub fn millis(ms: f64) -> String {
    if ms.abs() < 9.995 {
        format!("{}{THIN}ms", decimal(ms))
    } else if ms < 999.5 {
        format!("{}{THIN}ms", ms.round())
    } else {
        format!("{}{THIN}s", decimal(ms / 1_000.0))
    }
}

/// The same among others in a column: seconds have two decimals, `1.20 s`.
pub fn column_millis(ms: f64) -> String {
    if ms.abs() < 999.5 {
        return millis(ms);
    }
    format!("{}{THIN}s", money(ms / 1_000.0))
}

/// A noun with its count: `1 visitor`, `1,200 visitors`.
pub fn with_noun(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", full(count), if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        text.replace(THIN, " ")
    }

    #[test]
    fn counts_have_commas_and_narrow_ones_a_letter() {
        for (count, long, narrow) in [
            (0, "0", "0"),
            (999, "999", "999"),
            (1_000, "1,000", "1,000"),
            (9_999, "9,999", "9,999"),
            (10_000, "10,000", "10.0k"),
            (123_456, "123,456", "123k"),
            (999_499, "999,499", "999k"),
            (999_500, "999,500", "1.0M"),
            (4_560_000, "4,560,000", "4.6M"),
            (7_000_000_000, "7,000,000,000", "7.0B"),
            (u64::MAX, "18,446,744,073,709,551,615", "18446744074B"),
        ] {
            assert_eq!((full(count), short(count)), (long.into(), narrow.into()));
        }
        assert_eq!(with_noun(1, "visitor", "visitors"), "1 visitor");
        assert_eq!(with_noun(1_200, "visitor", "visitors"), "1,200 visitors");
    }

    #[test]
    fn shares_and_changes_have_the_decimals_that_are_worth_reading() {
        for (number, share, changed) in [
            (0.0, "0%", "±0%"),
            (0.004, "0%", "±0%"),
            (0.05, "0.05%", "+0.05%"),
            (12.34, "12.3%", "+12.3%"),
            (12.0, "12%", "+12%"),
            (99.96, "100%", "+100%"),
            (999.0, "999%", "+999%"),
            (1_734_525.0, "1734525%", ">999%"),
        ] {
            assert_eq!(plain(&percent(number)), share, "{number}");
            assert_eq!(plain(&change(number)), changed, "{number}");
        }
        for (number, shown) in [
            (0.0, "0.0%"),
            (0.04, "<0.1%"),
            (0.05, "0.1%"),
            (100.0, "100.0%"),
        ] {
            assert_eq!(plain(&column_percent(number)), shown, "{number}");
        }
        assert_eq!(plain(&change(-3.44)), "−3.4%");
        assert_eq!(plain(&change(-0.001)), "±0%");
        assert_eq!(change_between(3.0, 0.0), NEW);
        assert_eq!(change_between(0.0, 0.0), "±0%");
        assert_eq!(change_between(3.0, 2.0), "+50%");
    }

    #[test]
    fn lengths_of_time_have_two_units_at_most() {
        for (seconds, text) in [
            (0.0, "0s"),
            (59.4, "59s"),
            (59.5, "1m"),
            (83.0, "1m 23s"),
            (7_500.0, "2h 5m"),
            (86_400.0, "1d"),
            (273_600.0, "3d 4h"),
            (-1.0, "0s"),
        ] {
            assert_eq!(duration(seconds), text, "{seconds}");
        }
        assert_eq!(plain(&millis(0.0)), "0 ms");
        assert_eq!(plain(&millis(0.354)), "0.35 ms");
        assert_eq!(plain(&millis(9.999)), "10 ms");
        assert_eq!(plain(&millis(87.4)), "87 ms");
        assert_eq!(plain(&millis(1_250.0)), "1.25 s");
        assert_eq!(plain(&millis(1_200.0)), "1.2 s");
        assert_eq!(plain(&column_millis(1_200.0)), "1.20 s");
        assert_eq!(plain(&column_millis(87.4)), "87 ms");
        assert_eq!(decimal(3.0), "3");
        assert_eq!(decimal(10.0), "10");
    }

    #[test]
    fn amounts_have_commas_and_two_decimals_or_as_many_as_there_are() {
        for (number, amount, short) in [
            (0.0, "0.00", "0"),
            (-0.001, "0.00", "0"),
            (5.5, "5.50", "5.5"),
            (1_234.0, "1,234.00", "1,234"),
            (-1_234_567.891, "−1,234,567.89", "−1,234,567.89"),
        ] {
            assert_eq!(
                (money(number), decimal(number)),
                (amount.into(), short.into())
            );
        }
    }
}

//! Numbers with the separators of a language.

use super::{Language, Texts};

/// Between a number and its percent sign.
const SPACE: char = '\u{a0}';
/// The same, narrow; also between thousands.
const NARROW: char = '\u{202f}';

/// How a language writes numbers.
struct Separators {
    thousands: char,
    decimals: char,
    /// In front of a percent sign.
    percent: Option<char>,
    /// Whether four digits have no separator: `1234`, but `12.345`.
    keeps_four: bool,
}

impl Language {
    const fn separators(self) -> Separators {
        let (thousands, decimals, percent) = match self {
            Self::En | Self::Ja => (',', '.', None),
            Self::De | Self::Es => ('.', ',', Some(SPACE)),
            Self::Fr => (NARROW, ',', Some(NARROW)),
            Self::Pt => ('.', ',', None),
        };
        Separators {
            thousands,
            decimals,
            percent,
            keeps_four: matches!(self, Self::Es),
        }
    }
}

impl Texts {
    /// A count in full: `12,345`, `12.345`.
    pub fn count(self, count: u64) -> String {
        self.number(&group_digits(&count.to_string()))
    }

    /// Text with numbers as English writes them, with the separators of the language: `1,234.5 (+3.2%)` becomes `1.234,5 (+3,2 %)`.
    pub fn number(self, english: &str) -> String {
        let own = self.0.separators();
        let mut text = String::with_capacity(english.len() + 4);
        let mut rest = english;
        while let Some(first) = rest.chars().next() {
            let length = if first.is_ascii_digit() {
                let end = rest
                    .find(|letter: char| !letter.is_ascii_digit() && !matches!(letter, ',' | '.'));
                let number = &rest[..end.unwrap_or(rest.len())];
                own.write(number, &mut text);
                number.len()
            } else {
                if first == '%' {
                    text.extend(own.percent);
                }
                text.push(first);
                first.len_utf8()
            };
            rest = &rest[length..];
        }
        text
    }
}

impl Separators {
    fn write(&self, number: &str, text: &mut String) {
        let whole = number.split('.').next().unwrap_or_default();
        let is_short = self.keeps_four && whole.len() == "1,234".len();
        for letter in number.chars() {
            match letter {
                ',' if is_short => {}
                ',' => text.push(self.thousands),
                '.' => text.push(self.decimals),
                digit => text.push(digit),
            }
        }
    }
}

/// Digits with commas between thousands.
pub fn group_digits(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

//! `Accept-Language` (RFC 9110).

use super::Language;

/// Ranges that are looked at. Browsers send a handful.
const MAX_RANGES: usize = 32;
/// A weight of 1, in thousandths.
const WHOLE: u16 = 1_000;

impl Language {
    /// The language that a reader prefers by the values of `Accept-Language`: the highest weight, then the earlier range. English if
    /// none of ours is wanted. Ranges that can't be read don't count.
    pub fn negotiate<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let ranges = values.into_iter().flat_map(|value| value.split(','));
        let ranges: Vec<(&str, u16)> = ranges.take(MAX_RANGES).filter_map(read_range).collect();
        let weight = |language: Self| {
            let place = |wanted: &str| {
                let own = ranges.iter().enumerate();
                let own = own.filter(|(_, (tag, _))| primary(tag).eq_ignore_ascii_case(wanted));
                own.map(|(place, (_, weight))| (*weight, place))
                    .reduce(|best, next| if next.0 > best.0 { next } else { best })
            };
            place(language.code()).or_else(|| place("*"))
        };
        let mut best: Option<(Self, (u16, usize))> = None;
        for language in Self::ALL {
            let Some(found) = weight(language).filter(|(weight, _)| *weight > 0) else {
                continue;
            };
            let is_better = |(_, (weight, place)): &(Self, (u16, usize))| {
                found.0 > *weight || found.0 == *weight && found.1 < *place
            };
            if best.as_ref().is_none_or(is_better) {
                best = Some((language, found));
            }
        }
        best.map_or_else(Self::default, |(language, _)| language)
    }
}

/// The language of a tag: `de` of `de-AT`.
fn primary(tag: &str) -> &str {
    tag.split('-').next().unwrap_or_default()
}

/// A range with its weight in thousandths; `None` if it can't be read.
fn read_range(range: &str) -> Option<(&str, u16)> {
    let mut parts = range.split(';');
    let tag = parts.next()?.trim();
    if tag.is_empty() {
        return None;
    }
    let mut weight = WHOLE;
    for parameter in parts {
        let (name, value) = parameter.split_once('=')?;
        if name.trim().eq_ignore_ascii_case("q") {
            weight = read_weight(value.trim())?;
        }
    }
    Some((tag, weight))
}

/// `0`, `0.5`, `1.000`: 0 to 1 with at most three decimals, in thousandths.
fn read_weight(text: &str) -> Option<u16> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if part.len() > 3 || !part.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let part: u16 = format!("{part:0<3}").parse().ok()?;
    match whole {
        "0" => Some(part),
        "1" if part == 0 => Some(WHOLE),
        _ => None,
    }
}

//! What statements say that engines spell differently.

/// A call in a statement's text that no engine reads as it stands, or not every engine alike.
///
/// Each dialect matches all of them, so that a new one is spelled everywhere or nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word<'a> {
    /// `earliest(x)`: `x` of the first event that has it; of events of the same millisecond the smallest.
    Earliest(&'a str),
    /// `latest(x)`: `x` of the last event that has it; of events of the same millisecond the largest.
    Latest(&'a str),
    /// `opening(x)`: `x` (never null) of the first page event, or of the first event if there is none; of events of the
    /// same millisecond the smallest.
    Opening(&'a str),
    /// `opened_with(x)`: the same of rows of an extract.
    OpenedWith(&'a str),
    /// `most_common(x)`: the most frequent `x`; of equally frequent ones the smallest.
    MostCommon(&'a str),
    /// `quantile_cont(x, p)`: the exact percentile, between two values in proportion; `[p, …]` for a list of them, which
    /// holds null where there are no values.
    Quantile(&'a str, &'a str),
    /// `texts(x)`: the different texts that are not empty, sorted.
    Texts(&'a str),
    /// `numbers(x)`: the different numbers that are not 0, sorted.
    Numbers(&'a str),
    /// `records(a := x, …)`: a record of each row, sorted by the first field, then the others.
    Records(&'a [&'a str]),
    /// `property_keys(x)`: the different keys of JSON objects held as texts, sorted.
    PropertyKeys(&'a str),
    /// `has_property(x, [key, …])`: whether the JSON object held as text has one of these keys; false for what is none.
    HasProperty(&'a str, &'a str),
    /// `property_rows(r)`: a relation: custom events of `r`, once for each property, with `property_key` and
    /// `property_raw`, its value as JSON.
    PropertyRows(&'a str),
    /// `property_text(x, key)`: what a JSON object held as text has under a key: a text as it is, anything else as JSON
    /// writes it; null where there is nothing.
    PropertyText(&'a str, &'a str),
    /// `instant(time, received, place)`: a number by which events are ordered: by time, then receipt, then place (0 to 15).
    Instant(&'a str, &'a str, &'a str),
    /// `json_text(x)`: the text that a JSON string stands for.
    JsonText(&'a str),
    /// `each_of(x)`: a row for each part of a text, which commas separate.
    EachOf(&'a str),
    /// `split_part(x, separator, n)`: the nth part of a text, counted from 1; empty where there are fewer.
    Part(&'a str, &'a str, &'a str),
    /// `number_in(x)`: the number that a text is, or null.
    NumberIn(&'a str),
    /// `lower(x)`: in small letters.
    Lower(&'a str),
    /// `upper(x)`: in capital letters.
    Upper(&'a str),
    /// `contains(x, y)`: whether a text has another in it, literally.
    Contains(&'a str, &'a str),
    /// `starts_with(x, y)`: whether a text begins with another, literally.
    StartsWith(&'a str, &'a str),
    /// `ends_with(x, y)`: whether a text ends with another, literally.
    EndsWith(&'a str, &'a str),
    /// `strpos(x, y)`: where in an ASCII text another begins, counted from 1; 0 = nowhere.
    Place(&'a str, &'a str),
    /// `whole_div(a, b)`: whole part of a quotation of numbers that are not negative.
    WholeDiv(&'a str, &'a str),
    /// `common_bits(a, b)`: the bits that both numbers have.
    CommonBits(&'a str, &'a str),
    /// `round(x, n)`: to so many decimals, halves away from zero.
    Round(&'a str, &'a str),
    /// `fingerprint(x, …)`: a number from 0 on that is the same wherever all values are, nulls too, and hardly anywhere else.
    Fingerprint(&'a [&'a str]),
    /// `lead(x)`, before `OVER`: `x` of the next row; null for the last one.
    Next(&'a str),
}

impl<'a> Word<'a> {
    /// The word that a call is, if it is one.
    pub(super) fn named(name: &str, arguments: &'a [&'a str]) -> Option<Self> {
        Some(match (name, arguments) {
            ("earliest", [value]) => Self::Earliest(value),
            ("latest", [value]) => Self::Latest(value),
            ("opening", [value]) => Self::Opening(value),
            ("opened_with", [value]) => Self::OpenedWith(value),
            ("most_common", [value]) => Self::MostCommon(value),
            ("quantile_cont", [value, at]) => Self::Quantile(value, at),
            ("texts", [value]) => Self::Texts(value),
            ("numbers", [value]) => Self::Numbers(value),
            ("records", fields) => Self::Records(fields),
            ("property_keys", [value]) => Self::PropertyKeys(value),
            ("has_property", [value, keys]) => Self::HasProperty(value, keys),
            ("property_rows", [rows]) => Self::PropertyRows(rows),
            ("property_text", [value, key]) => Self::PropertyText(value, key),
            ("instant", [time, received, place]) => Self::Instant(time, received, place),
            ("json_text", [value]) => Self::JsonText(value),
            ("each_of", [value]) => Self::EachOf(value),
            ("split_part", [value, separator, place]) => Self::Part(value, separator, place),
            ("number_in", [value]) => Self::NumberIn(value),
            ("lower", [value]) => Self::Lower(value),
            ("upper", [value]) => Self::Upper(value),
            ("contains", [value, piece]) => Self::Contains(value, piece),
            ("starts_with", [value, piece]) => Self::StartsWith(value, piece),
            ("ends_with", [value, piece]) => Self::EndsWith(value, piece),
            ("strpos", [value, piece]) => Self::Place(value, piece),
            ("whole_div", [number, by]) => Self::WholeDiv(number, by),
            ("common_bits", [number, bits]) => Self::CommonBits(number, bits),
            ("round", [number, decimals]) => Self::Round(number, decimals),
            ("fingerprint", values) => Self::Fingerprint(values),
            ("lead", [value]) => Self::Next(value),
            _ => return None,
        })
    }
}

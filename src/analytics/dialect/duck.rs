//! DuckDB's spelling.

use super::word::Word;
use crate::events::statement::Bind;

/// A placeholder. Numbers carry their type: the engine guesses wrong in `CASE`.
pub(super) fn placeholder(value: Option<&Bind>) -> String {
    let text = match value {
        Some(Bind::Int(_)) => "CAST(? AS BIGINT)",
        Some(Bind::Hash(_)) => "CAST(? AS UBIGINT)",
        Some(Bind::Float(_)) => "CAST(? AS DOUBLE)",
        Some(Bind::Text(_)) | None => "?",
    };
    text.to_owned()
}

pub(super) fn spell(word: Word<'_>) -> String {
    match word {
        Word::Earliest(value) => format!("arg_min({value}, (time, {value}))"),
        Word::Latest(value) => format!("arg_max({value}, (time, {value}))"),
        Word::Opening(value) => {
            format!("arg_min({value}, (CASE WHEN kind = 1 THEN 0 ELSE 1 END, time, {value}))")
        }
        Word::OpenedWith(value) => format!("arg_min({value}, (opened, {value}))"),
        Word::MostCommon(value) => format!(
            "list_sort(list_transform(map_entries(histogram({value})), \
             lambda e: struct_pack(n := -CAST(e.value AS BIGINT), v := e.key)))[1].v"
        ),
        Word::Quantile(value, at) => format!("quantile_cont({value}, {at})"),
        Word::Texts(value) => {
            format!("list_sort(list_distinct(list(nullif({value}, ''))))")
        }
        Word::Numbers(value) => {
            format!("list_sort(list_distinct(list(nullif({value}, 0))))")
        }
        Word::Records(fields) => {
            format!("list_sort(list(struct_pack({})))", fields.join(", "))
        }
        Word::PropertyKeys(value) => {
            format!("list_sort(list_distinct(flatten(list({}))))", keys(value))
        }
        Word::HasProperty(value, wanted) => {
            format!("coalesce(list_has_any({}, {wanted}), false)", keys(value))
        }
        Word::PropertyRows(rows) => format!(
            "(SELECT e.*, property.key AS property_key, CAST(property.value AS VARCHAR) AS property_raw \
             FROM (SELECT * FROM {rows} WHERE kind = 2) e, \
             json_each(CASE WHEN starts_with(e.properties, '{{') AND json_valid(e.properties) THEN e.properties \
             ELSE '{{}}' END) property)"
        ),
        Word::PropertyText(value, key) => format!(
            "json_extract_string(CASE WHEN json_valid({value}) THEN {value} ELSE '{{}}' END, \
             '/' || replace(replace({key}, '~', '~0'), '/', '~1'))"
        ),
        Word::Instant(time, received, place) => {
            format!("(CAST({time} AS HUGEINT) * 140737488355328 + ({received} * 16 + {place}))")
        }
        Word::JsonText(value) => format!("({value} ->> '$')"),
        Word::EachOf(value) => format!("unnest(string_split({value}, ','))"),
        Word::Part(value, separator, place) => {
            format!("split_part({value}, {separator}, {place})")
        }
        Word::NumberIn(value) => format!("TRY_CAST({value} AS DOUBLE)"),
        Word::Lower(value) => format!("lower({value})"),
        Word::Upper(value) => format!("upper({value})"),
        Word::Contains(value, piece) => format!("contains({value}, {piece})"),
        Word::StartsWith(value, piece) => format!("starts_with({value}, {piece})"),
        Word::EndsWith(value, piece) => format!("ends_with({value}, {piece})"),
        Word::Place(value, piece) => format!("strpos({value}, {piece})"),
        Word::WholeDiv(number, by) => format!("({number}) // {by}"),
        Word::CommonBits(number, bits) => format!("(CAST({number} AS BIGINT) & {bits})"),
        Word::Round(number, decimals) => format!("round({number}, {decimals})"),
        Word::Fingerprint(values) => format!("hash({})", values.join(", ")),
        Word::Next(value) => format!("lead({value})"),
    }
}

/// The keys of a JSON object held as text; none for anything else.
fn keys(value: &str) -> String {
    format!("json_keys(CASE WHEN json_valid({value}) THEN {value} ELSE '{{}}' END)")
}

//! What our statements say that DuckDB does not know by that name.
//!
//! | function | value |
//! |---|---|
//! | `earliest(x)`, `latest(x)` | `x` of the first or last event that has it; of events of the same millisecond the smallest or largest |
//! | `opening(x)` | `x` (never null) of the first page event, or of the first event if there is none; of events of the same millisecond the smallest |
//! | `most_common(x)` | the most frequent `x`; of equally frequent ones the smallest |
//! | `texts(x)`, `numbers(x)` | the different texts that are not empty, or numbers that are not 0, sorted |
//! | `property_keys(x)` | the different keys of JSON objects held as texts, sorted |
//! | `property_rows(r)` | a relation: custom events of `r`, once for each property, with `property_key` and `property_raw` |
//! | `json_text(x)` | the text that a JSON string stands for |
//! | `each_of(x)` | a row for each part of a text, which commas separate |
//! | `whole_div(a, b)` | whole part of a quotation of numbers that are not negative |

use super::calls::rewrite;

/// The statement as DuckDB wants it.
pub(super) fn spell(text: &str) -> String {
    rewrite(text, &call)
}

fn call(name: &str, arguments: &[String]) -> Option<String> {
    match (name, arguments) {
        ("earliest", [value]) => Some(format!("arg_min({value}, (time, {value}))")),
        ("latest", [value]) => Some(format!("arg_max({value}, (time, {value}))")),
        ("opening", [value]) => Some(format!(
            "arg_min({value}, (CASE WHEN kind = 1 THEN 0 ELSE 1 END, time, {value}))"
        )),
        ("most_common", [value]) => Some(format!(
            "list_sort(list_transform(map_entries(histogram({value})), \
             lambda e: struct_pack(n := -CAST(e.value AS BIGINT), v := e.key)))[1].v"
        )),
        ("texts", [value]) => Some(format!(
            "list_sort(list_distinct(list(nullif({value}, ''))))"
        )),
        ("numbers", [value]) => Some(format!(
            "list_sort(list_distinct(list(nullif({value}, 0))))"
        )),
        ("property_keys", [value]) => Some(format!(
            "list_sort(list_distinct(flatten(list({}))))",
            super::json_keys(value)
        )),
        ("property_rows", [rows]) => Some(format!(
            "(SELECT e.*, property.key AS property_key, CAST(property.value AS VARCHAR) AS property_raw \
             FROM (SELECT * FROM {rows} WHERE kind = 2) e, \
             json_each(CASE WHEN starts_with(e.properties, '{{') AND json_valid(e.properties) THEN e.properties \
             ELSE '{{}}' END) property)"
        )),
        ("json_text", [value]) => Some(format!("({value} ->> '$')")),
        ("each_of", [value]) => Some(format!("unnest(string_split({value}, ','))")),
        ("whole_div", [number, by]) => Some(format!("({number}) // {by}")),
        _ => None,
    }
}

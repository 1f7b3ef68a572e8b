//! What our statements say that DuckDB does not know by that name.
//!
//! | function | value |
//! |---|---|
//! | `earliest(x)`, `latest(x)` | `x` of the first or last event that has it; of events of the same millisecond the smallest or largest |
//! | `opening(x)` | `x` (never null) of the first page event, or of the first event if there is none; of events of the same millisecond the smallest |
//! | `most_common(x)` | the most frequent `x`; of equally frequent ones the smallest |
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
        ("whole_div", [number, by]) => Some(format!("({number}) // {by}")),
        _ => None,
    }
}

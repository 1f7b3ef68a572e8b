//! What statements say that engines spell differently, or that all of them say often.

use aggregates::RUN;

use super::Dialect;
use crate::events::{
    column::kind::{self, CUSTOM, PAGE},
    extracts::{NO_PAGE, QUARTER},
};

/// The spelling of a call in a statement's text that no engine reads as it is, or not every engine alike; `None` for
/// any other call.
pub(super) fn spell(dialect: Dialect, name: &str, arguments: &[&str]) -> Option<String> {
    shared(dialect, name, arguments)
        .or_else(|| spell_variadic(dialect, name, arguments))
        .or_else(|| spell_fixed(dialect, name, arguments))
}

/// How many different ids the column has in these rows; 0 and null are none.
fn different(dialect: Dialect, column: &str, rows: &[&str]) -> String {
    let rows = rows.join(", ");
    match (dialect, rows.as_str()) {
        (Dialect::DuckDb, "") => format!("distinct_ids({column}, {RUN})"),
        (Dialect::DuckDb, rows) => {
            format!("distinct_ids(CASE WHEN {rows} THEN {column} END, {RUN})")
        }
        (_, "") => format!("count(DISTINCT CASE WHEN {column} <> 0 THEN {column} END)"),
        (_, rows) => {
            format!("count(DISTINCT CASE WHEN ({rows}) AND {column} <> 0 THEN {column} END)")
        }
    }
}

/// `x`, a text or an id, of the first or last row that has it; of rows of the same time the smallest or largest.
fn extreme(dialect: Dialect, x: &str, at: &str, is_latest: bool) -> String {
    match (dialect, is_latest) {
        (Dialect::DuckDb, false) => format!("earliest_by({x}, {at}, {RUN})"),
        (Dialect::DuckDb, true) => format!("latest_by({x}, {at}, {RUN})"),
        (Dialect::Spilling, false) => format!("arg_min({x}, ({at}, {x}))"),
        (Dialect::Spilling, true) => format!("arg_max({x}, ({at}, {x}))"),
        (Dialect::ClickHouse, false) => format!("argMin({x}, ({at}, {x}))"),
        (Dialect::ClickHouse, true) => format!("argMax({x}, ({at}, {x}))"),
    }
}

/// Words for what statements say of kinds, visitors and visits.
fn shared(dialect: Dialect, name: &str, arguments: &[&str]) -> Option<String> {
    Some(match (name, arguments) {
        // `visitors(condition)`: how many visitors the rows are from, of rows that meet the condition if there is one.
        ("visitors", _) => different(dialect, "visitor", arguments),
        // `sessions(condition)`: how many visits the rows are of.
        ("sessions", _) => different(dialect, "session", arguments),
        // `earliest(x)`, `latest(x)`: `x` of the first event that has it, or of the last one.
        ("earliest", [x]) => extreme(dialect, x, "time", false),
        ("latest", [x]) => extreme(dialect, x, "time", true),
        // `opening(x)`: `x` (never null) of the first page event, or of the first event if there is none.
        ("opening", [x]) => {
            let at = format!("CASE WHEN kind = {PAGE} THEN time ELSE time + {NO_PAGE} END");
            extreme(dialect, x, &at, false)
        }
        // `opened_with(x)`: the same of rows of an extract.
        ("opened_with", [x]) => extreme(dialect, x, "opened", false),
        // `session_sums(session, views, seconds, actions)`: what sessions are like, in one pass.
        ("session_sums", [session, views, seconds, actions]) => {
            format!("session_sums({session}, {views}, {seconds}, {actions}, {RUN})")
        }
        // `count_if(condition)`: how many rows meet the condition.
        ("count_if", _) => format!("count(CASE WHEN {} THEN 1 END)", arguments.join(", ")),
        // `kind_of(name)`: the number of a kind of event ([`kind`]).
        ("kind_of", [name]) => kind::number(name)?.to_string(),
        // `quarter()`: milliseconds of a quarter of an hour, which times of extracts are cut to.
        ("quarter", []) => QUARTER.to_string(),
        // `no_page()`: what `opened` reaches in rows of extracts that are of no page event.
        ("no_page", []) => NO_PAGE.to_string(),
        // `is_view()`: whether a row is the view of a page; `is_view(e)` of the relation `e`.
        ("is_view", []) => format!("kind = {PAGE} AND name = 'screen_view'"),
        ("is_view", [row]) => format!("{row}.kind = {PAGE} AND {row}.name = 'screen_view'"),
        _ => return None,
    })
}

/// Words with as many arguments as one likes, or whose spelling depends on them.
fn spell_variadic(dialect: Dialect, name: &str, arguments: &[&str]) -> Option<String> {
    let all = || arguments.join(", ");
    Some(match (name, arguments, dialect) {
        // `quantile_cont(x, p)`: the exact percentile, between two values in proportion; `[p, …]` for a list of them, which
        // holds null where there are no values.
        ("quantile_cont", [value, at], Dialect::DuckDb) if at.starts_with('[') => {
            format!("quantiles({value}, {at}, {RUN})")
        }
        ("quantile_cont", [value, at], Dialect::DuckDb) => {
            format!("quantiles({value}, [{at}], {RUN})[1]")
        }
        ("quantile_cont", [value, at], Dialect::ClickHouse) => quantile(value, at),
        // `round(x, n)`: to so many decimals, halves away from zero.
        ("round", [number, decimals], Dialect::ClickHouse) => round(number, decimals),
        // `records(a := x, …)`: a record of each row, sorted by the first field, then the others.
        ("records", _, Dialect::DuckDb | Dialect::Spilling) => {
            format!("list_sort(list(struct_pack({})))", all())
        }
        ("records", fields, Dialect::ClickHouse) => {
            let field = |field: &&str| match field.split_once(":=") {
                Some((name, value)) => format!("{} AS {}", value.trim(), name.trim()),
                None => (*field).to_owned(),
            };
            let fields: Vec<String> = fields.iter().map(field).collect();
            format!("arraySort(groupArray(tuple({})))", fields.join(", "))
        }
        // `one_of(x, value, …)`: whether a text is one of these; null counts as none. DuckDB asks this once for each text of a
        // dictionary, and `IN` once for each row.
        ("one_of", [text, values @ ..], Dialect::DuckDb | Dialect::Spilling) => {
            format!("list_contains([{}], {text})", values.join(", "))
        }
        ("one_of", [text, values @ ..], Dialect::ClickHouse) => {
            format!("{text} IN ({})", values.join(", "))
        }
        // `fingerprint(x, …)`: a number from 0 on that is the same wherever all values are, nulls too, and hardly anywhere
        // else. Of a null by itself ClickHouse's would be null.
        ("fingerprint", _, Dialect::DuckDb | Dialect::Spilling) => format!("hash({})", all()),
        ("fingerprint", _, Dialect::ClickHouse) => format!("cityHash64(tuple({}))", all()),
        _ => return None,
    })
}

/// The table of the other words: name and arguments, `DuckDB`'s spelling, `ClickHouse`'s.
macro_rules! words {
    ($($name:literal($($argument:ident),*) $duck:literal $clickhouse:literal)*) => {
        fn spell_fixed(dialect: Dialect, name: &str, arguments: &[&str]) -> Option<String> {
            Some(match (name, arguments) {
                $(($name, [$($argument),*]) => match dialect {
                    Dialect::DuckDb | Dialect::Spilling => format!($duck),
                    Dialect::ClickHouse => format!($clickhouse),
                },)*
                _ => return None,
            })
        }
    };
}

words! {
    // Whether a row lies in the time from the first visit to the last one of the relation `r`: with this, the embedded engine
    // passes over row groups of other times. ClickHouse would read `r` again.
    "during"(r)
        "time >= (SELECT min(first_visit) FROM {r}) AND time <= (SELECT max(last_visit) FROM {r})"
        "true"
    // The number `x` of the last event that has it; of events of the same millisecond the largest.
    "newest"(x) "arg_max({x}, (time, {x}))" "argMax({x}, (time, {x}))"
    // The most frequent `x`; of equally frequent ones the smallest.
    "most_common"(x)
        "list_sort(list_transform(map_entries(histogram({x})), \
         lambda e: struct_pack(n := -CAST(e.value AS BIGINT), v := e.key)))[1].v"
        "arraySort(arrayMap(pair -> (-toInt64(pair.2), toNullable(pair.1)), \
         CAST(sumMapIf(map(assumeNotNull({x}), 1), {x} IS NOT NULL) AS Array(Tuple(String, UInt64)))))[1].2"
    // The different texts that are not empty, sorted.
    "texts"(x)
        "list_sort(list_distinct(list(nullif({x}, ''))))"
        "arraySort(groupUniqArray(nullif({x}, '')))"
    // The different numbers that are not 0, sorted.
    "numbers"(x)
        "list_sort(list_distinct(list(nullif({x}, 0))))"
        "arraySort(groupUniqArray(nullif({x}, 0)))"
    // The different keys of JSON objects held as texts, sorted; none of anything else.
    "property_keys"(x)
        "list_sort(list_distinct(flatten(list(json_keys(CASE WHEN json_valid({x}) THEN {x} ELSE '{{}}' END)))))"
        "arraySort(groupUniqArrayArray(JSONExtractKeys(coalesce({x}, ''))))"
    // Whether the JSON object held as text has one of the keys `[key, …]`; false for what is none.
    "has_property"(x, keys)
        "coalesce(list_has_any(json_keys(CASE WHEN json_valid({x}) THEN {x} ELSE '{{}}' END), {keys}), false)"
        "hasAny(JSONExtractKeys(coalesce({x}, '')), {keys})"
    // A relation: custom events of `r`, once for each property, with `property_key` and `property_raw`, its value as JSON.
    "property_rows"(r)
        "(SELECT e.*, property.key AS property_key, CAST(property.value AS VARCHAR) AS property_raw \
         FROM (SELECT * FROM {r} WHERE kind = {CUSTOM}) e, \
         json_each(CASE WHEN starts_with(e.properties, '{{') AND json_valid(e.properties) THEN e.properties \
         ELSE '{{}}' END) property)"
        "(SELECT e.*, property.1 AS property_key, property.2 AS property_raw FROM {r} e \
         ARRAY JOIN JSONExtractKeysAndValuesRaw(coalesce(e.properties, '')) AS property WHERE e.kind = {CUSTOM})"
    // What a JSON object held as text has under a key: a text as it is, anything else as JSON writes it; null where there is
    // nothing. ClickHouse's names the key once, because a bound value has one place.
    "property_text"(x, key)
        "json_extract_string(CASE WHEN json_valid({x}) THEN {x} ELSE '{{}}' END, \
         '/' || replace(replace({key}, '~', '~0'), '/', '~1'))"
        "arrayMap(found -> if(startsWith(found, '\"'), JSONExtractString(found), nullIf(found, 'null')), \
         arrayFilter(found -> found <> '', [JSONExtractRaw(coalesce({x}, ''), {key})]))[1]"
    // A number by which events are ordered: by time, then receipt, then place (0 to 15).
    "instant"(time, received, place)
        "(CAST({time} AS HUGEINT) * 140737488355328 + ({received} * 16 + {place}))"
        "(toInt128({time}) * 140737488355328 + ({received} * 16 + {place}))"
    // The text of a JSON string.
    "json_text"(x) "({x} ->> '$')" "JSONExtractString({x})"
    // A row for each part of a text, which commas separate.
    "each_of"(x) "unnest(string_split({x}, ','))" "arrayJoin(splitByChar(',', {x}))"
    // The nth part of a text, counted from 1; empty where there are fewer.
    "split_part"(x, separator, n)
        "split_part({x}, {separator}, {n})"
        "splitByString({separator}, coalesce({x}, ''))[{n}]"
    // The number that a text is, or null.
    "number_in"(x) "TRY_CAST({x} AS DOUBLE)" "toFloat64OrNull({x})"
    "lower"(x) "lower({x})" "lowerUTF8({x})"
    "upper"(x) "upper({x})" "upperUTF8({x})"
    // Whether a text has another in it, begins or ends with it, literally.
    "contains"(x, y) "contains({x}, {y})" "(position({x}, {y}) > 0)"
    "starts_with"(x, y) "starts_with({x}, {y})" "startsWith({x}, {y})"
    "ends_with"(x, y) "ends_with({x}, {y})" "endsWith({x}, {y})"
    // Where in an ASCII text another begins, counted from 1; 0 = nowhere.
    "strpos"(x, y) "strpos({x}, {y})" "position({x}, {y})"
    // Whole part of a quotation of numbers that are not negative.
    "whole_div"(a, b) "({a}) // {b}" "intDiv({a}, {b})"
    // The bits that both numbers have.
    "common_bits"(a, b) "(CAST({a} AS BIGINT) & {b})" "bitAnd({a}, {b})"
    // `x` of the next row, before `OVER`; null for the last one.
    "lead"(x) "lead({x})" "lead(toNullable({x}))"
}

/// Its own percentiles of nothing are no numbers, and a list cannot be null.
fn quantile(value: &str, at: &str) -> String {
    match at.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
        Some(list) => format!(
            "arrayMap(quantile -> if(isNaN(quantile), NULL, quantile), quantilesExactInclusive({list})({value}))"
        ),
        None => format!("quantileExactInclusive({at})({value})"),
    }
}

/// Its own `round` takes halves to the even neighbour.
fn round(number: &str, decimals: &str) -> String {
    let power = decimals.parse().unwrap_or_default();
    let factor = 10_u64.saturating_pow(power);
    format!("trunc(({number}) * {factor} + 0.5 * sign({number})) / {factor}")
}

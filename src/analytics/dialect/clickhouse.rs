//! ClickHouse's spelling, of the version that the tests ask (`scripts/clickhouse`): 26.9.

use super::word::Word;

/// What makes the engine answer as standard SQL does: aggregates of nothing, casts of nothing and what a join does not
/// find are null; a name is a column where there is one, and an alias elsewhere. Records carry the names of their fields.
const SETTINGS: &str = "aggregate_functions_null_for_empty = 1, cast_keep_nullable = 1, \
    enable_named_columns_in_function_tuple = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1";

/// The statement, whoever runs it and however their session is set.
pub(super) fn standard(text: String) -> String {
    text + " SETTINGS " + SETTINGS
}

pub(super) fn spell(word: Word<'_>) -> String {
    match word {
        Word::Earliest(value) => format!("argMin({value}, (time, {value}))"),
        Word::Latest(value) => format!("argMax({value}, (time, {value}))"),
        Word::Opening(value) => {
            format!("argMin({value}, (CASE WHEN kind = 1 THEN 0 ELSE 1 END, time, {value}))")
        }
        Word::OpenedWith(value) => format!("argMin({value}, (opened, {value}))"),
        Word::MostCommon(value) => format!(
            "arraySort(arrayMap(pair -> (-toInt64(pair.2), toNullable(pair.1)), \
             CAST(sumMapIf(map(assumeNotNull({value}), 1), {value} IS NOT NULL) AS Array(Tuple(String, UInt64)))))[1].2"
        ),
        Word::Quantile(value, at) => quantile(value, at),
        Word::Texts(value) => format!("arraySort(groupUniqArray(nullif({value}, '')))"),
        Word::Numbers(value) => format!("arraySort(groupUniqArray(nullif({value}, 0)))"),
        Word::Records(fields) => {
            let field = |field: &&str| match field.split_once(":=") {
                Some((name, value)) => format!("{} AS {}", value.trim(), name.trim()),
                None => (*field).to_owned(),
            };
            let fields: Vec<String> = fields.iter().map(field).collect();
            format!("arraySort(groupArray(tuple({})))", fields.join(", "))
        }
        Word::PropertyKeys(value) => {
            format!("arraySort(groupUniqArrayArray({}))", keys(value))
        }
        Word::HasProperty(value, wanted) => format!("hasAny({}, {wanted})", keys(value)),
        Word::PropertyRows(rows) => format!(
            "(SELECT e.*, property.1 AS property_key, property.2 AS property_raw FROM {rows} e \
             ARRAY JOIN JSONExtractKeysAndValuesRaw(coalesce(e.properties, '')) AS property WHERE e.kind = 2)"
        ),
        Word::PropertyText(value, key) => property(value, key),
        Word::Instant(time, received, place) => {
            format!("(toInt128({time}) * 140737488355328 + ({received} * 16 + {place}))")
        }
        Word::JsonText(value) => format!("JSONExtractString({value})"),
        Word::EachOf(value) => format!("arrayJoin(splitByChar(',', {value}))"),
        Word::Part(value, separator, place) => {
            format!("splitByString({separator}, coalesce({value}, ''))[{place}]")
        }
        Word::NumberIn(value) => format!("toFloat64OrNull({value})"),
        Word::Lower(value) => format!("lowerUTF8({value})"),
        Word::Upper(value) => format!("upperUTF8({value})"),
        Word::Contains(value, piece) => format!("(position({value}, {piece}) > 0)"),
        Word::StartsWith(value, piece) => format!("startsWith({value}, {piece})"),
        Word::EndsWith(value, piece) => format!("endsWith({value}, {piece})"),
        Word::Place(value, piece) => format!("position({value}, {piece})"),
        Word::WholeDiv(number, by) => format!("intDiv({number}, {by})"),
        Word::CommonBits(number, bits) => format!("bitAnd({number}, {bits})"),
        Word::Round(number, decimals) => round(number, decimals),
        // Of a null by itself it would be null.
        Word::Fingerprint(values) => format!("cityHash64(tuple({}))", values.join(", ")),
        Word::Next(value) => format!("lead(toNullable({value}))"),
    }
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

/// What stands under a key of a JSON object held as text. The key is named once, because a bound value has one place.
fn property(value: &str, key: &str) -> String {
    format!(
        "arrayMap(found -> if(startsWith(found, '\"'), JSONExtractString(found), nullIf(found, 'null')), \
         arrayFilter(found -> found <> '', [JSONExtractRaw(coalesce({value}, ''), {key})]))[1]"
    )
}

/// The keys of a JSON object held as text; none for anything else.
fn keys(value: &str) -> String {
    format!("JSONExtractKeys(coalesce({value}, ''))")
}

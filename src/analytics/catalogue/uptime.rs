//! Checks of monitors. Rows are of kind 65; their website is the monitor.
//!
//! Status 1 is up, 0 down, 2 pending, 3 maintenance, 4 missed; the last three say nothing about uptime and are no checks that
//! count (pending ones are not in `total_checks`). Response times are those of
//! checks that found the monitor up.

use super::{
    category::{Category, Subject, Visual},
    field::Field,
    fold::{BaseAggregate, once},
    measure::{Key, Measure, Show, float, int, key, measure, text_key},
    query_type::{
        By, Column, QueryType, column, custom, list, measured, plain_column, query_types,
    },
};

const FILTERS: &[Field] = &[];

const CHECK_SUMS: &str = "count(*) AS checks, count_if(status = 1) AS ups, count_if(status = 0) AS downs, avg(CASE WHEN status = 1 THEN \
     duration_ms END) AS mean, quantile_cont(CASE WHEN status = 1 THEN CAST(duration_ms AS DOUBLE) END, [0.5, 0.75, \
     0.9, 0.95, 0.99]) AS quantiles, max(CASE WHEN status = 1 THEN duration_ms END) AS slowest, min(CASE WHEN status \
     = 1 THEN duration_ms END) AS fastest, avg(CASE WHEN status = 1 THEN ttfb END) AS mean_ttfb, newest(ssl_expiry) \
     AS expiry, newest(ssl_valid) AS valid, count_if(ssl_valid = 0) AS invalid";

const CHECKS: BaseAggregate = once("kind = kind_of(check)", CHECK_SUMS);

/// Checks from each place: of monitors with one place, and the parts of those with several.
const FROM_PLACES: &str = "(kind = kind_of(place_check) OR (kind = kind_of(check) AND \
    coalesce(namespace, '') <> 'quorum'))";

const PLACE_CHECKS: BaseAggregate = once(FROM_PLACES, CHECK_SUMS);

/// Phases of good checks, which every check's row has in microseconds.
const PHASE_SUMS: &str = "count(*) AS ups, avg(duration_ms) AS mean, \
     avg(number_in(property_text(properties, 'dns_us'))) AS dns, avg(number_in(property_text(properties, 'tcp_us'))) AS tcp, \
     avg(number_in(property_text(properties, 'tls_us'))) AS tls, avg(number_in(property_text(properties, 'ttfb_us'))) AS wait, \
     avg(number_in(property_text(properties, 'transfer_us'))) AS transfer";

const PHASES: BaseAggregate = once("kind = kind_of(check) AND status = 1", PHASE_SUMS);
const PLACE_PHASES: BaseAggregate = once(
    "(kind = kind_of(place_check) OR (kind = kind_of(check) AND coalesce(namespace, '') <> \
     'quorum')) AND status = 1",
    PHASE_SUMS,
);

const UPTIME: Measure = float(
    "uptime_percentage",
    "100.0 * ups / nullif(ups + downs, 0)",
    2,
)
.unit("%");
const TOTAL: Measure = int("total_checks", "ups + downs");
const GOOD: Measure = int("successful_checks", "ups");

const fn ms(name: &'static str, sql: &'static str) -> Measure {
    measure(name, sql, Show::MaybeFloat(2)).unit("ms")
}

const MEAN: Measure = ms("avg_response_time", "mean");
const P50: Measure = ms("p50_response_time", "quantiles[1]");
const P75: Measure = ms("p75_response_time", "quantiles[2]");
const P90: Measure = ms("p90_response_time", "quantiles[3]");
const P95: Measure = ms("p95_response_time", "quantiles[4]");
const P99: Measure = ms("p99_response_time", "quantiles[5]");
const MAX: Measure = ms("max_response_time", "slowest");
const MIN: Measure = ms("min_response_time", "fastest");
const TTFB: Measure = ms("avg_ttfb", "mean_ttfb");
const DNS: Measure = ms("avg_dns", "dns / 1000.0");
const TCP: Measure = ms("avg_tcp", "tcp / 1000.0");
const TLS: Measure = ms("avg_tls", "tls / 1000.0");
const WAIT: Measure = ms("avg_wait", "wait / 1000.0");
const TRANSFER: Measure = ms("avg_transfer", "transfer / 1000.0");
const EXPIRY: Measure = measure("ssl_expiry", "expiry", Show::Time);
const VALID: Measure = measure("ssl_valid", "valid", Show::Truth);

/// What a check said holds until the next one of its monitor, the last until now. A bucket's uptime is a share of its
/// known time.
const SERIES: &str = "WITH checks AS MATERIALIZED (SELECT time, status, duration_ms, ttfb, bucket, \
    greatest(coalesce(next, {until}), time) AS until FROM (SELECT time, status, duration_ms, ttfb, {bucket} AS \
    bucket, lead(time) OVER (PARTITION BY website ORDER BY time, received) AS next FROM {events} WHERE {where} AND \
    kind = kind_of(check)) timed), counted AS (SELECT bucket, count_if(status <= 1) AS number, count_if(status = 1) \
    AS ups, avg(CASE WHEN status = 1 THEN duration_ms END) AS mean, quantile_cont(CASE WHEN status = 1 THEN \
    CAST(duration_ms AS DOUBLE) END, [0.5, 0.95]) AS times, max(CASE WHEN status = 1 THEN duration_ms END) AS \
    slowest, avg(CASE WHEN status = 1 THEN ttfb END) AS mean_ttfb, quantile_cont(CASE WHEN status = 1 THEN CAST(ttfb \
    AS DOUBLE) END, [0.5, 0.95]) AS ttfbs FROM checks GROUP BY bucket), spans AS (SELECT spanned.bucket AS bucket, \
    status, least(until, ends) - greatest(time, begins) AS part FROM {buckets} spanned, checks WHERE time < ends AND \
    until > begins), covered AS (SELECT bucket, coalesce(sum(CASE WHEN status = 1 THEN part END), 0) AS up, \
    coalesce(sum(CASE WHEN status = 0 THEN part END), 0) AS down FROM spans GROUP BY bucket), known AS (SELECT \
    bucket FROM counted UNION DISTINCT SELECT bucket FROM covered) SELECT bucket, round(100.0 * up / nullif(up + \
    down, 0), 2) AS uptime_percentage, coalesce(number, 0) AS total_checks, coalesce(ups, 0) AS successful_checks, \
    round(coalesce(down, 0) / 1000.0, 3) AS downtime_seconds, round(mean, 2) AS avg_response_time, round(times[1], \
    2) AS p50_response_time, round(times[2], 2) AS p95_response_time, slowest AS max_response_time, round(mean_ttfb, \
    2) AS avg_ttfb, round(ttfbs[1], 2) AS p50_ttfb, round(ttfbs[2], 2) AS p95_ttfb FROM known LEFT JOIN counted \
    USING (bucket) LEFT JOIN covered USING (bucket) {page}";

const MS: Show = Show::MaybeFloat(2);
const SERIES_COLUMNS: &[Column] = &[
    column("date", "bucket", Show::Date),
    plain_column("uptime_percentage", Show::MaybeFloat(2)),
    plain_column("total_checks", Show::Int),
    plain_column("successful_checks", Show::Int),
    plain_column("downtime_seconds", Show::Float(3)),
    plain_column("avg_response_time", MS),
    plain_column("p50_response_time", MS),
    plain_column("p95_response_time", MS),
    plain_column("max_response_time", MS),
    plain_column("avg_ttfb", MS),
    plain_column("p50_ttfb", MS),
    plain_column("p95_ttfb", MS),
];

const RECENT: &[Column] = &[
    column("timestamp", "time", Show::Time),
    column("url", "href", Show::Text),
    column("status", "status", Show::Int),
    column("http_code", "http_code", Show::Int),
    column("ttfb_ms", "ttfb", MS),
    column("total_ms", "duration_ms", Show::MaybeInt),
    column("probe_region", "region", Show::Text),
    column("probe_ip", "probe_ip", Show::Text),
    column("ssl_valid", "ssl_valid", Show::Truth),
    column("ssl_expiry", "ssl_expiry", Show::Time),
    column("error", "message", Show::Text),
];

const STATUS: Key = key("coalesce(status, 0)", &[("status", Show::Int)]);
const CODE: Key = key("coalesce(http_code, 0)", &[("http_code", Show::Int)]);
const REGION: Key = text_key!("region", Show::Label("Unknown"), "region");

const fn uptime(by: By, measures: &'static [Measure]) -> QueryType {
    checks(CHECKS, by, measures)
}

const fn checks(fold: BaseAggregate, by: By, measures: &'static [Measure]) -> QueryType {
    measured(Category::Uptime, fold, by, measures)
        .about_things(FILTERS)
        .subject(Subject::Schedule)
}

query_types! {
    "uptime_overview": "Uptime",
        "Share of checks that found the monitor up, response times and certificate"
        => uptime(By::Nothing, &[UPTIME, TOTAL, GOOD, MEAN, P50, P75, P90, P95, P99, MAX, MIN, TTFB,
            EXPIRY, VALID]);
    "uptime_time_series": "Uptime over time",
        "Uptime, downtime and response times of every day or hour that has checks"
        => custom(Category::Uptime, SERIES, SERIES_COLUMNS, "bucket")
            .about_things(FILTERS).subject(Subject::Schedule).ordered("bucket", false)
            .visual(Visual::Timeseries);
    "uptime_status_breakdown": "Outcomes of checks",
        "Checks by status (0 down, 1 up, 2 pending, 3 maintenance, 4 missed) and HTTP status (0 = \
         no answer)"
        => uptime(By::Keys(&[STATUS, CODE]), &[int("count", "checks")])
            .share().visual(Visual::Pie);
    "uptime_recent_checks": "Recent checks", "The newest checks"
        => list(Category::Uptime, "kind = kind_of(check)", RECENT, &["received"])
            .about_things(FILTERS).subject(Subject::Schedule).limit(50);
    "uptime_response_time_trends": "Response times over time",
        "Response times of every day or hour in which the monitor was found up"
        => uptime(By::TimeAnd(&[]), &[MEAN, P50, P75, P90, P95, P99, MIN, MAX, TTFB])
            .keep("ups > 0");
    "uptime_phases": "Phases over time",
        "How long good checks of every day or hour took for finding the address, connecting, \
         encryption, waiting for the first byte, and the rest of the answer"
        => checks(PHASES, By::TimeAnd(&[]), &[GOOD, MEAN, DNS, TCP, TLS, WAIT, TRANSFER]);
    "uptime_ssl_status": "Certificate",
        "When the certificate that was seen last ends, whether it is to be trusted, and checks \
         that saw a bad one"
        => uptime(By::Nothing, &[EXPIRY, VALID, int("invalid_ssl_checks", "invalid")]);
    "uptime_by_region": "Uptime by region", "What the checks of each location found"
        => checks(PLACE_CHECKS, By::Keys(&[REGION]), &[TOTAL, UPTIME, MEAN, P95]);
    "uptime_region_trends": "Response times by region over time",
        "Response times of every day or hour in which the checks of a location found the monitor up"
        => checks(PLACE_CHECKS, By::TimeAnd(&[REGION]), &[MEAN, P50, P95, TTFB]).keep("ups > 0");
    "uptime_region_phases": "Phases by region",
        "How long good checks of each location took for finding the address, connecting, encryption, \
         waiting for the first byte, and the rest of the answer"
        => checks(PLACE_PHASES, By::Keys(&[REGION]), &[GOOD, MEAN, DNS, TCP, TLS, WAIT, TRANSFER]);
}

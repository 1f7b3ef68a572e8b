//! What became of everything that was sent: the balance of the ledger (`events::ledger`), by the time of receipt.
//!
//! Events of the kinds below 64 are what is stored; rows of kind 100 count `value` events that are not. An event of an
//! agent that ran the tracker is ignored and counted there; the page that it was about is a row beside the books.

use super::{
    category::{Category, Visual},
    field::{Field, REASON},
    fold::{BaseAggregate, once},
    measure::{Key, Measure, Show, float, int, key, measure, text_key},
    query_type::{By, QueryType, measured, query_types},
};

const RECEIVED_ROWS: &str = "((kind < kind_of(click) AND coalesce(agent_source, '') <> 'tracker') OR kind = kind_of(counter))";

const BALANCE: BaseAggregate = once(
    RECEIVED_ROWS,
    "count_if(kind < kind_of(click)) AS stored, count_if(kind < kind_of(click) AND bot = 1) AS suspected, \
     count_if(kind < kind_of(click) AND trust = 1) AS trusted, coalesce(sum(CASE WHEN kind = kind_of(counter) THEN \
     value END), 0) AS others, coalesce(sum(CASE WHEN kind = kind_of(counter) AND name = 'duplicate' THEN value \
     END), 0) AS duplicates, coalesce(sum(CASE WHEN kind = kind_of(counter) AND name = 'bot' THEN value END), 0) AS \
     bots, coalesce(sum(CASE WHEN kind = kind_of(counter) AND name = 'opted_out' THEN value END), 0) AS opted_out, \
     coalesce(sum(CASE WHEN kind = kind_of(counter) AND starts_with(name, 'excluded_') THEN value END), 0) AS excluded, \
     coalesce(sum(CASE WHEN kind = kind_of(counter) AND name IN ('rate_limited', 'quota_exceeded') THEN value END), \
     0) AS limited, coalesce(sum(CASE WHEN kind = kind_of(counter) AND name IN ('unavailable', 'internal_error') \
     THEN value END), 0) AS failed",
);

const RECEIVED: Measure = int("received", "stored + others");
const PARTS: &[Measure] = &[
    RECEIVED,
    int("stored", "stored"),
    int("duplicates", "duplicates"),
    int("bots", "bots"),
    int("opted_out", "opted_out"),
    int("excluded", "excluded"),
    int(
        "rejected",
        "others - duplicates - bots - opted_out - excluded - limited - failed",
    ),
    int("rate_limited", "limited"),
    int("unavailable", "failed"),
    int("suspected_bots", "suspected"),
    int("sent_with_key", "trusted"),
    float(
        "rejected_rate",
        "coalesce(100.0 * (others - duplicates - bots - opted_out - excluded) / nullif(stored + others, 0), 0)",
        2,
    )
    .unit("%"),
];

const OUTCOMES: BaseAggregate = once(
    RECEIVED_ROWS,
    "sum(CASE WHEN kind = kind_of(counter) THEN value ELSE 1 END) AS events, min(CASE WHEN kind = kind_of(counter) \
     THEN time ELSE received END) AS oldest, max(received) AS newest",
);
const OUTCOME: Key = key(
    "CASE WHEN kind = kind_of(counter) THEN name ELSE 'stored' END",
    &[("name", Show::Text), ("reason", Show::Text)],
);

/// What each reason means and who can do something about it.
const MEANING: Measure = measure(
    "meaning",
    "CASE k0 WHEN 'stored' THEN 'Stored' \
     WHEN 'duplicate' THEN 'Sent again with an eventId that is stored already' \
     WHEN 'bot' THEN 'Sent by a program that says it is a bot' \
     WHEN 'opted_out' THEN 'The visitor''s browser asks not to be counted' \
     WHEN 'excluded_ip' THEN 'Left out by the setting excludedIps' \
     WHEN 'excluded_country' THEN 'Left out by the setting excludedCountries' \
     WHEN 'excluded_path' THEN 'Left out by the setting excludedPaths' \
     WHEN 'excluded_host' THEN 'Left out by the setting excludedHosts' \
     WHEN 'invalid_body' THEN 'The body or an event in it breaks a rule; the answer says which' \
     WHEN 'too_large' THEN 'The body or an event''s properties are larger than allowed' \
     WHEN 'unsupported_encoding' THEN 'The body is neither plain nor gzip' \
     WHEN 'no_credentials' THEN 'The request names neither a website nor a key' \
     WHEN 'invalid_key' THEN 'The API key is unknown, revoked or expired' \
     WHEN 'missing_scope' THEN 'The API key lacks the scope track:events for the website' \
     WHEN 'unknown_website' THEN 'No website has this client id, or it is switched off' \
     WHEN 'no_organization' THEN 'The website has no organization' \
     WHEN 'origin_missing' THEN 'The website lists allowedOrigins, and the request names no origin' \
     WHEN 'origin_not_authorized' THEN 'The page is neither on the website''s domain nor in allowedOrigins' \
     WHEN 'ip_not_authorized' THEN 'The sender''s address is not in allowedIps' \
     WHEN 'quota_exceeded' THEN 'The plan''s allowance of events is used up' \
     WHEN 'rate_limited' THEN 'More requests in a minute than one sender may make' \
     WHEN 'unavailable' THEN 'The server could not take it; the sender was told to try again' \
     WHEN 'internal_error' THEN 'The server failed' \
     ELSE 'Not stored' END",
    Show::Text,
);

const BLOCKED: BaseAggregate = once(
    "kind = kind_of(counter) AND name IN ('origin_missing', 'origin_not_authorized', 'ip_not_authorized')",
    "sum(value) AS events, min(time) AS oldest, max(received) AS newest",
);
const ORIGIN: Key = text_key!("host", Show::Label("(none)"), "origin");
const WHY: Key = key("name", &[("reason", Show::Text)]);

/// What to change for the origin's events to be accepted.
const FIX: Measure = measure(
    "fix",
    "CASE WHEN k1 = 'ip_not_authorized' THEN \
     'Add the sender''s address or network to the website''s allowedIps, or empty that list' \
     WHEN k1 = 'origin_missing' THEN \
     'Send an Origin header or use an API key; servers have no origin. Or empty the website''s allowedOrigins' \
     WHEN k0 = 'null' THEN \
     'The page is a local file or a sandboxed frame; serve it from the website''s domain, or send with an API key' \
     WHEN k0 = '(malformed)' THEN 'The Origin header is no origin; nothing that a browser would send' \
     WHEN k0 = '(others)' THEN 'Too many different origins in a short time to list each' \
     ELSE concat('If this page is yours, add `', regexp_replace(k0, '^[a-z]+://', ''), \
     '` to the website''s allowedOrigins, or correct the website''s domain') END",
    Show::Text,
);

const fn quality(
    fold: BaseAggregate,
    by: By,
    measures: &'static [Measure],
    filters: &'static [Field],
) -> QueryType {
    measured(Category::DataQuality, fold, by, measures).about_receipt(filters)
}

query_types! {
    "data_quality": "Data quality",
        "What became of everything that was received, by day or hour of receipt: received = stored \
         + duplicates + bots + opted_out + excluded + rejected + rate_limited + unavailable. \
         Refused requests count as one"
        => quality(BALANCE, By::Time, PARTS, &[]);
    "data_quality_totals": "Data quality, totals",
        "What became of everything that was received in the whole range"
        => quality(BALANCE, By::Range, PARTS, &[]);
    "data_quality_reasons": "Data quality by reason",
        "What was received by what became of it and why, with the meaning of each reason"
        => quality(OUTCOMES, By::Keys(&[OUTCOME]), &[int("events", "events"), MEANING,
            measure("first_seen", "oldest", Show::Time),
            measure("last_seen", "newest", Show::Time)], &[REASON]).share().visual(Visual::Bar);
    "blocked_traffic": "Blocked traffic",
        "Requests that the website's origin and address rules refused, by origin and reason, with \
         what to change"
        => quality(BLOCKED, By::Keys(&[ORIGIN, WHY]), &[int("count", "events"),
            measure("first_seen", "oldest", Show::Time),
            measure("last_seen", "newest", Show::Time), FIX], &[REASON]).share();
}

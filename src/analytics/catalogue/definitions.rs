//! What the words of the answers mean; the folds and measures compute exactly this.

/// Each word and its definition, for reference pages.
pub const DEFINITIONS: &[(&str, &str)] = &[
    (
        "rows",
        "Only events of people count: suspected and self-declared bots are left out of every type, but for those about \
         agents and data quality. A filter by `bot_verdict` (`person`, `suspected`, `declared`) says otherwise for one \
         question, the website's `botRules` for all of them; both also decide about what is stored already.",
    ),
    ("pageviews", "Page events named `screen_view`."),
    (
        "visitors",
        "Distinct visitor ids of `screen_view` events; events without one count as pageviews only.",
    ),
    (
        "sessions",
        "Distinct session ids with at least one `screen_view` in the range (or bucket, or group).",
    ),
    (
        "session duration",
        "Sum of the positive `time_on_page` of the session's `page_exit` events, in seconds; 0 without any. \
         Reported as the exact median, sessions of 0 seconds included.",
    ),
    (
        "bounce",
        "A session with exactly one `screen_view`, a duration under 10 seconds, and no other page event, custom \
         event or outgoing link. Vitals, errors and engagement do not count as activity.",
    ),
    (
        "total events",
        "Page events, custom events and outgoing links together.",
    ),
    (
        "percentage",
        "Share of the type's first measure over all rows before `limit`, two decimals.",
    ),
    (
        "series",
        "A bucket's row says what the totals of that bucket alone would say: a session or visitor counts in every \
         bucket it touches. Buckets without events up to now are rows of zeros.",
    ),
    (
        "data quality",
        "Counted by the time of receipt, bots included. Stored, duplicates, bots, opt-outs, exclusions and invalid bodies \
         count events; a request that was refused before (limits, credentials, origin, address, size) counts as one.",
    ),
    (
        "trust",
        "`key` for events that were sent with an API key, `client` for those sent with the public client id, which \
         anyone may copy.",
    ),
    ("percentiles", "Exact, interpolated between neighbours."),
];

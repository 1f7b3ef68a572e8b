//! Reports about performance, errors and data quality.

use super::{
    BorrowedColumn,
    Format::{Count, Filter, Long, Millis, Percent, Text, Vital, Word, WordFilter},
    LAST_SEEN, PAGE, Report, SESSION, TIME, column, facts, rows,
};
use crate::pages::frame::NavItem;

pub(super) const VITALS: Report = Report {
    path: "/console/site/{id}/vitals",
    place: NavItem::Vitals,
    title: "Web vitals",
    says: "How fast pages are for three of four visitors (p75), rated as browsers' makers do.",
    none: "No measurement in these days",
    next: "The script measures by itself in browsers that can; see on the page “Tracking” whether it is there.",
    settings: &[],
    tables: &[
        rows("All pages", "vitals_overview").with(&[
            column("metric_name", "Vital", Text),
            column("samples", "Measured", Count),
            column("p50", "Median", Vital("")),
            column("p75", "p75", Vital("")),
            column("p95", "p95", Vital("")),
        ]),
        rows("By page", "web_vitals_by_page").with(&[
            PAGE,
            column("measurements", "Samples of all vitals", Count),
            column("p75_lcp", "LCP", Vital("LCP")),
            column("p75_inp", "INP", Vital("INP")),
            column("p75_cls", "CLS", Vital("CLS")),
            column("p75_fcp", "FCP", Vital("FCP")),
            column("p75_ttfb", "TTFB", Vital("TTFB")),
        ]),
        rows("By country", "web_vitals_by_country").with(&[
            column("name", "Country", Filter("country")),
            column("measurements", "Samples of all vitals", Count),
            column("p75_lcp", "LCP", Vital("LCP")),
            column("p75_inp", "INP", Vital("INP")),
            column("p75_cls", "CLS", Vital("CLS")),
            column("p75_ttfb", "TTFB", Vital("TTFB")),
        ]),
        rows("Slowest pages to load", "slow_pages").with(&[
            PAGE,
            column("pageviews", "Views", Count),
            column("avg_load_time", "On average", Millis),
            column("p50_load_time", "Median", Millis),
            column("p95_load_time", "p95", Millis),
            column("avg_ttfb", "First byte", Millis),
        ]),
    ],
};

pub(super) const ERRORS: Report = Report {
    path: "/console/site/{id}/errors",
    place: NavItem::Errors,
    title: "Errors",
    says: "What breaks in visitors' browsers.",
    none: "No error in these days",
    next: "That is good news, if the page “Tracking” says that events arrive.",
    settings: &[],
    tables: &[
        facts("All together", "error_summary").with(&[
            column("totalErrors", "Errors", Count),
            column("uniqueErrorTypes", "Kinds", Count),
            column("affectedUsers", "Visitors", Count),
            column("affectedSessions", "Visits", Count),
            column("errorRate", "Of all visits", Percent),
        ]),
        rows("Grouped", "error_types")
            .with(&[
                column("name", "Error", Filter("message")),
                column("count", "Times", Count),
                column("users", "Visitors", Count),
                LAST_SEEN,
                column("stack", "Stack of the newest", Long),
            ])
            .borrowing(BorrowedColumn {
                kind: "recent_errors",
                by: ("name", "message"),
                name: "stack",
            }),
        rows("By page", "errors_by_page").with(&[
            PAGE,
            column("errors", "Errors", Count),
            column("users", "Visitors", Count),
        ]),
        rows("Newest", "recent_errors").with(&[
            TIME,
            column("message", "Message", Filter("message")),
            column("stack", "Stack", Long),
            PAGE,
            column("browser_name", "Browser", Text),
            SESSION,
        ]),
    ],
};

pub(super) const QUALITY: Report = Report {
    path: "/console/site/{id}/quality",
    place: NavItem::Quality,
    title: "Data quality",
    says: "What was received, by the time of receipt, and what became of it.",
    none: "Nothing was received in these days",
    next: "See on the page “Tracking” how to begin.",
    settings: &[],
    tables: &[
        facts("All together", "data_quality_totals").with(&[
            column("received", "Received", Count),
            column("stored", "Stored", Count),
            column("duplicates", "Duplicates", Count),
            column("bots", "Bots", Count),
            column("opted_out", "Opted out", Count),
            column("excluded", "Excluded", Count),
            column("rejected", "Refused", Count),
            column("suspected_bots", "Suspected bots", Count),
        ]),
        rows("What became of it", "data_quality_reasons").with(&[
            column("name", "Reason", WordFilter("reason")),
            column("events", "Events", Count),
            column("percentage", "Share", Percent),
            column("meaning", "Meaning", Text),
            LAST_SEEN,
        ]),
        rows("What was refused", "blocked_traffic").with(&[
            column("origin", "Origin", Text),
            column("reason", "Reason", Word),
            column("count", "Requests", Count),
            LAST_SEEN,
            column("fix", "What to change", Text),
        ]),
        rows("Who may be a bot", "suspected_bots").with(&[
            column("verdict", "Verdict", Word),
            column("reasons", "Because of", Word),
            column("events", "Events", Count),
            column("visitors", "Visitors", Count),
            LAST_SEEN,
        ]),
    ],
};

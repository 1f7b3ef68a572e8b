//! Reports about performance, errors and data quality.

use super::{
    BorrowedColumn,
    Format::{Count, Filter, Long, Millis, Percent, Text, Vital, Word, WordFilter},
    LAST_SEEN, NO_DATA, PAGE, Report, SESSION, TIME, column, facts, rows,
};
use crate::pages::frame::NavItem;

pub(super) const VITALS: Report = Report {
    path: "/console/site/{id}/vitals",
    place: NavItem::Vitals,
    title: "Web vitals",
    says: "Real page loads, rated by the Core Web Vitals thresholds at the 75th percentile (p75).",
    none: NO_DATA,
    next: "The script measures web vitals automatically. Check it on the Installation page.",
    settings: &[],
    tables: &[
        rows("Metrics", "vitals_overview").with(&[
            column("metric_name", "Metric", Text),
            column("samples", "Samples", Count),
            column("p50", "Median", Vital("")),
            column("p75", "p75", Vital("")),
            column("p95", "p95", Vital("")),
        ]),
        rows("By page", "web_vitals_by_page").with(&[
            PAGE,
            column("measurements", "Samples", Count),
            column("p75_lcp", "LCP", Vital("LCP")),
            column("p75_inp", "INP", Vital("INP")),
            column("p75_cls", "CLS", Vital("CLS")),
            column("p75_fcp", "FCP", Vital("FCP")),
            column("p75_ttfb", "TTFB", Vital("TTFB")),
        ]),
        rows("By country", "web_vitals_by_country").with(&[
            column("name", "Country", Filter("country")),
            column("measurements", "Samples", Count),
            column("p75_lcp", "LCP", Vital("LCP")),
            column("p75_inp", "INP", Vital("INP")),
            column("p75_cls", "CLS", Vital("CLS")),
            column("p75_ttfb", "TTFB", Vital("TTFB")),
        ]),
        rows("Slowest pages", "slow_pages").with(&[
            PAGE,
            column("pageviews", "Pageviews", Count),
            column("avg_load_time", "Average", Millis),
            column("p50_load_time", "Median", Millis),
            column("p95_load_time", "p95", Millis),
            column("avg_ttfb", "TTFB", Millis),
        ]),
    ],
};

pub(super) const ERRORS: Report = Report {
    path: "/console/site/{id}/errors",
    place: NavItem::Errors,
    title: "Errors",
    says: "JavaScript errors in your visitors' browsers.",
    none: "No errors in this period",
    next: "Check on the Installation page that events arrive.",
    settings: &[],
    tables: &[
        facts("Summary", "error_summary").with(&[
            column("totalErrors", "Errors", Count),
            column("uniqueErrorTypes", "Error types", Count),
            column("affectedUsers", "Visitors", Count),
            column("affectedSessions", "Sessions", Count),
            column("errorRate", "Error rate", Percent),
        ]),
        rows("By message", "error_types")
            .with(&[
                column("name", "Error", Filter("message")),
                column("count", "Occurrences", Count),
                column("users", "Visitors", Count),
                LAST_SEEN,
                column("stack", "Latest stack trace", Long),
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
        rows("Latest", "recent_errors").with(&[
            TIME,
            column("message", "Message", Filter("message")),
            column("stack", "Stack trace", Long),
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
    says: "What pharos received, by time of receipt, and the outcome.",
    none: NO_DATA,
    next: "Install the script on your pages first. See the Installation page.",
    settings: &[],
    tables: &[
        facts("Summary", "data_quality_totals").with(&[
            column("received", "Received", Count),
            column("stored", "Stored", Count),
            column("duplicates", "Duplicates", Count),
            column("bots", "Bots", Count),
            column("opted_out", "Opted out", Count),
            column("excluded", "Excluded", Count),
            column("rejected", "Rejected", Count),
            column("suspected_bots", "Suspected bots", Count),
        ]),
        rows("Outcome", "data_quality_reasons").with(&[
            column("name", "Reason", WordFilter("reason")),
            column("events", "Events", Count),
            column("percentage", "Share", Percent),
            column("meaning", "Meaning", Text),
            LAST_SEEN,
        ]),
        rows("Rejected requests", "blocked_traffic").with(&[
            column("origin", "Origin", Text),
            column("reason", "Reason", Word),
            column("count", "Requests", Count),
            LAST_SEEN,
            column("fix", "Fix", Text),
        ]),
        rows("Suspected bots", "suspected_bots").with(&[
            column("verdict", "Verdict", Word),
            column("reasons", "Signals", Word),
            column("events", "Events", Count),
            column("visitors", "Visitors", Count),
            LAST_SEEN,
        ]),
    ],
};

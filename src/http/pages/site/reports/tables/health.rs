//! Reports about performance, errors and data quality.

use super::{
    Format::{Count, Filter, Long, Millis, Percent, Text, Time, Vital, Word, WordFilter},
    LAST_SEEN, PAGE, Report, SESSION, STATUS, TIME, TREND, column, drawing, facts, report, rows,
};
use crate::{
    http::pages::site::reports::{error_statuses, trend::count, vitals},
    pages::frame::NavItem,
};

pub(super) const VITALS: Report = Report {
    says: "Real page loads, rated by the Core Web Vitals thresholds at the 75th percentile (p75).",
    next: "The script measures web vitals automatically. Check it on the Installation page.",
    tables: &[
        drawing(
            "Core Web Vitals",
            "vitals_ratings",
            vitals::draw,
            &["vitals_overview", "web_vitals_time_series"],
        ),
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
    ..report("/console/site/{id}/vitals", NavItem::Vitals, "Web vitals")
};

pub(super) const ERRORS: Report = Report {
    says: "JavaScript errors in your visitors' browsers.",
    none: "No errors in this period",
    next: "Check on the Installation page that events arrive.",
    trends: &[count("Errors", "error_chart_data", "totalErrors")],
    tables: &[
        facts("Summary", "error_summary").with(&[
            column("totalErrors", "Errors", Count),
            column("uniqueErrorTypes", "Error types", Count),
            column("affectedUsers", "Visitors", Count),
            column("affectedSessions", "Sessions", Count),
            column("errorRate", "Error rate", Percent),
        ]),
        rows("By message", "error_types")
            .spark("error_trends_by_message", ("name", "name"), "count")
            .drawing(error_statuses::draw_tabs, &[])
            .with(&[
                column("name", "Error", Filter("message")),
                STATUS,
                TREND,
                column("count", "Occurrences", Count),
                column("users", "Visitors", Count),
                column("browsers", "Browsers", Count),
                column("pages", "Pages", Count),
                column("first_seen", "First seen", Time),
                LAST_SEEN,
            ]),
        rows("By page", "errors_by_page").with(&[
            PAGE,
            column("errors", "Errors", Count),
            column("users", "Visitors", Count),
        ]),
        rows("By browser", "errors_by_browser").with(&[
            column("name", "Browser", Filter("browser_name")),
            column("errors", "Errors", Count),
            column("users", "Visitors", Count),
        ]),
        rows("Latest", "recent_errors")
            .total("error_summary", "totalErrors")
            .with(&[
                TIME,
                column("message", "Message", Filter("message")),
                column("stack", "Stack trace", Long),
                PAGE,
                column("browser_name", "Browser", Text),
                SESSION,
            ]),
    ],
    ..report("/console/site/{id}/errors", NavItem::Errors, "Errors")
};

pub(super) const QUALITY: Report = Report {
    says: "What pharos received, by time of receipt, and the outcome.",
    next: "Install the script on your pages first. See the Installation page.",
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
    ..report(
        "/console/site/{id}/quality",
        NavItem::Quality,
        "Data quality",
    )
};

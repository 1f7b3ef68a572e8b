//! Reports about events, engagement and revenue.

use super::{
    Column, EVENT,
    Format::{Count, Decimal, Event, Long, Money, Percent, Seconds, Text, Time, Word},
    PAGE, Report, SESSION, TIME, TREND, VISITORS, column, drawing, facts, report, rows,
};
use crate::{
    http::pages::site::reports::{
        properties,
        trend::{amounts, count, duration, share},
    },
    pages::frame::NavItem,
};

const EVENTS_TREND: &[super::Trend] = &[count("Events", "custom_events_trends", "total_events")];

pub(super) const EVENTS: Report = Report {
    says: "Custom events from your pages and servers.",
    next: "Call pharos.track(\"signup\") in your pages, or send events to /track from a server.",
    trends: EVENTS_TREND,
    tables: &[
        facts("Summary", "custom_events_summary").with(&[
            column("total_events", "Events", Count),
            column("unique_event_types", "Distinct events", Count),
            VISITORS,
            column("unique_sessions", "Sessions", Count),
        ]),
        rows("By name", "custom_events")
            .spark(
                "custom_events_trends_by_event",
                ("name", "event_name"),
                "total_events",
            )
            .with(&[
                column("name", "Event", Event),
                TREND,
                column("total_events", "Events", Count),
                VISITORS,
                column("unique_sessions", "Sessions", Count),
                column("last_occurrence", "Last seen", Time),
            ]),
        rows("Latest", "custom_events_recent")
            .total("custom_events_summary", "total_events")
            .with(RECENT),
    ],
    ..report("/console/site/{id}/events", NavItem::Events, "Events")
};

const RECENT: &[Column] = &[
    TIME,
    EVENT,
    PAGE,
    column("properties", "Properties", Long),
    SESSION,
];

/// One custom event, which its filter names.
pub(super) const EVENT_DETAILS: Report = Report {
    says: "Custom event",
    subject: Some(("event_name", "/console/site/{id}/events")),
    trends: EVENTS_TREND,
    tables: &[
        facts("Summary", "custom_events").with(&[
            column("total_events", "Events", Count),
            VISITORS,
            column("unique_sessions", "Sessions", Count),
            column("first_occurrence", "First seen", Time),
            column("last_occurrence", "Last seen", Time),
        ]),
        rows("Properties", "custom_events_property_classification").with(&[
            column("property_key", "Property", Text),
            column("classification", "Type", Word),
            column("total_events", "Events", Count),
            column("unique_values", "Distinct values", Count),
        ]),
        drawing(
            "Property values",
            "custom_events_property_top_values",
            properties::draw,
            &[],
        ),
        rows("By page", "custom_events_by_path").with(&[
            PAGE,
            column("total_events", "Events", Count),
            VISITORS,
            column("unique_sessions", "Sessions", Count),
        ]),
        rows("Latest", "custom_events_recent")
            .total("custom_events_summary", "total_events")
            .with(RECENT),
    ],
    ..report("/console/site/{id}/event", NavItem::Events, "Event")
};

pub(super) const ENGAGEMENT: Report = Report {
    says: "How visitors read, click, and scroll.",
    next: "The script collects engagement automatically. Check it on the Installation page.",
    trends: &[
        duration("Active time", "engagement_time_series", "avg_active_time"),
        share("Scroll depth", "engagement_time_series", "avg_scroll_depth"),
    ],
    tables: &[
        facts("Summary", "engagement_summary").with(&[
            column("page_views", "Measured views", Count),
            column("avg_time_on_page", "Time on page", Seconds),
            column("avg_active_time", "Active time", Seconds),
            column("avg_scroll_depth", "Scroll depth", Percent),
        ]),
        facts("Interactions", "interaction_summary").with(&[
            column("interaction_rate", "Interaction rate", Percent),
            column("avg_interactions", "Interactions per view", Decimal),
            column("interactive_sessions", "Interactive sessions", Count),
        ]),
        rows("Frustration", "frustration_by_page")
            .sorted_by("frustrated_views")
            .with(&[
                PAGE,
                column("page_views", "Measured views", Count),
                column("frustrated_views", "Frustrated views", Count),
                column("rage_click_rate", "Rage clicks", Percent),
                column("dead_click_rate", "Dead clicks", Percent),
                column("error_rate", "Errors", Percent),
                column("top_rage_click_target", "Top element", Long),
            ]),
        rows("Attention", "engagement_quality_by_page").with(&[
            PAGE,
            column("page_views", "Measured views", Count),
            column("avg_time_on_page", "Time on page", Seconds),
            column("avg_active_time", "Active time", Seconds),
            column("avg_scroll_depth", "Scroll depth", Percent),
            column("avg_interactions", "Interactions", Decimal),
        ]),
        rows("Forms", "form_abandonment_by_page").with(&[
            PAGE,
            column("form_starts", "Started", Count),
            column("form_submits", "Submitted", Count),
            column("abandonment_rate", "Abandonment rate", Percent),
            column("top_abandoned_field", "Top abandoned field", Text),
        ]),
    ],
    ..report(
        "/console/site/{id}/engagement",
        NavItem::Engagement,
        "Engagement",
    )
};

pub(super) const REVENUE: Report = Report {
    says: "Events with a revenue property. Currencies are never added up.",
    next: "Send events with the properties revenue, currency, and product.",
    trends: &[amounts(
        "Net revenue",
        "revenue_time_series",
        "net_revenue",
        "currency",
    )],
    tables: &[
        rows("By currency", "revenue_overview").with(&[
            column("currency", "Currency", Text),
            column("net_revenue", "Net revenue", Money),
            column("total_revenue", "Gross revenue", Money),
            column("refund_amount", "Refunds", Money),
            column("total_transactions", "Transactions", Count),
            column("unique_customers", "Customers", Count),
            column("average_transaction", "Average order", Money),
        ]),
        rows("By product", "revenue_by_product").with(MONEY),
        rows("By source", "revenue_by_referrer").with(MONEY),
        rows("By campaign", "revenue_by_utm_campaign").with(MONEY),
        rows("Latest", "recent_transactions").with(&[
            TIME,
            EVENT,
            column("amount", "Amount", Money),
            column("currency", "Currency", Text),
            column("product", "Product", Text),
            SESSION,
        ]),
    ],
    ..report("/console/site/{id}/revenue", NavItem::Revenue, "Revenue")
};

const MONEY: &[Column] = &[
    column("name", "Name", Text),
    column("currency", "Currency", Text),
    column("net_revenue", "Net revenue", Money),
    column("total_transactions", "Transactions", Count),
    column("unique_customers", "Customers", Count),
];

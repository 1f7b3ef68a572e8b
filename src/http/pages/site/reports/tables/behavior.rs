//! Reports about events, engagement and revenue.

use super::{
    Column, EVENT,
    Format::{Count, Decimal, Filter, Long, Money, Percent, Seconds, Text, Time},
    NO_DATA, PAGE, Report, SESSION, TIME, VISITORS, column, facts, rows,
};
use crate::pages::frame::NavItem;

pub(super) const EVENTS: Report = Report {
    path: "/console/site/{id}/events",
    place: NavItem::Events,
    title: "Events",
    says: "Custom events from your pages and servers.",
    none: NO_DATA,
    next: "Call pharos.track(\"signup\") in your pages, or send events to /track from a server.",
    settings: &[],
    tables: &[
        facts("Summary", "custom_events_summary").with(&[
            column("total_events", "Events", Count),
            column("unique_event_types", "Distinct events", Count),
            VISITORS,
            column("unique_sessions", "Sessions", Count),
        ]),
        rows("By name", "custom_events").with(&[
            column("name", "Event", Filter("event_name")),
            column("total_events", "Events", Count),
            VISITORS,
            column("unique_sessions", "Sessions", Count),
            column("last_occurrence", "Last seen", Time),
        ]),
        rows("Property values", "custom_events_property_top_values").with(&[
            column("name", "Event", Filter("event_name")),
            column("property_key", "Property", Text),
            column("property_value", "Value", Text),
            column("count", "Events", Count),
            VISITORS,
            column("percentage", "Share", Percent),
        ]),
        rows("Latest", "custom_events_recent").with(&[
            TIME,
            EVENT,
            PAGE,
            column("properties", "Properties", Long),
            SESSION,
        ]),
    ],
};

pub(super) const ENGAGEMENT: Report = Report {
    path: "/console/site/{id}/engagement",
    place: NavItem::Engagement,
    title: "Engagement",
    says: "How visitors read, click, and scroll.",
    none: NO_DATA,
    next: "The script collects engagement automatically. Check it on the Installation page.",
    settings: &[],
    tables: &[
        facts("Scroll depth", "scroll_depth_summary").with(&[
            column("avg_scroll_depth", "Average scroll depth", Percent),
            column("total_sessions", "Sessions", Count),
            column("visitors", "Visitors", Count),
        ]),
        facts("Interactions", "interaction_summary").with(&[
            column("interaction_rate", "Interaction rate", Percent),
            column("avg_interactions", "Interactions per view", Decimal),
            column("interactive_sessions", "Interactive sessions", Count),
        ]),
        rows("Frustration", "frustration_by_page").with(&[
            PAGE,
            column("page_views", "Measured views", Count),
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
};

pub(super) const REVENUE: Report = Report {
    path: "/console/site/{id}/revenue",
    place: NavItem::Revenue,
    title: "Revenue",
    says: "Events with a revenue property. Currencies are never added up.",
    none: NO_DATA,
    next: "Send events with the properties revenue, currency, and product.",
    settings: &[],
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
};

const MONEY: &[Column] = &[
    column("name", "Name", Text),
    column("currency", "Currency", Text),
    column("net_revenue", "Net revenue", Money),
    column("total_transactions", "Transactions", Count),
    column("unique_customers", "Customers", Count),
];

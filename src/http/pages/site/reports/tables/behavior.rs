//! Reports about events, engagement and revenue.

use super::{
    Column, EVENT,
    Format::{Count, Decimal, Filter, Long, Money, Percent, Seconds, Text, Time},
    PAGE, Report, SESSION, TIME, VISITORS, column, facts, rows,
};
use crate::pages::frame::NavItem;

pub(super) const EVENTS: Report = Report {
    path: "/console/site/{id}/events",
    place: NavItem::Events,
    title: "Events",
    says: "What people do, as your pages and servers say it.",
    none: "No custom event in these days",
    next: "Send them with the script, as pharos.track(\"signup\"), or from servers to /track; the reference has examples.",
    settings: &[],
    tables: &[
        facts("All together", "custom_events_summary").with(&[
            column("total_events", "Events", Count),
            column("unique_event_types", "Kinds", Count),
            VISITORS,
            column("unique_sessions", "Visits", Count),
        ]),
        rows("By name", "custom_events").with(&[
            column("name", "Event", Filter("event_name")),
            column("total_events", "Events", Count),
            VISITORS,
            column("unique_sessions", "Visits", Count),
            column("last_occurrence", "Last", Time),
        ]),
        rows("Values of properties", "custom_events_property_top_values").with(&[
            column("name", "Event", Filter("event_name")),
            column("property_key", "Property", Text),
            column("property_value", "Value", Text),
            column("count", "Events", Count),
            VISITORS,
            column("percentage", "Share", Percent),
        ]),
        rows("Newest", "custom_events_recent").with(&[
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
    says: "How far people read, and what annoys them.",
    none: "Nothing is known of how people use the pages in these days",
    next: "The script sends it by itself; see on the page “Tracking” whether it is there.",
    settings: &[],
    tables: &[
        facts("Scrolling", "scroll_depth_summary").with(&[
            column("avg_scroll_depth", "Depth on average", Percent),
            column("total_sessions", "Visits", Count),
            column("visitors", "Visitors", Count),
        ]),
        facts("Interactions", "interaction_summary").with(&[
            column("interaction_rate", "Visits that interact", Percent),
            column("avg_interactions", "Interactions a view", Decimal),
            column("interactive_sessions", "Such visits", Count),
        ]),
        rows("Frustration", "frustration_by_page").with(&[
            PAGE,
            column("page_views", "Views measured", Count),
            column("rage_click_rate", "Rage clicks", Percent),
            column("dead_click_rate", "Dead clicks", Percent),
            column("error_rate", "Errors", Percent),
            column("top_rage_click_target", "Mostly on", Long),
        ]),
        rows("Attention", "engagement_quality_by_page").with(&[
            PAGE,
            column("page_views", "Views measured", Count),
            column("avg_time_on_page", "Time on it", Seconds),
            column("avg_active_time", "Active", Seconds),
            column("avg_scroll_depth", "Depth", Percent),
            column("avg_interactions", "Interactions", Decimal),
        ]),
        rows("Forms", "form_abandonment_by_page").with(&[
            PAGE,
            column("form_starts", "Begun", Count),
            column("form_submits", "Sent", Count),
            column("abandonment_rate", "Given up", Percent),
            column("top_abandoned_field", "Mostly at", Text),
        ]),
    ],
};

pub(super) const REVENUE: Report = Report {
    path: "/console/site/{id}/revenue",
    place: NavItem::Revenue,
    title: "Revenue",
    says: "Events with the property “revenue”; currencies are never added up.",
    none: "No revenue in these days",
    next: "Send events with the properties “revenue”, “currency” and “product”.",
    settings: &[],
    tables: &[
        rows("By currency", "revenue_overview").with(&[
            column("currency", "Currency", Text),
            column("net_revenue", "Net", Money),
            column("total_revenue", "Gross", Money),
            column("refund_amount", "Given back", Money),
            column("total_transactions", "Payments", Count),
            column("unique_customers", "Customers", Count),
            column("average_transaction", "On average", Money),
        ]),
        rows("By product", "revenue_by_product").with(MONEY),
        rows("By source of the visit", "revenue_by_referrer").with(MONEY),
        rows("By campaign", "revenue_by_utm_campaign").with(MONEY),
        rows("Newest", "recent_transactions").with(&[
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
    column("net_revenue", "Net", Money),
    column("total_transactions", "Payments", Count),
    column("unique_customers", "Customers", Count),
];

//! Reports about sessions and users.

use super::{
    FEWER, NO_DATA,
    Format::{
        Count, Day, Decimal, Filter, NextPage, Percent, Periods, Person, Seconds, Text, Time,
    },
    Report, SESSION, column, facts, rows, setting,
};
use crate::pages::frame::NavItem;

pub(super) const SESSIONS: Report = Report {
    path: "/console/site/{id}/sessions",
    place: NavItem::Sessions,
    title: "Sessions",
    says: "Latest first. Open a session to see its events.",
    none: NO_DATA,
    next: FEWER,
    settings: &[],
    tables: &[
        facts("Summary", "session_metrics").with(&[
            column("sessions", "Sessions", Count),
            column("pages_per_session", "Views per session", Decimal),
            column("bounce_rate", "Bounce rate", Percent),
            column("median_session_duration", "Median session duration", Seconds),
            column("avg_session_duration", "Average session duration", Seconds),
        ]),
        rows("Latest", "session_list").with(&[
            column("first_visit", "Started", Time),
            SESSION,
            column("page_views", "Pageviews", Count),
            column("total_events", "Events", Count),
            column("visitor_id", "Visitor", Person),
            column("referrer", "Source", Filter("referrer")),
            column("country", "Country", Filter("country")),
            column("device_type", "Device", Filter("device_type")),
            column("browser_name", "Browser", Filter("browser_name")),
            column("os_name", "Operating system", Filter("os_name")),
        ]),
    ],
};

pub(super) const PEOPLE: Report = Report {
    path: "/console/site/{id}/people",
    place: NavItem::People,
    title: "Users",
    says: "Identified users and anonymous visitors.",
    none: NO_DATA,
    next: FEWER,
    settings: &[],
    tables: &[
        facts("Summary", "profile_metrics").with(&[
            column("profiles", "Users", Count),
            column("identified_profiles", "Identified", Count),
            column("returning_visitors", "Returning", Count),
            column("returning_rate", "Returning rate", Percent),
            column("avg_sessions_per_profile", "Sessions per user", Decimal),
        ]),
        rows("Latest", "profile_list").with(&[
            column("visitor_id", "User", Person),
            column("last_visit", "Last seen", Time),
            column("first_visit", "First seen", Time),
            column("session_count", "Sessions", Count),
            column("total_events", "Events", Count),
            column("country", "Country", Filter("country")),
            column("device_type", "Device", Filter("device_type")),
            column("browser_name", "Browser", Filter("browser_name")),
        ]),
    ],
};

pub(super) const JOURNEYS: Report = Report {
    path: "/console/site/{id}/journeys",
    place: NavItem::Journeys,
    title: "User paths",
    says: "How sessions move from page to page.",
    none: NO_DATA,
    next: FEWER,
    settings: &[
        setting("journey_start", "Starting page", "/pricing"),
        setting("journey_steps", "Depth", "5").kind("number"),
    ],
    tables: &[rows("Paths", "user_journeys").with(&[
        column("step", "Step", Count),
        column("source", "From", Text),
        column("target", "To", NextPage),
        column("sessions", "Sessions", Count),
        column("visitors", "Visitors", Count),
        column("percentage", "Share of step", Percent),
    ])],
};

pub(super) const RETENTION: Report = Report {
    path: "/console/site/{id}/retention",
    place: NavItem::Retention,
    title: "Retention",
    says: "How many users come back after their first visit.",
    none: NO_DATA,
    next: FEWER,
    settings: &[
        setting("cohort_width", "Cohort size", "").among(&[
            ("", "Day"),
            ("7", "Week"),
            ("14", "2 weeks"),
        ]),
        setting("activation_event", "Start event", "signup"),
        setting("return_event", "Return event", "purchase"),
        setting("horizon_days", "Return within", "").among(&[
            ("", "Choose"),
            ("7", "7 days"),
            ("30", "30 days"),
        ]),
        setting("observation_end", "Observed until", "").kind("date"),
    ],
    tables: &[
        facts("Summary", "returning_visitors").with(&[
            column("returning_visitors", "Returning", Count),
            column("profiles", "Users", Count),
            column("returning_rate", "Returning rate", Percent),
        ]),
        rows("Cohorts", "retention_cohorts").with(&[
            column("cohort_date", "Cohort", Day),
            column("people", "Users", Count),
            column("periods", "Retention (%)", Periods),
        ]),
        rows("Event retention", "identified_profile_retention")
        .with(&[
            column("cohort_date", "Cohort", Day),
            column("activated_profiles", "Users", Count),
            column("eligible_profiles", "Eligible users", Count),
            column("retained_profiles", "Returning", Count),
            column("retention_rate", "Retention rate", Percent),
            column(
                "activation_identity_coverage",
                "Identified events",
                Percent,
            ),
        ])
        .needs(&[
            "activation_event",
            "return_event",
            "horizon_days",
            "observation_end",
        ]),
    ],
};

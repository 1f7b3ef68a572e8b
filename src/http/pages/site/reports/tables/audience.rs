//! Reports about sessions and users.

use super::{
    Format::{Count, Day, Decimal, Filter, NextPage, Percent, Person, Seconds, Text, Time},
    Report, SESSION, column, drawing, facts, report, rows, setting,
};
use crate::{
    http::pages::site::reports::{cohorts, paths, trend::count},
    pages::frame::NavItem,
};

pub(super) const SESSIONS: Report = Report {
    says: "Latest first. Open a session to see its events.",
    trends: &[count("Sessions", "sessions_time_series", "sessions")],
    tables: &[
        facts("Summary", "session_metrics").with(&[
            column("sessions", "Sessions", Count),
            column("pages_per_session", "Views per session", Decimal),
            column("bounce_rate", "Bounce rate", Percent),
            column(
                "median_session_duration",
                "Median session duration",
                Seconds,
            ),
            column("avg_session_duration", "Average session duration", Seconds),
        ]),
        rows("Latest", "session_list")
            .total("session_metrics", "sessions")
            .with(&[
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
    ..report("/console/site/{id}/sessions", NavItem::Sessions, "Sessions")
};

pub(super) const PEOPLE: Report = Report {
    says: "Identified users and anonymous visitors.",
    tables: &[
        facts("Summary", "profile_metrics").with(&[
            column("profiles", "Users", Count),
            column("identified_profiles", "Identified", Count),
            column("returning_visitors", "Returning", Count),
            column("returning_rate", "Returning rate", Percent),
            column("avg_sessions_per_profile", "Sessions per user", Decimal),
        ]),
        rows("Latest", "profile_list")
            .total("profile_metrics", "profiles")
            .with(&[
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
    ..report("/console/site/{id}/people", NavItem::Users, "Users")
};

pub(super) const JOURNEYS: Report = Report {
    says: "How sessions move from page to page. Click a page to start there.",
    settings: &[
        setting("journey_start", "Starting page", "/pricing"),
        setting("journey_steps", "Depth", "5").kind("number"),
    ],
    tables: &[rows("Paths", "user_journeys")
        .drawing(paths::draw, &[])
        .with(&[
            column("step", "Step", Count),
            column("source", "From", Text),
            column("target", "To", NextPage),
            column("sessions", "Sessions", Count),
            column("visitors", "Visitors", Count),
            column("percentage", "Share of step", Percent),
        ])],
    ..report(
        "/console/site/{id}/journeys",
        NavItem::UserPaths,
        "User paths",
    )
};

pub(super) const RETENTION: Report = Report {
    says: "How many users come back after their first visit.",
    settings: &[
        setting("cohort_width", "Cohort size", "")
            .among(&[
                ("", "Automatic"),
                ("1", "Day"),
                ("7", "Week"),
                ("14", "2 weeks"),
            ])
            .automatic(cohorts::usual_width),
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
        drawing("Cohorts", "retention_cohorts", cohorts::draw, &[]),
        rows("Event retention", "identified_profile_retention")
            .with(&[
                column("cohort_date", "Cohort", Day),
                column("activated_profiles", "Users", Count),
                column("eligible_profiles", "Eligible users", Count),
                column("retained_profiles", "Returning", Count),
                column("retention_rate", "Retention rate", Percent),
                column("activation_identity_coverage", "Identified events", Percent),
            ])
            .needs(&[
                "activation_event",
                "return_event",
                "horizon_days",
                "observation_end",
            ]),
    ],
    ..report(
        "/console/site/{id}/retention",
        NavItem::Retention,
        "Retention",
    )
};

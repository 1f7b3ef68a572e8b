//! Reports about sessions and users.

use super::{
    FEWER,
    Format::{
        Count, Day, Decimal, Filter, NextPage, Percent, Periods, Person, Seconds, Text, Time,
    },
    Report, SESSION, column, facts, rows, setting,
};
use crate::pages::frame::NavItem;

pub(super) const SESSIONS: Report = Report {
    path: "/console/site/{id}/sessions",
    place: NavItem::Sessions,
    title: "Visits",
    says: "The newest first; open one to see it event by event.",
    none: "No visit in these days",
    next: FEWER,
    settings: &[],
    tables: &[
        facts("All together", "session_metrics").with(&[
            column("sessions", "Visits", Count),
            column("pages_per_session", "Views a visit", Decimal),
            column("bounce_rate", "Bounces", Percent),
            column("median_session_duration", "Median", Seconds),
            column("avg_session_duration", "On average", Seconds),
        ]),
        rows("Newest", "session_list").with(&[
            column("first_visit", "Began", Time),
            SESSION,
            column("page_views", "Views", Count),
            column("total_events", "Events", Count),
            column("visitor_id", "Visitor", Person),
            column("referrer", "From", Filter("referrer")),
            column("country", "Country", Filter("country")),
            column("device_type", "Device", Filter("device_type")),
            column("browser_name", "Browser", Filter("browser_name")),
            column("os_name", "System", Filter("os_name")),
        ]),
    ],
};

pub(super) const PEOPLE: Report = Report {
    path: "/console/site/{id}/people",
    place: NavItem::Users,
    title: "People",
    says: "Profiles, and visitors of whom no profile is known.",
    none: "Nobody was seen in these days",
    next: FEWER,
    settings: &[],
    tables: &[
        facts("All together", "profile_metrics").with(&[
            column("profiles", "People", Count),
            column("identified_profiles", "Known", Count),
            column("returning_visitors", "Came back", Count),
            column("returning_rate", "Share", Percent),
            column("avg_sessions_per_profile", "Visits each", Decimal),
        ]),
        rows("Seen last", "profile_list").with(&[
            column("visitor_id", "Person", Person),
            column("last_visit", "Last seen", Time),
            column("first_visit", "First seen", Time),
            column("session_count", "Visits", Count),
            column("total_events", "Events", Count),
            column("country", "Country", Filter("country")),
            column("device_type", "Device", Filter("device_type")),
            column("browser_name", "Browser", Filter("browser_name")),
        ]),
    ],
};

pub(super) const JOURNEYS: Report = Report {
    path: "/console/site/{id}/journeys",
    place: NavItem::UserPaths,
    title: "Journeys",
    says: "Where visits go from page to page. A filter by path keeps the pages it names.",
    none: "No visit in these days",
    next: FEWER,
    settings: &[
        setting("journey_start", "From which page on", "/pricing"),
        setting("journey_steps", "How many steps", "5").kind("number"),
    ],
    tables: &[rows("Steps", "user_journeys").with(&[
        column("step", "Step", Count),
        column("source", "From", Text),
        column("target", "To", NextPage),
        column("sessions", "Visits", Count),
        column("visitors", "Visitors", Count),
        column("percentage", "Of those there", Percent),
    ])],
};

pub(super) const RETENTION: Report = Report {
    path: "/console/site/{id}/retention",
    place: NavItem::Retention,
    title: "Retention",
    says: "Of those who were first seen in a step of time, how many were seen again in each step after it.",
    none: "Nobody was seen in these days",
    next: FEWER,
    settings: &[
        setting("cohort_width", "Steps of", "").among(&[
            ("", "A day"),
            ("7", "A week"),
            ("14", "Two weeks"),
        ]),
        setting("activation_event", "Known people who sent", "signup"),
        setting("return_event", "and then sent", "purchase"),
        setting("horizon_days", "within", "").among(&[
            ("", "Choose"),
            ("7", "7 days"),
            ("30", "30 days"),
        ]),
        setting("observation_end", "as seen until", "").kind("date"),
    ],
    tables: &[
        facts("People who came back", "returning_visitors").with(&[
            column("returning_visitors", "Came back", Count),
            column("profiles", "People", Count),
            column("returning_rate", "Share", Percent),
        ]),
        rows("By when they were first seen", "retention_cohorts").with(&[
            column("cohort_date", "First seen", Day),
            column("people", "People", Count),
            column("periods", "Seen again, step by step (%)", Periods),
        ]),
        rows(
            "Known people who sent one event, and then another",
            "identified_profile_retention",
        )
        .with(&[
            column("cohort_date", "First sent", Day),
            column("activated_profiles", "People", Count),
            column("eligible_profiles", "Observed long enough", Count),
            column("retained_profiles", "Came back", Count),
            column("retention_rate", "Share", Percent),
            column(
                "activation_identity_coverage",
                "Events of known people",
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

//! The status of the whole page, case by case.

use super::{super::*, *};
use crate::ids::IncidentId;

fn incident(severity: Severity, impact: Option<Impact>, status: IncidentStatus) -> Incident {
    let affected = impact.map(|impact| AffectedMonitor {
        status_page_monitor_id: "m".to_owned(),
        impact,
    });
    let maintenance = status.applies_to(IncidentKind::Maintenance);
    Incident {
        id: IncidentId::new(),
        kind: if maintenance {
            IncidentKind::Maintenance
        } else {
            IncidentKind::Incident
        },
        title: "t".to_owned(),
        status,
        severity,
        created_ms: 0,
        resolved_ms: None,
        starts_ms: None,
        ends_ms: None,
        updates: Vec::new(),
        postmortem: None,
        automatic: false,
        verify_ms: 0,
        cause: None,
        affected: affected.into_iter().collect(),
    }
}

fn all(statuses: &[MonitorStatus]) -> Vec<(MonitorStatus, bool)> {
    statuses.iter().map(|status| (*status, false)).collect()
}

#[test]
fn monitors_say_how_everything_stands_where_people_say_nothing() {
    use MonitorStatus::{Degraded, Down, Unknown, Up};
    for (monitors, expected) in [
        (&[][..], Overall::Unknown),
        (&[Up, Up], Overall::Operational),
        (&[Down, Down], Overall::Outage),
        (&[Down], Overall::Outage),
        (&[Degraded, Degraded], Overall::Degraded),
        (&[Up, Down], Overall::Degraded),
        (&[Unknown, Down], Overall::Degraded),
        (&[Up, Degraded, Unknown], Overall::Degraded),
        (&[Up, Unknown], Overall::Unknown),
    ] {
        assert_eq!(overall(&[], &all(monitors)), expected, "{monitors:?}");
    }
}

#[test]
fn incidents_come_before_monitors_until_they_are_over() {
    use IncidentStatus::{Identified, InProgress, Investigating, Monitoring, Resolved};
    use MonitorStatus::{Down, Up};
    let (minor, major, critical) = (Severity::Minor, Severity::Major, Severity::Critical);
    let (down, degraded) = (Some(Impact::Down), Some(Impact::Degraded));
    for (severity, impact, status, expected) in [
        (minor, None, Investigating, Overall::Degraded),
        (major, None, Monitoring, Overall::Degraded),
        (critical, None, Identified, Overall::Outage),
        (minor, down, Investigating, Overall::Outage),
        (minor, degraded, Investigating, Overall::Degraded),
        (critical, down, Resolved, Overall::Operational),
        (critical, down, InProgress, Overall::Maintenance),
    ] {
        let one = incident(severity, impact, status);
        let found = overall(std::slice::from_ref(&one), &all(&[Up]));
        assert_eq!(found, expected, "{one:?}");
    }
    let minor = incident(minor, None, Investigating);
    assert_eq!(overall(&[minor], &all(&[Down])), Overall::Degraded);
}

#[test]
fn a_monitor_stands_as_badly_as_its_check_or_an_open_incident_says() {
    use IncidentStatus::{InProgress, Investigating, Resolved};
    use MonitorStatus::{Degraded, Down, Unknown, Up};
    let (bad, worse) = (Some(Impact::Degraded), Some(Impact::Down));
    for (own, impact, status, expected) in [
        (Up, None, Investigating, Up),
        (Up, bad, Investigating, Degraded),
        (Up, worse, Investigating, Down),
        (Unknown, bad, Investigating, Degraded),
        (Unknown, None, Investigating, Unknown),
        (Down, bad, Investigating, Down),
        (Degraded, worse, Investigating, Down),
        (Up, worse, Resolved, Up),
        (Up, worse, InProgress, Up),
    ] {
        let incidents = [incident(Severity::Minor, impact, status)];
        assert_eq!(
            worst_status(&incidents, "m", own),
            expected,
            "{own:?} {incidents:?}"
        );
        assert_eq!(worst_status(&incidents, "another", own), own);
    }
    let both = [bad, worse].map(|impact| incident(Severity::Minor, impact, Investigating));
    assert_eq!(worst_status(&both, "m", Up), Down, "the worst of all");
}

#[test]
fn what_is_worked_on_as_planned_is_no_trouble() {
    use IncidentStatus::{Completed, InProgress, Scheduled, Verifying};
    use MonitorStatus::{Down, Up};
    let planned = |status| incident(Severity::Minor, Some(Impact::Down), status);
    for (status, monitors, expected) in [
        (Scheduled, [(Down, false), (Up, false)], Overall::Degraded),
        (
            InProgress,
            [(Down, true), (Up, false)],
            Overall::Maintenance,
        ),
        (Verifying, [(Down, true), (Up, false)], Overall::Maintenance),
        (
            InProgress,
            [(Down, true), (Down, true)],
            Overall::Maintenance,
        ),
        (InProgress, [(Up, true), (Down, false)], Overall::Outage),
        (Completed, [(Up, false), (Up, false)], Overall::Operational),
    ] {
        let found = overall(&[planned(status)], &monitors);
        assert_eq!(found, expected, "{status:?} {monitors:?}");
    }
    for (status, expected) in [(Scheduled, false), (InProgress, true), (Completed, false)] {
        let incidents = [planned(status)];
        assert_eq!(in_maintenance(&incidents, "m"), expected, "{status:?}");
        assert!(!in_maintenance(&incidents, "another"));
    }
}

#[test]
fn a_check_is_fresh_for_three_intervals_or_five_minutes() {
    for (age, interval, expected) in [
        (300_000, 60_000, Freshness::Fresh),
        (300_001, 60_000, Freshness::Stale),
        (10_800_000, 3_600_000, Freshness::Fresh),
        (10_800_001, 3_600_000, Freshness::Stale),
    ] {
        assert_eq!(freshness(Some(0), interval, age), expected, "{age}");
    }
    assert_eq!(freshness(None, 60_000, 0), Freshness::Unknown);
}

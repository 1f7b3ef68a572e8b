//! Changes of a page by the clock and by monitors, if its owner enabled them. Pure, except for new ids.
//!
//! The page records what was done, which makes restarts harmless: an incident names the monitor that opened it, and is closed
//! by a later check.

use super::{
    AffectedMonitor, Impact, Incident, IncidentKind, IncidentStatus, PageMonitor, Severity,
    StatusPage, StatusPageError, change::drop_oldest, snapshot::in_maintenance,
};
use crate::{
    actors::monitors::State,
    clock::from_ms,
    locale::{Language, Texts},
};

/// The state of a monitor on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MonitorState {
    /// The id on the page.
    pub(super) id: String,
    pub(super) name: String,
    /// The last certain state.
    pub(super) settled: State,
    /// Unix milliseconds.
    pub(super) since_ms: i64,
    pub(super) checked_ms: i64,
    /// Whether it is paused or in its own maintenance.
    pub(super) rests: bool,
}

/// Whether automation may ever change the page.
pub(super) fn is_automatic(page: &StatusPage) -> bool {
    let by_itself = |one: &Incident| !one.is_over() && (one.automatic || one.cause.is_some());
    page.incidents.iter().any(by_itself) || page.monitors.iter().any(|one| opens(page, one))
}

/// Whether a monitor that is down opens an incident.
fn opens(page: &StatusPage, listed: &PageMonitor) -> bool {
    let own = listed.fields.automatic_incidents;
    own.unwrap_or(page.fields.automatic_incidents)
}

/// The page after the changes that are due; `None` if there are none.
pub(super) fn advance(
    before: &StatusPage,
    watched: &[MonitorState],
    now_ms: i64,
) -> Result<Option<StatusPage>, StatusPageError> {
    let mut page = before.clone();
    let texts = page.fields.texts(Language::default());
    for one in &mut page.incidents {
        maintain(one, texts, now_ms);
        close_incident(one, watched, texts, now_ms);
    }
    for one in watched {
        if let Some(incident) = open_incident(&page, one, now_ms) {
            page.incidents.insert(0, incident);
        }
    }
    if page == *before {
        return Ok(None);
    }
    page.updated_ms = now_ms;
    drop_oldest(&mut page)?;
    Ok(Some(page))
}

/// Advances maintenance by the clock, but never behind a status that people have set.
fn maintain(one: &mut Incident, texts: Texts, now_ms: i64) {
    let (Some(starts_ms), Some(ends_ms)) = (one.starts_ms, one.ends_ms) else {
        return;
    };
    if !one.automatic || one.is_over() {
        return;
    }
    let (status, says) = if now_ms >= ends_ms.saturating_add(one.verify_ms) {
        (IncidentStatus::Completed, texts.auto_completed())
    } else if now_ms >= ends_ms {
        (IncidentStatus::Verifying, texts.auto_verifying())
    } else if now_ms >= starts_ms {
        (IncidentStatus::InProgress, texts.auto_started())
    } else {
        return;
    };
    if status.step() > one.status.step() {
        one.add_update(status, says.into_owned(), now_ms);
    }
}

/// Closes an incident of a monitor once a later check succeeds, or the monitor leaves the page.
fn close_incident(one: &mut Incident, watched: &[MonitorState], texts: Texts, now_ms: i64) {
    let Some(cause) = one.cause.as_ref().filter(|_| !one.is_over()) else {
        return;
    };
    let says = match watched.iter().find(|own| own.id == *cause) {
        None => texts.auto_removed(),
        Some(own) => {
            let is_up = matches!(own.settled, State::Up | State::Degraded);
            if !is_up || own.checked_ms <= one.created_ms {
                return;
            }
            texts.auto_recovered(&own.name)
        }
    };
    one.add_update(IncidentStatus::Resolved, says.into_owned(), now_ms);
}

/// The incident of a monitor that is down, unless this downtime opened one already, or people reported one.
fn open_incident(page: &StatusPage, one: &MonitorState, now_ms: i64) -> Option<Incident> {
    let listed = page.monitors.iter().find(|listed| listed.id == one.id)?;
    let is_down = one.settled == State::Down && !one.rests;
    if !is_down || !opens(page, listed) || in_maintenance(&page.incidents, &one.id) {
        return None;
    }
    let is_covered = |known: &Incident| {
        let own = known.cause.as_ref() == Some(&one.id) && known.created_ms >= one.since_ms;
        let mut hits = known.affected.iter();
        let open = known.kind == IncidentKind::Incident && !known.is_over();
        own || open && hits.any(|hit| hit.status_page_monitor_id == one.id)
    };
    if page.incidents.iter().any(is_covered) {
        return None;
    }
    let texts = page.fields.texts(Language::default());
    let since = texts.moment(from_ms(one.since_ms));
    let message = texts.auto_down_since(&one.name, &since).into_owned();
    let title = texts.auto_down(&one.name).into_owned();
    let kind = IncidentKind::Incident;
    Some(Incident {
        affected: vec![AffectedMonitor {
            status_page_monitor_id: one.id.clone(),
            impact: Impact::Down,
        }],
        cause: Some(one.id.clone()),
        ..Incident::new(kind, (title, message), Severity::Major, now_ms)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::status_pages::{
        Change, NewIncident, PageFields, PageMonitorFields, change::apply,
    };

    const MINUTE: i64 = 60_000;

    fn page(automatic_incidents: bool) -> StatusPage {
        StatusPage {
            id: "p".into(),
            organization: "o".into(),
            fields: PageFields {
                automatic_incidents,
                ..PageFields::default()
            },
            monitors: vec![PageMonitor {
                id: "m".to_owned(),
                monitor: "x".into(),
                fields: PageMonitorFields::default(),
            }],
            incidents: Vec::new(),
            logo: None,
            password_hash: None,
            created_ms: 0,
            updated_ms: 0,
        }
    }

    fn watched(settled: State, since_ms: i64, checked_ms: i64) -> MonitorState {
        MonitorState {
            id: "m".to_owned(),
            name: "API".to_owned(),
            settled,
            since_ms,
            checked_ms,
            rests: false,
        }
    }

    /// The page after the changes that are due; `None` if there are none.
    fn after(page: &StatusPage, watched: &[MonitorState], now_ms: i64) -> StatusPage {
        advance(page, watched, now_ms)
            .unwrap()
            .unwrap_or_else(|| page.clone())
    }

    fn statuses(page: &StatusPage) -> Vec<IncidentStatus> {
        let newest = page.incidents.first();
        let updates = newest.into_iter().flat_map(|one| &one.updates);
        updates.map(|update| update.status).collect()
    }

    fn planned(automatic: bool, verify_ms: i64) -> StatusPage {
        let new = NewIncident {
            title: "Disks".to_owned(),
            severity: Severity::Minor,
            message: "New ones.".to_owned(),
            affected: Vec::new(),
            planned: Some((10 * MINUTE, 20 * MINUTE)),
            automatic,
            verify_ms,
        };
        apply(&page(false), Change::CreateIncident(new), 0).unwrap()
    }

    #[test]
    fn maintenance_goes_its_way_by_the_clock_and_says_each_thing_once() {
        use IncidentStatus::{Completed, InProgress, Scheduled, Verifying};
        let mut now = planned(true, 5 * MINUTE);
        let mut path = Vec::new();
        for minute in 0..40 {
            now = after(&now, &[], minute * MINUTE);
            path.push(now.incidents[0].status);
        }
        path.dedup();
        assert_eq!(path, [Scheduled, InProgress, Verifying, Completed]);
        assert_eq!(
            statuses(&now),
            [Completed, Verifying, InProgress, Scheduled]
        );
        assert_eq!(now.incidents[0].resolved_ms, Some(25 * MINUTE));
        assert!(!is_automatic(&now));
        // After an absence only the present status is reported.
        let late = after(&planned(true, 0), &[], 30 * MINUTE);
        assert_eq!(statuses(&late), [Completed, Scheduled]);
        let left = planned(false, 0);
        assert_eq!(after(&left, &[], 30 * MINUTE), left, "nobody asked for it");
    }

    #[test]
    fn what_people_said_before_is_not_taken_back_by_the_clock() {
        let page = planned(true, 0);
        let id = page.incidents[0].id.clone();
        let early = Change::UpdateIncident(id, IncidentStatus::Verifying, "Done early.".to_owned());
        let page = apply(&page, early, 12 * MINUTE).unwrap();
        assert_eq!(after(&page, &[], 13 * MINUTE), page);
        let over = after(&page, &[], 20 * MINUTE);
        assert_eq!(over.incidents[0].status, IncidentStatus::Completed);
    }

    #[test]
    fn a_monitor_that_is_down_opens_one_incident_and_closes_it_when_it_is_up() {
        let page = page(true);
        assert_eq!(after(&page, &[watched(State::Up, 0, 5)], 10), page);
        assert_eq!(after(&page, &[watched(State::Unknown, 0, 0)], 10), page);
        let down = watched(State::Down, 20, 20);
        let opened = after(&page, std::slice::from_ref(&down), 21);
        assert_eq!(opened.incidents.len(), 1);
        assert_eq!(opened.incidents[0].title, "API is down");
        assert_eq!(
            after(&opened, &[watched(State::Down, 20, 90)], 91),
            opened,
            "once"
        );
        // A crash may lose the monitor's state; the incident stays until a later check.
        assert_eq!(after(&opened, &[watched(State::Up, 0, 5)], 95), opened);
        assert_eq!(after(&opened, &[watched(State::Down, 97, 97)], 98), opened);
        let over = after(&opened, &[watched(State::Up, 99, 99)], 100);
        assert_eq!(
            statuses(&over),
            [IncidentStatus::Resolved, IncidentStatus::Investigating]
        );
        assert_eq!(over.incidents.len(), 1);
        let again = after(&over, &[watched(State::Down, 110, 110)], 111);
        assert_eq!(again.incidents.len(), 2, "another time");
    }

    #[test]
    fn nothing_is_opened_where_nobody_asked_or_people_tell_already() {
        let down = [watched(State::Down, 20, 20)];
        let off = page(false);
        assert_eq!(after(&off, &down, 21), off);
        assert!(!is_automatic(&off));
        let mut one = off.clone();
        one.monitors[0].fields.automatic_incidents = Some(true);
        assert_eq!(after(&one, &down, 21).incidents.len(), 1, "this one");
        let mut not = page(true);
        not.monitors[0].fields.automatic_incidents = Some(false);
        assert_eq!(after(&not, &down, 21), not);
        let rests = MonitorState {
            rests: true,
            ..down[0].clone()
        };
        assert_eq!(after(&page(true), &[rests], 21), page(true));
        let new = NewIncident {
            title: "Slow".to_owned(),
            severity: Severity::Minor,
            message: "We look.".to_owned(),
            affected: vec![AffectedMonitor {
                status_page_monitor_id: "m".to_owned(),
                impact: Impact::Degraded,
            }],
            planned: None,
            automatic: false,
            verify_ms: 0,
        };
        let told = apply(&page(true), Change::CreateIncident(new), 10).unwrap();
        assert_eq!(after(&told, &down, 21), told, "people tell of it");
        // An incident that is closed by hand while the monitor is down stays closed.
        let opened = after(&page(true), &down, 21);
        let id = opened.incidents[0].id.clone();
        let close = Change::UpdateIncident(id, IncidentStatus::Resolved, "A test.".to_owned());
        let closed = apply(&opened, close, 22).unwrap();
        assert_eq!(after(&closed, &down, 23), closed);
        // A monitor that leaves the page closes its incident.
        let gone = apply(&opened, Change::RemoveMonitor("x".into()), 22).unwrap();
        assert_eq!(
            after(&gone, &[], 23).incidents[0].status,
            IncidentStatus::Resolved
        );
    }
}

//! Incidents of the past, as they were told elsewhere. Pure, except for new ids.

use super::{
    Incident, IncidentKind, IncidentStatus, NewIncident, PastIncident, Postmortem, StatusPage,
    StatusPageError, model::Update, rules,
};
use crate::fault::Issue;

/// Adds an incident at its place in time. The same one twice, or one that does not fit any more, is refused.
pub(super) fn add(
    page: &mut StatusPage,
    told: PastIncident,
    now_ms: i64,
) -> Result<(), StatusPageError> {
    let incident = read(page, told, now_ms)?;
    let is_same =
        |own: &Incident| own.title == incident.title && own.created_ms == incident.created_ms;
    if page.incidents.iter().any(is_same) {
        return Err(StatusPageError::refused(
            "The page has this incident already",
        ));
    }
    let newer = |own: &Incident| own.created_ms <= incident.created_ms;
    let place = page.incidents.iter().position(newer);
    let place = place.unwrap_or(page.incidents.len());
    page.incidents.insert(place, incident);
    if rules::is_full(page) {
        return Err(StatusPageError::refused(
            "A page has at most 500 incidents and 4 MiB of their text",
        ));
    }
    Ok(())
}

fn read(page: &StatusPage, told: PastIncident, now_ms: i64) -> Result<Incident, StatusPageError> {
    rules::require_known(page, &told.affected)?;
    let Some((_, first, created_ms)) = told.updates.first().cloned() else {
        return Err(refuse("an incident of the past has an update at least"));
    };
    if told.updates.len() > rules::MAX_UPDATES {
        return Err(refuse("an incident has at most 200 updates"));
    }
    let checked = rules::check_incident(NewIncident {
        title: told.title,
        severity: told.severity,
        message: first.clone(),
        affected: told.affected,
        planned: told.planned,
        automatic: false,
        verify_ms: 0,
    })?;
    let kind = match checked.planned {
        Some(_) => IncidentKind::Maintenance,
        None => IncidentKind::Incident,
    };
    let title = checked.title.trim().to_owned();
    let mut incident = Incident::new(kind, (title, first), checked.severity, created_ms);
    incident.updates.clear();
    (incident.starts_ms, incident.ends_ms) = checked.planned.unzip();
    incident.affected = checked.affected;
    let last_ms = add_updates(&mut incident, told.updates, now_ms)?;
    if !incident.is_over() {
        return Err(refuse("the last update resolves or completes it"));
    }
    incident.resolved_ms = Some(last_ms);
    if let Some((message, at_ms)) = told.postmortem {
        incident.postmortem = Some(Postmortem {
            message: rules::check_message(message, rules::MAX_POSTMORTEM)?,
            created_ms: at_ms.clamp(last_ms, now_ms),
        });
    }
    Ok(incident)
}

/// Adds updates that are oldest first and of the past; gives the time of the last one.
fn add_updates(
    incident: &mut Incident,
    updates: Vec<(IncidentStatus, String, i64)>,
    now_ms: i64,
) -> Result<i64, StatusPageError> {
    let mut last_ms = i64::MIN;
    for (status, message, at_ms) in updates {
        if !status.applies_to(incident.kind) {
            return Err(refuse("a status doesn't apply to this kind"));
        }
        if at_ms < last_ms || at_ms > now_ms {
            return Err(refuse("updates are oldest first, and of the past"));
        }
        let message = rules::check_message(message, rules::MAX_MESSAGE)?;
        incident
            .updates
            .insert(0, Update::new(status, message, at_ms));
        (incident.status, last_ms) = (status, at_ms);
    }
    Ok(last_ms)
}

fn refuse(message: &'static str) -> StatusPageError {
    vec![Issue::new("invalid", "updates", message)].into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::status_pages::{PageFields, Severity, subscribers::news};

    const DAY: i64 = 86_400_000;

    fn page() -> StatusPage {
        StatusPage {
            id: "p".into(),
            organization: "o".into(),
            fields: PageFields::default(),
            monitors: Vec::new(),
            incidents: Vec::new(),
            logo: None,
            password_hash: None,
            created_ms: 0,
            updated_ms: 0,
        }
    }

    fn told(title: &str, day: i64) -> PastIncident {
        PastIncident {
            title: title.to_owned(),
            severity: Severity::Major,
            updates: vec![
                (IncidentStatus::Investigating, "a".to_owned(), day * DAY),
                (IncidentStatus::Resolved, "b".to_owned(), day * DAY + 1),
            ],
            affected: Vec::new(),
            planned: None,
            postmortem: None,
        }
    }

    #[test]
    fn it_is_put_at_its_place_in_time_and_no_one_is_told() {
        let mut now = page();
        for (title, day) in [("second", 5), ("first", 2), ("third", 9)] {
            let before = now.clone();
            add(&mut now, told(title, day), 10 * DAY).unwrap();
            assert!(news(Some(&before), &now).is_empty());
        }
        let titles: Vec<&str> = now.incidents.iter().map(|one| one.title.as_str()).collect();
        assert_eq!(titles, ["third", "second", "first"]);
        let first = &now.incidents[2];
        assert_eq!(
            (first.created_ms, first.resolved_ms),
            (2 * DAY, Some(2 * DAY + 1))
        );
        assert_eq!(first.updates[0].message, "b");
    }

    #[test]
    fn what_is_not_over_or_of_the_future_or_there_already_is_refused() {
        let mut now = page();
        add(&mut now, told("a", 1), 10 * DAY).unwrap();
        let mut open = told("b", 1);
        open.updates.pop();
        let mut backwards = told("b", 1);
        backwards.updates.reverse();
        let mut planned = told("b", 1);
        planned.planned = Some((0, 1));
        let empty = PastIncident {
            updates: Vec::new(),
            ..told("b", 1)
        };
        for wrong in [told("a", 1), open, backwards, planned, empty, told("b", 10)] {
            let refused = add(&mut now.clone(), wrong.clone(), 10 * DAY);
            assert!(refused.is_err(), "{wrong:?}");
        }
    }
}

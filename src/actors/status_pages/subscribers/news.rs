//! The news of a change of a page: its difference. Pure.

use super::super::{Incident, IncidentKind, IncidentStatus, StatusPage};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct News {
    pub(super) incident: Incident,
    /// Identifies the text.
    pub(super) key: String,
    /// For programs.
    pub(super) kind: String,
    /// The status of an update; `None` = it is the postmortem.
    pub(super) status: Option<IncidentStatus>,
    pub(super) message: String,
    /// Unix milliseconds.
    pub(super) at_ms: i64,
}

/// The new updates and postmortems of a page.
pub(in super::super) fn news(before: Option<&StatusPage>, after: &StatusPage) -> Vec<News> {
    let known = |one: &Incident| {
        let mut all = before.into_iter().flat_map(|page| &page.incidents);
        all.find(|known| known.id == one.id)
    };
    let mut all = Vec::new();
    for one in &after.incidents {
        let known = known(one);
        // What is over when it appears is of the past.
        if before.is_some() && known.is_none() && one.is_over() {
            continue;
        }
        let last = known.and_then(|known| known.updates.first());
        if let Some(now) = one
            .updates
            .first()
            .filter(|now| Some(&now.id) != last.map(|last| &last.id))
        {
            all.push(News {
                key: now.id.clone(),
                kind: kind(one, known.is_none()),
                status: Some(now.status),
                message: now.message.clone(),
                at_ms: now.created_ms,
                incident: one.clone(),
            });
        }
        let learned = known.and_then(|known| known.postmortem.as_ref());
        if let Some(text) = one
            .postmortem
            .as_ref()
            .filter(|text| Some(*text) != learned)
        {
            all.push(News {
                key: format!("{}:learned:{}", one.id, text.created_ms),
                kind: format!("{}.postmortem", word(one)),
                status: None,
                message: text.message.clone(),
                at_ms: text.created_ms,
                incident: one.clone(),
            });
        }
    }
    all
}

const fn word(one: &Incident) -> &'static str {
    match one.kind {
        IncidentKind::Incident => "incident",
        IncidentKind::Maintenance => "maintenance",
    }
}

fn kind(one: &Incident, is_new: bool) -> String {
    let what = match (one.kind, is_new, one.is_over()) {
        (IncidentKind::Incident, true, _) => "created",
        (IncidentKind::Maintenance, true, _) => "scheduled",
        (IncidentKind::Incident, false, true) => "resolved",
        (IncidentKind::Maintenance, false, true) => "completed",
        (_, false, false) => "updated",
    };
    format!("{}.{what}", word(one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::status_pages::{Change, NewIncident, PageFields, Severity, change::apply};

    fn empty() -> StatusPage {
        StatusPage {
            id: "p".into(),
            organization: "o".into(),
            fields: PageFields {
                name: "P".to_owned(),
                slug: "p".to_owned(),
                ..PageFields::default()
            },
            monitors: Vec::new(),
            incidents: Vec::new(),
            logo: None,
            password_hash: None,
            created_ms: 0,
            updated_ms: 0,
        }
    }

    fn kinds_and_texts(before: &StatusPage, after: &StatusPage) -> Vec<(String, String)> {
        let all = news(Some(before), after).into_iter();
        all.map(|one| (one.kind, one.message)).collect()
    }

    #[test]
    fn what_is_said_is_told_once_and_what_is_not_said_is_not() {
        let page = empty();
        let new = NewIncident {
            title: "Slow".to_owned(),
            severity: Severity::Minor,
            message: "We look.".to_owned(),
            affected: Vec::new(),
            planned: None,
            automatic: false,
            verify_ms: 0,
        };
        let opened = apply(&page, Change::CreateIncident(new), 1).unwrap();
        let of = |kind: &str, text: &str| vec![(kind.to_owned(), text.to_owned())];
        assert_eq!(
            kinds_and_texts(&page, &opened),
            of("incident.created", "We look.")
        );
        assert_eq!(kinds_and_texts(&opened, &opened), []);
        let id = opened.incidents[0].id.clone();
        let say = |status, text: &str| Change::UpdateIncident(id.clone(), status, text.to_owned());
        let found = apply(&opened, say(IncidentStatus::Identified, "A disk."), 2).unwrap();
        assert_eq!(
            kinds_and_texts(&opened, &found),
            of("incident.updated", "A disk.")
        );
        let over = apply(&found, say(IncidentStatus::Resolved, "Fast."), 3).unwrap();
        assert_eq!(
            kinds_and_texts(&found, &over),
            of("incident.resolved", "Fast.")
        );
        let learn = |text: Option<&str>| Change::Postmortem(id.clone(), text.map(str::to_owned));
        let learned = apply(&over, learn(Some("Disks.")), 4).unwrap();
        assert_eq!(
            kinds_and_texts(&over, &learned),
            of("incident.postmortem", "Disks.")
        );
        let taken = apply(&learned, learn(None), 5).unwrap();
        assert_eq!(kinds_and_texts(&learned, &taken), []);
        let gone = apply(&learned, Change::DeleteIncident(id), 6).unwrap();
        assert_eq!(kinds_and_texts(&learned, &gone), []);
        let keys = [&opened, &found, &over].map(|page| news(None, page)[0].key.clone());
        assert!(keys[0] != keys[1] && keys[1] != keys[2], "{keys:?}");
    }
}

//! Probes that do not report: no slot waits for them, and owners get one email.

use std::{collections::HashMap, sync::Arc, time::Duration};

use actix::Context;

use super::{
    MonitorError, Monitors, MonitorsEnv, Probe, ProbeInbox, ProbeState, Probes, SILENT_MS,
    places::repo,
};
use crate::{
    actors::{
        delivery::{Delivery, Email},
        kit::{Live, read_beside},
        organizations::OrganizationsView,
    },
    clock::from_ms,
    ids::{ProbeId, UserId},
};

/// How often it is looked which probes report.
pub(super) const EVERY: Duration = Duration::from_secs(5);

/// Whether a place is not waited for. `booted_ms` is when this server began to listen.
pub(super) fn is_silent(
    (probes, states, inbox): (&Probes, &HashMap<ProbeId, ProbeState>, &ProbeInbox),
    place: &str,
    (booted_ms, now_ms): (i64, i64),
) -> bool {
    let probe = probes.by_id(place);
    if probe.is_none_or(|probe| probe.revoked_ms.is_some()) {
        return true;
    }
    let stored = states.get(place).and_then(|state| state.last_seen_ms);
    let seen = stored.max(inbox.last_seen_ms(place));
    seen.is_none_or(|seen_ms| now_ms - seen_ms.max(booted_ms) > SILENT_MS)
}

/// Reads when probes were seen last.
pub(super) fn look(live: &mut Live<Monitors>, context: &mut Context<Live<Monitors>>) {
    if !live.env.db.is_leader() || live.view.probes.is_empty() {
        return;
    }
    let db = live.env.db.clone();
    let read = async move { repo::load_states(db.writer()).await };
    read_beside(
        context,
        read,
        |live: &mut Live<Monitors>, read, _| match read {
            Ok(states) => live.note_states(states),
            Err(error) => tracing::debug!(%error, "when probes were seen is read later"),
        },
    );
}

/// A probe that has become silent, or speaks again.
struct Change {
    probe: Arc<Probe>,
    /// When it was noticed, Unix milliseconds; `None` if it speaks.
    since_ms: Option<i64>,
    /// Its last request that is stored, Unix milliseconds: every look at the same silence has the same one.
    seen_ms: i64,
}

impl Change {
    fn new(
        probe: &Arc<Probe>,
        state: &ProbeState,
        (is_silent, now_ms): (bool, i64),
    ) -> Option<Self> {
        let seen_ms = state.last_seen_ms?;
        let since_ms = match (is_silent, state.silent_ms) {
            (true, None) => Some(now_ms),
            (false, Some(_)) => None,
            _ => return None,
        };
        Some(Self {
            probe: Arc::clone(probe),
            since_ms,
            seen_ms,
        })
    }

    /// Names the email to an owner: a silence has one, however often it is noticed.
    fn email_key(&self, owner: &UserId) -> String {
        format!("probe:{}:{}:{owner}", self.probe.id, self.seen_ms)
    }
}

impl Monitors {
    fn note_states(&mut self, states: HashMap<ProbeId, ProbeState>) {
        if !self.env.db.is_leader() {
            return;
        }
        self.probe_states = states;
        for key in self.open_slots.begun() {
            self.try_decide(key);
        }
        let changes = self.find_changes();
        if !changes.is_empty() {
            let env = self.env.clone();
            self.background.spawn(async move {
                if let Err(error) = store(&env, &changes).await {
                    tracing::warn!(%error, "it is not stored which probes don't report");
                }
            });
        }
    }

    fn find_changes(&self) -> Vec<Change> {
        let now_ms = self.env.clock.now_ms();
        let probes = &self.view.probes;
        let known = (probes, &self.probe_states, &self.env.inbox);
        let changes = probes.iter().filter_map(|probe| {
            let state = self.probe_states.get(&probe.id)?;
            let is_silent = probe.revoked_ms.is_none()
                && is_silent(known, probe.id.as_str(), (self.booted_ms, now_ms));
            Change::new(probe, state, (is_silent, now_ms))
        });
        changes.collect()
    }
}

async fn store(env: &MonitorsEnv, changes: &[Change]) -> Result<(), MonitorError> {
    let organizations = env.organizations.view();
    let now_ms = env.clock.now_ms();
    // Memory knows nothing of it, so no other writer of the domain has to wait.
    let db = env.db.for_domain("probe_silence");
    let write = db.begin_as_leader().await?;
    let mut rings = false;
    for change in changes {
        repo::set_silent(&*write, &change.probe.id, change.since_ms).await?;
        let (Some(outbox), Some(since_ms)) = (&env.outbox, change.since_ms) else {
            continue;
        };
        for delivery in emails(&organizations, change, since_ms) {
            rings |= outbox.put(&write, delivery, now_ms).await?;
        }
    }
    write.commit_quietly().await?;
    if let Some(outbox) = env.outbox.as_ref().filter(|_| rings) {
        outbox.ring();
    }
    Ok(())
}

/// The emails to the owners, if the organization wants them.
fn emails(organizations: &OrganizationsView, change: &Change, since_ms: i64) -> Vec<Delivery> {
    let probe = &change.probe;
    let Some(organization) = organizations.organization(probe.organization.as_str()) else {
        return Vec::new();
    };
    let wanted = organization
        .notifications
        .clone()
        .unwrap_or_default()
        .uptime;
    if !wanted.down_emails {
        return Vec::new();
    }
    let owners = organizations.owners(&probe.organization).into_iter();
    let emails = owners.map(|owner| {
        let texts = owner.language.unwrap_or_default().texts();
        let name = line(&probe.fields.name);
        let time = texts.moment(from_ms(since_ms));
        let email = Email {
            to: owner.email.clone(),
            subject: texts.email_probe_silent_subject(&name).into_owned(),
            text: format!("{}\n", texts.email_probe_silent(&name, &time)),
            ..Email::default()
        };
        let key = change.email_key(&owner.id);
        email.delivery(key, Some(probe.organization.clone()))
    });
    emails.collect()
}

fn line(name: &str) -> String {
    let kept = |c: char| if c.is_control() { ' ' } else { c };
    name.chars().map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::{digest::Digest, monitors::ProbeFields};

    fn probe() -> Arc<Probe> {
        Arc::new(Probe {
            id: "p".into(),
            organization: "o".into(),
            fields: ProbeFields::default(),
            digest: Digest::from_secret("s"),
            created_ms: 0,
            updated_ms: 0,
            revoked_ms: None,
        })
    }

    fn state(seen_ms: Option<i64>, silent_ms: Option<i64>) -> ProbeState {
        ProbeState {
            last_seen_ms: seen_ms,
            silent_ms,
            ..ProbeState::default()
        }
    }

    #[test]
    fn a_silence_has_one_email_however_often_it_is_noticed() {
        let (probe, owner) = (probe(), UserId::from("u"));
        let key = |seen_ms, now_ms| {
            let change = Change::new(&probe, &state(Some(seen_ms), None), (true, now_ms));
            change.unwrap().email_key(&owner)
        };
        // The note that owners know is lost, or taken back by a server that has just begun.
        assert_eq!(key(5, 70_000), key(5, 200_000));
        assert_ne!(key(5, 70_000), key(90_000, 200_000));
    }

    #[test]
    fn only_a_change_is_noted() {
        let change = |seen_ms, silent_ms, is_silent| {
            let state = state(seen_ms, silent_ms);
            let change = Change::new(&probe(), &state, (is_silent, 9));
            change.map(|change| change.since_ms)
        };
        assert_eq!(change(Some(1), None, true), Some(Some(9)));
        assert_eq!(change(Some(1), Some(2), true), None);
        assert_eq!(change(Some(1), Some(2), false), Some(None));
        assert_eq!(change(Some(1), None, false), None);
        assert_eq!(change(None, None, true), None, "it was never there");
    }
}

//! Probes that do not report: no slot waits for them, and owners get one email.

use std::{collections::HashMap, sync::Arc, time::Duration};

use actix::{ActorFutureExt as _, AsyncContext as _, Context, fut};

use super::{
    MonitorError, Monitors, MonitorsEnv, Probe, ProbeInbox, ProbeState, Probes, SILENT_MS,
    places::repo,
};
use crate::{
    actors::{
        delivery::{Delivery, Email},
        kit::Live,
        organizations::OrganizationsView,
    },
    clock::from_ms,
    ids::ProbeId,
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
    context.spawn(
        fut::wrap_future::<_, Live<Monitors>>(read).map(|read, live, _| match read {
            Ok(states) => live.note_states(states),
            Err(error) => tracing::debug!(%error, "when probes were seen is read later"),
        }),
    );
}

/// A probe that has become silent, since this moment, or speaks again.
type Change = (Arc<Probe>, Option<i64>);

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
            let is_expected = state.last_seen_ms.is_some() && probe.revoked_ms.is_none();
            let is_silent =
                is_expected && is_silent(known, probe.id.as_str(), (self.booted_ms, now_ms));
            match (is_silent, state.silent_ms) {
                (true, None) => Some((Arc::clone(probe), Some(now_ms))),
                (false, Some(_)) => Some((Arc::clone(probe), None)),
                _ => None,
            }
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
    for (probe, since_ms) in changes {
        repo::set_silent(&*write, &probe.id, *since_ms).await?;
        let (Some(outbox), Some(since_ms)) = (&env.outbox, since_ms) else {
            continue;
        };
        for delivery in emails(&organizations, probe, *since_ms) {
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
fn emails(organizations: &OrganizationsView, probe: &Probe, since_ms: i64) -> Vec<Delivery> {
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
        let key = format!("probe:{}:{since_ms}:{}", probe.id, owner.id);
        email.delivery(key, Some(probe.organization.clone()))
    });
    emails.collect()
}

fn line(name: &str) -> String {
    let kept = |c: char| if c.is_control() { ' ' } else { c };
    name.chars().map(kept).collect()
}

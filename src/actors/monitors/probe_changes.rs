//! Creates, changes and revokes probes.

use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};

use super::{
    CreateProbe, DeleteProbe, MonitorError, Monitors, NewProbe, Probe, RenewProbeToken,
    RevokeProbe, UpdateProbe,
    places::{TOKEN_PREFIX, repo, stored_reports},
};
use crate::{
    actors::{
        digest::Digest,
        keys::secret,
        kit::{Decision, commit, handlers},
        patch::patched,
    },
    ids::ProbeId,
    store::StateDb,
};

/// Probes of an organization.
const MAX_PROBES: usize = 100;

type Answer<T> = Decision<Monitors, T, MonitorError>;

handlers! { Monitors:
    decide CreateProbe => Monitors::create_probe;
    decide UpdateProbe => Monitors::update_probe;
    decide RenewProbeToken => Monitors::renew_probe_token;
    decide RevokeProbe => Monitors::revoke_probe;
    decide DeleteProbe => Monitors::delete_probe;
}

impl Monitors {
    fn create_probe(&mut self, message: CreateProbe) -> Answer<NewProbe> {
        let organizations = self.env.organizations.view();
        let owner = organizations.require_tenant(&message.organization)?;
        let known = self.view.probes.by_organization(&owner.id);
        if known.len() >= MAX_PROBES {
            return Err(MonitorError::TooManyProbes(MAX_PROBES));
        }
        let token = secret::generate_with(TOKEN_PREFIX)?;
        let now_ms = self.env.clock.now_ms();
        let probe = Probe {
            id: ProbeId::new(),
            organization: owner.id,
            fields: message.fields.check()?,
            digest: Digest::from_secret(token.expose_secret()),
            created_ms: now_ms,
            updated_ms: now_ms,
            revoked_ms: None,
        };
        let written = insert(self.env.db.clone(), probe);
        Ok(commit(written, |domain: &mut Self, probe| {
            domain.adopt_token(probe, token)
        }))
    }

    fn update_probe(&mut self, message: UpdateProbe) -> Answer<Arc<Probe>> {
        let before = self.find_probe(&message.id)?;
        let fields = patched(("probe", &before.fields), &message.patch, "")?;
        let probe = Probe {
            fields: fields.check()?,
            updated_ms: self.env.clock.now_ms(),
            ..before.as_ref().clone()
        };
        let written = update(self.env.db.clone(), probe);
        Ok(commit(written, Self::adopt_probe))
    }

    fn renew_probe_token(&mut self, message: RenewProbeToken) -> Answer<NewProbe> {
        let before = self.find_probe(&message.id)?;
        let token = secret::generate_with(TOKEN_PREFIX)?;
        let probe = Probe {
            digest: Digest::from_secret(token.expose_secret()),
            updated_ms: self.env.clock.now_ms(),
            revoked_ms: None,
            ..before.as_ref().clone()
        };
        let written = end_token(self.env.db.clone(), probe);
        Ok(commit(written, |domain: &mut Self, probe: Probe| {
            domain.drop_ahead(&probe.id);
            domain.adopt_token(probe, token)
        }))
    }

    fn revoke_probe(&mut self, message: RevokeProbe) -> Answer<Arc<Probe>> {
        let before = self.find_probe(&message.id)?;
        let now_ms = self.env.clock.now_ms();
        let probe = Probe {
            updated_ms: now_ms,
            revoked_ms: before.revoked_ms.or(Some(now_ms)),
            ..before.as_ref().clone()
        };
        let written = end_token(self.env.db.clone(), probe);
        Ok(commit(written, |domain: &mut Self, probe: Probe| {
            domain.drop_ahead(&probe.id);
            domain.adopt_probe(probe)
        }))
    }

    fn delete_probe(&mut self, message: DeleteProbe) -> Answer<()> {
        let probe = self.find_probe(&message.id)?;
        let monitors = self.view.monitors.values();
        let uses = monitors.filter(|one| one.spec().is_checked_by(probe.id.as_str()));
        match uses.count() {
            0 => {}
            uses => return Err(MonitorError::ProbeInUse(uses)),
        }
        let deleted = delete(self.env.db.clone(), message.id);
        Ok(commit(deleted, |domain: &mut Self, id| {
            domain.forget_probe(&id);
        }))
    }

    fn find_probe(&self, id: &ProbeId) -> Result<Arc<Probe>, MonitorError> {
        let found = self.view.probes.by_id(id.as_str()).cloned();
        found.ok_or_else(|| MonitorError::NoProbe(id.clone()))
    }

    fn adopt_probe(&mut self, probe: Probe) -> Arc<Probe> {
        let probe = Arc::new(probe);
        let view = Arc::make_mut(&mut self.view);
        view.probes.put(Arc::clone(&probe));
        probe
    }

    fn adopt_token(&mut self, probe: Probe, token: SecretString) -> NewProbe {
        NewProbe {
            probe: self.adopt_probe(probe),
            token,
        }
    }

    /// Drops what a token that has ended said about slots to come.
    pub(super) fn drop_ahead(&mut self, probe: &ProbeId) {
        let now_ms = self.env.clock.now_ms();
        self.reports.drop_ahead(probe, now_ms);
        let retracted = self.open_slots.retract(probe.as_str(), now_ms).into_iter();
        let stored = retracted.filter_map(|report| report.stored);
        self.batch.settled.extend(stored);
    }

    fn forget_probe(&mut self, id: &ProbeId) {
        Arc::make_mut(&mut self.view).probes.take(id);
        self.probe_states.remove(id);
        self.reports.forget(id);
    }
}

async fn insert(db: StateDb, probe: Probe) -> Result<Probe, MonitorError> {
    let write = db.begin().await?;
    repo::insert(&*write, &probe).await?;
    write.commit().await?;
    Ok(probe)
}

async fn update(db: StateDb, probe: Probe) -> Result<Probe, MonitorError> {
    let write = db.begin().await?;
    repo::update(&*write, &probe).await?;
    write.commit().await?;
    Ok(probe)
}

/// Stores a probe whose former token ends now, and deletes what that said about slots to come.
async fn end_token(db: StateDb, probe: Probe) -> Result<Probe, MonitorError> {
    let write = db.begin().await?;
    // First, so it waits for reports that are being stored, and those that follow see it.
    repo::update(&*write, &probe).await?;
    stored_reports::delete_ahead(&*write, &probe.id, probe.updated_ms).await?;
    write.commit().await?;
    Ok(probe)
}

async fn delete(db: StateDb, id: ProbeId) -> Result<ProbeId, MonitorError> {
    let write = db.begin().await?;
    repo::delete(&*write, &id).await?;
    write.commit().await?;
    Ok(id)
}

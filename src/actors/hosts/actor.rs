//! The one writer of hosts.

use std::sync::Arc;

use actix::Addr;
use serde_json::json;

use super::{
    AddHost, CheckHost, CustomHost, Decision, ForgetOwner, HostError, HostsPlace, HostsView, Proof,
    RemoveHost, UpdateHost, checking,
    messages::StoreFindings,
    repo,
    rules::{self, AddressProof},
};
use crate::{
    actors::{
        audit::{self, Action, Actor, Entry},
        error::write_error,
        kit::{Domain, Handle, Live, Resident, ask, commit, handlers},
        organizations::Organizations,
        patch::patched,
        random,
    },
    clock::Clock,
    egress::Egress,
    entities::organization,
    ids::{HostId, OrganizationId},
    store::StateDb,
};

/// Hosts of an organization at most.
const MAX_HOSTS: u64 = 20_000;
/// Hosts of an organization at most that are not verified: each is looked for every ten minutes.
const MAX_UNVERIFIED: u64 = 100;

#[derive(Debug, Clone)]
pub struct HostsEnv {
    pub db: StateDb,
    pub clock: Clock,
    pub organizations: Handle<Organizations>,
    pub egress: Egress,
    pub place: HostsPlace,
}

/// The actor; its state is its view.
#[derive(Debug)]
pub struct Hosts {
    env: HostsEnv,
    view: Arc<HostsView>,
}

impl Domain for Hosts {
    const NAME: &'static str = "hosts";
    type Env = HostsEnv;
    type View = HostsView;

    async fn boot(env: HostsEnv) -> anyhow::Result<Self> {
        let view = HostsView::new(env.place.clone(), repo::all(env.db.settled().await?).await?);
        Ok(Self {
            env,
            view: Arc::new(view),
        })
    }

    fn view(&self) -> Arc<HostsView> {
        Arc::clone(&self.view)
    }

    fn epoch_source(env: &HostsEnv) -> Option<&StateDb> {
        Some(&env.db)
    }

    fn depends_on(env: &HostsEnv) -> Vec<&dyn Resident> {
        vec![&env.organizations]
    }
}

handlers! { Hosts:
    decide AddHost => Hosts::add;
    decide UpdateHost => Hosts::update;
    beside CheckHost => Hosts::check;
    commit StoreFindings => store_findings, Hosts::adopt_check;
    commit RemoveHost => remove, Hosts::forget;
    commit ForgetOwner => forget_owner, Hosts::forget_owner;
}

impl Hosts {
    fn add(&mut self, message: AddHost) -> Decision<Arc<CustomHost>> {
        let view = self.env.organizations.view();
        let tenant = view.require_tenant(&message.organization)?;
        let name = rules::name(&message.name)?;
        if self.env.place.own_names.contains(&name) {
            return Err(HostError::Own(name));
        }
        let now_ms = self.env.clock.now_ms();
        let fields = rules::check_fields(message.fields, &name)?;
        let host = CustomHost {
            id: HostId::new(),
            organization: tenant.id,
            name,
            serves: message.serves,
            subject: message.subject.filter(|_| message.serves.needs_subject()),
            fields,
            token: random::base62(32)?,
            proof: None,
            findings: None,
            checked_ms: None,
            missing_since_ms: None,
            created_ms: now_ms,
        };
        let (db, by) = (self.env.db.clone(), message.by);
        let io = async move {
            let write = db.begin().await?;
            organization::Entity::lock(&*write, &host.organization).await?;
            let (all, unverified) = repo::count(&*write, &host.organization).await?;
            if let Some(allowance) = message.allowance {
                allowance.admit(all, 1)?;
            }
            if all >= MAX_HOSTS {
                return Err(HostError::TooMany(MAX_HOSTS));
            }
            if unverified >= MAX_UNVERIFIED {
                return Err(HostError::TooManyUnverified(MAX_UNVERIFIED));
            }
            let stored = repo::insert(&*write, &host).await;
            stored.map_err(|error| write_error(error, HostError::Known(host.name.clone())))?;
            audit::record(&write, now_ms, entry(&host, by, Action::DomainCreate)).await?;
            write.commit().await?;
            Ok(host)
        };
        Ok(commit(io, Self::adopt))
    }

    fn update(&mut self, message: UpdateHost) -> Decision<Arc<CustomHost>> {
        let (db, now_ms) = (self.env.db.clone(), self.env.clock.now_ms());
        let io = async move {
            let write = db.begin().await?;
            let mut host = repo::find(&*write, &message.id).await?;
            let fields = patched(("domain", &host.fields), &message.patch, "")?;
            host.fields = rules::check_fields(fields, &host.name)?;
            repo::update(&*write, &host).await?;
            let entry = entry(&host, message.by, Action::DomainUpdate);
            audit::record(&write, now_ms, entry).await?;
            write.commit().await?;
            Ok(host)
        };
        Ok(commit(io, Self::adopt))
    }

    fn check(
        &mut self,
        check: CheckHost,
        actor: Addr<Live<Self>>,
    ) -> futures_util::future::LocalBoxFuture<'static, Result<Arc<CustomHost>, HostError>> {
        let env = self.env.clone();
        Box::pin(async move {
            let target = env.place.target(check.host.serves);
            let findings = checking::look(&env.egress, &check.host, target).await;
            ask(&actor, StoreFindings { check, findings }).await
        })
    }

    fn adopt(&mut self, host: CustomHost) -> Arc<CustomHost> {
        let host = Arc::new(host);
        Arc::make_mut(&mut self.view).insert(Arc::clone(&host));
        host
    }

    fn adopt_check(&mut self, (host, loser): (CustomHost, Option<CustomHost>)) -> Arc<CustomHost> {
        // First, because both have the same name.
        if let Some(loser) = loser {
            self.adopt(loser);
        }
        self.adopt(host)
    }

    fn forget(&mut self, id: HostId) {
        Arc::make_mut(&mut self.view).remove(&id);
    }

    fn forget_owner(&mut self, organization: OrganizationId) {
        Arc::make_mut(&mut self.view).remove_owner(&organization);
    }
}

/// The host after the check, and the one of another organization that lost the name by it.
async fn store_findings(
    env: HostsEnv,
    message: StoreFindings,
) -> Result<(CustomHost, Option<CustomHost>), HostError> {
    let StoreFindings { check, findings } = message;
    let now_ms = env.clock.now_ms();
    let write = env.db.begin().await?;
    let before = repo::find(&*write, &check.host.id).await?;
    let has_rivals =
        env.place.shares_domain(&before.name) && env.organizations.view().has_several();
    let address = if has_rivals || repo::is_claimed(&*write, &before).await? {
        AddressProof::HolderOnly
    } else {
        AddressProof::Accepted
    };
    let mut after = rules::judge(&before, findings, address, now_ms);
    let mut loser = None;
    if after.is_verified() && !before.is_verified() {
        match repo::find_verified(&*write, &after.name).await? {
            // Control of the zone counts more than where it leads.
            Some(mut holder)
                if after.proof == Some(Proof::Text) && holder.proof == Some(Proof::Address) =>
            {
                holder.proof = None;
                repo::update(&*write, &holder).await?;
                let entry = entry(&holder, Actor::System, Action::DomainLose);
                audit::record(&write, now_ms, entry).await?;
                loser = Some(holder);
            }
            Some(_) if check.by.is_some() => return Err(HostError::Taken(after.name)),
            Some(_) => after.proof = None,
            None => {}
        }
    }
    let stored = repo::update(&*write, &after).await;
    stored.map_err(|error| write_error(error, HostError::Taken(after.name.clone())))?;
    let action = match (before.is_verified(), after.is_verified()) {
        (false, true) => Some(Action::DomainVerify),
        (true, false) => Some(Action::DomainLose),
        _ => None,
    };
    if let Some(action) = action {
        let actor = check.by.clone().unwrap_or(Actor::System);
        audit::record(&write, now_ms, entry(&after, actor, action)).await?;
    }
    if check.by.is_none() && loser.is_none() && rules::changes_only_time(&before, &after) {
        // Other processes read when it was checked at the latest when they lead.
        write.commit_quietly().await?;
    } else {
        write.commit().await?;
    }
    Ok((after, loser))
}

async fn remove(env: HostsEnv, message: RemoveHost) -> Result<HostId, HostError> {
    let now_ms = env.clock.now_ms();
    let write = env.db.begin().await?;
    let host = repo::find(&*write, &message.id).await?;
    // Who puts a link on the host holds the owner's row, too.
    organization::Entity::lock(&*write, &host.organization).await?;
    let links = repo::count_links(&*write, &host.id).await?;
    if links > 0 {
        let name = host.name;
        return Err(HostError::HasLinks { name, links });
    }
    repo::remove(&*write, &host, now_ms).await?;
    let entry = entry(&host, message.by, Action::DomainDelete);
    audit::record(&write, now_ms, entry).await?;
    write.commit().await?;
    Ok(host.id)
}

/// Removes what an organization has before it is erased itself, so that it is known who had its hosts.
async fn forget_owner(env: HostsEnv, message: ForgetOwner) -> Result<OrganizationId, HostError> {
    let now_ms = env.clock.now_ms();
    let write = env.db.begin().await?;
    for host in repo::owned_by(&*write, &message.organization).await? {
        repo::remove(&*write, &host, now_ms).await?;
    }
    write.commit().await?;
    Ok(message.organization)
}

fn entry(host: &CustomHost, actor: Actor, action: Action) -> Entry {
    let entry = Entry::within(&host.organization, actor, action, host.id.as_str());
    entry.with(json!({ "domain": host.name, "use": host.serves }))
}

//! The one writer of links.

use std::sync::Arc;

use super::{
    CreateFolder, CreateLinks, Decision, DeleteFolder, DeleteLinks, Folder, Link, LinkError,
    LinkPatch, Links, LinksEnv, LinksView, SlugRule, UpdateFolder, UpdateLinks, erasure, folders,
    passwords::{PURPOSE, field_prefix},
    repo, rules, uses,
    view::LinkChanges,
};
use crate::{
    access::{authorize::Tenant, plans::Allowance},
    actors::{
        hosts::HostsView,
        kit::{Domain, Resident, commit, handlers},
        patch::patched,
        random,
        unlocking::Unlocker,
    },
    entities::{self, host, link, link_folder, organization},
    fault::Issue,
    ids::{FolderId, HostId, LinkId, OrganizationId, WebsiteKey},
    store::StateDb,
};

const SLUG_LENGTH: usize = 8;
const MAX_TRIES: usize = 10;

impl Domain for Links {
    const NAME: &'static str = "links";
    type Env = LinksEnv;
    type View = LinksView;

    async fn boot(env: LinksEnv) -> anyhow::Result<Self> {
        let records = repo::records(env.db.settled().await?, &env.organizations.view()).await?;
        Ok(Self {
            view: Arc::new(LinksView::new(
                env.db.clone(),
                Unlocker::new(&env.secret, PURPOSE),
                records,
            )),
            env,
        })
    }

    fn view(&self) -> Arc<LinksView> {
        Arc::clone(&self.view)
    }

    fn epoch_source(env: &LinksEnv) -> Option<&StateDb> {
        Some(&env.db)
    }

    fn depends_on(env: &LinksEnv) -> Vec<&dyn Resident> {
        vec![&env.organizations, &env.hosts]
    }
}

handlers! { Links:
    decide CreateLinks => Links::create_links;
    decide UpdateLinks => Links::update_links;
    commit DeleteLinks => delete, Links::show;
    commit CreateFolder => create_folder;
    commit UpdateFolder => update_folder;
    commit DeleteFolder => delete_folder;
}

impl Links {
    fn create_links(&mut self, message: CreateLinks) -> Decision<Vec<Arc<Link>>> {
        let allowance = message.allowance.clone();
        let (tenant, links) = self.admit(message)?;
        Ok(commit(
            create(self.env.clone(), tenant, links, allowance),
            Links::adopt,
        ))
    }

    fn update_links(&mut self, message: UpdateLinks) -> Decision<Vec<Arc<Link>>> {
        let owners = self.env.organizations.view();
        let tenant = owners.require_tenant(&message.organization)?;
        Ok(commit(
            update(self.env.clone(), tenant, message.patches),
            Links::adopt,
        ))
    }

    /// Checks new links. Whether their slugs are free is checked when they are stored.
    fn admit(&self, message: CreateLinks) -> Result<(Tenant, Vec<Link>), LinkError> {
        let owners = self.env.organizations.view();
        let tenant = owners.require_tenant(&message.organization)?;
        let now_ms = self.env.clock.now_ms();
        let hosts = self.env.hosts.view();
        let rules = self.env.rules(&hosts, message.slugs);
        let count = message.links.len();
        let mut links = Vec::with_capacity(count);
        for (at, draft) in message.links.into_iter().enumerate() {
            let prefix = field_prefix(count, at);
            let mut fields = rules::check_fields(draft.fields, rules, prefix.clone())?;
            let host = find_host(&hosts, &tenant.id, fields.domain.take(), &prefix)?;
            let slug = match fields.slug.take() {
                // Storage decides; this check saves it the work.
                Some(slug) if self.view.packed(host.as_ref(), &slug).is_some() => {
                    return Err(LinkError::SlugTaken(slug));
                }
                Some(slug) => slug,
                None => self.free_slug(host.as_ref())?,
            };
            links.push(Link {
                id: LinkId::new(),
                key: WebsiteKey(random::key()?),
                organization: tenant.id.clone(),
                created_by: message.created_by.clone(),
                host,
                slug,
                fields,
                password_hash: draft.password_hash,
                created_ms: now_ms,
                updated_ms: now_ms,
            });
        }
        Ok((tenant, links))
    }

    /// A random slug that no link on the host has.
    fn free_slug(&self, host: Option<&HostId>) -> Result<String, LinkError> {
        let mut slug = random::base62(SLUG_LENGTH)?;
        for _ in 1..MAX_TRIES {
            if self.view.packed(host, &slug).is_none() {
                break;
            }
            slug = random::base62(SLUG_LENGTH)?;
        }
        Ok(slug)
    }

    pub(super) fn adopt(&mut self, changes: LinkChanges) -> Vec<Arc<Link>> {
        self.view.adopt(&changes);
        changes.links
    }

    /// As [`Self::adopt`], for messages that answer without the links.
    pub(super) fn show(&mut self, changes: LinkChanges) {
        self.view.adopt(&changes);
    }
}

async fn create(
    env: LinksEnv,
    tenant: Tenant,
    links: Vec<Link>,
    allowance: Option<Allowance>,
) -> Result<LinkChanges, LinkError> {
    let write = env.db.begin().await?;
    if let Some(allowance) = allowance {
        repo::check_allowance(&*write, &tenant.id, allowance, links.len()).await?;
    }
    let mut changes = LinkChanges::default();
    for link in links {
        check_host(&*write, &link).await?;
        check_folder(&*write, &link).await?;
        let record = repo::insert(&*write, &link, tenant.key).await?;
        changes.put.push(record);
        changes.links.push(Arc::new(link));
    }
    write.commit().await?;
    Ok(changes)
}

async fn update(
    env: LinksEnv,
    tenant: Tenant,
    patches: Vec<LinkPatch>,
) -> Result<LinkChanges, LinkError> {
    let write = env.db.begin().await?;
    let mut changes = LinkChanges::default();
    let count = patches.len();
    for (at, patch) in patches.into_iter().enumerate() {
        let prefix = field_prefix(count, at);
        let (before, record) = repo::find(&*write, &tenant.id, &patch.id).await?;
        let mut link = before.clone();
        // The host follows the target, unless another one was set.
        let host = before.fields.target_url.as_deref().and_then(rules::host);
        if host == before.fields.target_domain {
            link.fields.target_domain = None;
        }
        let hosts = env.hosts.view();
        let named = before.host.as_ref().and_then(|id| hosts.by_id(id.as_str()));
        link.fields.domain = named.map(|host| host.name.clone());
        let mut fields = patched(("link", &link.fields), &patch.fields, &prefix)?;
        // An imported one may stay, and no new one be like it.
        fields.slug.take_if(|slug| *slug == link.slug);
        let rules = env.rules(&hosts, SlugRule::New);
        link.fields = rules::check_fields(fields, rules, prefix.clone())?;
        let domain = link.fields.domain.take();
        if domain.as_deref() != named.map(|host| host.name.as_str()) {
            link.host = find_host(&hosts, &tenant.id, domain, &prefix)?;
            check_host(&*write, &link).await?;
        }
        if let Some(slug) = link.fields.slug.take() {
            link.slug = slug;
        }
        link.password_hash = patch.password_hash.apply(before.password_hash.as_ref());
        link.updated_ms = env.clock.now_ms();
        if before.fields.max_clicks.is_some() != link.fields.max_clicks.is_some() {
            uses::delete_count(&*write, link.key).await?;
        }
        check_folder(&*write, &link).await?;
        let after = repo::update(&*write, &link, tenant.key).await?;
        changes.removed.push(record);
        changes.put.push(after);
        changes.links.push(Arc::new(link));
    }
    write.commit().await?;
    Ok(changes)
}

async fn delete(env: LinksEnv, message: DeleteLinks) -> Result<LinkChanges, LinkError> {
    let write = env.db.begin().await?;
    let mut changes = LinkChanges::default();
    for id in message.ids {
        let (link, record) = repo::find(&*write, &message.organization, &id).await?;
        entities::delete::<link::Entity>(&*write, id.as_str()).await?;
        erasure::insert_deleted(&*write, &link, env.clock.now_ms()).await?;
        changes.removed.push(record);
    }
    write.commit().await?;
    Ok(changes)
}

/// The host that a link is on, by its name: a verified one of its organization's.
fn find_host(
    hosts: &HostsView,
    organization: &OrganizationId,
    domain: Option<String>,
    prefix: &str,
) -> Result<Option<HostId>, LinkError> {
    let Some(domain) = domain.filter(|domain| !domain.is_empty()) else {
        return Ok(None);
    };
    if let Some(host) = hosts.link_host(organization, &domain.to_lowercase()) {
        return Ok(Some(host.id.clone()));
    }
    let message = format!(
        "`{domain}` isn't a verified domain for short links of this organization. Verify it first."
    );
    Err(vec![Issue::new("unknown", format!("{prefix}domain"), message)].into())
}

/// Refuses a host that was removed meanwhile. The removal holds the owner's row, too.
async fn check_host(db: &impl sea_orm::ConnectionTrait, link: &Link) -> Result<(), LinkError> {
    let Some(host) = &link.host else {
        return Ok(());
    };
    organization::Entity::lock(db, &link.organization).await?;
    if entities::find::<host::Entity>(db, host.as_str())
        .await?
        .is_some()
    {
        return Ok(());
    }
    let message = "The domain was removed";
    Err(vec![Issue::new("unknown", "domain", message)].into())
}

/// Refuses a folder of another organization.
async fn check_folder(db: &impl sea_orm::ConnectionTrait, link: &Link) -> Result<(), LinkError> {
    let Some(folder) = link.fields.folder_id.as_deref() else {
        return Ok(());
    };
    match folders::find(db, &link.organization, &FolderId::from(folder)).await {
        Err(LinkError::NoFolder(_)) => {
            let message = "Link folder does not exist in this organization";
            Err(vec![Issue::new("unknown", "folderId", message)].into())
        }
        outcome => outcome.map(drop),
    }
}

async fn create_folder(env: LinksEnv, message: CreateFolder) -> Result<Folder, LinkError> {
    let name = folders::check_name(&message.name)?;
    let write = env.db.begin().await?;
    let slug = match message.slug {
        Some(slug) => folders::check_slug(&slug)?,
        None => folders::find_free_slug(&*write, &message.organization, &name).await?,
    };
    let now_ms = env.clock.now_ms();
    let folder = Folder {
        id: FolderId::new(),
        organization: message.organization,
        created_by: message.created_by,
        name,
        slug,
        created_ms: now_ms,
        updated_ms: now_ms,
    };
    folders::insert(&*write, &folder).await?;
    write.commit().await?;
    Ok(folder)
}

async fn update_folder(env: LinksEnv, message: UpdateFolder) -> Result<Folder, LinkError> {
    let write = env.db.begin().await?;
    let mut folder = folders::find(&*write, &message.organization, &message.id).await?;
    if let Some(name) = message.name {
        folder.name = folders::check_name(&name)?;
    }
    if let Some(slug) = message.slug {
        folder.slug = folders::check_slug(&slug)?;
    }
    folder.updated_ms = env.clock.now_ms();
    folders::update(&*write, &folder).await?;
    write.commit().await?;
    Ok(folder)
}

async fn delete_folder(env: LinksEnv, message: DeleteFolder) -> Result<(), LinkError> {
    let write = env.db.begin().await?;
    folders::find(&*write, &message.organization, &message.id).await?;
    entities::delete::<link_folder::Entity>(&*write, message.id.as_str()).await?;
    Ok(write.commit().await?)
}

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
        kit::{Domain, Resident, commit, handlers},
        patch::patched,
        random,
        unlocking::Unlocker,
    },
    entities::{self, link, link_folder},
    fault::Issue,
    ids::{FolderId, LinkId, WebsiteKey},
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
        vec![&env.organizations]
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
        let own_host = self.env.own_host.as_str();
        let count = message.links.len();
        let mut links = Vec::with_capacity(count);
        for (at, draft) in message.links.into_iter().enumerate() {
            let prefix = field_prefix(count, at);
            let mut fields = rules::check_fields(draft.fields, (own_host, message.slugs), prefix)?;
            let slug = match fields.slug.take() {
                // Storage decides; this check saves it the work.
                Some(slug) if self.view.packed(&slug).is_some() => {
                    return Err(LinkError::SlugTaken(slug));
                }
                Some(slug) => slug,
                None => self.free_slug()?,
            };
            links.push(Link {
                id: LinkId::new(),
                key: WebsiteKey(random::key()?),
                organization: tenant.id.clone(),
                created_by: message.created_by.clone(),
                slug,
                fields,
                password_hash: draft.password_hash,
                created_ms: now_ms,
                updated_ms: now_ms,
            });
        }
        Ok((tenant, links))
    }

    /// A random slug that no link has.
    fn free_slug(&self) -> Result<String, LinkError> {
        let mut slug = random::base62(SLUG_LENGTH)?;
        for _ in 1..MAX_TRIES {
            if self.view.packed(&slug).is_none() {
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
        let mut fields = patched(("link", &link.fields), &patch.fields, &prefix)?;
        // An imported one may stay, and no new one be like it.
        fields.slug.take_if(|slug| *slug == link.slug);
        let own_host = env.own_host.as_str();
        link.fields = rules::check_fields(fields, (own_host, SlugRule::New), prefix)?;
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

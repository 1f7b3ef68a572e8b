//! The one writer of links.

use std::sync::Arc;

use super::{
    CreateFolder, CreateLinks, Decision, DeleteFolder, DeleteLinks, Folder, Link, LinkError,
    LinkFields, LinkPatch, Links, LinksEnv, LinksView, Lock, UpdateFolder, UpdateLinks, erasure,
    folders,
    lock::Locks,
    repo,
    rules::{self, Check},
    uses,
    view::Written,
};
use crate::{
    access::{authorize::Tenant, plans::Allowance},
    actors::{
        error::CommonError,
        kit::{Domain, Resident, commit, handlers},
        patch::patched,
        random,
    },
    fault::Issue,
    ids::{FolderId, LinkId, OrganizationId, WebsiteKey},
    store::StateDb,
};

/// Letters of a slug that nobody chose.
const SLUG: usize = 8;
/// How often such a slug may be taken already.
const TRIES: usize = 10;

impl Domain for Links {
    const NAME: &'static str = "links";
    type Env = LinksEnv;
    type View = LinksView;

    async fn boot(env: LinksEnv) -> anyhow::Result<Self> {
        let records = repo::records(env.db.settled().await?, &env.organizations.view()).await?;
        Ok(Self {
            view: Arc::new(LinksView::new(
                env.db.clone(),
                Locks::new(&env.secret),
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
        let tenant = self.tenant(&message.organization)?;
        Ok(commit(
            update(self.env.clone(), tenant, message.patches),
            Links::adopt,
        ))
    }

    fn tenant(&self, organization: &OrganizationId) -> Result<Tenant, LinkError> {
        let organizations = self.env.organizations.view();
        organizations
            .tenant(organization.as_str())
            .ok_or_else(|| CommonError::NoOrganization(organization.clone()).into())
    }

    /// New links that are in order, taken slugs aside.
    fn admit(&self, message: CreateLinks) -> Result<(Tenant, Vec<Link>), LinkError> {
        let tenant = self.tenant(&message.organization)?;
        let now_ms = self.env.clock.now_ms();
        let several = message.links.len() > 1;
        let mut links = Vec::with_capacity(message.links.len());
        for (at, draft) in message.links.into_iter().enumerate() {
            let place = if several {
                format!("links.{at}.")
            } else {
                String::new()
            };
            let mut fields = checked(&self.env.own_host, place, draft.fields)?;
            let slug = match fields.slug.take() {
                // Storage has the last word; this one saves it the work.
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
        let mut slug = random::base62(SLUG)?;
        for _ in 1..TRIES {
            if self.view.packed(&slug).is_none() {
                break;
            }
            slug = random::base62(SLUG)?;
        }
        Ok(slug)
    }

    /// Shows what was written.
    pub(super) fn adopt(&mut self, written: Written) -> Vec<Arc<Link>> {
        self.view.adopt(&written);
        written.links
    }

    /// As [`Self::adopt`], where nobody asks for the links.
    pub(super) fn show(&mut self, written: Written) {
        self.view.adopt(&written);
    }
}

fn checked(own_host: &str, place: String, fields: LinkFields) -> Result<LinkFields, LinkError> {
    let mut check = Check {
        place,
        own_host,
        issues: Vec::new(),
    };
    let fields = check.fields(fields);
    if check.issues.is_empty() {
        return Ok(fields);
    }
    Err(check.issues.into())
}

async fn create(
    env: LinksEnv,
    tenant: Tenant,
    links: Vec<Link>,
    allowance: Option<Allowance>,
) -> Result<Written, LinkError> {
    let write = env.db.begin().await?;
    if let Some(allowance) = allowance {
        repo::room(&*write, &tenant.id, allowance, links.len()).await?;
    }
    let mut written = Written::default();
    for link in links {
        in_folder(&*write, &link).await?;
        let record = repo::insert(&*write, &link, tenant.key).await?;
        written.put.push(record);
        written.links.push(Arc::new(link));
    }
    write.commit().await?;
    Ok(written)
}

async fn update(
    env: LinksEnv,
    tenant: Tenant,
    patches: Vec<LinkPatch>,
) -> Result<Written, LinkError> {
    let write = env.db.begin().await?;
    let mut written = Written::default();
    let several = patches.len() > 1;
    for (at, patch) in patches.into_iter().enumerate() {
        let place = if several {
            format!("links.{at}.")
        } else {
            String::new()
        };
        let (before, record) = repo::find(&*write, &tenant.id, &patch.id).await?;
        let mut link = before.clone();
        // The host of the target follows it unless somebody said otherwise.
        let own = before.fields.target_url.as_deref().and_then(rules::host);
        if own == before.fields.target_domain {
            link.fields.target_domain = None;
        }
        let fields = patched(("link", &link.fields), &patch.fields, &place)?;
        link.fields = checked(&env.own_host, place, fields)?;
        if let Some(slug) = link.fields.slug.take() {
            link.slug = slug;
        }
        match patch.lock {
            Lock::Kept => {}
            Lock::Removed => link.password_hash = None,
            Lock::Set(hash) => link.password_hash = Some(hash),
        }
        link.updated_ms = env.clock.now_ms();
        if before.fields.max_clicks.is_some() != link.fields.max_clicks.is_some() {
            uses::forget(&*write, link.key).await?;
        }
        in_folder(&*write, &link).await?;
        let after = repo::update(&*write, &link, tenant.key).await?;
        written.gone.push(record);
        written.put.push(after);
        written.links.push(Arc::new(link));
    }
    write.commit().await?;
    Ok(written)
}

async fn delete(env: LinksEnv, message: DeleteLinks) -> Result<Written, LinkError> {
    let write = env.db.begin().await?;
    let mut written = Written::default();
    for id in message.ids {
        let (link, record) = repo::find(&*write, &message.organization, &id).await?;
        repo::delete(&*write, &id).await?;
        erasure::remember(&*write, &link, env.clock.now_ms()).await?;
        written.gone.push(record);
    }
    write.commit().await?;
    Ok(written)
}

/// Refuses a folder of somebody else.
async fn in_folder(db: &impl sea_orm::ConnectionTrait, link: &Link) -> Result<(), LinkError> {
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
    let name = folders::name(&message.name)?;
    let write = env.db.begin().await?;
    let slug = match message.slug {
        Some(slug) => folders::chosen(&slug)?,
        None => folders::free(&*write, &message.organization, &name).await?,
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
        folder.name = folders::name(&name)?;
    }
    if let Some(slug) = message.slug {
        folder.slug = folders::chosen(&slug)?;
    }
    folder.updated_ms = env.clock.now_ms();
    folders::update(&*write, &folder).await?;
    write.commit().await?;
    Ok(folder)
}

async fn delete_folder(env: LinksEnv, message: DeleteFolder) -> Result<(), LinkError> {
    let write = env.db.begin().await?;
    folders::find(&*write, &message.organization, &message.id).await?;
    folders::delete(&*write, &message.id).await?;
    Ok(write.commit().await?)
}

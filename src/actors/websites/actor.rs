//! The one writer of websites.

use std::sync::Arc;

use actix::{Context, Handler};

use super::{
    CreateWebsite, EraseOwner, IngestRules, Refresh, TogglePublic, UpdateSettings, UpdateWebsite,
    Website, WebsiteError, WebsiteSettings, WebsiteStatus, WebsitesView, env::WebsitesEnv, moved,
    repo, rules,
};
use crate::{
    access::plans::Allowance,
    actors::{
        error::CommonError,
        kit::{Domain, Live, Reply, Resident, commit, refuse},
        random,
    },
    ids::{ClientId, WebsiteId, WebsiteKey},
    store::{StateDb, StateError},
};

/// The actor; its state is its view.
pub struct Websites {
    pub(super) env: WebsitesEnv,
    pub(super) view: Arc<WebsitesView>,
}

impl Domain for Websites {
    const NAME: &'static str = "websites";
    type Env = WebsitesEnv;
    type View = WebsitesView;

    async fn boot(env: WebsitesEnv) -> anyhow::Result<Self> {
        let view = repo::load(env.db.settled().await?, &env.organizations.view()).await?;
        moved::tell(&env).await?;
        Ok(Self {
            env,
            view: Arc::new(view),
        })
    }

    fn view(&self) -> Arc<WebsitesView> {
        Arc::clone(&self.view)
    }

    fn epoch_source(env: &WebsitesEnv) -> Option<&StateDb> {
        Some(&env.db)
    }

    fn depends_on(env: &WebsitesEnv) -> Vec<&dyn Resident> {
        vec![&env.organizations]
    }
}

impl Handler<CreateWebsite> for Live<Websites> {
    type Result = Reply<Websites, Arc<Website>, WebsiteError>;

    fn handle(&mut self, message: CreateWebsite, _: &mut Context<Self>) -> Self::Result {
        let allowance = message.allowance.clone();
        match self.admit_new(message) {
            Ok(website) => commit(
                insert(self.env.db.clone(), website, allowance),
                Websites::adopt,
            ),
            Err(error) => refuse(error),
        }
    }
}

impl Handler<UpdateWebsite> for Live<Websites> {
    type Result = Reply<Websites, Arc<Website>, WebsiteError>;

    fn handle(&mut self, message: UpdateWebsite, _: &mut Context<Self>) -> Self::Result {
        match self.admit_update(message) {
            Ok(website) => commit(update(self.env.db.clone(), website), Websites::adopt),
            Err(error) => refuse(error),
        }
    }
}

impl Handler<Refresh> for Live<Websites> {
    type Result = Reply<Websites, (), WebsiteError>;

    fn handle(&mut self, _: Refresh, _: &mut Context<Self>) -> Self::Result {
        let env = self.env.clone();
        let io = async move {
            env.db.tell().await?;
            Ok(repo::load(env.db.writer(), &env.organizations.view()).await?)
        };
        commit(io, |domain: &mut Websites, view| {
            domain.view = Arc::new(view);
        })
    }
}

impl Handler<EraseOwner> for Live<Websites> {
    type Result = Reply<Websites, u64, WebsiteError>;

    fn handle(&mut self, message: EraseOwner, _: &mut Context<Self>) -> Self::Result {
        let env = self.env.clone();
        let io = async move {
            let write = env.db.begin().await?;
            let erased = repo::erase(&*write, &message.organization).await?;
            write.commit().await?;
            let view = repo::load(env.db.writer(), &env.organizations.view()).await;
            Ok((erased, view.map_err(StateError::Unknown)?))
        };
        commit(io, |domain: &mut Websites, (erased, view)| {
            domain.view = Arc::new(view);
            erased
        })
    }
}

impl Handler<TogglePublic> for Live<Websites> {
    type Result = Reply<Websites, Arc<Website>, WebsiteError>;

    fn handle(&mut self, message: TogglePublic, _: &mut Context<Self>) -> Self::Result {
        match self.draft(&message.id) {
            Ok(mut website) => {
                website.is_public = message.is_public;
                commit(update(self.env.db.clone(), website), Websites::adopt)
            }
            Err(error) => refuse(error),
        }
    }
}

impl Handler<UpdateSettings> for Live<Websites> {
    type Result = Reply<Websites, Arc<Website>, WebsiteError>;

    fn handle(&mut self, message: UpdateSettings, _: &mut Context<Self>) -> Self::Result {
        match self.admit_settings(message) {
            Ok(website) => commit(update(self.env.db.clone(), website), Websites::adopt),
            Err(error) => refuse(error),
        }
    }
}

impl Websites {
    fn admit_new(&self, message: CreateWebsite) -> Result<Website, WebsiteError> {
        let name = rules::name(&message.name)?;
        let domain = rules::domain(&message.domain)?;
        let organizations = self.env.organizations.view();
        let owner = organizations
            .tenant(message.organization.as_str())
            .ok_or(CommonError::NoOrganization(message.organization))?;
        if self.view.with_domain(&owner.id, &domain).is_some() {
            return Err(WebsiteError::DomainTaken(domain));
        }
        let id = WebsiteId::new();
        let now_ms = self.env.clock.now_ms();
        Ok(Website {
            client_id: ClientId::from(id.as_str()),
            id,
            key: WebsiteKey(random::key()?),
            organization: owner.id,
            organization_key: owner.key,
            name,
            domain,
            status: WebsiteStatus::Active,
            is_public: false,
            settings: WebsiteSettings::default(),
            ingest_rules: IngestRules::default(),
            created_ms: now_ms,
            updated_ms: now_ms,
        })
    }

    fn admit_update(&self, message: UpdateWebsite) -> Result<Website, WebsiteError> {
        let mut website = self.draft(&message.id)?;
        if let Some(name) = message.name {
            website.name = rules::name(&name)?;
        }
        if let Some(domain) = message.domain {
            website.domain = rules::domain(&domain)?;
        }
        let holder = self
            .view
            .with_domain(&website.organization, &website.domain);
        if holder.is_some_and(|holder| holder.id != website.id) {
            return Err(WebsiteError::DomainTaken(website.domain));
        }
        Ok(website)
    }

    fn admit_settings(&self, message: UpdateSettings) -> Result<Website, WebsiteError> {
        let mut website = self.draft(&message.id)?;
        website.settings = website.settings.changed(message.change)?;
        Ok(website)
    }

    /// A copy of a website to change.
    pub(super) fn draft(&self, id: &WebsiteId) -> Result<Website, WebsiteError> {
        let current = self
            .view
            .by_id(id.as_str())
            .ok_or_else(|| WebsiteError::NotFound(id.clone()))?;
        let mut website = Website::clone(current);
        website.updated_ms = self.env.clock.now_ms();
        Ok(website)
    }

    /// Takes a stored website into memory.
    pub(super) fn adopt(&mut self, website: Website) -> Arc<Website> {
        let website = Arc::new(website.with_door());
        Arc::make_mut(&mut self.view).insert(Arc::clone(&website));
        website
    }
}

async fn insert(
    db: StateDb,
    website: Website,
    allowance: Option<Allowance>,
) -> Result<Website, WebsiteError> {
    let write = db.begin().await?;
    if let Some(allowance) = allowance {
        repo::room(&*write, &website.organization, allowance).await?;
    }
    repo::insert(&*write, &website).await?;
    write.commit().await?;
    Ok(website)
}

pub(super) async fn update(db: StateDb, website: Website) -> Result<Website, WebsiteError> {
    let write = db.begin().await?;
    repo::update(&*write, &website).await?;
    write.commit().await?;
    Ok(website)
}

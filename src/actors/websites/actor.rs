//! The one writer of websites.

use std::sync::Arc;

use super::{
    CreateWebsite, Decision, EraseOwner, IngestRules, Refresh, TogglePublic, UpdateSettings,
    UpdateWebsite, Website, WebsiteError, WebsiteSettings, WebsiteStatus, WebsitesView, claims,
    env::WebsitesEnv, repo, rules, transferred,
};
use crate::{
    actors::{
        error::CommonError,
        kit::{Domain, Reply, Resident, commit, handlers},
        random,
    },
    ids::{ClientId, WebsiteId, WebsiteKey},
    store::StateDb,
};

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
        transferred::tell(&env).await?;
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

handlers! { Websites:
    commit Refresh => refresh, Websites::replace_view;
    commit EraseOwner => erase_owner, |websites: &mut Websites, (erased, view)| {
        websites.replace_view(view);
        erased
    };
    decide CreateWebsite => Websites::create_website;
    decide UpdateWebsite => Websites::update_website;
    decide TogglePublic => Websites::toggle_public;
    decide UpdateSettings => Websites::update_settings;
}

async fn refresh(env: WebsitesEnv, _: Refresh) -> Result<WebsitesView, WebsiteError> {
    env.db.tell().await?;
    Ok(repo::load(env.db.writer(), &env.organizations.view()).await?)
}

async fn erase_owner(
    env: WebsitesEnv,
    message: EraseOwner,
) -> Result<(u64, WebsitesView), WebsiteError> {
    let write = env.db.begin().await?;
    let erased = repo::erase(&*write, &message.organization).await?;
    write.commit().await?;
    Ok((erased, repo::reload(&env).await?))
}

impl Websites {
    fn create_website(&mut self, message: CreateWebsite) -> Decision<Arc<Website>> {
        let allowance = message.allowance.clone();
        let website = self.admit_new(message)?;
        let db = self.env.db.clone();
        let io = async move {
            let write = db.begin().await?;
            if let Some(allowance) = allowance {
                repo::check_allowance(&*write, &website.organization, allowance).await?;
            }
            repo::insert(&*write, &website).await?;
            write.commit().await?;
            Ok(website)
        };
        Ok(commit(io, Websites::adopt))
    }

    fn update_website(&mut self, message: UpdateWebsite) -> Decision<Arc<Website>> {
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
        let Some(inputs) = message.compatibility else {
            return Ok(self.store(website));
        };
        website.compatibility = claims::resolve(&website, inputs, &self.view)?;
        let db = self.env.db.clone();
        let io = async move {
            let write = db.begin().await?;
            repo::update(&*write, &website).await?;
            claims::replace(&*write, &website).await?;
            write.commit().await?;
            Ok(website)
        };
        Ok(commit(io, Self::adopt))
    }

    fn toggle_public(&mut self, message: TogglePublic) -> Decision<Arc<Website>> {
        let mut website = self.draft(&message.id)?;
        website.is_public = message.is_public;
        Ok(self.store(website))
    }

    fn update_settings(&mut self, message: UpdateSettings) -> Decision<Arc<Website>> {
        let mut website = self.draft(&message.id)?;
        website.settings = website.settings.changed(message.change)?;
        Ok(self.store(website))
    }

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
        let mut website = Website {
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
            compatibility: Vec::new(),
            ingest_rules: IngestRules::default(),
            created_ms: now_ms,
            updated_ms: now_ms,
        };
        website.compatibility = claims::resolve(&website, message.compatibility, &self.view)?;
        Ok(website)
    }

    /// Stores a changed website and takes it into memory.
    pub(super) fn store(&self, website: Website) -> Reply<Self, Arc<Website>, WebsiteError> {
        let db = self.env.db.clone();
        let io = async move {
            let write = db.begin().await?;
            repo::update(&*write, &website).await?;
            write.commit().await?;
            Ok(website)
        };
        commit(io, Self::adopt)
    }

    pub(super) fn draft(&self, id: &WebsiteId) -> Result<Website, WebsiteError> {
        let current = self
            .view
            .by_id(id.as_str())
            .ok_or_else(|| WebsiteError::NotFound(id.clone()))?;
        let mut website = Website::clone(current);
        website.updated_ms = self.env.clock.now_ms();
        Ok(website)
    }

    /// Takes over what was read anew.
    pub(super) fn replace_view(&mut self, view: WebsitesView) {
        self.view = Arc::new(view);
    }

    /// As [`Self::replace_view`], with the website that was asked for.
    pub(super) fn replace_view_with(
        &mut self,
        (view, website): (WebsitesView, Arc<Website>),
    ) -> Arc<Website> {
        self.replace_view(view);
        website
    }

    pub(super) fn adopt(&mut self, website: Website) -> Arc<Website> {
        let website = Arc::new(website.with_compiled_rules());
        Arc::make_mut(&mut self.view).insert(Arc::clone(&website));
        website
    }
}

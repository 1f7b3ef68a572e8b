//! The first organization with everything in it: what `pharos setup` and the first `pharos serve` do.

use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};

use super::{
    Domains,
    keys::{CreateKey, KeyError},
    organizations::{self, OrganizationError},
    random::{self, NoRandomness},
    websites::{self, CreateWebsite, Website, WebsiteError},
};
use crate::{
    access::Scope,
    ids::{OrganizationId, UserId, WebsiteId},
};

/// The name of the key that setup makes.
const KEY_NAME: &str = "setup";
/// Characters of a generated password: 119 random bits.
const PASSWORD: usize = 20;

/// What to install. The defaults are those of the command line.
#[derive(Debug, Clone)]
pub struct Install {
    pub organization: String,
    pub plan: String,
    pub email: String,
    /// The owner's password; generated when absent.
    pub password: Option<SecretString>,
    /// The domain of the first website, which is also its name.
    pub website: String,
}

impl Default for Install {
    fn default() -> Self {
        Self {
            organization: "Default".to_owned(),
            plan: "free".to_owned(),
            email: "admin@localhost".to_owned(),
            password: None,
            website: "localhost".to_owned(),
        }
    }
}

/// What was installed; password and key are shown this once.
#[derive(Debug)]
pub struct Installed {
    pub organization_id: OrganizationId,
    pub user_id: UserId,
    pub email: String,
    pub password: SecretString,
    pub website_id: WebsiteId,
    /// A key with every scope on the whole organization and no quota of its own.
    pub api_key: SecretString,
}

/// Why nothing, or not everything, was installed.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// There is an organization already; nothing was changed.
    #[error("an organization already exists; setup works on an empty store only")]
    AlreadyInstalled,
    /// The organization or its owner was refused; nothing was changed.
    #[error("cannot make the organization: {0}")]
    Organization(#[source] OrganizationError),
    #[error("cannot make the website: {0}")]
    Website(#[from] WebsiteError),
    #[error("cannot make the API key: {0}")]
    Key(#[from] KeyError),
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
}

impl From<OrganizationError> for SetupError {
    fn from(error: OrganizationError) -> Self {
        match error {
            OrganizationError::AlreadyInstalled => Self::AlreadyInstalled,
            other => Self::Organization(other),
        }
    }
}

/// Installs everything. What can be refused is checked before the first write; what an installation that was cut off
/// has left behind is completed.
pub async fn install(domains: &Domains, install: Install) -> Result<Installed, SetupError> {
    let website_name = website_name(&install.website);
    websites::check(&website_name, &install.website).map_err(WebsiteError::from)?;
    let password = match install.password {
        Some(password) => password,
        None => random::base62(PASSWORD)?.into(),
    };
    let message = organizations::Install {
        organization: install.organization,
        plan: install.plan,
        email: install.email,
        password: SecretString::from(password.expose_secret()),
        again: unfinished(domains),
    };
    let installation = domains.organizations.ask(message).await?;
    let organization = installation.organization.id;
    let website = domains.websites.ask(CreateWebsite {
        organization: organization.clone(),
        name: website_name,
        domain: install.website,
        compatibility: Vec::new(),
        allowance: None,
    });
    let website = match website.await {
        Err(WebsiteError::DomainTaken(domain)) => find_website(domains, &organization, domain)?,
        made => made?,
    };
    let key = domains.keys.ask(CreateKey {
        organization: Some(organization.clone()),
        created_by: Some(installation.user.clone()),
        scopes: Scope::ALL.to_vec(),
        ..CreateKey::named(KEY_NAME)
    });
    let key = key.await?;
    Ok(Installed {
        organization_id: organization,
        user_id: installation.user,
        email: installation.email,
        password,
        website_id: website.id.clone(),
        api_key: key.secret,
    })
}

/// The organization whose installation was interrupted: no key was ever made, and the key comes last. Its password was
/// never shown, so it may get another.
pub fn unfinished(domains: &Domains) -> Option<OrganizationId> {
    let (organization, _) = domains.organizations.view().founder()?;
    let never = !domains.keys.view().any_ever();
    never.then(|| organization.tenant.id.clone())
}

/// The website that the installation had come to before it was cut off.
fn find_website(
    domains: &Domains,
    organization: &OrganizationId,
    domain: String,
) -> Result<Arc<Website>, WebsiteError> {
    let websites = domains.websites.view().owned_by(organization);
    let found = websites
        .into_iter()
        .find(|website| website.domain == domain);
    found.ok_or(WebsiteError::DomainTaken(domain))
}

/// The domain as a name: what a name may not hold becomes a hyphen.
fn website_name(domain: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let name = domain.split_once("://").map_or(domain, |(_, rest)| rest);
    let name = name.trim().trim_end_matches('/');
    let name = name.chars().map(|c| if kept(c) { c } else { '-' });
    name.take(100).collect()
}

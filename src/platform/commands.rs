//! What the command line asks of the program.

use std::{cell::Cell, path::PathBuf, sync::Arc};

use secrecy::ExposeSecret;

use super::{
    Platform,
    offline::{offline, tidy},
    progress::Progress,
    signals,
};
use crate::{
    actors::{
        Domains,
        setup::{self, Install, Installed, SetupError},
        websites::{CreateWebsite, Website},
    },
    clock::Clock,
    config::{Settings, Urls},
    events::demo::{Generator, Plan, Site},
    http,
    platform::error::CommandError,
    telemetry,
};

/// Domain of the website that `demo` makes.
const DEMO_DOMAIN: &str = "demo.example";

/// What `setup` is asked to make.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Name of the organization.
    pub organization: String,
    /// The owner's address.
    pub email: String,
    /// The owner's password; `None` = one is generated.
    pub password: Option<String>,
    /// Domain of the first website.
    pub website: String,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            organization: "Default".to_owned(),
            email: "admin@localhost".to_owned(),
            password: None,
            website: "localhost".to_owned(),
        }
    }
}

/// What `setup` made. Password and key are shown this once.
#[derive(Clone, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Made {
    pub organization_id: String,
    pub user_id: String,
    /// The owner's address.
    pub email: String,
    /// The owner's password.
    pub password: String,
    pub website_id: String,
    /// A global key with every scope.
    pub api_key: String,
}

/// What `demo` is asked to write.
#[derive(Debug, Clone)]
pub struct Demo {
    /// Number of events of all kinds together.
    pub events: u64,
    /// Days before now over which they are spread.
    pub days: u32,
    /// Website that receives them; `None` = one for the purpose.
    pub website: Option<String>,
    /// Same seed, same events.
    pub seed: u64,
}

/// Runs everything until a signal or a failure. `file` is what `--config` named, for reloading; `log` lets a reload
/// change the level. When an empty store had to be set up first, `announce` gets the result once the listeners are
/// bound and before any request is answered.
///
/// # Errors
/// What kept the program from starting or made it stop; a [`CommandError`] where the operator can help it.
pub fn serve(
    settings: Settings,
    file: Option<PathBuf>,
    log: telemetry::Log,
    announce: impl FnOnce(&Made, &Urls) + Send + 'static,
) -> anyhow::Result<()> {
    actix::System::new().block_on(async move {
        // From here on a signal to stop is heard, and ends orderly what has begun.
        let mut stop = Box::pin(signals::stop());
        let is_setting_up = Cell::new(false);
        let plan = settings.plans.default.clone();
        let set_up = async |domains: &Domains, urls: &Urls| {
            if !domains.organizations.view().any() {
                is_setting_up.set(true);
                let made = install(domains, Wanted::default(), plan).await?;
                announce(&made, urls);
            }
            anyhow::Ok(())
        };
        let mut start = Box::pin(Platform::start_after(settings, Clock::system(), set_up));
        let mut stopped = None;
        let platform = tokio::select! {
            started = &mut start => started?,
            signal = &mut stop => {
                if !is_setting_up.get() {
                    tracing::info!(signal, "stopping before the start is done");
                    return Ok(());
                }
                stopped = Some(signal);
                start.await?
            }
        };
        if setup::unfinished(platform.domains()).is_some() {
            tracing::warn!(
                "the installation was cut off before anybody learnt how to sign in: stop, and run `pharos setup`"
            );
        }
        let urls = platform.urls();
        let stop = async {
            match stopped {
                Some(signal) => signal,
                None => stop.await,
            }
        };
        tracing::info!(
            base_url = urls.base,
            track_url = urls.track,
            links_url = urls.links,
            "listening"
        );
        Box::pin(platform.run(file, log, stop)).await
    })
}

/// Migrates an empty store and fills it with what is `wanted`.
///
/// # Errors
/// A [`CommandError`] when an organization exists already, or what the store says.
pub fn setup(settings: &Settings, wanted: Wanted) -> anyhow::Result<Made> {
    let plan = settings.plans.default.clone();
    offline(settings, async |_, domains| {
        install(&domains, wanted, plan).await
    })
}

/// Fills a website with realistic events; gives back a sentence about what it wrote.
///
/// # Errors
/// An unknown website, or what the stores say.
pub fn demo(settings: &Settings, demo: &Demo) -> anyhow::Result<String> {
    offline(settings, async |stores, domains| {
        let website = demo_website(&domains, demo.website.as_deref()).await?;
        let site = website.site();
        let plan = Plan {
            organization: site.organization_key,
            websites: vec![Site {
                key: site.key,
                domain: website.domain.clone(),
            }],
            events: demo.events,
            days: demo.days,
            end: stores.clock.now_ms(),
            seed: demo.seed,
        };
        let mut progress = Progress::new(demo.events, "events");
        let mut written = 0;
        for chunk in Generator::new(plan) {
            let count = chunk.len() as u64;
            stores.append(chunk).await?;
            written += count;
            progress.advance(count);
        }
        progress.finish();
        tidy(&domains.ingest).await?;
        Ok(format!(
            "wrote {written} events of the last {} days for website {} ({})",
            demo.days, website.id, website.domain
        ))
    })
}

/// The OpenAPI document that the server would publish, as indented JSON.
///
/// # Errors
/// The document cannot be put together, which is a bug.
pub fn openapi(settings: &Settings) -> anyhow::Result<String> {
    let document = http::openapi::document(&settings.server.urls());
    Ok(serde_json::to_string_pretty(&document)?)
}

impl Platform {
    /// Makes the first organization with everything in it.
    ///
    /// # Errors
    /// A [`CommandError`] when there is one already, or what the store says.
    pub async fn install(&self, wanted: Wanted) -> anyhow::Result<Made> {
        let plan = self.settings.plans.default.clone();
        install(self.domains(), wanted, plan).await
    }
}

async fn install(domains: &Domains, wanted: Wanted, plan: String) -> anyhow::Result<Made> {
    let install = Install {
        plan,
        organization: wanted.organization,
        email: wanted.email,
        password: wanted.password.map(Into::into),
        website: wanted.website,
    };
    match setup::install(domains, install).await {
        Ok(installed) => Ok(shown(installed)),
        Err(error @ SetupError::AlreadyInstalled) => CommandError::refuse(
            error.to_string(),
            "use the existing one, or set `storage.data_dir` to an empty directory",
        ),
        Err(error) => Err(error.into()),
    }
}

fn shown(installed: Installed) -> Made {
    Made {
        organization_id: installed.organization_id.into(),
        user_id: installed.user_id.into(),
        email: installed.email,
        password: installed.password.expose_secret().to_owned(),
        website_id: installed.website_id.into(),
        api_key: installed.api_key.expose_secret().to_owned(),
    }
}

/// The website with this id.
pub(super) fn website(domains: &Domains, id: &str) -> anyhow::Result<Arc<Website>> {
    let found = domains.websites.view().by_id(id).cloned();
    let refusal = || {
        CommandError::new(
            format!("there is no website `{id}`"),
            "`--website` takes the id that `pharos setup` printed, and that the website's settings show",
        )
    };
    Ok(found.ok_or_else(refusal)?)
}

/// The website to fill: the one that was named, else one made for the purpose.
async fn demo_website(domains: &Domains, named: Option<&str>) -> anyhow::Result<Arc<Website>> {
    if let Some(id) = named {
        return website(domains, id);
    }
    let view = domains.websites.view();
    let organization = domains.organizations.view().first().ok_or_else(|| {
        CommandError::new(
            "there is no organization yet",
            "run `pharos setup` or `pharos serve` first",
        )
    })?;
    if let Some(website) = view
        .of(&organization)
        .into_iter()
        .find(|website| website.domain == DEMO_DOMAIN)
    {
        return Ok(website);
    }
    let create = CreateWebsite {
        organization,
        name: "Demo".to_owned(),
        domain: DEMO_DOMAIN.to_owned(),
        allowance: None,
    };
    Ok(domains.websites.ask(create).await?)
}

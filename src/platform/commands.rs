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
        setup::{self, Install, SetupError},
        websites::{CreateWebsite, Website},
    },
    clock::Clock,
    config::{Settings, Urls},
    events::demo::{DOMAIN, Generator, Plan, Site},
    http,
    platform::error::CommandError,
    telemetry,
};

/// What `setup` created. Password and key are shown this once.
#[derive(Clone, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetupResult {
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

// Comments of fields are help texts; one of the struct would replace the command's own.
#[derive(Debug, clap::Args)]
pub struct Demo {
    /// How many events
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub events: u64,
    /// Over how many days up to now they are spread
    #[arg(long, value_name = "D", default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub days: u32,
    /// The website that receives them [default: a demo website]
    #[arg(long, value_name = "ID")]
    pub website: Option<String>,
    /// The same seed makes the same events
    #[arg(long, value_name = "S", default_value_t = 1)]
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
    announce: impl FnOnce(&SetupResult, &Urls) + Send + 'static,
) -> anyhow::Result<()> {
    actix::System::new().block_on(async move {
        // From here on a signal to stop is heard, and ends orderly what has begun.
        let mut stop = Box::pin(signals::stop());
        let is_setting_up = Cell::new(false);
        let plan = settings.plans.default.clone();
        let set_up = async |domains: &Domains, urls: &Urls| {
            if !domains.organizations.view().any() {
                is_setting_up.set(true);
                let made = create(domains, Install::default(), plan).await?;
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
                "setup was interrupted before the sign-in was shown. Stop the server and run `pharos setup`"
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
            https = platform.addresses().https.map(|at| at.to_string()),
            http = platform.addresses().http.map(|at| at.to_string()),
            "listening"
        );
        Box::pin(platform.run(file, log, stop)).await
    })
}

/// Migrates an empty store and fills it with a first installation, on the default plan of the settings.
///
/// # Errors
/// A [`CommandError`] when an organization exists already, or what the store says.
pub fn setup(settings: &Settings, install: Install) -> anyhow::Result<SetupResult> {
    let plan = settings.plans.default.clone();
    offline(settings, async |_, domains| {
        create(&domains, install, plan).await
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
    /// Creates the first organization with everything in it, on the default plan of the settings.
    ///
    /// # Errors
    /// A [`CommandError`] when there is one already, or what the store says.
    pub async fn install(&self, install: Install) -> anyhow::Result<SetupResult> {
        let plan = self.settings.plans.default.clone();
        create(self.domains(), install, plan).await
    }
}

async fn create(domains: &Domains, install: Install, plan: String) -> anyhow::Result<SetupResult> {
    match setup::install(domains, Install { plan, ..install }).await {
        Ok(installed) => Ok(SetupResult {
            organization_id: installed.organization_id.into(),
            user_id: installed.user_id.into(),
            email: installed.email,
            password: installed.password.expose_secret().to_owned(),
            website_id: installed.website_id.into(),
            api_key: installed.api_key.expose_secret().to_owned(),
        }),
        Err(error @ SetupError::AlreadyInstalled) => CommandError::refuse(
            error.to_string(),
            "use the existing one, or set `storage.data_dir` to an empty directory",
        ),
        Err(error) => Err(error.into()),
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
        .owned_by(&organization)
        .into_iter()
        .find(|website| website.domain == DOMAIN)
    {
        return Ok(website);
    }
    let create = CreateWebsite {
        organization,
        name: "Demo".to_owned(),
        domain: DOMAIN.to_owned(),
        compatibility: Vec::new(),
        allowance: None,
    };
    Ok(domains.websites.ask(create).await?)
}

//! Configuration as code: files in `provision.directory` declare monitors, pages, links, flags and the rest.
//!
//! The table `provisioned` keeps what was made of each declaration under its name, for files that are edited or removed.
//! What people made or changed by hand is a conflict and stays, unless `force` or `adopt` says otherwise.
//! A run is refused as a whole when any declaration is wrong, and undone as a whole when a step is refused.
//!
//! Procedures of the API make every change, so rules, rights and plans are the same.
//! A running server reconciles when it starts, when files change and on SIGHUP.
//! Commands ask it ([`control`]), and do it themselves where none runs.

mod api;
mod apply;
mod check;
mod control;
mod decide;
#[cfg(test)]
mod decide_tests;
mod fingerprints;
mod kinds;
mod order;
mod plan;
mod read;
mod recorder;
mod refs;
mod report;
mod undo;
mod watch;
mod write;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use self::{
    api::OrganizationApi, check::Rules, fingerprints::Fingerprinter, plan::Step, read::Declaration,
    recorder::Recorder,
};

pub use report::{Action, PlannedStep, Problem, Report};

use super::{
    CommandError, Stores,
    offline::{offline, with_state},
    outward, wiring,
};
use crate::{
    actors::provisioned,
    clock::Clock,
    config::{self, Mistake, Mistakes, Settings, file_to_watch, sections::Removed},
    egress::Policy,
    http::{Addresses, Shared},
    ids::OrganizationId,
    store::StateDb,
};

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct ProvisionOptions {
    /// Apply the plan, beyond reporting it.
    pub apply: bool,
    /// Overwrite what was changed by hand.
    pub force: bool,
    /// Keep what is no longer declared.
    pub keep: bool,
}

/// Plans what declarations would change, or does it: by the server that runs, else beside none.
///
/// # Errors
/// A [`CommandError`] where the operator can help it, or what the stores say. Problem declarations are in the report.
pub fn provision(
    settings: &Settings,
    file: Option<&Path>,
    options: ProvisionOptions,
) -> anyhow::Result<Report> {
    let directory = directory(settings, file);
    if let Some(report) = control::ask(Path::new(&settings.storage.data_dir), options)? {
        if Path::new(&report.directory) == directory {
            return Ok(report);
        }
        return CommandError::refuse(
            format!(
                "the running server reads `{}`, not `{}`",
                report.directory,
                directory.display()
            ),
            "name the server's configuration file with `--config`, or run the command where the server runs",
        );
    }
    let rules = rules(settings, outward::policy(settings));
    if let Err(mistakes) = load_declarations(&directory, &rules) {
        return Ok(Report::from_mistakes(&directory, &mistakes));
    }
    with_state(settings, async |_| Ok(()))?;
    let file = file.map(Path::to_path_buf);
    offline(settings, async |stores, domains| {
        let limits = Arc::new(arc_swap::ArcSwap::from_pointee(settings.limits));
        let plans = Arc::new(arc_swap::ArcSwap::from_pointee(settings.plans.clone()));
        let nowhere = Addresses {
            api: settings.server.api_listen,
            track: settings.server.track_listen,
            links: settings.server.links_listen,
            https: None,
            http: None,
        };
        let nowhere = (nowhere, 1);
        let egress = outward::egress(settings)?;
        let reached = (&domains, &egress);
        let shared = wiring::shared(settings, stores, reached, (&limits, &plans), nowhere)?;
        let policy = outward::policy(settings);
        let provisioning = Provisioning::new(
            settings,
            file.as_deref(),
            stores,
            shared,
            Box::new(move || policy.clone()),
        );
        provisioning.run_once(options).await
    })
}

/// The directory of declarations, absolute.
fn directory(settings: &Settings, file: Option<&Path>) -> PathBuf {
    let path = match settings.provision.directory.as_str() {
        "" => {
            let file = file_to_watch(file);
            file.parent().unwrap_or(Path::new("")).join("provision")
        }
        named => PathBuf::from(named),
    };
    std::path::absolute(&path).unwrap_or(path)
}

fn rules(settings: &Settings, policy: Policy) -> Rules {
    Rules {
        policy,
        links_host: settings.server.urls().links_host(),
    }
}

/// Everything that is declared, checked; `None` when there is no directory.
fn load_declarations(
    directory: &Path,
    rules: &Rules,
) -> Result<Option<Vec<Declaration>>, Mistakes> {
    let Some(declared) = read::directory(directory, &config::variable)? else {
        return Ok(None);
    };
    let mut mistakes = check::all(&declared, rules);
    if mistakes.is_empty() {
        match order::ordered(declared) {
            Ok(declared) => return Ok(Some(declared)),
            Err(circle) => mistakes.extend(circle.iter().map(|one| {
                let mistake = one.mistake("", "names itself, through others");
                mistake.with_hint("take one of the references out")
            })),
        }
    }
    Err(Mistakes(mistakes))
}

/// Reconciles what there is with what is declared.
pub(super) struct Provisioning {
    settings: Settings,
    directory: PathBuf,
    shared: Arc<Shared>,
    db: StateDb,
    clock: Clock,
    fingerprinter: Fingerprinter,
    policy: Box<dyn Fn() -> Policy>,
}

impl Provisioning {
    pub(super) fn new(
        settings: &Settings,
        file: Option<&Path>,
        stores: &Stores,
        shared: Arc<Shared>,
        policy: Box<dyn Fn() -> Policy>,
    ) -> Self {
        Self {
            directory: directory(settings, file),
            settings: settings.clone(),
            shared,
            db: stores.state.for_domain("provision"),
            clock: stores.clock.clone(),
            fingerprinter: Fingerprinter::new(&stores.secret),
            policy,
        }
    }

    /// Plans, and applies the plan if the options say so.
    async fn run_once(&self, options: ProvisionOptions) -> anyhow::Result<Report> {
        let rules = rules(&self.settings, (self.policy)());
        let declared = match load_declarations(&self.directory, &rules) {
            Ok(declared) => declared,
            Err(mistakes) => return Ok(Report::from_mistakes(&self.directory, &mistakes)),
        };
        let mut report = Report {
            directory: self.directory.display().to_string(),
            there: declared.is_some(),
            ..Report::default()
        };
        // No directory is not the same as an empty one: it may just not be mounted.
        let Some(declared) = declared else {
            return Ok(report);
        };
        let plans = match self.plan(declared, options).await? {
            Ok(plans) => plans,
            Err(mistakes) => return Ok(Report::from_mistakes(&self.directory, &mistakes)),
        };
        let steps = plans.iter().flat_map(|(_, steps)| steps);
        report.steps = steps.map(Step::planned).collect();
        if options.apply && report.is_work() {
            let recorder = Recorder {
                db: &self.db,
                clock: &self.clock,
                fingerprinter: &self.fingerprinter,
            };
            if let Err(stopped) = apply::apply(&plans, &recorder).await {
                (report.stopped, report.left) = (Some(stopped.problem), stopped.left);
            }
        }
        Ok(report)
    }

    /// The plan of every organization that something is, or was, declared for.
    async fn plan(
        &self,
        declared: Vec<Declaration>,
        options: ProvisionOptions,
    ) -> anyhow::Result<Result<Vec<(OrganizationApi, Vec<Step>)>, Mistakes>> {
        let mut by_owner: BTreeMap<OrganizationId, Vec<Declaration>> = BTreeMap::new();
        let mut mistakes = Vec::new();
        for one in declared {
            match self.owner(&one) {
                Ok(owner) => by_owner.entry(owner).or_default().push(one),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        if !mistakes.is_empty() {
            return Ok(Err(Mistakes(mistakes)));
        }
        let rows = provisioned::load_all(&self.db).await?;
        let organizations = self.shared.organizations.view();
        for row in &rows {
            if organizations.is_live(&row.name.organization) {
                by_owner.entry(row.name.organization.clone()).or_default();
            }
        }
        let options = ProvisionOptions {
            keep: options.keep || self.settings.provision.removed == Removed::Keep,
            ..options
        };
        let mut plans = Vec::new();
        for (owner, declared) in by_owner {
            let Some(api) = OrganizationApi::new(&self.shared, &owner) else {
                continue;
            };
            let own = rows.iter().filter(|row| row.name.organization == owner);
            let own = own.cloned().collect();
            let steps = plan::plan(&api, &self.fingerprinter, declared, own, options).await?;
            plans.push((api, steps));
        }
        Ok(Ok(plans))
    }

    /// The owner of a declaration: the organization that the file names, else the only one.
    fn owner(&self, one: &Declaration) -> Result<OrganizationId, Mistake> {
        let view = self.shared.organizations.view();
        let all = view.all();
        if let Some(named) = &one.organization {
            let mut found = all.iter();
            let found = found.find(|own| own.tenant.id.as_str() == named || own.slug == *named);
            return found.map(|own| own.tenant.id.clone()).ok_or_else(|| {
                let what = format!("is for the organization `{named}`, which is not there");
                let hint = "`organization` at the top of the file is a slug or an id";
                one.mistake("", what).with_hint(hint)
            });
        }
        let (what, hint) = match &*all {
            [only] => return Ok(only.tenant.id.clone()),
            [] => (
                "has no owner: there is no organization yet",
                "run `pharos setup` first",
            ),
            _ => (
                "does not say for which organization it is, and there are several",
                "write `organization = \"its-slug\"` at the top of the file",
            ),
        };
        Err(one.mistake("", what).with_hint(hint))
    }
}

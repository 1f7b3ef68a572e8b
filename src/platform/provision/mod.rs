//! Things that files declare: monitors, pages, links, flags and the rest in `provision.directory`.
//!
//! A declaration has a name, under which the table `provisioned` remembers what was made of it, so that files can be edited
//! and taken away. What people made by hand, or changed by hand since, is never overwritten unless somebody says so: it is a
//! conflict, and left alone. A run is refused as a whole when any declaration is wrong, and taken back as a whole when one is
//! refused on the way.
//!
//! Things are made by the procedures of the API, so rules, rights and plans are the same. A running server reconciles when
//! it starts, when files change and on SIGHUP; commands ask it ([`control`]), and do it themselves where none runs.

mod act;
mod apply;
mod book;
mod check;
mod control;
mod decide;
#[cfg(test)]
mod decide_tests;
mod kinds;
mod order;
mod plan;
mod prints;
mod read;
mod refs;
mod report;
mod undo;
mod watch;
mod world;
mod write;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use self::{act::Allowed, check::Law, plan::Step, prints::Printer, read::Declared, world::World};

pub use report::{Action, PlannedStep, Report, Wrong};

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

/// What is asked for.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Wish {
    /// Do it, beyond saying what would be done.
    pub apply: bool,
    /// Overwrite what was changed by hand.
    pub force: bool,
    /// Keep what is declared no more.
    pub keep: bool,
}

/// Plans what declarations would change, or does it: by the server that runs, else beside none.
///
/// # Errors
/// A [`CommandError`] where the operator can help it, or what the stores say. Wrong declarations are in the report.
pub fn provision(settings: &Settings, file: Option<&Path>, wish: Wish) -> anyhow::Result<Report> {
    let directory = directory(settings, file);
    if let Some(report) = control::ask(Path::new(&settings.storage.data_dir), wish)? {
        if Path::new(&report.directory) == directory {
            return Ok(report);
        }
        return Err(CommandError::new(
            format!(
                "the running server reads `{}`, not `{}`",
                report.directory,
                directory.display()
            ),
            "name the server's configuration file with `--config`, or run the command where the server runs",
        )
        .into());
    }
    let law = law(settings, outward::policy(settings));
    if let Err(wrong) = declared(&directory, &law) {
        return Ok(refused(&directory, &wrong));
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
        };
        let nowhere = (nowhere, 1);
        let shared = wiring::shared(settings, stores, &domains, (&limits, &plans), nowhere)?;
        let policy = outward::policy(settings);
        let provisioning = Provisioning::new(
            settings,
            file.as_deref(),
            stores,
            shared,
            Box::new(move || policy.clone()),
        );
        provisioning.once(wish).await
    })
}

/// The directory of declarations, absolute.
fn directory(settings: &Settings, file: Option<&Path>) -> PathBuf {
    let said = settings.provision.directory.as_str();
    let path = if said.is_empty() {
        let file = file_to_watch(file);
        file.parent().unwrap_or(Path::new("")).join("provision")
    } else {
        PathBuf::from(said)
    };
    std::path::absolute(&path).unwrap_or(path)
}

fn law(settings: &Settings, policy: Policy) -> Law {
    Law {
        policy,
        links_host: wiring::host_of(&settings.server.urls().links),
    }
}

/// Everything that is declared and in order; `None` when there is no directory.
fn declared(directory: &Path, law: &Law) -> Result<Option<Vec<Declared>>, Mistakes> {
    let Some(declared) = read::directory(directory, &config::variable)? else {
        return Ok(None);
    };
    let mut mistakes = check::all(&declared, law);
    if mistakes.is_empty() {
        match order::ordered(declared) {
            Ok(declared) => return Ok(Some(declared)),
            Err(circle) => mistakes.extend(circle.iter().map(|one| {
                let mut mistake = one.mistake("", "names itself, through others");
                mistake.hint = Some("take one of the references out".to_owned());
                mistake
            })),
        }
    }
    Err(Mistakes(mistakes))
}

fn refused(directory: &Path, wrong: &Mistakes) -> Report {
    Report {
        directory: directory.display().to_string(),
        there: true,
        mistakes: wrong.0.iter().map(Wrong::from).collect(),
        ..Report::default()
    }
}

/// Reconciles what is with what is declared.
pub(super) struct Provisioning {
    settings: Settings,
    directory: PathBuf,
    shared: Arc<Shared>,
    db: StateDb,
    clock: Clock,
    printer: Printer,
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
            printer: Printer::new(&stores.secret),
            policy,
        }
    }

    /// Plans, and does it when that is the wish.
    async fn once(&self, wish: Wish) -> anyhow::Result<Report> {
        let law = law(&self.settings, (self.policy)());
        let declared = match declared(&self.directory, &law) {
            Ok(declared) => declared,
            Err(wrong) => return Ok(refused(&self.directory, &wrong)),
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
        let plans = match self.plans(declared, wish).await? {
            Ok(plans) => plans,
            Err(wrong) => return Ok(refused(&self.directory, &wrong)),
        };
        let steps = || plans.iter().flat_map(|(_, steps)| steps);
        report.steps = steps().map(Step::told).collect();
        if wish.apply && report.is_work() {
            let book = book::Book {
                db: &self.db,
                clock: &self.clock,
                printer: &self.printer,
            };
            if let Err(stopped) = apply::apply(&plans, &book).await {
                let same = |step: &&Step| {
                    step.key() == stopped.key && step.name.organization == stopped.organization
                };
                let declared = steps().find(same).and_then(|step| step.declared.as_ref());
                let wrong = match declared {
                    Some(one) => Wrong::from(
                        &one.mistake(&stopped.field, format!("is refused: {}", stopped.why)),
                    ),
                    None => Wrong {
                        what: format!("`{}` cannot be deleted: {}", stopped.key, stopped.why),
                        hint: None,
                    },
                };
                report.stopped = Some(wrong);
                report.left = stopped.left;
            }
        }
        Ok(report)
    }

    /// The plan of every organization that something is, or was, declared for.
    async fn plans(
        &self,
        declared: Vec<Declared>,
        wish: Wish,
    ) -> anyhow::Result<Result<Vec<(World, Vec<Step>)>, Mistakes>> {
        let mut by_owner: BTreeMap<OrganizationId, Vec<Declared>> = BTreeMap::new();
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
        let rows = provisioned::known(&self.db).await?;
        let organizations = self.shared.organizations.view();
        for row in &rows {
            if organizations.is_live(&row.name.organization) {
                by_owner.entry(row.name.organization.clone()).or_default();
            }
        }
        let allowed = Allowed {
            force: wish.force,
            keep: wish.keep || self.settings.provision.removed == Removed::Keep,
        };
        let mut plans = Vec::new();
        for (owner, declared) in by_owner {
            let Some(world) = World::of(&self.shared, &owner) else {
                continue;
            };
            let own = rows.iter().filter(|row| row.name.organization == owner);
            let own = own.cloned().collect();
            let steps = plan::plan(&world, &self.printer, declared, own, allowed).await?;
            plans.push((world, steps));
        }
        Ok(Ok(plans))
    }

    /// Whose a declaration is: the organization that the file names, else the only one.
    fn owner(&self, one: &Declared) -> Result<OrganizationId, Mistake> {
        let view = self.shared.organizations.view();
        let all = view.all();
        let wrong = |what: String, hint: &str| Mistake {
            hint: Some(hint.to_owned()),
            ..one.mistake("", what)
        };
        match &one.organization {
            Some(named) => {
                let mut found = all.iter();
                let found = found.find(|own| own.tenant.id.as_str() == named || own.slug == *named);
                found.map(|own| own.tenant.id.clone()).ok_or_else(|| {
                    wrong(
                        format!("is for the organization `{named}`, which is not there"),
                        "`organization` at the top of the file is a slug or an id",
                    )
                })
            }
            None => match &*all {
                [only] => Ok(only.tenant.id.clone()),
                [] => Err(wrong(
                    "has no owner: there is no organization yet".to_owned(),
                    "run `pharos setup` first",
                )),
                _ => Err(wrong(
                    "does not say for which organization it is, and there are several".to_owned(),
                    "write `organization = \"its-slug\"` at the top of the file",
                )),
            },
        }
    }
}

//! The one writer of people and tenants.

use std::{sync::Arc, time::Duration};

use actix::{AsyncContext, Context};
use futures_util::future::LocalBoxFuture;

use super::{
    Decision, Devices, Install, Installation, Organization, OrganizationError, Organizations,
    OrganizationsEnv, OrganizationsView, Work, attempts::Attempts, installation,
    messages::StoreInstallation, passwords::Passwords, repo, rules, sessions, vault::Vault,
};
use crate::{
    actors::kit::{Domain, Live, commit, handlers, run_exclusive},
    ids::{OrganizationId, UserId},
    store::StateDb,
};

/// How often the use of sessions is looked through.
const SWEEP: Duration = Duration::from_mins(1);
/// A session's use is stored again after this long, milliseconds.
const SEEN_EVERY_MS: i64 = 5 * 60 * 1000;
/// Passwords that another process has changed are looked for this far back, milliseconds.
const LOOK_BACK_MS: i64 = 60 * 60 * 1000;

impl Domain for Organizations {
    const NAME: &'static str = "organizations";
    type Env = OrganizationsEnv;
    type View = OrganizationsView;

    async fn boot(env: OrganizationsEnv) -> anyhow::Result<Self> {
        let view = repo::load(env.db.settled().await?, env.clock.now_ms()).await?;
        Ok(Self {
            view: Arc::new(view),
            passwords: Passwords::new(
                env.db.clone(),
                Attempts::new(env.admission.clone(), &env.secret),
            ),
            devices: Devices::new(&env.secret),
            vault: Vault::new(&env.secret),
            env,
        })
    }

    fn view(&self) -> Arc<OrganizationsView> {
        Arc::clone(&self.view)
    }

    fn epoch_source(env: &OrganizationsEnv) -> Option<&StateDb> {
        Some(&env.db)
    }

    fn reread(&mut self, mut fresh: Self) {
        Arc::make_mut(&mut fresh.view).keep_use(&self.view);
        self.view = fresh.view;
    }

    fn started(_: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        context.run_interval(SWEEP, |live, context| {
            let since_ms = live.env.clock.now_ms() - LOOK_BACK_MS;
            let io = sweep(live.env.db.clone(), Arc::clone(&live.view), since_ms);
            run_exclusive(context, io, |domain, changed| {
                for (user, set_ms) in changed.passwords {
                    domain.adopt_password_time(&user, set_ms);
                }
                for (organization, plan) in changed.plans {
                    domain.set_plan(&organization, plan);
                }
                if let Some(people) = changed.break_glass {
                    domain.set_break_glass(&people);
                }
                sessions::forget_ended(&mut domain.view, domain.env.clock.now_ms());
            });
        });
    }

    fn drain(&mut self) -> LocalBoxFuture<'static, ()> {
        let used = sessions::unstored_use(&self.view, 1);
        Box::pin(sessions::store_use(self.env.db.clone(), used))
    }
}

handlers! { Organizations:
    prepare Install => Organizations::install;
    decide StoreInstallation => Organizations::store_installation;
}

/// What another process may have changed: `pharos user` and `pharos organization` work beside a running server.
#[derive(Debug, Default)]
struct ExternalChanges {
    /// When passwords were set, Unix milliseconds.
    passwords: Vec<(UserId, i64)>,
    plans: Vec<(OrganizationId, String)>,
    /// Whose password counts everywhere.
    break_glass: Option<Vec<UserId>>,
}

/// Stores the use of sessions, and looks what another process has changed.
async fn sweep(db: StateDb, view: Arc<OrganizationsView>, since_ms: i64) -> ExternalChanges {
    sessions::store_use(db.clone(), sessions::unstored_use(&view, SEEN_EVERY_MS)).await;
    let passwords = repo::people::changed_passwords(db.reader(), since_ms).await;
    let break_glass = repo::people::list_break_glass(db.reader()).await;
    match (
        passwords,
        repo::tenants::plans(db.reader()).await,
        break_glass,
    ) {
        (Ok(passwords), Ok(plans), Ok(people)) => ExternalChanges {
            passwords,
            plans,
            break_glass: Some(people),
        },
        (Err(error), ..) | (_, Err(error), _) | (.., Err(error)) => {
            tracing::warn!(%error, "what other processes have changed cannot be read");
            ExternalChanges::default()
        }
    }
}

impl Organizations {
    /// The passwords of these people count everywhere, perhaps since another process has said so.
    fn set_break_glass(&mut self, people: &[UserId]) {
        let other = self.view.people.values();
        let other = other.filter(|person| person.break_glass != people.contains(&person.id));
        let other: Vec<_> = other.map(|person| person.id.clone()).collect();
        if other.is_empty() {
            return;
        }
        let view = Arc::make_mut(&mut self.view);
        for user in &other {
            view.change_person(user, |person| person.break_glass = !person.break_glass);
        }
    }

    /// An organization is on this plan, perhaps since another process has said so.
    fn set_plan(&mut self, id: &OrganizationId, plan: String) {
        let known = self.view.organization(id.as_str());
        if let Some(known) = known.filter(|known| known.plan != plan) {
            let mut organization = Organization::clone(known);
            organization.plan = plan;
            Arc::make_mut(&mut self.view).insert_organization(organization);
        }
    }
}

impl Organizations {
    fn install(&mut self, message: Install) -> Work<StoreInstallation> {
        let hasher = self.passwords.hasher.clone();
        Box::pin(async move {
            Ok(StoreInstallation {
                draft: rules::admit(
                    &message.organization,
                    &message.email,
                    &message.password,
                    &message.plan,
                )?,
                password_hash: hasher.hash(message.password).await?,
                again: message.again,
            })
        })
    }

    fn store_installation(&mut self, message: StoreInstallation) -> Decision<Installation> {
        let earlier = match &message.again {
            None if self.view.any() => return Err(OrganizationError::AlreadyInstalled),
            None => None,
            Some(organization) => match self.view.founder() {
                Some(earlier) if earlier.0.tenant.id == *organization => Some(earlier),
                _ => return Err(OrganizationError::AlreadyInstalled),
            },
        };
        let rows = installation::rows(message, earlier, self.env.clock.now())?;
        Ok(commit(
            installation::save(self.env.db.clone(), rows),
            |domain: &mut Self, installation| installation.adopt(Arc::make_mut(&mut domain.view)),
        ))
    }
}

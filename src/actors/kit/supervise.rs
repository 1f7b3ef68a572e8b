//! Keeps one domain alive: boots it, watches it, boots it again, drains it.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use actix::{Actor, Addr, ArbiterHandle};
use anyhow::Context as _;
use arc_swap::{ArcSwap, ArcSwapOption};
use tokio::{sync::oneshot, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    Domain, Handle, Live, Publisher,
    boot::boot,
    child::Child,
    drain::{Drain, close},
    handle::Slot,
};
use crate::store::is_away;

/// Wait before the next boot while the state database is away.
const AWAY: Duration = Duration::from_secs(1);

/// How often a domain may die before the process gives up.
#[derive(Debug, Clone, Copy)]
pub struct RestartPolicy {
    /// Deaths within `window` that are followed by a restart; one more ends the process.
    pub budget: u32,
    /// The time after which a death is forgotten.
    pub window: Duration,
    /// Wait before the first restart; doubles with every further death in the window.
    pub backoff: Duration,
}

impl Default for RestartPolicy {
    fn default() -> Self {
        Self {
            budget: 5,
            window: Duration::from_mins(1),
            backoff: Duration::from_millis(50),
        }
    }
}

/// Resolves when the first of the children is gone; pending for ever when there are none.
pub async fn any_ended(children: &mut [Child]) -> (&'static str, anyhow::Result<()>) {
    if children.is_empty() {
        return std::future::pending().await;
    }
    let ends = children.iter_mut().map(|child| {
        let name = child.name;
        Box::pin(async move { (name, child.ended().await) })
    });
    futures_util::future::select_all(ends).await.0
}

/// Boots a domain, starts it on an arbiter and keeps it alive. Returns once the first boot has ended; a failing
/// first boot is an error (bad settings show at the start), later ones count against the budget.
pub async fn supervise<D: Domain>(
    env: D::Env,
    on: &ArbiterHandle,
    policy: RestartPolicy,
) -> anyhow::Result<(Handle<D>, Child)> {
    let domain = boot::<D>(env.clone()).await?;
    let slot = Arc::new(Slot {
        address: ArcSwapOption::empty(),
        view: Arc::new(ArcSwap::new(domain.view())),
        db: D::epoch_source(&env).cloned(),
        deaths: AtomicU64::default(),
    });
    slot.remembered();
    let life = start(&slot, (domain, env.clone()), on).await?;
    let stop = CancellationToken::new();
    let supervisor = Supervisor {
        slot: Arc::clone(&slot),
        env,
        on: on.clone(),
        deaths: Deaths::new(policy),
        stop: stop.clone(),
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "the kit is where supervisors start"
    )]
    let done = tokio::spawn(supervisor.keep_alive(life));
    let child = Child {
        name: D::NAME,
        stop,
        done,
    };
    Ok((Handle(slot), child))
}

struct Life<D: Domain> {
    address: Addr<Live<D>>,
    /// Resolves when the actor is gone, whether it stopped, drained or panicked.
    gone: oneshot::Receiver<()>,
}

struct Supervisor<D: Domain> {
    slot: Arc<Slot<D>>,
    env: D::Env,
    on: ArbiterHandle,
    deaths: Deaths,
    stop: CancellationToken,
}

impl<D: Domain> Supervisor<D> {
    async fn keep_alive(mut self, mut life: Life<D>) -> anyhow::Result<()> {
        let stop = self.stop.clone();
        loop {
            tokio::select! {
                _ = &mut life.gone => {}
                () = stop.cancelled() => return self.drain(life).await,
            }
            self.slot.address.store(None);
            self.slot.deaths.fetch_add(1, Ordering::Relaxed);
            tracing::error!(actor = D::NAME, "actor `{}` died", D::NAME);
            tokio::select! {
                reborn = self.revive() => life = reborn?,
                () = stop.cancelled() => return Ok(()),
            }
        }
    }

    /// Boots until it works or the budget is used up. Boots that fail because the state database is away are for free: they
    /// go on until it is back, and until then the last view is shown.
    async fn revive(&mut self) -> anyhow::Result<Life<D>> {
        let mut wait = self.deaths.strike(D::NAME, Instant::now())?;
        loop {
            tokio::time::sleep(wait).await;
            let booted = match boot::<D>(self.env.clone()).await {
                Ok(domain) => {
                    self.slot.view.store(domain.view());
                    self.slot.remembered();
                    start(&self.slot, (domain, self.env.clone()), &self.on).await
                }
                Err(error) => Err(error),
            };
            match booted {
                Ok(life) => {
                    tracing::info!(actor = D::NAME, "actor `{}` is back", D::NAME);
                    return Ok(life);
                }
                Err(error) => {
                    let (actor, text) = (D::NAME, format!("{error:#}"));
                    tracing::error!(actor, error = text, "actor `{actor}` did not come back");
                    wait = if is_away(&error) {
                        AWAY
                    } else {
                        self.deaths.strike(D::NAME, Instant::now())?
                    };
                }
            }
        }
    }

    async fn drain(&self, life: Life<D>) -> anyhow::Result<()> {
        close(&self.slot);
        let drained = life.address.send(Drain).await;
        let _ = life.gone.await;
        drained.with_context(|| format!("actor `{}` died before it had drained", D::NAME))
    }
}

/// Puts a booted domain on the arbiter and opens the slot.
async fn start<D: Domain>(
    slot: &Slot<D>,
    (domain, env): (D, D::Env),
    on: &ArbiterHandle,
) -> anyhow::Result<Life<D>> {
    let (lifeline, gone) = oneshot::channel();
    let (started, address) = oneshot::channel();
    let live = Live {
        domain,
        env,
        publisher: Publisher(Arc::clone(&slot.view)),
        _lifeline: lifeline,
    };
    let sent = on.spawn_fn(move || {
        let _ = started.send(live.start());
    });
    anyhow::ensure!(sent, "the arbiter of `{}` has stopped", D::NAME);
    let address = address
        .await
        .with_context(|| format!("actor `{}` did not start", D::NAME))?;
    slot.address.store(Some(Arc::new(address.clone())));
    tracing::debug!(actor = D::NAME, "actor `{}` is running", D::NAME);
    Ok(Life { address, gone })
}

struct Deaths {
    policy: RestartPolicy,
    recent: VecDeque<Instant>,
}

impl Deaths {
    fn new(policy: RestartPolicy) -> Self {
        Self {
            policy,
            recent: VecDeque::new(),
        }
    }

    /// Counts a death: how long to wait before the next life, or an error when the budget is used up.
    fn strike(&mut self, name: &'static str, now: Instant) -> anyhow::Result<Duration> {
        let (budget, window) = (self.policy.budget, self.policy.window);
        self.recent
            .retain(|died| now.duration_since(*died) < window);
        self.recent.push_back(now);
        let recent = self.recent.len() as u32;
        anyhow::ensure!(
            recent <= budget,
            "actor `{name}` died {recent} times within {window:?}"
        );
        Ok(self
            .policy
            .backoff
            .saturating_mul(2u32.saturating_pow(recent - 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: RestartPolicy = RestartPolicy {
        budget: 3,
        window: Duration::from_mins(1),
        backoff: Duration::from_millis(10),
    };

    #[test]
    fn the_wait_doubles_and_the_budget_ends() {
        let mut deaths = Deaths::new(POLICY);
        let now = Instant::now();
        for expected in [10, 20, 40] {
            let wait = deaths.strike("x", now).unwrap();
            assert_eq!(wait, Duration::from_millis(expected));
        }
        let error = deaths.strike("x", now).unwrap_err();
        assert!(error.to_string().contains("died 4 times"), "{error}");
    }

    #[test]
    fn old_deaths_are_forgotten() {
        let mut deaths = Deaths::new(POLICY);
        let start = Instant::now();
        for minute in 0..20 {
            let wait = deaths.strike("x", start + minute * POLICY.window);
            assert_eq!(wait.unwrap(), POLICY.backoff);
        }
    }
}

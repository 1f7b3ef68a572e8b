//! Periodic work.

use std::sync::Arc;

use actix::{ActorContext as _, ActorFutureExt as _, AsyncContext as _, Context, fut};

use super::{StatusPageError, StatusPages, StatusPagesEnv, automation, subscribers, writes::put};
use crate::actors::{
    delivery,
    kit::{Live, UnknownOutcome as _, run_exclusive},
};

const MINUTE_MS: i64 = 60_000;
/// How often unconfirmed subscribers are deleted, milliseconds.
const TIDY_MS: i64 = 60 * MINUTE_MS;

/// Deletes subscribers whose receivers answered 410, and now and then those that were not confirmed.
async fn tidy(env: StatusPagesEnv, since_ms: i64, all: bool) -> Result<(), StatusPageError> {
    let failed = delivery::list_failed(&env.db, subscribers::KEYS, since_ms).await?;
    let gone = failed
        .into_iter()
        .filter(|one| one.is_gone)
        .map(|one| one.key);
    subscribers::forget_gone(&env, gone.collect()).await?;
    if all {
        let write = env.db.begin().await?;
        subscribers::forget_stale(&*write, env.clock.now_ms()).await?;
        write.commit().await?;
    }
    Ok(())
}

impl Live<StatusPages> {
    pub(super) fn tidy(&mut self, context: &mut Context<Self>) {
        if !self.env.db.is_leader() {
            return;
        }
        let now_ms = self.env.clock.now_ms();
        let all = (now_ms - self.tidied_ms).abs() >= TIDY_MS;
        // Overlaps with the last run, because writes come in late.
        let tidied = tidy(self.env.clone(), self.gone_ms - MINUTE_MS, all);
        run_exclusive(
            context,
            tidied,
            move |pages: &mut StatusPages, done| match done {
                Ok(()) => {
                    pages.gone_ms = now_ms;
                    if all {
                        pages.tidied_ms = now_ms;
                    }
                }
                Err(error) => tracing::warn!(%error, "subscribers are not tidied"),
            },
        );
    }

    /// Applies the changes of the clock and of monitors to pages.
    pub(super) fn run_automation(&mut self, context: &mut Context<Self>) {
        if !self.env.db.is_leader() {
            return;
        }
        let (now_ms, organizations) = (self.env.clock.now_ms(), self.env.organizations.view());
        let mut changed = Vec::new();
        for before in self
            .view
            .pages
            .values()
            .filter(|page| automation::is_automatic(page))
        {
            if !organizations.is_live(&before.organization) {
                continue;
            }
            let states = self.env.monitor_states(before, now_ms);
            match automation::advance(before, &states, now_ms) {
                Ok(Some(page)) => changed.push((Arc::clone(before), page)),
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(%error, page.id = %before.id, "a page does not go on by itself");
                }
            }
        }
        if changed.is_empty() {
            return;
        }
        let env = self.env.clone();
        let written = async move {
            let mut done = Vec::new();
            for (before, page) in changed {
                match put(env.clone(), Some(before), page).await {
                    Ok(page) => done.push(page),
                    Err(error) => return (done, Some(error)),
                }
            }
            (done, None)
        };
        let written = fut::wrap_future::<_, Self>(written);
        context.wait(written.map(|(done, failed), live, context| {
            for page in done {
                live.adopt(page);
            }
            live.publish();
            let Some(error) = failed else { return };
            if error.outcome_unknown() {
                tracing::error!(%error, "`status_pages` stops: a write may or may not have happened");
                context.stop();
            } else {
                tracing::warn!(%error, "pages go on by themselves with the next look");
            }
        }));
    }
}

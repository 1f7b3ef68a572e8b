//! A page that gets another owner, in the transaction that moves its monitors.

use std::sync::Arc;

use futures_util::{FutureExt as _, future::BoxFuture};

use super::{
    Change, StatusPage, StatusPageError, StatusPages, StatusPagesEnv, TransferPage, actor::Answer,
    change::apply, repo, writes::put,
};
use crate::{
    access::plans::Allowance,
    actors::{
        error::CommonError,
        kit::{commit, handlers},
        monitors::{Along, TransferMonitors},
    },
    ids::MonitorId,
    store::{StateError, state::Write},
};

/// What is to be written.
struct Move {
    before: Arc<StatusPage>,
    page: StatusPage,
    monitors: Vec<MonitorId>,
}

/// A page that is written with its monitors.
#[derive(Debug)]
struct Moved(StatusPage);

impl Along for Moved {
    fn write<'w>(&'w self, write: &'w Write) -> BoxFuture<'w, Result<(), StateError>> {
        let written = async move {
            match repo::put(&**write, &self.0).await {
                Ok(()) => Ok(()),
                Err(StatusPageError::Common(CommonError::State(error))) => Err(error),
                Err(error) => Err(sea_orm::DbErr::Custom(error.to_string()).into()),
            }
        };
        written.boxed()
    }
}

impl StatusPages {
    /// The page with its new owner, and the monitors that go with it: those that are still the old owner's.
    fn admit_transfer(&self, message: &TransferPage) -> Result<Move, StatusPageError> {
        let before = self.find(&message.id)?;
        let change = Change::Transfer(message.to.clone(), message.with_monitors);
        let page = apply(&before, change, self.env.clock.now_ms())?;
        let monitors = self.env.monitors.view();
        let own = page.monitors.iter().filter(|one| {
            let found = monitors.by_id(one.monitor.as_str());
            found.is_some_and(|found| found.spec().organization == before.organization)
        });
        let own = own.map(|one| one.monitor.clone()).collect();
        Ok(Move {
            before,
            page,
            monitors: own,
        })
    }
}

impl StatusPages {
    fn transfer(&mut self, message: TransferPage) -> Answer<Arc<StatusPage>> {
        let moved = self.admit_transfer(&message)?;
        let written = write(self.env.clone(), moved, message.allowance);
        Ok(commit(written, Self::adopt))
    }
}

async fn write(
    env: StatusPagesEnv,
    moving: Move,
    allowance: Option<Allowance>,
) -> Result<StatusPage, StatusPageError> {
    let page = moving.page;
    if moving.monitors.is_empty() {
        return put(env, Some(moving.before), page).await;
    }
    let message = TransferMonitors {
        ids: moving.monitors,
        to: page.organization.clone(),
        allowance,
        along: Some(Arc::new(Moved(page.clone()))),
    };
    let moved = env.monitors.ask(message).await;
    moved.map_err(StatusPageError::Monitors)?;
    Ok(page)
}

handlers! { StatusPages:
    decide TransferPage => StatusPages::transfer;
}

//! Moves a page to another owner, in the transaction that moves its monitors.

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
        monitors::{TransferHook, TransferMonitors},
    },
    ids::MonitorId,
    store::{StateError, state::Write},
};

struct Transfer {
    before: Arc<StatusPage>,
    page: StatusPage,
    monitors: Vec<MonitorId>,
}

/// Writes the page in the transaction of its monitors.
#[derive(Debug)]
struct PageHook(StatusPage);

impl TransferHook for PageHook {
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
    /// The page with its new owner, and the monitors that move with it: those of the old owner.
    fn admit_transfer(&self, message: &TransferPage) -> Result<Transfer, StatusPageError> {
        let before = self.find(&message.id)?;
        let change = Change::Transfer(message.to.clone(), message.with_monitors);
        let page = apply(&before, change, self.env.clock.now_ms())?;
        let monitors = self.env.monitors.view();
        let own = page.monitors.iter().filter(|one| {
            let found = monitors.by_id(one.monitor.as_str());
            found.is_some_and(|found| found.spec().organization == before.organization)
        });
        let own = own.map(|one| one.monitor.clone()).collect();
        Ok(Transfer {
            before,
            page,
            monitors: own,
        })
    }

    fn transfer(&mut self, message: TransferPage) -> Answer<Arc<StatusPage>> {
        let moved = self.admit_transfer(&message)?;
        let written = write(self.env.clone(), moved, message.allowance);
        Ok(commit(written, Self::adopt))
    }
}

async fn write(
    env: StatusPagesEnv,
    moving: Transfer,
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
        hook: Some(Arc::new(PageHook(page.clone()))),
    };
    let moved = env.monitors.ask(message).await;
    moved.map_err(StatusPageError::Monitors)?;
    Ok(page)
}

handlers! { StatusPages:
    decide TransferPage => StatusPages::transfer;
}

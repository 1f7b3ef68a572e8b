//! A page that gets another owner, in the transaction that moves its monitors.

use std::sync::Arc;

use actix::{Context, Handler};
use futures_util::{FutureExt as _, future::BoxFuture};

use super::{
    Change, StatusPage, StatusPageError, StatusPages, StatusPagesEnv, TransferPage,
    actor::{Answer, put},
    change::apply,
    repo,
};
use crate::{
    access::plans::Allowance,
    actors::{
        kit::{Live, commit, refuse},
        monitors::{Along, TransferMonitors},
    },
    ids::MonitorId,
    store::{StateError, state::Write},
};

/// A page that is written with its monitors.
#[derive(Debug)]
struct Moved(StatusPage);

impl Along for Moved {
    fn write<'w>(&'w self, write: &'w Write) -> BoxFuture<'w, Result<(), StateError>> {
        let written = async move {
            match repo::put(&**write, &self.0).await {
                Ok(()) => Ok(()),
                Err(StatusPageError::State(error)) => Err(error),
                Err(error) => Err(sea_orm::DbErr::Custom(error.to_string()).into()),
            }
        };
        written.boxed()
    }
}

impl StatusPages {
    /// The page with its new owner, and the monitors that go with it: those that are still the old owner's.
    fn admit_transfer(
        &self,
        message: &TransferPage,
    ) -> Result<(StatusPage, Vec<MonitorId>), StatusPageError> {
        let before = self.find(&message.id)?;
        let change = Change::Transfer(message.to.clone(), message.with_monitors);
        let page = apply(&before, change, self.env.clock.now_ms())?;
        let monitors = self.env.monitors.view();
        let own = page.monitors.iter().filter(|one| {
            let found = monitors.by_id(one.monitor.as_str());
            found.is_some_and(|found| found.spec().organization == before.organization)
        });
        let own = own.map(|one| one.monitor.clone()).collect();
        Ok((page, own))
    }
}

async fn write(
    env: StatusPagesEnv,
    (page, ids): (StatusPage, Vec<MonitorId>),
    allowance: Option<Allowance>,
) -> Result<StatusPage, StatusPageError> {
    if ids.is_empty() {
        return put(env.db, page).await;
    }
    let message = TransferMonitors {
        ids,
        to: page.organization.clone(),
        allowance,
        along: Some(Arc::new(Moved(page.clone()))),
    };
    let moved = env.monitors.ask(message).await;
    moved.map_err(StatusPageError::Monitors)?;
    Ok(page)
}

impl Handler<TransferPage> for Live<StatusPages> {
    type Result = Answer<Arc<StatusPage>>;

    fn handle(&mut self, message: TransferPage, _: &mut Context<Self>) -> Self::Result {
        match self.admit_transfer(&message) {
            Ok(moved) => commit(
                write(self.env.clone(), moved, message.allowance),
                StatusPages::adopt,
            ),
            Err(error) => refuse(error),
        }
    }
}

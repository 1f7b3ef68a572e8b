//! The end of a deleted organization: its row goes when all that belongs to it has gone, with a receipt in the audit log.

use actix::{Context, Handler};
use serde_json::json;

use super::organization::{GRACE_MS, entry};
use crate::{
    access::authorize::Tenant,
    actors::{
        audit::{self, Action, Actor},
        delivery,
        error::CommonError,
        kit::{Live, Reply, commit},
        organizations::{
            DueForErasure, EraseOrganization, OrganizationError, Organizations,
            repo::{self, write},
        },
    },
};

impl Handler<DueForErasure> for Live<Organizations> {
    type Result = Reply<Organizations, Vec<Tenant>, OrganizationError>;

    fn handle(&mut self, _: DueForErasure, _: &mut Context<Self>) -> Self::Result {
        let (db, until_ms) = (self.db.clone(), self.clock.now_ms() - GRACE_MS);
        let due = async move { Ok(repo::tenants::deleted_until(db.reader(), until_ms).await?) };
        commit(due, |_: &mut Organizations, due| due)
    }
}

impl Handler<EraseOrganization> for Live<Organizations> {
    type Result = Reply<Organizations, (), OrganizationError>;

    fn handle(&mut self, message: EraseOrganization, _: &mut Context<Self>) -> Self::Result {
        let EraseOrganization {
            organization,
            erased,
        } = message;
        let now_ms = self.clock.now_ms();
        let io = write(self.db.clone(), async move |write| {
            let found = repo::tenants::deleted(&**write, &organization).await?;
            let due = found.is_some_and(|(_, deleted_ms)| now_ms >= deleted_ms + GRACE_MS);
            if !due {
                return Err(CommonError::NoOrganization(organization).into());
            }
            delivery::forget(write, &organization).await?;
            repo::tenants::erase(&**write, &organization).await?;
            let receipt = entry(Actor::System, Action::OrganizationErase, &organization);
            let receipt = receipt.with(json!({
                "events": erased.events, "websites": erased.websites, "keys": erased.keys,
            }));
            audit::record(write, now_ms, receipt).await?;
            Ok(())
        });
        commit(io, |_: &mut Organizations, ()| ())
    }
}

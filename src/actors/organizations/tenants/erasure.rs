//! The end of a deleted organization: its row goes when all that belongs to it has gone, with a receipt in the audit log.

use serde_json::json;

use super::organization::{GRACE_MS, entry};
use crate::{
    access::authorize::Tenant,
    actors::{
        audit::{self, Action, Actor},
        delivery,
        error::CommonError,
        kit::{commit, handlers},
        organizations::{
            Decision, DueForErasure, EraseOrganization, Organizations,
            repo::{self, write},
        },
    },
};

handlers! { Organizations:
    decide DueForErasure => Organizations::find_due_for_erasure;
    decide EraseOrganization => Organizations::erase_organization;
}

impl Organizations {
    fn find_due_for_erasure(&mut self, _: DueForErasure) -> Decision<Vec<Tenant>> {
        let (db, until_ms) = (self.env.db.clone(), self.env.clock.now_ms() - GRACE_MS);
        let due =
            async move { Ok(repo::tenants::list_deleted_until(db.reader(), until_ms).await?) };
        Ok(commit(due, |_, due| due))
    }

    fn erase_organization(&mut self, message: EraseOrganization) -> Decision<()> {
        let EraseOrganization {
            organization,
            erased,
        } = message;
        let now_ms = self.env.clock.now_ms();
        let io = write(self.env.db.clone(), async move |write| {
            let found = repo::tenants::find_deleted(&**write, &organization).await?;
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
        Ok(commit(io, |_, ()| ()))
    }
}

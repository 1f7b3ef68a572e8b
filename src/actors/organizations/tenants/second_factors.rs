//! Owners let members in who have lost their second factor.
//!
//! A person's sign-in opens every organization that they are in, so an owner decides only about members of theirs alone.

use std::sync::Arc;

use crate::{
    access::Permission,
    actors::{
        audit::{self, Action, Actor, Entry},
        kit::{commit, handlers},
        organizations::{
            Decision, OrganizationError, Organizations, RemoveSecondFactors, SecondFactors,
            repo::{self, write},
        },
    },
};

handlers! { Organizations:
    decide RemoveSecondFactors => Organizations::remove_second_factors;
}

impl Organizations {
    fn remove_second_factors(&mut self, message: RemoveSecondFactors) -> Decision<()> {
        let RemoveSecondFactors {
            by,
            organization,
            member,
        } = message;
        self.require_permission(Permission::OwnersManage, &by, &organization)?;
        let (person, _) = self.member(&organization, &member)?;
        if person.id == by {
            return Err(OrganizationError::OwnFactor);
        }
        let (user, now_ms) = (person.id.clone(), self.env.clock.now_ms());
        let io = write(self.env.db.clone(), async move |write| {
            let places = repo::members::list_of_person(&**write, &user).await?;
            if places.len() > 1 {
                return Err(OrganizationError::MemberElsewhere);
            }
            if !repo::factors::of_person(&**write, &user).await?.any() {
                return Err(OrganizationError::NoMemberFactor);
            }
            repo::factors::delete_all(write, &user).await?;
            repo::sessions::delete_all(&**write, &user, None).await?;
            let action = Action::MemberSecondFactorRemove;
            let entry = Entry::within(&organization, Actor::User(by), action, user.as_str());
            audit::record(write, now_ms, entry).await?;
            Ok(user)
        });
        Ok(commit(io, |domain: &mut Self, user| {
            domain.set_second_factors(&user, SecondFactors::default());
            Arc::make_mut(&mut domain.view).end_sessions(&user, |_| true);
        }))
    }
}

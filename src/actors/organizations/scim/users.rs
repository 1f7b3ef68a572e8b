//! Storing and forgetting users.

use std::sync::Arc;

use super::change::{Change, Premises};
use crate::{
    actors::{
        error::write_error,
        kit::{commit, handlers},
        organizations::{
            Decision, DeleteScimUser, OrganizationError, Organizations, ScimUser, StoreScimUser,
            repo, rules, scim_resources::MAX_USERS,
        },
    },
    ids::ScimUserId,
};

handlers! { Organizations:
    decide StoreScimUser => Organizations::store_scim_user;
    decide DeleteScimUser => Organizations::delete_scim_user;
}

const TAKEN: OrganizationError = OrganizationError::ScimTaken(
    "A user with this `userName`, or with this email address, already exists",
);

impl Organizations {
    fn store_scim_user(&mut self, message: StoreScimUser) -> Decision<Arc<ScimUser>> {
        let premises = self.provisioning(&message.by)?;
        let user = match &message.before {
            Some(before) => ScimUser::clone(before),
            None => new_user(&message, &premises)?,
        };
        let io = premises.run(self.env.clone(), async move |change| {
            change.store_user(message, user).await.map(Arc::new)
        });
        Ok(commit(io, |domain: &mut Self, (user, done)| {
            domain.adopt_scim(done);
            user
        }))
    }

    fn delete_scim_user(&mut self, message: DeleteScimUser) -> Decision<()> {
        let premises = self.provisioning(&message.by)?;
        let io = premises.run(self.env.clone(), async move |change| {
            let mut user = change.find_user(message.user.as_str()).await?;
            change.disable(&mut user).await?;
            repo::scim::delete_user(&**change.write, &user.id).await?;
            Ok(())
        });
        Ok(commit(io, |domain: &mut Self, ((), done)| {
            domain.adopt_scim(done);
        }))
    }
}

fn new_user(message: &StoreScimUser, premises: &Premises) -> Result<ScimUser, OrganizationError> {
    let address = message.attributes.address().and_then(rules::account);
    Ok(ScimUser {
        id: ScimUserId::new(),
        organization: premises.organization.clone(),
        account: address.ok_or(OrganizationError::ScimNoAddress)?,
        attributes: message.attributes.clone(),
        left_role: None,
        group_role: None,
        version: 0,
        created_ms: premises.now_ms,
        updated_ms: premises.now_ms,
    })
}

impl Change<'_> {
    /// The user as it is stored now.
    async fn find_user(&self, id: &str) -> Result<ScimUser, OrganizationError> {
        let organization = &self.premises.organization;
        let found = repo::scim::find_user(&**self.write, organization, id).await?;
        found.ok_or(OrganizationError::NoSuchScimUser)
    }

    async fn store_user(
        &mut self,
        message: StoreScimUser,
        mut user: ScimUser,
    ) -> Result<ScimUser, OrganizationError> {
        let organization = &self.premises.organization;
        if message.before.is_some() {
            let stored = self.find_user(user.id.as_str()).await?;
            if stored.version != user.version {
                return Err(OrganizationError::ScimChanged);
            }
            user = stored;
        } else if repo::scim::count_users(&**self.write, organization).await? >= MAX_USERS {
            return Err(OrganizationError::TooMany(
                "The organization has 5,000 users of its identity provider: delete some first",
            ));
        }
        user.attributes = message.attributes;
        if user.attributes.active {
            self.enable(&mut user, message.is_vouched_for, &message.base_url)
                .await?;
        } else {
            self.disable(&mut user).await?;
        }
        user.version += 1;
        user.updated_ms = self.premises.now_ms;
        let stored = match message.before {
            None => repo::scim::insert_user(&**self.write, &user).await,
            Some(_) => repo::scim::update_user(&**self.write, &user).await,
        };
        stored.map_err(|error| write_error(error, TAKEN))?;
        Ok(user)
    }
}

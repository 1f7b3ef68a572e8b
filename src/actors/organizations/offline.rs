//! What an operator does from the command line, also beside a running server, which notices it within a minute (a new password as
//! soon as it is used).

use secrecy::SecretString;
use serde_json::json;

use super::{OrganizationError, repo, rules};
use crate::{
    actors::{
        audit::{self, Action, Actor, Entry},
        password::Hasher,
        random,
    },
    clock::Clock,
    store::StateDb,
};

/// Characters of a generated password: 119 random bits.
const PASSWORD: usize = 20;

/// Sets a generated password for an account and ends its sessions, and removes app, passkeys and backup codes if that is wanted; `None` when
/// there is no such account.
pub async fn reset_password(
    db: &StateDb,
    clock: &Clock,
    email: &str,
    remove_second_factor: bool,
) -> Result<Option<SecretString>, OrganizationError> {
    let account = rules::address(email)?;
    let Some(known) = repo::people::by_email(db.writer(), &account).await? else {
        return Ok(None);
    };
    let password = random::base62(PASSWORD)?;
    let hash = Hasher::new().hash(password.clone().into()).await?;
    let set_ms = clock.now_ms().max(known.set_ms + 1);
    repo::write(db.clone(), async move |write| {
        repo::people::set_password(&**write, &known.user, &hash, set_ms).await?;
        repo::resets::forget(&**write, &known.user).await?;
        if remove_second_factor {
            repo::factors::delete_all(write, &known.user).await?;
        }
        Ok(repo::sessions::delete_all(&**write, &known.user, None).await?)
    })
    .await?;
    Ok(Some(password.into()))
}

/// Lets an account in with its password where an organization insists on a provider, or no longer; `false` when there is no such
/// account.
pub async fn set_break_glass(
    db: &StateDb,
    email: &str,
    break_glass: bool,
) -> Result<bool, OrganizationError> {
    let account = rules::address(email)?;
    let Some(known) = repo::people::by_email(db.writer(), &account).await? else {
        return Ok(false);
    };
    repo::write(db.clone(), async move |write| {
        Ok(repo::people::set_break_glass(&**write, &known.user, break_glass).await?)
    })
    .await?;
    Ok(true)
}

/// Puts a live organization, named by its id or slug, on another plan; its name, or `None` when there is none.
pub async fn set_plan(
    db: &StateDb,
    clock: &Clock,
    named: &str,
    plan: &str,
) -> Result<Option<String>, OrganizationError> {
    let now_ms = clock.now_ms();
    repo::write(db.clone(), async move |write| {
        let Some(organization) = repo::tenants::find_live(&**write, named).await? else {
            return Ok(None);
        };
        let id = &organization.tenant.id;
        repo::tenants::set_plan(&**write, id, plan).await?;
        let action = Action::OrganizationUpdate;
        let entry = Entry::within(id, Actor::System, action, id.as_str());
        let details = json!({ "changed": ["plan"], "from": organization.plan, "to": plan });
        audit::record(write, now_ms, entry.with(details)).await?;
        Ok(Some(organization.name))
    })
    .await
}

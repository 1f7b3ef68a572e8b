//! Ending sessions that providers of an organization opened, in the transaction that takes their ground away.

use std::sync::Arc;

use sea_orm::DbErr;

use crate::{
    actors::organizations::{LiveSession, OrganizationsView, Person, repo, sessions},
    ids::{OrganizationId, SessionId},
    store::state::Write,
};

/// Ends the sessions that an organization's providers opened for the people that `ends` names; only those of `provider`, if one
/// is given.
pub(crate) async fn end_sessions(
    write: &Write,
    view: &OrganizationsView,
    (organization, provider): (&OrganizationId, Option<&str>),
    ends: impl Fn(&Person) -> bool,
) -> Result<Vec<SessionId>, DbErr> {
    let own = repo::sso_providers::list(&**write, organization).await?;
    let is_meant = |session: &&Arc<LiveSession>| {
        let name = session.method.parts().1;
        let is_own = name.is_some_and(|name| {
            provider.is_none_or(|only| only == name) && own.iter().any(|own| own.id == name)
        });
        let person = view.person(&session.grant.user);
        is_own && person.is_some_and(|person| ends(person))
    };
    let ended = view.sessions.values().filter(is_meant);
    let ended: Vec<_> = ended.map(|session| session.grant.id.clone()).collect();
    sessions::delete(write, &ended).await?;
    Ok(ended)
}

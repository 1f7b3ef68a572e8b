//! Entries of the audit log about how people sign in.

use sea_orm::DbErr;
use serde_json::Value;

use super::repo;
use crate::{
    actors::audit::{self, Action, Actor, Entry},
    ids::UserId,
    store::state::Write,
};

/// Writes what became of a way to sign in into the log of every organization of the person, or into the one of none.
pub(super) async fn record(
    write: &Write,
    user: &UserId,
    (action, target): (Action, &str),
    details: Option<Value>,
    now_ms: i64,
) -> Result<(), DbErr> {
    let memberships = repo::members::list_of_person(&**write, user).await?;
    let mut logs: Vec<_> = memberships.into_iter().map(|(id, _)| Some(id)).collect();
    if logs.is_empty() {
        logs.push(None);
    }
    for organization in logs {
        let actor = Actor::User(user.clone());
        let mut entry = Entry::new(organization, actor, action, target);
        if let Some(details) = &details {
            entry = entry.with(details.clone());
        }
        audit::record(write, now_ms, entry).await?;
    }
    Ok(())
}

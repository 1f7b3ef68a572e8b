//! A person's sessions: what is open where, and ending it.

use actix_web::{HttpResponse, web};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    cookie, post,
    shapes::{SessionOut, StatusOut},
};
use crate::{
    actors::organizations::{EndSessions, SessionChoice},
    fault::{Fault, Issue},
    http::{
        Shared,
        extract::{CurrentSession, JsonBody},
        routes::{Access, Route},
        schema::schema,
        session_routes::{self, NoQuery, SessionCall},
    },
    ids::{SessionId, UserId},
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        session_routes::get("/api/auth/list-sessions", list)
            .says("List your sessions", "What the person has open, newest first."),
        post("/api/auth/revoke-session", |route| route.to(revoke))
            .says(
                "End a session",
                "Ends one of your sessions at once. Sessions of other people are 404, like ones that don't exist.",
            )
            .needs(Access::Session)
            .body(schema::<RevokeBody>())
            .answers(schema::<StatusOut>()),
        post("/api/auth/revoke-sessions", |route| route.to(revoke_all))
            .says(
                "End all sessions",
                "Ends all of the person's sessions at once, this one too.",
            )
            .needs(Access::Session)
            .answers(schema::<StatusOut>()),
        post("/api/auth/revoke-other-sessions", |route| {
            route.to(revoke_others)
        })
        .says(
            "End other sessions",
            "Ends all of the person's sessions but this one at once.",
        )
        .needs(Access::Session)
        .answers(schema::<StatusOut>()),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = [{ "required": ["id"] }, { "required": ["token"] }]))]
struct RevokeBody {
    id: Option<String>,
    /// The same, by its other name.
    token: Option<String>,
}

async fn list(call: SessionCall, _: NoQuery) -> Result<Vec<SessionOut>, Fault> {
    Ok(list_sessions(&call.shared, &call.caller.user))
}

/// What a person has open, newest first.
pub(in crate::http) fn list_sessions(shared: &Shared, user: &UserId) -> Vec<SessionOut> {
    let view = shared.organizations.view();
    let own = view.list_sessions(user, shared.clock.now_ms());
    own.iter()
        .map(|session| SessionOut::from(&**session))
        .collect()
}

async fn revoke(
    CurrentSession(caller): CurrentSession,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<RevokeBody>,
) -> Result<HttpResponse, Fault> {
    let Some(id) = body.id.or(body.token) else {
        let issue = Issue::new("missing", "id", "name the session: `id`");
        return Err(Fault::issues("Invalid request body", vec![issue]));
    };
    let id = SessionId::from(id);
    let is_own = id == caller.id;
    end(&shared, &caller.user, SessionChoice::One(id)).await?;
    Ok(respond(&shared, is_own))
}

async fn revoke_all(
    CurrentSession(caller): CurrentSession,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    end(&shared, &caller.user, SessionChoice::All).await?;
    Ok(respond(&shared, true))
}

async fn revoke_others(
    CurrentSession(caller): CurrentSession,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    end(
        &shared,
        &caller.user,
        SessionChoice::Others(caller.id.clone()),
    )
    .await?;
    Ok(respond(&shared, false))
}

/// Ends sessions of a person at once.
pub(in crate::http) async fn end(
    shared: &Shared,
    user: &UserId,
    which: SessionChoice,
) -> Result<(), Fault> {
    let user = user.clone();
    Ok(shared
        .organizations
        .ask(EndSessions { user, which })
        .await?)
}

/// Done; the browser forgets its cookie when its own session has ended.
fn respond(shared: &Shared, own_ended: bool) -> HttpResponse {
    let mut answer = HttpResponse::Ok();
    if own_ended {
        answer.insert_header(cookie::removed(shared));
    }
    answer.json(StatusOut::DONE)
}

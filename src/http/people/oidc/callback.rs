//! Back from the provider.

use actix_web::{HttpRequest, HttpResponse, http::header::LOCATION, web};
use serde::Deserialize;

use super::{ATTEMPT, refuse, return_address};
use crate::{
    access::Principal,
    actors::organizations::{
        LinkIdentity, ProvenIdentity, SignInOutcome, SignInWithProvider, SignInWithSso, SsoError,
        is_sso_provider,
    },
    fault::{Classify as _, Fault},
    http::{
        Shared,
        auth::Caller,
        next,
        people::{Budget, browser, code_step, cookie, two_factor},
    },
    ids::SessionId,
    oidc::{Attempt, Failure, Identity, Provider},
};

#[derive(Deserialize)]
pub(super) struct CallbackQuery {
    code: Option<String>,
    #[serde(default)]
    state: String,
    iss: Option<String>,
    error: Option<String>,
}

pub(super) async fn callback(
    request: HttpRequest,
    caller: Caller,
    shared: web::Data<Shared>,
    path: web::Path<String>,
    query: web::Query<CallbackQuery>,
) -> Result<HttpResponse, Fault> {
    let provider = shared.federation.provider(&shared.records, &path).await?;
    let sealed = ATTEMPT.read(&shared, &request);
    let attempt: Option<Attempt> =
        sealed.and_then(|sealed| shared.federation.attempts.open(sealed));
    let now_ms = shared.clock.now_ms();
    let attempt = attempt.filter(|attempt| attempt.is_answered(&path, &query.state, now_ms));
    let attempt = attempt.ok_or_else(|| refuse(&path, &Failure::NotStarted))?;
    Budget::PROVIDER.take(&shared, &request).await?;
    let back = return_address(&shared, &path);
    let identity = identify(&provider, &attempt, &query, &back).await;
    let identity = identity.map_err(|failure| refuse(&path, &failure))?;
    Budget::PROVIDER.give_back(&shared, &request).await?;
    let proven = ProvenIdentity {
        provider: path.into_inner(),
        issuer: provider.options.issuer.clone(),
        identity,
    };
    let mut answer = HttpResponse::SeeOther();
    answer.insert_header(ATTEMPT.remove(&shared));
    if let Some(session) = attempt.link {
        link(&shared, &caller.principal, session, proven).await?;
        answer.insert_header((LOCATION, "/console/account?done=1"));
        return Ok(answer.finish());
    }
    let next = next::safe(&attempt.next);
    match open(&shared, &provider, proven, browser(&request)).await? {
        SignInOutcome::Session(signed_in) => answer
            .insert_header((LOCATION, next))
            .append_header(cookie::set(&shared, &signed_in, true)),
        SignInOutcome::Waits { token, factors } => {
            let [session, waiting] = two_factor::waiting_cookies(&shared, &token, true);
            answer
                .insert_header((LOCATION, code_step::path(factors, next)))
                .append_header(session)
                .append_header(waiting)
        }
    };
    Ok(answer.finish())
}

/// Opens a session by the rules of the operator, or of the organization whose provider it is.
async fn open(
    shared: &Shared,
    provider: &Provider,
    proven: ProvenIdentity,
    user_agent: Option<String>,
) -> Result<SignInOutcome, Fault> {
    let options = &provider.options;
    if is_sso_provider(&options.name) {
        let message = SignInWithSso { proven, user_agent };
        let opened = shared.organizations.ask(message).await?;
        return opened.ok_or_else(|| SsoError::NotAMember.classify());
    }
    let message = SignInWithProvider {
        proven,
        create: options.create_accounts,
        email_domains: options.email_domains.clone(),
        roles: options.roles.clone(),
        user_agent,
    };
    let signed_in = shared.organizations.ask(message).await?;
    Ok(SignInOutcome::Session(signed_in))
}

/// Who signed in, if the answer is the provider's own.
async fn identify(
    provider: &Provider,
    attempt: &Attempt,
    query: &CallbackQuery,
    back: &str,
) -> Result<Identity, Failure> {
    provider.check_issuer(query.iss.as_deref()).await?;
    if let Some(error) = &query.error {
        return Err(Failure::Refused(Failure::code(error)));
    }
    let code = query.code.as_deref().ok_or(Failure::NotStarted)?;
    provider.redeem(attempt, code, back).await
}

async fn link(
    shared: &Shared,
    caller: &Principal,
    session: String,
    proven: ProvenIdentity,
) -> Result<(), Fault> {
    let session = SessionId::from(session);
    // The person may have signed out, or in as somebody else, meanwhile.
    let is_own = matches!(caller, Principal::Session(own) if own.id == session);
    if !is_own {
        return Err(refuse(&proven.provider, &Failure::NotStarted));
    }
    Ok(shared
        .organizations
        .ask(LinkIdentity { session, proven })
        .await?)
}

//! `/api/auth/*`: accounts and sessions of people.
//!
//! Every route here may only be posted to from our own pages, as JSON ([`auth`](super::auth), threat T34). Whatever gives
//! a person more than they had answers with a cookie whose value is new (threat T33).

pub(super) mod account;
pub(super) mod code_step;
pub(super) mod cookie;
pub(super) mod identities;
pub(super) mod oidc;
pub(super) mod passkeys;
pub(super) mod proxy;
pub(super) mod reset;
pub(super) mod sessions;
pub(super) mod shapes;
pub(super) mod sign_in;
pub(super) mod sso;
pub(super) mod two_factor;

use actix_web::{
    HttpMessage, HttpRequest,
    http::{Method, header::USER_AGENT},
};

use super::{Host, Shared, edge::ClientAddress, routes::Route};
use crate::{
    fault::Fault,
    store::limits::{Demand, Identity, Limits},
};

pub(super) fn routes() -> Vec<Route> {
    let routes = [
        sign_in::routes(),
        sessions::routes(),
        account::routes(),
        reset::routes(),
        two_factor::routes(),
        two_factor::proofs(),
        identities::routes(),
        passkeys::routes(),
        oidc::routes(),
    ];
    let refusing = routes
        .into_iter()
        .flatten()
        .map(|route| match route.method {
            // Pages of other origins are refused, and bodies that forms can send.
            Method::POST => route.or(403).or(415),
            _ => route,
        });
    refusing.collect()
}

fn post(path: &'static str, service: fn(actix_web::Route) -> actix_web::Route) -> Route {
    Route::new(Method::POST, Host::Base, path, service)
}

fn get(path: &'static str, service: fn(actix_web::Route) -> actix_web::Route) -> Route {
    Route::new(Method::GET, Host::Base, path, service)
}

/// What the browser calls itself.
fn browser(request: &HttpRequest) -> Option<String> {
    let agent = request.headers().get(USER_AGENT)?;
    Some(agent.to_str().ok()?.to_owned())
}

/// The window of what strangers at one address get wrong, or ask for: 30 in 15 minutes. An account's own is kept by its
/// domain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget(&'static str);

impl Budget {
    /// Failed sign-ins.
    const SIGN_IN: Self = Self("sign-in");
    /// New accounts, whether they come to be or not.
    const SIGN_UP: Self = Self("sign-up");

    /// Mails that are asked for.
    const FORGOT: Self = Self("forgot");
    /// Sign-ins at providers that fail.
    const PROVIDER: Self = Self("provider");
    /// Apps that register.
    pub(super) const REGISTER: Self = Self("register-app");
    /// Links for a new password that are none.
    const RESET: Self = Self("reset");

    fn demand(self, shared: &Shared, request: &HttpRequest) -> Demand {
        let address = request.extensions().get::<ClientAddress>().copied();
        let identity = address.map_or_else(
            || Identity::from_name(self.0, ""),
            |address| address.identity(&shared.secret, self.0),
        );
        Demand::new(identity).rate(Limits::sign_in())
    }

    /// Gives back what was taken: it was no failure.
    async fn give_back(self, shared: &Shared, request: &HttpRequest) -> Result<(), Fault> {
        let demand = self.demand(shared, request);
        let _ = shared.admission.take_back(demand).await?;
        Ok(())
    }

    pub(super) async fn take(self, shared: &Shared, request: &HttpRequest) -> Result<(), Fault> {
        let _ = shared.admission.admit(self.demand(shared, request)).await?;
        Ok(())
    }
}

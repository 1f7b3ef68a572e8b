//! The web console: pages for people, below `/`.
//!
//! A page's handler takes a [`context::PageContext`], which knows who is signed in; it asks the procedures and the queries that programs ask
//! (`PageContext::ask`, `PageContext::query`), with the same principal, and draws what they answer with the parts of
//! [`crate::pages`]. So no page decides who may see what. A refusal is raised as a [`Fault`](crate::fault::Fault) and
//! drawn in one place ([`error_page`]). A person who is not signed in is led to the sign-in and back.
//!
//! Forms post to routes here, which translate their fields into a procedure's input. Success redirects with 303 to the result.
//! A refusal draws the same page again, with what is wrong beside each field. A form is a table of inputs, and a resource with a
//! page of its own is described once ([`resource`]).
//!
//! Pages have a table of their own ([`routes`]), because the reference documents what programs call.

mod access_inputs;
mod account;
mod alarms;
mod answer;
mod asset;
mod boards;
mod chats;
mod code;
mod consent;
mod context;
mod cookies;
mod daily;
mod domains;
mod error_page;
mod export;
mod flags;
mod form;
mod home;
mod import;
mod invite;
mod keys;
mod links;
mod login;
mod monitors;
mod organization;
mod parent;
mod passkey;
mod prelude;
mod probes;
mod providers;
mod reader;
mod reset;
mod resource;
mod scheduled_reports;
mod search;
mod share;
mod shares;
mod shortcuts;
mod site;
mod sso;
mod status;
mod stream;
mod team;
mod theme;

use actix_web::http::Method;

pub(super) use self::error_page::error_response;
use super::{
    Host, next,
    routes::{Access, Route},
};

/// Every page, and every route that takes a page's form.
pub fn routes() -> Vec<Route> {
    [
        home::routes(),
        login::routes(),
        sso::routes(),
        code::routes(),
        consent::routes(),
        reset::routes(),
        invite::routes(),
        organization::routes(),
        site::routes(),
        share::routes(),
        shares::routes(),
        scheduled_reports::routes(),
        boards::routes(),
        domains::routes(),
        links::routes(),
        import::routes(),
        export::routes(),
        keys::routes(),
        monitors::routes(),
        probes::routes(),
        status::routes(),
        alarms::routes(),
        flags::routes(),
        team::routes(),
        chats::routes(),
        search::routes(),
        shortcuts::routes(),
        account::routes(),
        asset::routes(),
        theme::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The route of a page for people who are signed in.
fn page_route(
    path: &'static str,
    service: impl Fn(actix_web::Route) -> actix_web::Route + 'static,
) -> Route {
    Route::new(Method::GET, Host::Base, path, service)
        .needs(Access::Session)
        .media("text/html")
}

/// The route that a form of a page is sent to.
fn form_route(
    path: &'static str,
    service: impl Fn(actix_web::Route) -> actix_web::Route + 'static,
) -> Route {
    Route::new(Method::POST, Host::Base, path, service)
        .needs(Access::Session)
        .media("text/html")
}

/// The same without a sign-in.
fn public_route(route: Route) -> Route {
    route.needs(Access::Public)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{console_paths, procedures, tables};

    #[test]
    fn pages_and_what_programs_call_never_share_a_beginning() {
        for route in routes() {
            assert!(console_paths::owns(route.path), "{}", route.path);
        }
        for route in tables().iter().filter(|route| route.host == Host::Base) {
            assert!(!console_paths::owns(route.path), "{}", route.path);
        }
        for procedure in procedures::all() {
            assert!(
                !console_paths::OWN.contains(&procedure.group),
                "{}",
                procedure.group
            );
        }
        assert!(
            console_paths::owns("/")
                && console_paths::owns("/console/nothing")
                && console_paths::owns("/login")
        );
        assert!(
            !console_paths::owns("")
                && !console_paths::owns("/consoles")
                && !console_paths::owns("/v1/query")
                && !console_paths::owns("/status/login")
        );
    }
}

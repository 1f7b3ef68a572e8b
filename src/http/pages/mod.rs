//! The web console: pages for people, below `/`.
//!
//! A page's handler takes a [`context::PageContext`], which knows who is signed in; it asks the procedures and the queries that programs ask
//! (`PageContext::ask`, `PageContext::query`), with the same principal, and draws what they answer with the parts of
//! [`crate::pages`]. So no page decides who may see what. What is refused is raised as a [`Fault`](crate::fault::Fault) and
//! drawn in one place ([`mod@refused`]); who is not signed in is led to the sign-in and back.
//!
//! Forms post to routes here, which translate their fields into a procedure's input. Done is 303 to where the result is;
//! refused is the same page again with what is wrong beside each field.
//!
//! Pages have a table of their own ([`routes`]), because the reference documents what programs call.

mod account;
mod alarms;
mod answer;
mod asset;
mod chats;
mod code;
mod context;
mod daily;
mod flags;
mod form;
mod invite;
mod keys;
mod links;
mod login;
mod monitors;
mod next;
mod organization;
mod overview;
mod refused;
mod reset;
mod search;
mod shortcuts;
mod site;
mod status;
mod team;
mod windows;

use actix_web::http::Method;

pub(super) use self::refused::{failed, refused};
use super::{
    Host,
    routes::{Access, Route},
};

/// First segments of paths that are pages'; nothing else may begin with one of them.
const OWN: [&str; 6] = ["console", "invite", "login", "logout", "reset", "share"];

/// Every page, and every route that takes a page's form.
pub fn routes() -> Vec<Route> {
    [
        overview::routes(),
        login::routes(),
        code::routes(),
        reset::routes(),
        invite::routes(),
        organization::routes(),
        site::routes(),
        links::routes(),
        keys::routes(),
        monitors::routes(),
        status::routes(),
        alarms::routes(),
        flags::routes(),
        team::routes(),
        chats::routes(),
        search::routes(),
        shortcuts::routes(),
        account::routes(),
        asset::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Whether a path is one of the console's, there or not.
pub(super) fn owns(path: &str) -> bool {
    let first = path.trim_start_matches('/').split('/').next();
    path == "/" || first.is_some_and(|first| OWN.contains(&first))
}

/// Whether a page of this path counts in the console's window.
pub(super) fn is_counted(path: &str) -> bool {
    path == "/" || path.starts_with("/console/") && !path.starts_with("/console/assets/")
}

/// A page for people who are signed in.
fn page(path: &'static str, service: fn(actix_web::Route) -> actix_web::Route) -> Route {
    Route::new(Method::GET, Host::Base, path, service)
        .needs(Access::Session)
        .media("text/html")
}

/// Where a form of a page is sent to.
fn sent(path: &'static str, service: fn(actix_web::Route) -> actix_web::Route) -> Route {
    Route::new(Method::POST, Host::Base, path, service)
        .needs(Access::Session)
        .media("text/html")
}

/// The same for everybody.
fn open(route: Route) -> Route {
    route.needs(Access::Public)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{procedures, tables};

    #[test]
    fn pages_and_what_programs_call_never_share_a_beginning() {
        for route in routes() {
            assert!(owns(route.path), "{}", route.path);
        }
        for route in tables().iter().filter(|route| route.host == Host::Base) {
            assert!(!owns(route.path), "{}", route.path);
        }
        for procedure in procedures::all() {
            assert!(!OWN.contains(&procedure.group), "{}", procedure.group);
        }
        assert!(owns("/") && owns("/console/nothing") && owns("/login"));
        assert!(!owns("") && !owns("/consoles") && !owns("/v1/query") && !owns("/status/login"));
    }
}

//! The HTTP edge: what is listened to, who is calling, how failures are spelled, and one file per resource.
//!
//! | host | routes |
//! |---|---|
//! | `{base_url}` | the console ([`pages`]) · [`health`] · [`metrics`] · [`v1`] (queries) · [`procedures`] (RPC) · [`flags`] (evaluation) · [`status`] (status pages) · [`people`] and [`organizations`] (`/api/auth/*`) · [`mcp`] and [`discovery`] (agents) · [`openapi`] · [`docs`] |
//! | `{track_url}` | [`mod@track`]: health and the ingestion routes |
//! | `{links_url}` | [`redirect`]: short links; health |
//! | a host of an organization | what it serves, and nothing else ([`custom_hosts`]) |
//! | `server.https_listen` | [`everywhere`], with the certificate of each host ([`sni`]) |
//! | `server.http_listen` | [`mod@plain`]: answers to certificate authorities, and redirects to HTTPS |
//!
//! Every request passes the same layers, outermost first: [`edge`] (request id, address, headers) → [`wire`] (one
//! style for every failure below) → body size → [`auth`] (one principal) → [`admission`] (limits, in flight) →
//! handler (authorization, then validation). Nothing here knows SQL or holds a rule of a domain.

pub mod admission;
pub mod agent;
pub mod agent_model;
mod audience;
pub mod auth;
mod body_memory;
mod channels;
mod chunked_bodies;
pub mod clicks;
mod console_paths;
mod custom_hosts;
mod discovery;
mod docs;
mod document;
pub mod edge;
mod exports;
mod extract;
mod fallback;
mod federation;
mod file_bodies;
mod flags;
mod guesses;
mod health;
mod language;
mod layers;
mod mcp;
pub mod metrics;
mod next;
mod oauth;
pub mod openapi;
mod operations;
mod organizations;
mod page_cache;
pub mod pages;
mod passkeys;
mod people;
mod plain;
mod private_pages;
mod probe_polls;
mod probes;
pub mod procedures;
mod push;
mod qr;
pub mod redirect;
mod response_bodies;
pub mod routes;
mod schema;
mod scim;
mod serve;
mod session_routes;
mod share_hosts;
mod shared;
mod size;
mod slow_clients;
mod sni;
mod sso_providers;
mod status;
mod streams;
mod table;
#[cfg(test)]
mod tests;
mod tls;
pub mod track;
mod upload;
pub mod v1;
pub mod wire;

use std::sync::Arc;

use actix_web::web::{self, ServiceConfig};

pub use body_memory::BodyMemory;
pub use document::Documents;
pub use federation::{Federation, ProxySignIn};
pub use layers::{elsewhere, layers};
pub use page_cache::PageCache;
pub use passkeys::Passkeys;
pub use probe_polls::ProbePolls;
pub use serve::{Addresses, Listeners, ServeOptions, Serving};
pub use share_hosts::ShareHosts;
pub use shared::{Check, GeoHeaders, Host, Options, Shared, Urls};
pub use sso_providers::SsoProviders;
pub use streams::Streams;
pub use tls::{Tls, TlsError};

use custom_hosts::OnHost;
use routes::Route;

/// Every declared route of every host; procedures have their own table.
pub fn tables() -> Vec<Route> {
    let mut routes = base();
    routes.extend(track::routes());
    routes.extend(flags::protocols::routes(Host::Track));
    routes
}

fn base() -> Vec<Route> {
    let mut routes = health::routes(Host::Base);
    routes.extend(operations::routes());
    routes.extend(docs::routes());
    routes.extend(v1::routes());
    routes.extend(exports::routes());
    routes.extend(upload::routes());
    routes.extend(people::routes());
    routes.extend(channels::routes());
    routes.extend(qr::routes());
    routes.extend(flags::routes());
    routes.extend(push::routes());
    routes.extend(probes::routes());
    routes.extend(status::routes());
    routes.extend(organizations::routes());
    routes.extend(mcp::routes());
    routes.extend(discovery::routes());
    routes.extend(oauth::routes());
    routes.extend(scim::routes());
    routes.extend(agent::routes());
    routes
}

/// Everything on `{base_url}`, and on hosts of organizations that lead there.
pub fn api(config: &mut ServiceConfig, shared: &Arc<Shared>) {
    for (listener, configure) in [(Host::Links, links as Configure), (Host::Track, track)] {
        mount_on(OnHost::custom(shared, listener), configure, config, shared);
    }
    let scope = web::scope("").configure(|config| {
        routes::register(config, &base());
        routes::register(config, &pages::routes());
        procedures::mount(config, shared);
    });
    config.service(layers(scope, shared, Host::Base));
    config.default_service(elsewhere(shared, Host::Base));
}

type Configure = fn(&mut ServiceConfig, &Arc<Shared>);

/// Registers routes for the hosts that a guard admits.
fn mount_on(guard: OnHost, configure: Configure, config: &mut ServiceConfig, shared: &Arc<Shared>) {
    let scope = web::scope("").guard(guard);
    config.service(scope.configure(|config| configure(config, shared)));
}

/// Everything on the listener for all hosts, which `server.https_listen` names, each on its own. Others show that nothing is there.
pub fn everywhere(config: &mut ServiceConfig, shared: &Arc<Shared>) {
    let listeners = [
        (Host::Base, api as Configure),
        (Host::Track, track),
        (Host::Links, links),
    ];
    for (listener, configure) in listeners {
        mount_on(OnHost::any(shared, listener), configure, config, shared);
    }
    config.default_service(web::to(custom_hosts::nothing));
}

/// Whether something else than the tracker script is served at this path of `{track_url}`.
pub fn is_tracked(path: &str) -> bool {
    let flags = flags::protocols::routes(Host::Track);
    let mut flags = flags.iter();
    track::is_taken(path) || flags.any(|route| route.path == path || route.aliases.contains(&path))
}

/// Everything on `{track_url}`.
pub fn track(config: &mut ServiceConfig, shared: &Arc<Shared>) {
    let scope = web::scope("").configure(|config| {
        let mut all = health::routes(Host::Track);
        all.extend(track::routes());
        all.extend(flags::protocols::routes(Host::Track));
        routes::register(config, &all);
        track::also_at(&shared.options.tracker_path, config);
    });
    config.service(layers(scope, shared, Host::Track));
    config.default_service(elsewhere(shared, Host::Track));
}

/// Everything on `{links_url}`: short links, health, and a 404 for every slug that is not known.
pub fn links(config: &mut ServiceConfig, shared: &Arc<Shared>) {
    redirect::mount(config, shared);
    let scope =
        web::scope("").configure(|config| routes::register(config, &health::routes(Host::Links)));
    config.service(layers(scope, shared, Host::Links));
    config.default_service(elsewhere(shared, Host::Links));
}

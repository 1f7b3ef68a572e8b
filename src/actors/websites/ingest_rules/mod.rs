//! Who may send events for a website, and which events it leaves out: its settings, compiled once.
//!
//! Two questions, with different answers. *May this page, from this address, send at all?* ([`IngestRules::admits`]; no = 403)
//! protects against strangers who copied the client id. *Does the website want this event?* ([`IngestRules::leaves_out`];
//! no = answered with success, counted and not stored) keeps own and unwanted visits out of the figures.

mod entry;
mod pattern;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use ipnet::IpNet;

pub(super) use self::entry::{address, country, origin, path, site};
pub(super) use self::pattern::HostPort;
use self::pattern::{Glob, Hosts};
use super::WebsiteSettings;
use crate::actors::networks::network;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DenyReason {
    /// The website lists origins, and the request names none.
    OriginMissing,
    /// The request's origin is neither the website's nor listed.
    Origin,
    /// The website lists addresses, and the request's is not among them.
    Address,
}

/// What an event is left out for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exclusion {
    Address,
    Country,
    Path,
    Host,
}

/// What is known of an event that may be left out.
#[derive(Debug, Clone, Copy, Default)]
pub struct EventFacts<'a> {
    /// The visitor's address; none when a server sends the event, whose address says nothing about visitors.
    pub address: Option<IpAddr>,
    /// The visitor's country, ISO 3166-1 alpha-2.
    pub country: Option<&'a str>,
    /// Host of the page, lower case, without a port.
    pub host: Option<&'a str>,
    /// Path of the page, decoded, without trailing slash; empty when unknown.
    pub path: &'a str,
}

/// The compiled rules of one website.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IngestRules {
    own: Hosts,
    origins: Option<Vec<HostPort>>,
    networks: Option<Vec<IpNet>>,
    excluded: Option<Box<Exclusions>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Exclusions {
    networks: Vec<IpNet>,
    countries: Vec<String>,
    paths: Vec<Glob>,
    hosts: Vec<Hosts>,
}

impl IngestRules {
    /// The rules of a website. Entries that are none (nothing stores such) match nothing.
    pub(super) fn compile(domain: &str, settings: &WebsiteSettings) -> Self {
        let excluded = Exclusions {
            networks: read(&settings.excluded_ips, network),
            countries: settings.excluded_countries.clone(),
            paths: read(&settings.excluded_paths, |text| Some(Glob::new(text))),
            hosts: read(&settings.excluded_hosts, |text| {
                Some(Hosts::from_entry(text))
            }),
        };
        let filled = |list: &[String]| !list.is_empty();
        Self {
            own: Hosts::for_website(domain),
            origins: filled(&settings.allowed_origins)
                .then(|| read(&settings.allowed_origins, HostPort::from_entry)),
            networks: filled(&settings.allowed_ips).then(|| read(&settings.allowed_ips, network)),
            excluded: (excluded != Exclusions::default()).then(|| Box::new(excluded)),
        }
    }

    /// Whether a page of this origin may send events from this address, without a key.
    pub fn admits(&self, origin: Option<&str>, address: Option<IpAddr>) -> Result<(), DenyReason> {
        match (origin, &self.origins) {
            (None, None) => {}
            (None, Some(_)) => return Err(DenyReason::OriginMissing),
            (Some(origin), listed) => {
                let place = HostPort::from_origin(origin).ok_or(DenyReason::Origin)?;
                let mut listed = listed.iter().flatten();
                if !self.own.contain(&place.host) && !listed.any(|entry| entry.matches(&place)) {
                    return Err(DenyReason::Origin);
                }
            }
        }
        match &self.networks {
            Some(networks) if !address.is_some_and(|address| within(networks, address)) => {
                Err(DenyReason::Address)
            }
            _ => Ok(()),
        }
    }

    pub fn has_exclusions(&self) -> bool {
        self.excluded.is_some()
    }

    /// Why an event is left out, if it is.
    pub fn leaves_out(&self, event: &EventFacts<'_>) -> Option<Exclusion> {
        let excluded = self.excluded.as_ref()?;
        let address = event
            .address
            .filter(|address| within(&excluded.networks, *address));
        let country = event
            .country
            .filter(|country| excluded.countries.iter().any(|code| code == country));
        let host = event
            .host
            .filter(|host| excluded.hosts.iter().any(|listed| listed.contain(host)));
        let path = excluded.paths.iter().find(|glob| glob.matches(event.path));
        address
            .map(|_| Exclusion::Address)
            .or(country.map(|_| Exclusion::Country))
            .or(host.map(|_| Exclusion::Host))
            .or(path.map(|_| Exclusion::Path))
    }
}

fn within(networks: &[IpNet], address: IpAddr) -> bool {
    let address = address.to_canonical();
    networks.iter().any(|network| network.contains(&address))
}

fn read<T>(entries: &[String], one: impl Fn(&str) -> Option<T>) -> Vec<T> {
    entries.iter().filter_map(|entry| one(entry)).collect()
}

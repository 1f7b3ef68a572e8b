//! The organization's own domains: their list, one with its DNS records, and the form of a new one.

mod fields;
mod list;
mod show;

use self::show::NewDomain;
use super::resource::creation;
use crate::{
    actors::hosts::HostUse,
    http::{
        pages::prelude::*,
        procedures::domains::{CertificateOut, CertificateState, DomainOut},
    },
};

pub(super) fn routes() -> Vec<Route> {
    [
        list::routes(),
        creation::<NewDomain>().into(),
        resource::routes::<DomainOut>(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

const fn use_label(serves: HostUse) -> &'static str {
    match serves {
        HostUse::Links => "Short links",
        HostUse::Status => "Status page",
        HostUse::Tracker => "Tracker",
        HostUse::Share => "Shared dashboard",
    }
}

fn draw_state(domain: &DomainOut) -> Markup {
    let has_none = |certificate: &CertificateOut| certificate.state != CertificateState::Valid;
    html! {
        @if domain.lost_at.is_some() { span.state.warn { "DNS records missing" } }
        @else if domain.certificate.as_ref().is_some_and(has_none) { span.state.warn { "No certificate" } }
        @else if domain.verified { span.state.good { "Verified" } }
        @else { span.state { "Not verified" } }
    }
}

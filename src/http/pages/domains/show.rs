//! One domain: what DNS has to say, what the last check found, and its settings.

use std::net::IpAddr;

use super::{draw_state, fields, use_label};
use crate::{
    actors::hosts::{HostUse, Pointing},
    http::{
        pages::prelude::*,
        procedures::{
            bodies::IdBody,
            domains::{
                ADD, CHECK, CertificateOut, CertificateState, DomainOut, FindingsOut, GET_BY_ID,
                REMOVE, UPDATE,
            },
        },
    },
    pages::{
        part::{Heading, copyable, notice, panel, resource_table, time},
        time::{ago, moment},
    },
};

const CHECK_PATH: &str = "/console/domain/{domain}/check";

impl Resource for DomainOut {
    const PATH: &'static str = "/console/domain/{domain}";
    const LIST: &'static str = "/console/domains";
    const NAV_ITEM: NavItem = NavItem::Domains;
    const WRITE: Option<Permission> = Some(Permission::OrganizationUpdate);
    const FORM: &'static [Section] = fields::PAGES;
    const UPDATE: Option<Procedure> = Some(UPDATE.erase());
    const ACTIONS: &'static [Action] = &[(CHECK_PATH, CHECK.erase())];
    const DELETE: Option<Action> = Some(("/console/domain/{domain}/delete", REMOVE.erase()));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let id = key.id().to_owned();
        context.ask(&GET_BY_ID, IdBody { id }).await
    }

    fn title(&self) -> &str {
        &self.host
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&self.fields)
    }

    fn head(&self, _: &Page<'_>) -> Markup {
        html! {
            div.title-row {
                h1 { (self.host) } (draw_state(self))
                @if self.verified { div.actions { a.button href=(self.url) { "Open" } } }
            }
            p.dim { (use_label(self.serves)) }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let leads_here =
            (self.findings.as_ref()).is_some_and(|found| found.points == Pointing::Here);
        Ok(html! {
            @if let Some(at) = self.lost_at.as_deref().and_then(moment) {
                (notice("bad", &html! { "The domain is no longer verified after " (page.date_format.moment(at)) ", unless its DNS records are found before." }))
            }
            @if self.verified && !leads_here {
                (notice("warn", &html! { "The domain is verified, and does not lead here yet. Create the CNAME record when you are ready to move it." }))
            }
            (panel("DNS records", &self.draw_records(page)))
            @if let Some(certificate) = &self.certificate {
                (panel("Certificate", &draw_certificate(certificate, leads_here, page)))
            }
            @if self.serves == HostUse::Links { (page.settings()) }
            (page.deletion("Remove domain…", "It stops serving at once. Delete its DNS records, too. Otherwise others could take \
                over what it leads to."))
        })
    }
}

impl DomainOut {
    fn draw_records(&self, page: &Page<'_>) -> Markup {
        let (host, target) = (&self.host, &self.target);
        let verification = &self.verification;
        let kind = match target.parse() {
            Ok(IpAddr::V4(_)) => "A",
            Ok(IpAddr::V6(_)) => "AAAA",
            Err(_) => "CNAME",
        };
        let headings = ["Record", "Name", "Value"].map(Heading::Text);
        let rows = html! {
            (draw_record(kind, host, target))
            (draw_record("TXT", &verification.name, &verification.value))
        };
        html! {
            p {
                "Create these records at your DNS provider. "
                @if self.requires_txt_record { "The " (kind) " record leads visitors here. The TXT record verifies the domain." }
                @else { "The " (kind) " record leads visitors here, and verifies the domain as well. The TXT record verifies it before you move it, and is needed if another organization has used the domain." }
            }
            @if kind == "CNAME" {
                p.dim { "Where a CNAME is not possible, use A and AAAA records with the addresses of " (target) "." }
            }
            (resource_table("DNS records", &headings, &rows))
            @if let Some(found) = &self.findings { (draw_findings(found, self.requires_txt_record)) }
            @if let Some(at) = self.checked_at.as_deref().and_then(moment) {
                p.dim { "Checked " (time(at, &ago(at, page.now_ms), page.date_format)) ". New domains are checked every ten minutes, verified ones every day." }
            }
            @if page.can_change {
                form.plain method="post" action=(page.below("check")) { button.button.small type="submit" { "Check now" } }
            }
        }
    }
}

fn draw_record(kind: &str, name: &str, value: &str) -> Markup {
    html! {
        tr {
            td { (kind) }
            td data-label="Name" { (copyable(&format!("Name of the {kind} record"), name)) }
            td data-label="Value" { (copyable(&format!("Value of the {kind} record"), value)) }
        }
    }
}

fn draw_findings(found: &FindingsOut, requires_text: bool) -> Markup {
    let leads_to = found.leads_to.join(", ");
    let records = found.records.join(", ");
    html! {
        ul {
            li { @match found.points {
                Pointing::Here if requires_text && found.has_record != Some(true) => "The domain leads here. That doesn't verify it, because this installation is under the same domain: create the TXT record.",
                Pointing::Here => "The domain leads here.",
                Pointing::Elsewhere if found.leads_to.is_empty() => "The domain has no address yet.",
                Pointing::Elsewhere => { "The domain leads elsewhere: " (leads_to) "." }
                Pointing::Unknown => { "Where the domain leads can't be read: " (leads_to) "." }
            } }
            li { @match found.has_record {
                Some(true) => "The TXT record was found.",
                Some(false) if found.records.is_empty() => "No TXT record with this name yet.",
                Some(false) => { "The TXT record has another value: " (records) "." }
                None => { "The TXT record can't be read: " (records) "." }
            } }
        }
    }
}

fn draw_certificate(certificate: &CertificateOut, leads_here: bool, page: &Page<'_>) -> Markup {
    let at = |time: &Option<String>| {
        let time = time.as_deref().and_then(moment);
        time.map(|time| page.date_format.moment(time))
    };
    html! {
        @if let (Some(error), retry) = (&certificate.error, at(&certificate.retry_at)) {
            (notice("bad", &html! { "The last attempt failed: " (error) @if let Some(retry) = retry { ". The next one follows on " (retry) "." } }))
        }
        p { @match (certificate.state, at(&certificate.expires_at)) {
            (CertificateState::Pending, _) if leads_here => "A certificate is being ordered. Until it is there, the domain can't be opened over HTTPS.",
            (CertificateState::Pending, _) => "A certificate is ordered as soon as the domain leads here.",
            (CertificateState::Valid, end) => { "Valid until " (end.unwrap_or_default()) "." }
            (CertificateState::Expired, end) => { "Expired on " (end.unwrap_or_default()) "." }
        } }
        @if let (CertificateState::Valid, Some(renewal)) = (certificate.state, at(&certificate.renews_at)) {
            p.dim { "Renewed automatically from " (renewal) "." }
        }
    }
}

pub(super) struct NewDomain;

impl Creation for NewDomain {
    type Resource = DomainOut;
    const PATH: &'static str = "/console/domains/new";
    const TITLE: &'static str = "Add domain";
    const FORM: &'static [Section] = fields::NEW;
    const CREATE: Procedure = ADD.erase();

    async fn choices(context: &PageContext) -> Result<Choices, Fault> {
        fields::choices(context).await
    }
}

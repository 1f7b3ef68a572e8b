//! An installation with many verified domains, each with a sealed certificate.

use std::{path::Path, sync::Arc, time::Instant};

use pharos::{
    acme::IssuedCertificate,
    actors::{
        certificates::{Certificates, CertificatesEnv, NamedHosts},
        links::{CreateLinks, Draft, LinkFields, SlugRule},
    },
    clock::{Clock, from_ms},
    entities::host,
    ids::OrganizationId,
};
use sea_orm::{ActiveValue::Set, EntityTrait as _};

use crate::{authority::Authority, program};

/// The slug of the link on every host.
pub(crate) const SLUG: &str = "bench";
/// Rows that are written in one transaction.
const IN_ONE: usize = 500;

pub(crate) fn host_name(number: usize) -> String {
    format!("h{number:06}.customers.example")
}

/// Adds hosts as their verification leaves them, and seals a certificate of each.
pub(crate) async fn fill(
    data: &Path,
    organization: &str,
    authority: &Authority,
    hosts: usize,
) -> anyhow::Result<()> {
    let began = Instant::now();
    let platform = program::start(data, Clock::system()).await?;
    let stores = platform.stores();
    let env = CertificatesEnv {
        db: stores.state.clone(),
        clock: stores.clock.clone(),
        authority: None,
        hosts: Arc::new(NamedHosts::default()),
        answers_http: false,
    };
    let certificates = Certificates::new(env, &stores.secret);
    let now = from_ms(stores.clock.now_ms());
    let numbers: Vec<usize> = (0..hosts).collect();
    for some in numbers.chunks(IN_ONE) {
        let rows = some.iter().map(|number| host::ActiveModel {
            id: Set(format!("bench-{number:06}")),
            organization_id: Set(organization.to_owned()),
            name: Set(host_name(*number)),
            verified_name: Set(Some(host_name(*number))),
            serves: Set("links".to_owned()),
            subject: Set(None),
            fields: Set("{}".to_owned()),
            token: Set("0123456789abcdefghijklmnopqrstuv".to_owned()),
            proof: Set(Some("text".to_owned())),
            findings: Set(Some(FINDINGS.to_owned())),
            checked_at: Set(Some(now)),
            missing_since: Set(None),
            created_at: Set(now),
        });
        host::Entity::insert_many(rows)
            .exec(stores.state.writer())
            .await?;
        let issue = |number: &usize| -> anyhow::Result<(String, IssuedCertificate)> {
            let name = host_name(*number);
            let issued = authority.issue(&name)?;
            Ok((name, issued))
        };
        let issued: Vec<_> = some.iter().map(issue).collect::<Result<_, _>>()?;
        certificates.import(&issued).await?;
    }
    platform.stop().await;
    println!(
        "{hosts} hosts with certificates made in {:.0} s",
        began.elapsed().as_secs_f64()
    );
    Ok(())
}

/// What a check has found.
const FINDINGS: &str =
    r#"{"text":true,"texts":[],"pointing":"here","leadsTo":["go.pharos.example"]}"#;

/// Adds a link on every host.
pub(crate) async fn add_links(data: &Path, organization: &str, hosts: usize) -> anyhow::Result<()> {
    let platform = program::start(data, Clock::system()).await?;
    let numbers: Vec<usize> = (0..hosts).collect();
    for some in numbers.chunks(IN_ONE) {
        let draft = |number: &usize| Draft {
            fields: LinkFields {
                name: Some(format!("link {number}")),
                target_url: Some(format!("https://shop.example.com/products/{number}")),
                slug: Some(SLUG.to_owned()),
                domain: Some(host_name(*number)),
                ..LinkFields::default()
            },
            password_hash: None,
        };
        let message = CreateLinks {
            organization: OrganizationId::from(organization),
            created_by: None,
            links: some.iter().map(draft).collect(),
            allowance: None,
            slugs: SlugRule::New,
        };
        platform.domains().links.ask(message).await?;
    }
    platform.stop().await;
    Ok(())
}

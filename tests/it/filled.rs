//! Websites with much in them.

use pharos::{
    events::demo::{Generator, Plan, Site},
    ids::{OrganizationKey, WebsiteKey},
};

use crate::app::{App, NOW};

/// Realistic events of the app's website that end now.
pub fn plan(app: &App, (events, days): (u64, u32), seed: u64) -> Plan {
    let platform = app.platform.as_ref().unwrap();
    let view = platform.domains().websites.view();
    let website = view.by_id(&app.website).unwrap();
    Plan {
        organization: OrganizationKey(website.organization_key.0),
        websites: vec![Site {
            key: WebsiteKey(website.key.0),
            domain: website.domain.clone(),
        }],
        events,
        days,
        end: NOW,
        seed,
    }
}

/// Fills the app's website with a week of them.
pub async fn website(app: &App, events: u64) {
    let platform = app.platform.as_ref().unwrap();
    let chunks: Vec<_> = Generator::new(plan(app, (events, 7), 7)).collect();
    for chunk in chunks.chunks(10) {
        let appended = platform.stores().events.append(chunk.concat()).await;
        assert_eq!(
            appended.unwrap().stored,
            chunk.iter().map(Vec::len).sum::<usize>()
        );
    }
}

//! Websites with much in them.

use pharos::{
    events::demo::{Generator, Plan, Site},
    ids::{OrganizationKey, WebsiteKey},
};

use crate::app::{App, NOW};

/// Fills the app's website with a week of realistic events that ends now.
pub async fn website(app: &App, events: u64) {
    let platform = app.platform.as_ref().unwrap();
    let view = platform.domains().websites.view();
    let website = view.by_id(&app.website).unwrap();
    let plan = Plan {
        organization: OrganizationKey(website.organization_key.0),
        websites: vec![Site {
            key: WebsiteKey(website.key.0),
            domain: website.domain.clone(),
        }],
        events,
        days: 7,
        end: NOW,
        seed: 7,
    };
    let chunks: Vec<_> = Generator::new(plan).collect();
    for chunk in chunks.chunks(10) {
        let appended = platform.stores().events.append(chunk.concat()).await;
        assert_eq!(
            appended.unwrap().stored,
            chunk.iter().map(Vec::len).sum::<usize>()
        );
    }
}

//! Events without visitors: one to test an installation, and a demo website full of them.

use super::{
    super::{
        Call,
        bodies::{OrganizationBody, WebsiteIdBody},
        success::Success,
    },
    CreateBody, GROUP, WebsiteOut, create, find,
};
use crate::{
    access::{Permission, authorize},
    actors::websites::Website,
    events::{
        demo::{DOMAIN, Generator, Plan, Site},
        event::{Details, Event, Page},
        store::Accepted,
    },
    fault::Fault,
};

/// Events of a demo website that the console creates.
const DEMO_EVENTS: u64 = 10_000;
const DEMO_DAYS: u32 = 30;

procedures! { GROUP;
    SEND_TEST_EVENT = "sendTestEvent", acts(WebsiteConfigure), send_test_event(WebsiteIdBody) -> Success:
        "Store one pageview of /pharos-test";
    CREATE_DEMO = "createDemo", changes(WebsiteManage), create_demo(OrganizationBody) -> WebsiteOut:
        "Create a demo website with synthetic events of the last 30 days, or get the existing one";
}

async fn send_test_event(call: Call, body: WebsiteIdBody) -> Result<Success, Fault> {
    let (website, _) = find(&call, Permission::WebsiteConfigure, &body.website_id)?;
    append(&call, vec![test_event(&call, &website)]).await?;
    Ok(Success::YES)
}

fn test_event(call: &Call, website: &Website) -> Accepted {
    let now_ms = call.shared.clock.now_ms();
    let session = uuid::Uuid::new_v4().as_u64_pair().0.max(1);
    let event = Event {
        organization: website.organization_key.0,
        website: website.key.0,
        time: now_ms,
        received: now_ms,
        name: "screen_view".to_owned(),
        visitor: session,
        session,
        host: Some(website.domain.clone()),
        path: "/pharos-test".to_owned(),
        title: Some("Test event".to_owned()),
        details: Details::Page(Page::default()),
        ..Event::default()
    };
    Accepted {
        event,
        event_id: None,
    }
}

async fn create_demo(call: Call, body: OrganizationBody) -> Result<WebsiteOut, Fault> {
    let organization = call.organization(body.organization_id.as_deref())?;
    authorize::organization(&call.caller, Permission::WebsiteManage, &organization)?;
    let websites = call.shared.websites.view().owned_by(&organization);
    if let Some(website) = websites.iter().find(|website| website.domain == DOMAIN) {
        return Ok(WebsiteOut::from(&**website));
    }
    let input = CreateBody {
        name: "Demo data".to_owned(),
        domain: DOMAIN.to_owned(),
        organization_id: body.organization_id,
        ..CreateBody::default()
    };
    let created = create(call.clone(), input).await?;
    let (website, _) = find(&call, Permission::WebsiteManage, &created.id)?;
    let plan = Plan {
        organization: website.organization_key,
        websites: vec![Site {
            key: website.key,
            domain: website.domain.clone(),
        }],
        events: DEMO_EVENTS,
        days: DEMO_DAYS,
        end: call.shared.clock.now_ms(),
        seed: 1,
    };
    for chunk in Generator::new(plan) {
        append(&call, chunk).await?;
    }
    Ok(created)
}

async fn append(call: &Call, events: Vec<Accepted>) -> Result<(), Fault> {
    let stored = call.shared.events.append(events).await;
    stored.map(drop).map_err(|error| {
        let mut fault = Fault::unavailable("Events can't be stored at the moment");
        fault.cause = Some(error.into());
        fault
    })
}

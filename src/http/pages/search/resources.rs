//! Resources of the organization by their names.

use futures_util::future::{join, join_all, join3, join5};

use super::{MAX, ResultGroup, SearchResult, SearchTerms, named_result};
use crate::http::{
    pages::{alarms::about, flags::list_bodies, prelude::*},
    procedures::{
        alarms,
        apikeys::{self, wire::ListBody},
        boards,
        bodies::{OrganizationBody, WebsiteIdBody},
        domains,
        flags::{self, groups},
        links,
        status_page::pages,
        uptime,
    },
};

pub(super) async fn find(context: &PageContext, terms: &SearchTerms) -> Vec<ResultGroup> {
    let (mut all, more) = join(find_products(context, terms), find_more(context, terms)).await;
    all.extend(more);
    all
}

async fn find_products(context: &PageContext, terms: &SearchTerms) -> Vec<ResultGroup> {
    let input = links::PageBody {
        limit: MAX as u64,
        search: Some(terms.text.clone()),
        ..links::PageBody::default()
    };
    let flags = list_bodies(context).into_iter();
    let flags = flags.map(|body| context.ask(&flags::LIST, body));
    let asked = join5(
        context.ask(&links::PAGINATED, input),
        context.ask(&uptime::LIST_SCHEDULES, uptime::ListBody::default()),
        context.ask(&pages::LIST, OrganizationBody::default()),
        context.ask(&alarms::LIST, OrganizationBody::default()),
        context.ask(&boards::LIST, OrganizationBody::default()),
    );
    let ((links, monitors, pages, alarms, boards), flags) =
        Box::pin(join(asked, join_all(flags))).await;
    let links = links.map_or_else(|_| Vec::new(), |page| page.items);
    let links = links.iter().map(|one| {
        let names = [&one.fields.name, &one.fields.slug];
        named_result("/console/link", &one.id, names.map(Option::as_deref))
    });
    let monitors = monitors.iter().flatten().map(|one| {
        let names = [&one.fields.name, &one.fields.url];
        named_result("/console/monitor", &one.id, names.map(Option::as_deref))
    });
    let pages = pages.iter().flatten().map(|one| {
        let names = [one.fields.name.as_str(), one.fields.slug.as_str()];
        named_result("/console/status-page", &one.id, names.map(Some))
    });
    let alarms = alarms.iter().flatten().map(|one| {
        let names = [one.fields.name.as_str(), about(one.fields.trigger_type)];
        named_result("/console/alarm", &one.id, names.map(Some))
    });
    let flags = flags.iter().flatten().flatten().map(|one| {
        let names = [Some(one.key.as_str()), one.name.as_deref()];
        named_result("/console/flag", &one.id, names)
    });
    let boards = boards.iter().flatten().map(|one| {
        let names = [Some(one.name.as_str()), one.description.as_deref()];
        named_result("/console/board", &one.id, names)
    });
    let links: Vec<SearchResult> = links.collect();
    vec![
        ("Boards", terms.filter(boards)),
        ("Short links", links),
        ("Monitors", terms.filter(monitors)),
        ("Status pages", terms.filter(pages)),
        ("Alerts", terms.filter(alarms)),
        ("Feature flags", terms.filter(flags)),
    ]
}

/// What the organization has beside its products.
async fn find_more(context: &PageContext, terms: &SearchTerms) -> Vec<ResultGroup> {
    let groups = context.websites().into_iter().map(|website| {
        let website_id = website.id;
        context.ask(&groups::LIST, WebsiteIdBody { website_id })
    });
    let asked = join3(
        join_all(groups),
        context.ask(&domains::LIST, OrganizationBody::default()),
        context.ask(&apikeys::LIST, ListBody::default()),
    );
    let (groups, domains, keys) = Box::pin(asked).await;
    let groups = groups.iter().flatten().flatten().map(|one| {
        let names = [Some(one.name.as_str()), one.description.as_deref()];
        named_result("/console/target-group", &one.id, names)
    });
    let domains = domains.iter().flatten().map(|one| {
        let names = [Some(one.host.as_str()), None];
        named_result("/console/domain", &one.id, names)
    });
    let keys = keys.iter().flatten().map(|one| {
        let names = [Some(one.name.as_str()), None];
        named_result("/console/key", &one.id, names)
    });
    vec![
        ("Target groups", terms.filter(groups)),
        ("Domains", terms.filter(domains)),
        ("API keys", terms.filter(keys)),
    ]
}

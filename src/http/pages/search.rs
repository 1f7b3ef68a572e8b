//! `/console/search`: anything by its name, and what can be done.

use actix_web::HttpResponse;
use futures_util::future::join_all;
use maud::{Markup, html};

use super::{alarms::about, context::PageContext, flags::list_bodies, page};
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        procedures::{alarms, bodies::OrganizationBody, flags, links, status_page::pages, uptime},
        routes::Route,
    },
    pages::{
        frame::{Place, site_path},
        part::{Field, empty},
        problem::Problems,
        ways::{OF_SITE, OVER_ALL},
    },
};

/// Results of each sort.
const MAX: usize = 8;
/// Characters that are looked for.
const MAX_TYPED: usize = 200;

pub(super) fn routes() -> Vec<Route> {
    vec![page("/console/search", |route| route.to(show))]
}

/// What can be done, where, and by whom.
const ACTIONS: [(&str, &str, Permission); 10] = [
    (
        "Add a website",
        "/console/sites/new",
        Permission::WebsiteManage,
    ),
    ("Make a link", "/console/links/new", Permission::LinkWrite),
    (
        "Watch something (new monitor)",
        "/console/monitors/new",
        Permission::MonitorWrite,
    ),
    (
        "Make a status page",
        "/console/status-pages/new",
        Permission::StatusPageWrite,
    ),
    (
        "Make an alarm",
        "/console/alarms/new",
        Permission::AlarmWrite,
    ),
    ("Make a flag", "/console/flags/new", Permission::FlagWrite),
    (
        "Make an API key",
        "/console/keys/new",
        Permission::KeysManage,
    ),
    (
        "Invite somebody",
        "/console/members",
        Permission::MembersManage,
    ),
    (
        "Change the password, sign out elsewhere",
        "/console/account",
        Permission::WebsiteRead,
    ),
    (
        "Keyboard shortcuts",
        "/console/shortcuts",
        Permission::WebsiteRead,
    ),
];

/// Something that was found.
struct Found {
    name: String,
    says: String,
    way: String,
}

/// A sort of things, with those that were found.
type Sort = (&'static str, Vec<Found>);

/// What somebody looks for: words that all have to be there.
struct Wanted(Vec<String>);

impl Wanted {
    fn of(typed: &str) -> Self {
        let typed: String = typed.chars().take(MAX_TYPED).collect();
        Self(
            typed
                .to_lowercase()
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
        )
    }

    fn is_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.0.iter().all(|word| text.contains(word))
    }

    fn among(&self, things: impl Iterator<Item = Found>) -> Vec<Found> {
        things
            .filter(|one| self.is_in(&format!("{} {}", one.name, one.says)))
            .collect()
    }
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let typed = context.parameter("q");
    let wanted = Wanted::of(&typed);
    let sorts = if wanted.0.is_empty() {
        Vec::new()
    } else {
        found(&context, &wanted, &typed).await
    };
    let is_empty = sorts.iter().all(|(_, all)| all.is_empty());
    let field = Field::text("q", "Name").kind("search").value(&typed);
    let main = html! {
        div.title-row { h1 { "Search" } }
        form.search method="get" action="/console/search" { (field.draw(&Problems::NONE)) button.button type="submit" { "Find" } }
        div.panel #found {
            @if wanted.0.is_empty() { (empty("What are you looking for?", &html! { p { "Websites, their pages, links, monitors, status pages, alarms and flags are found by their names, and what can be done by its words: “make a link”." } })) }
            @else if is_empty { (empty("Nothing has this name", &html! { p { "Look for fewer words, or for a part of one." } })) }
            @else { @for (sort, all) in &sorts { (draw(sort, all)) } }
        }
    };
    Ok(context.show(Place::Elsewhere, "Search", &main))
}

fn draw(sort: &str, all: &[Found]) -> Markup {
    html! {
        @if !all.is_empty() {
            h2 { (sort) }
            ul.found { @for one in all.iter().take(MAX) { li { a href=(one.way) { (one.name) @if !one.says.is_empty() { span.dim { " · " (one.says) } } } } } }
        }
    }
}

/// Everything of the organization that is called so. What somebody may not see is not found.
async fn found(context: &PageContext, wanted: &Wanted, typed: &str) -> Vec<Sort> {
    let input = links::PageBody {
        limit: MAX as u64,
        search: Some(typed.trim().chars().take(MAX_TYPED).collect()),
        ..links::PageBody::default()
    };
    let links = context.ask(&links::PAGINATED, input).await;
    let links = links.map_or_else(|_| Vec::new(), |page| page.items);
    let links = links.iter().map(|one| {
        let names = [&one.fields.name, &one.fields.slug];
        thing("/console/link", &one.id, names.map(Option::as_deref))
    });
    let all = uptime::ListBody::default();
    let monitors = context.ask(&uptime::LIST_SCHEDULES, all).await;
    let monitors = monitors.iter().flatten().map(|one| {
        let names = [&one.fields.name, &one.fields.url];
        thing("/console/monitor", &one.id, names.map(Option::as_deref))
    });
    let all = OrganizationBody::default();
    let pages = context.ask(&pages::LIST, all).await;
    let pages = pages.iter().flatten().map(|one| {
        let names = [one.fields.name.as_str(), one.fields.slug.as_str()];
        thing("/console/status-page", &one.id, names.map(Some))
    });
    let all = OrganizationBody::default();
    let alarms = context.ask(&alarms::LIST, all).await;
    let alarms = alarms.iter().flatten().map(|one| {
        let names = [one.fields.name.as_str(), about(one.fields.trigger_type)];
        thing("/console/alarm", &one.id, names.map(Some))
    });
    let flags = list_bodies(context).into_iter();
    let flags = flags.map(|body| context.ask(&flags::LIST, body));
    let flags = join_all(flags).await;
    let flags = flags.iter().flatten().flatten().map(|one| {
        let names = [Some(one.key.as_str()), one.name.as_deref()];
        thing("/console/flag", &one.id, names)
    });
    vec![
        ("Pages", places(context, wanted)),
        ("Actions", actions(context, wanted)),
        ("Links", links.collect()),
        ("Monitors", wanted.among(monitors)),
        ("Status pages", wanted.among(pages)),
        ("Alarms", wanted.among(alarms)),
        ("Flags", wanted.among(flags)),
    ]
}

/// What whoever looks may do.
fn actions(context: &PageContext, wanted: &Wanted) -> Vec<Found> {
    let may = ACTIONS
        .iter()
        .filter(|(name, _, permission)| wanted.is_in(name) && context.may(*permission));
    let found = |(name, way, _): &(&str, &str, Permission)| Found {
        name: (*name).to_owned(),
        says: String::new(),
        way: (*way).to_owned(),
    };
    may.map(found).collect()
}

/// A thing by the first of its names that it has, with the other one behind it.
fn thing(path: &str, id: &str, names: [Option<&str>; 2]) -> Found {
    let [first, second] = names.map(|name| name.filter(|text| !text.is_empty()));
    Found {
        name: first.or(second).unwrap_or(id).to_owned(),
        says: first.and(second).unwrap_or_default().to_owned(),
        way: format!("{path}/{id}"),
    }
}

/// Pages about everything, and each page of each website by both names: `shop errors`.
fn places(context: &PageContext, wanted: &Wanted) -> Vec<Found> {
    let frame = context.frame(Place::Elsewhere, None);
    let over = OVER_ALL
        .iter()
        .filter(|way| !frame.closed.contains(&way.place));
    let over = over.filter(|way| wanted.is_in(way.title)).map(|way| Found {
        name: way.title.to_owned(),
        says: String::new(),
        way: way.path(""),
    });
    let sites = frame.websites.iter().flat_map(|site| {
        let whole = wanted.is_in(&site.name).then(|| Found {
            name: site.name.clone(),
            says: "website".to_owned(),
            way: site_path(&site.id),
        });
        let inner = OF_SITE.iter().filter(|way| {
            !wanted.is_in(&site.name) && wanted.is_in(&format!("{} {}", site.name, way.title))
        });
        whole.into_iter().chain(inner.map(|way| Found {
            name: way.title.to_owned(),
            says: site.name.clone(),
            way: way.path(&site.id),
        }))
    });
    over.chain(sites).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_have_to_be_there_in_any_order_and_case() {
        let wanted = Wanted::of("  Err SHOP ");
        assert!(wanted.is_in("Shop Errors") && !wanted.is_in("Shop"));
        assert!(Wanted::of("ä").is_in("Ä"));
        assert!(Wanted::of(&"x".repeat(10_000)).0[0].len() == MAX_TYPED);
    }

    #[test]
    fn a_thing_has_the_first_name_that_it_has() {
        let named = thing("/x", "1", [Some("A"), Some("u")]);
        assert_eq!(
            (&*named.name, &*named.says, &*named.way),
            ("A", "u", "/x/1")
        );
        let nameless = thing("/x", "1", [None, Some("u")]);
        assert_eq!((&*nameless.name, &*nameless.says), ("u", ""));
    }
}

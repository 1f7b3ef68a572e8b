//! `/console/search`: anything by its name, and what can be done.

use actix_web::HttpResponse;
use futures_util::future::join_all;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::{alarms::about, context::PageContext, page};
use crate::{
    access::Permission,
    fault::Fault,
    http::routes::Route,
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

/// Everything of the organization that is called so.
async fn found(context: &PageContext, wanted: &Wanted, typed: &str) -> Vec<Sort> {
    let search: String = typed.trim().chars().take(MAX_TYPED).collect();
    let links = async {
        let input = json!({ "search": search, "limit": MAX });
        let page: Value = context
            .ask("links", "paginated", input)
            .await
            .unwrap_or_default();
        page["items"].as_array().cloned().unwrap_or_default()
    };
    // What somebody may not see is not found.
    let listed = async |router: &'static str, name: &'static str| -> Vec<Value> {
        context
            .ask(router, name, json!({}))
            .await
            .unwrap_or_default()
    };
    let monitors = listed("uptime", "listSchedules").await;
    let pages = listed("statusPage", "list").await;
    let mut alarms = listed("alarms", "list").await;
    for alarm in &mut alarms {
        alarm["about"] = json!(about(alarm["triggerType"].as_str().unwrap_or_default()));
    }
    let flags = flags(context).await;
    let things = |all: &[Value], names: [&str; 2], path: &str| -> Vec<Found> {
        let some = all.iter().filter_map(|one| thing(one, names, path));
        some.filter(|one| wanted.is_in(&format!("{} {}", one.name, one.says)))
            .collect()
    };
    vec![
        ("Pages", places(context, wanted)),
        ("Actions", actions(context, wanted)),
        (
            "Links",
            links
                .await
                .iter()
                .filter_map(|one| thing(one, ["name", "slug"], "/console/link"))
                .collect(),
        ),
        (
            "Monitors",
            things(&monitors, ["name", "url"], "/console/monitor"),
        ),
        (
            "Status pages",
            things(&pages, ["name", "slug"], "/console/status-page"),
        ),
        (
            "Alarms",
            things(&alarms, ["name", "about"], "/console/alarm"),
        ),
        ("Flags", things(&flags, ["key", "name"], "/console/flag")),
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
fn thing(one: &Value, names: [&str; 2], path: &str) -> Option<Found> {
    let text = |name: &str| one[name].as_str().filter(|text| !text.is_empty());
    let [first, second] = names.map(text);
    let id = text("id")?;
    Some(Found {
        name: first.or(second).unwrap_or(id).to_owned(),
        says: first.and(second).unwrap_or_default().to_owned(),
        way: format!("{path}/{id}"),
    })
}

/// Flags of all websites and of the organization.
async fn flags(context: &PageContext) -> Vec<Value> {
    let mut scopes: Vec<Value> = context
        .websites()
        .iter()
        .map(|one| json!({ "websiteId": one.id }))
        .collect();
    let own = context.session.active_organization.as_ref();
    scopes.extend(own.map(|own| json!({ "organizationId": own.as_str() })));
    let of = async |scope| -> Vec<Value> {
        context
            .ask("flags", "list", scope)
            .await
            .unwrap_or_default()
    };
    let all: Vec<Vec<Value>> = join_all(scopes.into_iter().map(of)).await;
    all.into_iter().flatten().collect()
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
        let named = thing(
            &json!({ "id": "1", "name": "A", "url": "u" }),
            ["name", "url"],
            "/x",
        )
        .unwrap();
        assert_eq!(
            (&*named.name, &*named.says, &*named.way),
            ("A", "u", "/x/1")
        );
        let nameless = thing(
            &json!({ "id": "1", "name": null, "url": "u" }),
            ["name", "url"],
            "/x",
        )
        .unwrap();
        assert_eq!((&*nameless.name, &*nameless.says), ("u", ""));
    }
}

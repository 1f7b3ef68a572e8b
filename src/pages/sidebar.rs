//! The sidebar, and the breadcrumbs above a page. On a phone the sidebar is a drawer, which the browser opens without a script.

use maud::{Markup, html};

use super::{
    navigation::{
        HOME, HOME_ICON, NavGroup, NavItem, NavLink, ORGANIZATION_GROUPS, WEBSITE_GROUPS,
        organization_links, site_path, website_links,
    },
    shell::Frame,
};

/// A drawing of one path, as large as the text beside it.
pub(super) fn icon(path: &str) -> Markup {
    html! { svg.icon viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" { path d=(path) {} } }
}

/// The page in the navigation. Adding a website belongs to the first page.
fn shown_item(frame: &Frame) -> NavItem {
    match frame.item {
        NavItem::NewWebsite => NavItem::Home,
        item => item,
    }
}

pub(super) fn draw(frame: &Frame) -> Markup {
    html! {
        nav #sidebar.side popover aria-label="Console" {
            ul { (draw_link(frame, &HOME, "", &icon(HOME_ICON))) }
            @if let Some(site) = &frame.site {
                @for group in WEBSITE_GROUPS { (draw_group(frame, group, site)) }
            }
            @for group in ORGANIZATION_GROUPS { (draw_group(frame, group, "")) }
        }
    }
}

fn draw_group(frame: &Frame, group: &NavGroup, site: &str) -> Markup {
    let links = group.links.iter();
    let links = links.filter(|link| !frame.forbidden.contains(&link.item));
    html! {
        details.group open data-group=(group.title) {
            summary { (icon(group.icon)) (group.title) }
            ul { @for link in links { (draw_link(frame, link, site, &html! {})) } }
        }
    }
}

fn draw_link(frame: &Frame, link: &NavLink, site: &str, icon: &Markup) -> Markup {
    let key = (!link.key.is_empty()).then_some(link.key);
    let current = (link.item == shown_item(frame)).then_some("page");
    html! { li { a href=(address(frame, link, site)) aria-current=[current] data-key=[key] { (icon) (link.title) } } }
}

/// The address of a link. Pages of a website keep the range and the filters.
fn address(frame: &Frame, link: &NavLink, site: &str) -> String {
    let path = link.path(site);
    if site.is_empty() {
        path
    } else {
        frame.view.address(&path)
    }
}

/// Where the page is: the pages above it, and its title.
pub(super) fn draw_breadcrumbs(frame: &Frame, title: &str) -> Markup {
    let site = frame.site.as_deref().unwrap_or_default();
    let mut above = vec![(HOME.title.to_owned(), HOME.path(""))];
    if let Some(website) = frame.website() {
        above.push((
            website.name.clone(),
            frame.view.address(&site_path(&website.id)),
        ));
    }
    let mut links = website_links().chain(organization_links());
    if let Some(link) = links.find(|link| link.item == frame.item) {
        let is_of_site = website_links().any(|own| own.item == link.item);
        let site = if is_of_site { site } else { "" };
        above.push((link.title.to_owned(), address(frame, link, site)));
    }
    let is_dashboard = frame.item == NavItem::Dashboard;
    above.retain(|(name, _)| name != title && !(is_dashboard && name == "Dashboard"));
    html! {
        @if frame.item != NavItem::Home {
            nav.crumbs aria-label="Breadcrumb" {
                ol {
                    @for (name, path) in &above { li { a href=(path) { (name) } } }
                    li aria-current="page" { (title) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::{
        shell::{Choice, Theme},
        view::View,
    };

    fn frame(item: NavItem, site: Option<&str>) -> Frame {
        Frame {
            person: String::new(),
            email: String::new(),
            organizations: Vec::new(),
            organization: None,
            websites: vec![Choice {
                id: "w".to_owned(),
                name: "Shop".to_owned(),
            }],
            site: site.map(str::to_owned),
            item,
            can_add: false,
            forbidden: Vec::new(),
            view: View::default().with_preset("today"),
            theme: Theme::System,
            language: crate::locale::Language::En,
        }
    }

    /// The names in a page's breadcrumbs.
    fn crumbs(item: NavItem, site: Option<&str>, title: &str) -> Vec<String> {
        let drawn = draw_breadcrumbs(&frame(item, site), title).into_string();
        let parts = drawn.split("<li").skip(1);
        let name = |part: &str| {
            let text = part
                .split('>')
                .find(|text| !text.starts_with('<') && text.contains("</"));
            text.and_then(|text| text.split('<').next())
                .map(str::to_owned)
        };
        parts.filter_map(name).collect()
    }

    #[test]
    fn breadcrumbs_name_the_pages_above() {
        let site = Some("w");
        assert_eq!(
            crumbs(NavItem::Users, site, "Users"),
            ["Home", "Shop", "Users"]
        );
        assert_eq!(crumbs(NavItem::Dashboard, site, "Shop"), ["Home", "Shop"]);
        assert_eq!(
            crumbs(NavItem::Goals, site, "Sign-up"),
            ["Home", "Shop", "Goals", "Sign-up"]
        );
        assert_eq!(
            crumbs(NavItem::Monitors, None, "API"),
            ["Home", "Monitors", "API"]
        );
        assert!(crumbs(NavItem::Home, None, "Home").is_empty());
    }

    #[test]
    fn pages_of_a_website_keep_the_range_and_others_do_not() {
        let drawn = draw(&frame(NavItem::Users, Some("w"))).into_string();
        assert!(
            drawn.contains("href=\"/console/site/w/errors?preset=today\""),
            "{drawn}"
        );
        assert!(drawn.contains("href=\"/console/monitors\""), "{drawn}");
        assert!(
            !draw(&frame(NavItem::Home, None))
                .into_string()
                .contains("/console/site/")
        );
    }
}

//! The whole of a page: its head, and the frame with the navigation.

use maud::{DOCTYPE, Markup, PreEscaped, html};

pub use super::navigation::{NavItem, site_path};
use super::{
    assets::{ICON, SCRIPT, STYLE},
    navigation::{NavLink, ORGANIZATION_LINKS, WEBSITE_LINKS},
};

/// Websites that the switcher lists; all of them are on the overview.
const MAX_LISTED: usize = 30;

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub id: String,
    pub name: String,
}

/// What is around a page for a person who is signed in.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The person's name.
    pub person: String,
    /// The person's address.
    pub email: String,
    /// The organizations that the person is in.
    pub organizations: Vec<Choice>,
    /// The active organization.
    pub organization: Option<String>,
    pub websites: Vec<Choice>,
    /// The website that the page is about.
    pub site: Option<String>,
    /// The page in the navigation.
    pub item: NavItem,
    /// Whether the link to add a website is shown.
    pub can_add: bool,
    /// Pages without a link, because they would be refused.
    pub forbidden: Vec<NavItem>,
}

/// A page within its frame.
pub fn framed_page(frame: &Frame, title: &str, main: &Markup) -> Markup {
    document(
        title,
        "framed",
        &html! {
            a.skip href="#main" { "Skip to the content" }
            header.top {
                a.brand href="/" { (logo()) "pharos" }
                (switcher(frame))
                (search())
                (account(frame))
            }
            (navigation(frame))
            main #main tabindex="-1" { (main) }
        },
    )
}

/// A small page in the middle, without a session.
pub fn centered_page(title: &str, main: &Markup) -> Markup {
    document(
        title,
        "bare",
        &html! {
            main #main { a.brand href="/" { (logo()) "pharos" } (main) }
        },
    )
}

/// A wide page without a session.
pub fn wide_page(title: &str, main: &Markup) -> Markup {
    document(
        title,
        "wide",
        &html! {
            main #main { (main) }
            footer { a.brand href="/" { (logo()) "pharos" } }
        },
    )
}

fn document(title: &str, class: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) " · pharos" }
                link rel="icon" href=(ICON.path());
                link rel="stylesheet" href=(STYLE.path());
                script src=(SCRIPT.path()) defer {}
            }
            body.(class) { (body) }
        }
    }
}

fn logo() -> Markup {
    let text = ICON.text;
    html! { span.logo aria-hidden="true" { (PreEscaped(text)) } }
}

fn switcher(frame: &Frame) -> Markup {
    let now = frame
        .websites
        .iter()
        .find(|one| Some(&one.id) == frame.site.as_ref());
    html! {
        details.menu.switch {
            summary { span.hide { "Website: " } (now.map_or("All websites", |one| &one.name)) }
            div.sheet {
                ul {
                    @for one in frame.websites.iter().take(MAX_LISTED) {
                        li { a href=(site_path(&one.id)) aria-current=[(Some(&one.id) == frame.site.as_ref()).then_some("true")] { (one.name) } }
                    }
                }
                ul.more {
                    li { a href="/" { "All websites" } }
                    @if frame.can_add {
                        li { a href="/console/sites/new" { "Add a website" } }
                    }
                }
            }
        }
    }
}

/// The search box; the script searches as you type.
fn search() -> Markup {
    html! {
        form.find role="search" action="/console/search" {
            label.hide for="find" { "Search" }
            input #find type="search" name="q" placeholder="Search" autocomplete="off" aria-keyshortcuts="Control+K";
            div.sheet hidden {}
        }
    }
}

fn account(frame: &Frame) -> Markup {
    html! {
        details.menu.account {
            summary { span.hide { "Account: " } (frame.person) }
            div.sheet {
                p.who { strong { (frame.person) } br; span.dim { (frame.email) } }
                @if frame.organizations.len() > 1 {
                    form method="post" action="/console/organization/switch" {
                        label for="to-organization" { "Organization" }
                        select #to-organization name="organizationId" data-submit {
                            @for one in &frame.organizations {
                                option value=(one.id) selected[Some(&one.id) == frame.organization.as_ref()] { (one.name) }
                            }
                        }
                        button.button.small type="submit" { "Switch" }
                    }
                }
                ul { li { a href="/console/account" aria-current=[(frame.item == NavItem::Account).then_some("page")] { "Your account" } } li { a href="/console/shortcuts" { "Keyboard shortcuts" } } }
                form method="post" action="/logout" { button.button.small type="submit" { "Sign out" } }
            }
        }
    }
}

fn navigation(frame: &Frame) -> Markup {
    // Adding a website belongs to them all.
    let item = match frame.item {
        NavItem::NewWebsite => NavItem::Websites,
        item => item,
    };
    let draw = |link: &NavLink, site: &str| {
        let key = (!link.key.is_empty()).then_some(link.key);
        html! { li { a href=(link.path(site)) aria-current=[(link.item == item).then_some("page")] data-key=[key] { (link.title) } } }
    };
    html! {
        nav.side aria-label="Console" {
            @if let Some(site) = &frame.site {
                ul { @for link in WEBSITE_LINKS { (draw(link, site)) } }
            }
            ul { @for link in ORGANIZATION_LINKS.iter().filter(|link| !frame.forbidden.contains(&link.item)) { (draw(link, "")) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Frame {
        Frame {
            person: "<b>Ann".to_owned(),
            email: "ann@example.com".to_owned(),
            organizations: Vec::new(),
            organization: None,
            websites: vec![Choice {
                id: "w1".to_owned(),
                name: "Shop & Co".to_owned(),
            }],
            site: Some("w1".to_owned()),
            item: NavItem::Tracking,
            can_add: false,
            forbidden: vec![NavItem::Audit],
        }
    }

    #[test]
    fn a_page_says_where_one_is_and_escapes_what_people_call_things() {
        let drawn = framed_page(&frame(), "Tracking", &html! { "inside" }).into_string();
        assert!(drawn.starts_with("<!DOCTYPE html>"), "{drawn}");
        assert!(
            drawn.contains("href=\"/console/site/w1/setup\" aria-current=\"page\""),
            "{drawn}"
        );
        assert!(
            drawn.contains("Shop &amp; Co") && drawn.contains("&lt;b&gt;Ann"),
            "{drawn}"
        );
        assert!(
            !drawn.contains("style=") && !drawn.contains("onclick"),
            "{drawn}"
        );
        assert!(!drawn.contains("organization/switch"), "there is only one");
        assert!(!drawn.contains("/console/sites/new"), "{drawn}");
        assert!(
            !drawn.contains("/console/audit") && drawn.contains("/console/members"),
            "{drawn}"
        );
    }

    #[test]
    fn nothing_is_shown_around_a_page_for_strangers() {
        let drawn = centered_page("Sign in", &html! { "inside" }).into_string();
        assert!(!drawn.contains("<nav"), "{drawn}");
        assert!(drawn.contains(&STYLE.path()) && drawn.contains(&SCRIPT.path()));
    }
}

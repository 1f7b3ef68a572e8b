//! The whole of a page: its head, the bar above it, and the sidebar.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    assets::{ICON, SCRIPT, STYLE},
    navigation::same_page,
    sidebar,
};
pub use super::{
    navigation::{NavItem, site_path},
    shell::{Choice, Frame, Theme},
};
use crate::locale::Language;

/// Websites that the switcher lists; all of them are on the first page.
const MAX_LISTED: usize = 30;

/// A page within its frame.
pub fn framed_page(frame: &Frame, title: &str, main: &Markup) -> Markup {
    let site = frame.website().map(|site| site.name.as_str());
    let whole = match site.filter(|name| *name != title) {
        Some(name) => format!("{title} · {name}"),
        None => title.to_owned(),
    };
    document(
        frame.language,
        &whole,
        "framed",
        frame.theme,
        &html! {
            a.skip href="#main" { "Skip to content" }
            header.top {
                button.button.drawer type="button" popovertarget="sidebar" aria-label="Navigation" { (sidebar::icon("M2 4h12M2 8h12M2 12h12")) }
                a.brand href="/" { (logo()) "pharos" }
                (switcher(frame))
                (search())
                (account(frame))
            }
            (sidebar::draw(frame))
            main #main tabindex="-1" { (sidebar::draw_breadcrumbs(frame, title)) (main) }
        },
    )
}

/// A small page in the middle, without a session, in the language of its texts.
pub fn centered_page(language: Language, title: &str, main: &Markup) -> Markup {
    document(
        language,
        title,
        "bare",
        Theme::System,
        &html! {
            main #main { a.brand href="/" { (logo()) "pharos" } (main) }
        },
    )
}

/// A wide page without a session, in the language of its texts.
pub fn wide_page(language: Language, title: &str, main: &Markup) -> Markup {
    document(
        language,
        title,
        "wide",
        Theme::System,
        &html! {
            main #main { (main) }
            footer { a.brand href="/" { (logo()) "pharos" } }
        },
    )
}

fn document(language: Language, title: &str, class: &str, theme: Theme, body: &Markup) -> Markup {
    let theme = (theme != Theme::System).then_some(theme.as_str());
    html! {
        (DOCTYPE)
        html lang=(language.code()) data-theme=[theme] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content=(theme.unwrap_or("light dark"));
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

/// The menu of websites; each opens at the same report, with the same range and filters.
fn switcher(frame: &Frame) -> Markup {
    html! {
        details.menu.switch {
            summary { span.hide { "Website: " } (frame.website().map_or("All websites", |one| &one.name)) }
            div.sheet {
                ul {
                    @for one in frame.websites.iter().take(MAX_LISTED) {
                        li { a href=(same_page(frame.item, &one.id, &frame.view)) aria-current=[(Some(&one.id) == frame.site.as_ref()).then_some("true")] { (one.name) } }
                    }
                }
                ul.more {
                    li { a href="/" { "All websites" } }
                    @if frame.can_add {
                        li { a href="/console/sites/new" { "Add website" } }
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
                        button.button.small type="submit" { "Switch organization" }
                    }
                }
                ul {
                    li { a href="/console/account" aria-current=[(frame.item == NavItem::Account).then_some("page")] { "Account settings" } }
                    li { a href="/docs" { "Documentation" } }
                    li { a href="/console/shortcuts" { "Keyboard shortcuts" } }
                }
                form.themes method="post" action="/console/theme" {
                    span.small.dim aria-hidden="true" { "Theme" }
                    div.tabs.small role="group" aria-label="Theme" {
                        @for theme in Theme::ALL {
                            button type="submit" name="theme" value=(theme.as_str()) aria-pressed=(if theme == frame.theme { "true" } else { "false" }) { (theme.label()) }
                        }
                    }
                }
                form method="post" action="/logout" { button.button.small type="submit" { "Sign out" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::view::View, *};

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
            item: NavItem::Installation,
            can_add: false,
            forbidden: vec![NavItem::Audit],
            view: View::default().with_preset("today"),
            theme: Theme::Dark,
            language: Language::En,
        }
    }

    #[test]
    fn a_page_says_where_you_are_and_escapes_names() {
        let drawn = framed_page(&frame(), "Installation", &html! { "inside" }).into_string();
        assert!(drawn.starts_with("<!DOCTYPE html>"), "{drawn}");
        assert!(
            drawn.contains("href=\"/console/site/w1/setup?preset=today\" aria-current=\"page\""),
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
        assert!(drawn.contains("<title>Installation · Shop &amp; Co · pharos"));
        assert!(drawn.contains("<html lang=\"en\" data-theme=\"dark\">"));
        assert!(!drawn.contains("organization/switch"), "there is only one");
        assert!(!drawn.contains("/console/sites/new"), "{drawn}");
        assert!(
            !drawn.contains("/console/audit") && drawn.contains("/console/members"),
            "{drawn}"
        );
    }

    #[test]
    fn nothing_is_shown_around_a_page_for_strangers() {
        let drawn = centered_page(Language::En, "Sign in", &html! { "inside" }).into_string();
        assert!(!drawn.contains("<nav"), "{drawn}");
        assert!(drawn.contains(&STYLE.path()) && drawn.contains(&SCRIPT.path()));
    }
}

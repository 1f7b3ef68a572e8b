//! The guides of `docs/`, as sections of the reference page: written once, in Markdown.

use std::sync::LazyLock;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::{
    docs::Section,
    procedures::{self, Needs, Procedure},
};
use crate::{
    access::{Role, Scope},
    analytics::catalogue,
};

static SECTIONS: LazyLock<Vec<Section>> = LazyLock::new(|| {
    vec![
        Section {
            title: "Tracker script",
            html: render(include_str!("../../docs/tracker.md")),
        },
        Section {
            title: "Console",
            html: render(include_str!("../../docs/console.md")),
        },
        Section {
            title: "Agents",
            html: render(include_str!("../../docs/agents.md")),
        },
        Section {
            title: "Accounts",
            html: render(include_str!("../../docs/accounts.md")),
        },
        Section {
            title: "People and privacy",
            html: render(include_str!("../../docs/people-and-privacy.md")),
        },
        Section {
            title: "Who may do what",
            html: render(&access()),
        },
        Section {
            title: "Short links",
            html: render(include_str!("../../docs/links.md")),
        },
        Section {
            title: "Feature flags",
            html: render(include_str!("../../docs/flags.md")),
        },
        Section {
            title: "Monitors",
            html: render(include_str!("../../docs/uptime.md")),
        },
        Section {
            title: "Goals and funnels",
            html: render(include_str!("../../docs/goals-and-funnels.md")),
        },
        Section {
            title: "Status pages",
            html: render(include_str!("../../docs/status-pages.md")),
        },
        Section {
            title: "Alarms",
            html: render(include_str!("../../docs/alarms.md")),
        },
        Section {
            title: "In front of the world",
            html: render(include_str!("../../docs/deployment.md")),
        },
        Section {
            title: "Resources in files",
            html: render(include_str!("../../docs/provisioning.md")),
        },
        Section {
            title: "Bringing history along",
            html: render(include_str!("../../docs/import.md")),
        },
        Section {
            title: "Watching pharos itself",
            html: render(include_str!("../../docs/observability.md")),
        },
        Section {
            title: "Backup and restore",
            html: render(include_str!("../../docs/backup.md")),
        },
        Section {
            title: "PostgreSQL and Redis",
            html: render(include_str!("../../docs/scaling.md")),
        },
        Section {
            title: "Interface for clients",
            html: render(include_str!("../../docs/interface.md")),
        },
        Section {
            title: "Queries",
            html: render(&queries()),
        },
    ]
});

/// The guide to queries, with every type as a table behind it.
fn queries() -> String {
    let mut guide = include_str!("../../docs/queries.md").to_owned();
    guide.push_str("\n| type | what it answers | fields |\n|---|---|---|\n");
    for kind in catalogue::all() {
        let names = kind.columns().into_iter();
        let fields: Vec<String> = names.map(|(name, ..)| format!("`{name}`")).collect();
        let fields = fields.join(", ");
        guide.extend([
            "| `",
            kind.name,
            "` | ",
            kind.description,
            " | ",
            &fields,
            " |\n",
        ]);
    }
    guide
}

/// The guide to roles, keys and scopes, with what every procedure asks for behind it.
fn access() -> String {
    let mut guide = include_str!("../../docs/access.md").to_owned();
    guide.push_str("\n| call | scope of a key | roles |\n|---|---|---|\n");
    for procedure in procedures::all() {
        let scope = procedure.needs.scope();
        let scope = scope.map_or("(no key)", Scope::as_str);
        let (scope, roles) = match procedure.needs {
            Needs::Nothing => ("(anybody)", "(anybody)".to_owned()),
            Needs::Session => (scope, "every person".to_owned()),
            Needs::Permission(permission) => {
                let roles = Role::ALL.into_iter().filter(|role| role.may(permission));
                let roles: Vec<&str> = roles.map(Role::as_str).collect();
                (scope, roles.join(", "))
            }
        };
        let Procedure { group, name, .. } = procedure;
        let row = [
            "| `/", group, "/", name, "` | `", scope, "` | ", &roles, " |\n",
        ];
        guide.extend(row);
    }
    guide
}

/// The guides, rendered once.
pub(super) fn sections() -> &'static [Section] {
    &SECTIONS
}

/// Renders a guide below a heading of the page: without its own title, everything else a level deeper. Tables scroll.
fn render(markdown: &str) -> String {
    let mut in_title = false;
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES).flat_map(move |event| {
        match &event {
            Event::Start(Tag::Heading { level, .. }) if *level == HeadingLevel::H1 => {
                in_title = true;
            }
            Event::End(TagEnd::Heading(HeadingLevel::H1)) => {
                in_title = false;
                return Vec::new();
            }
            _ => {}
        }
        if in_title {
            return Vec::new();
        }
        match event {
            Event::Start(Tag::Table(_)) => {
                vec![Event::Html("<div class=\"wide\">".into()), event]
            }
            Event::End(TagEnd::Table) => vec![event, Event::Html("</div>".into())],
            event => vec![deeper(event)],
        }
    });
    let mut page = String::new();
    html::push_html(&mut page, events);
    page
}

fn deeper(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Start(Tag::Heading {
            level,
            id,
            classes,
            attrs,
        }) => Event::Start(Tag::Heading {
            level: below(level),
            id,
            classes,
            attrs,
        }),
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(below(level))),
        event => event,
    }
}

const fn below(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H2,
        HeadingLevel::H2 => HeadingLevel::H3,
        HeadingLevel::H3 => HeadingLevel::H4,
        HeadingLevel::H4 => HeadingLevel::H5,
        HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_type_is_described() {
        let page = sections().iter().find(|part| part.title == "Queries");
        let html = &page.unwrap().html;
        for kind in catalogue::all() {
            let name = format!("<td><code>{}</code></td>", kind.name);
            assert!(html.contains(&name), "{}", kind.name);
        }
        assert!(html.contains("<strong>bounce</strong>"));
    }

    #[test]
    fn a_guide_becomes_a_part_of_the_page() {
        let html = render(
            "# Title\n\n## Part\n\n| a | b |\n|---|---|\n| `<x>` | 1 |\n\n```html\n<script src=\"a\">\n```\n",
        );
        assert!(html.starts_with("<h3>Part</h3>"), "{html}");
        assert!(!html.contains("Title"), "{html}");
        assert!(html.contains("<div class=\"wide\"><table>"), "{html}");
        assert!(html.contains("&lt;x&gt;") && html.contains("&lt;script src="));
        assert!(!html.contains("<script"), "{html}");
    }
}

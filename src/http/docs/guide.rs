//! The guides of `docs/`, in the order in which they are read.

use std::{borrow::Cow, fmt::Write as _, sync::LazyLock};

use super::markdown::{RenderedGuide, render};
use crate::{
    access::{Role, Scope},
    http::procedures::{self, Needs, Procedure},
};

/// Guides for one kind of task.
pub(super) struct Group {
    pub(super) title: &'static str,
    guides: &'static [Guide],
}

/// A file of `docs/`, which is also the last part of its address.
struct Guide {
    slug: &'static str,
    text: &'static str,
    /// Ids of the sections that it had when all guides were one page.
    old_ids: &'static [&'static str],
}

macro_rules! guides {
    ($($slug:literal $(was $($old:literal),+)?;)+) => {
        &[$(Guide {
            slug: $slug,
            text: include_str!(concat!("../../../docs/", $slug, ".md")),
            old_ids: &[$($($old),+)?],
        }),+]
    };
}

pub(super) const GROUPS: &[Group] = &[
    Group {
        title: "Get started",
        guides: guides! {
            "quickstart";
            "tracker" was "tracker-script", "tracker";
            "console" was "console";
        },
    },
    Group {
        title: "Analytics",
        guides: guides! {
            "goals-and-funnels" was "goals-and-funnels";
            "users-and-privacy" was "people-and-privacy";
            "enrichment";
            "data-quality";
            "sharing";
            "import" was "bringing-history-along";
            "import-definitions";
            "export";
        },
    },
    Group {
        title: "Products",
        guides: guides! {
            "boards";
            "links" was "short-links";
            "monitors" was "monitors";
            "alerts" was "alarms";
            "channels";
            "status-pages" was "status-pages";
            "flags" was "feature-flags";
            "domains";
        },
    },
    Group {
        title: "Organization",
        guides: guides! {
            "accounts" was "accounts";
            "sign-in";
            "scim";
            "access" was "who-may-do-what";
        },
    },
    Group {
        title: "Operations",
        guides: guides! {
            "deployment" was "in-front-of-the-world";
            "settings";
            "commands";
            "backup" was "backup-and-restore";
            "observability" was "watching-pharos-itself";
            "provisioning" was "resources-in-files";
            "scaling" was "postgresql-and-redis";
        },
    },
    Group {
        title: "Developers",
        guides: guides! {
            "interface" was "interface-for-clients";
            "compatibility";
            "queries" was "queries";
            "agents" was "agents";
        },
    },
];

/// A guide as it is shown.
pub(super) struct GuidePage {
    pub(super) path: String,
    pub(super) slug: &'static str,
    pub(super) group: &'static str,
    pub(super) old_ids: &'static [&'static str],
    pub(super) guide: RenderedGuide,
}

/// All guides, rendered once.
pub(super) static PAGES: LazyLock<Vec<GuidePage>> = LazyLock::new(|| {
    let guides = GROUPS
        .iter()
        .flat_map(|group| group.guides.iter().map(move |guide| (group.title, guide)));
    let page = |(group, guide): (&'static str, &Guide)| GuidePage {
        path: path(guide.slug),
        slug: guide.slug,
        group,
        old_ids: guide.old_ids,
        guide: render(&guide.markdown(), resolve),
    };
    guides.map(page).collect()
});

pub(super) fn find(slug: &str) -> Option<&'static GuidePage> {
    PAGES.iter().find(|page| page.slug == slug)
}

fn path(slug: &str) -> String {
    format!("/docs/{slug}")
}

/// The address of a link between files of `docs/`. Other files of the repository have none.
pub(super) fn resolve(link: &str) -> Option<String> {
    if link.starts_with('#') {
        return Some(link.to_owned());
    }
    let (file, fragment) = link.split_once(".md")?;
    let mut guides = GROUPS.iter().flat_map(|group| group.guides);
    guides
        .any(|guide| guide.slug == file)
        .then(|| path(file) + fragment)
}

impl Guide {
    /// The text, with the tables that are made from code.
    fn markdown(&self) -> Cow<'static, str> {
        match self.slug {
            "access" => format!("{}\n{}", self.text, permissions()).into(),
            "settings" => format!("{}\n{}", self.text, settings()).into(),
            _ => self.text.into(),
        }
    }
}

/// What every procedure asks for.
fn permissions() -> String {
    let mut table = "| Call | Scope of a key | Roles |\n|---|---|---|\n".to_owned();
    for Procedure {
        group, name, needs, ..
    } in procedures::all()
    {
        let scope = needs.scope().map_or("none", Scope::as_str);
        let (scope, roles) = match needs {
            Needs::Nothing => ("public", "public".to_owned()),
            Needs::Session => (scope, "any member".to_owned()),
            Needs::Permission(permission) => {
                let roles = Role::ALL.into_iter().filter(|role| role.may(permission));
                let roles: Vec<&str> = roles.map(Role::as_str).collect();
                (scope, roles.join(", "))
            }
        };
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| `/{group}/{name}` | `{scope}` | {roles} |");
    }
    table
}

/// Every setting, its default and the comment above it, a table for each section of the file of defaults.
fn settings() -> String {
    let file = include_str!("../../../config/pharos.toml");
    let (mut tables, mut comment, mut is_setting) = (String::new(), String::new(), false);
    for line in file.lines() {
        if let Some(text) = line.strip_prefix("# ") {
            if is_setting {
                comment.clear();
            }
            is_setting = false;
            format!("{comment} {text}").trim().clone_into(&mut comment);
        } else if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            // A comment above a section is about the section.
            let about = if is_setting { "" } else { comment.as_str() };
            let _ = writeln!(
                tables,
                "\n## {section}\n\n{about}\n\n| Setting | Default | Meaning |\n|---|---|---|"
            );
            comment.clear();
        } else if let Some((key, value)) = line.split_once(" = ") {
            let meaning = if is_setting && !comment.is_empty() {
                "See above."
            } else {
                comment.as_str()
            };
            let meaning = meaning.replace('|', "\\|");
            let _ = writeln!(tables, "| `{key}` | `{value}` | {meaning} |");
            is_setting = true;
        } else {
            comment.clear();
            is_setting = false;
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guide_says_what_you_get_before_its_first_section() {
        for page in PAGES.iter() {
            let RenderedGuide { title, summary, .. } = &page.guide;
            assert!(!title.is_empty() && !summary.is_empty(), "{}", page.path);
            assert!(!title.contains('`') && !summary.contains('`'), "{summary}");
        }
    }

    #[test]
    fn every_setting_is_in_the_table_of_its_section() {
        let page = find("settings").unwrap();
        let file = include_str!("../../../config/pharos.toml");
        let settings = file.lines().filter(|line| !line.starts_with('#'));
        let mut count = 0;
        for (key, _) in settings.filter_map(|line| line.split_once(" = ")) {
            let cell = format!("<td><code>{key}</code></td>");
            assert!(page.guide.html.contains(&cell), "{key}");
            count += 1;
        }
        assert!(count > 60, "{count}");
        assert!(
            page.guide
                .html
                .contains("Networks (CIDR) that probes and webhooks may reach")
        );
    }

    #[test]
    fn links_between_files_are_links_between_pages() {
        assert_eq!(
            resolve("queries.md#filters").as_deref(),
            Some("/docs/queries#filters")
        );
        assert_eq!(resolve("#limits").as_deref(), Some("#limits"));
        assert_eq!(resolve("../config/pharos.toml"), None);
        assert_eq!(resolve("drills.md"), None);
    }
}

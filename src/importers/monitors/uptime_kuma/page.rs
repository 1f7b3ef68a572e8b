//! Status pages of Uptime Kuma with their groups.

use std::collections::{HashMap, HashSet};

use super::Tables;
use crate::{
    actors::status_pages::{PageFields, PageMonitorFields, Theme},
    importers::{Definition, PageDefinition, Plan, record::Record, text::one_line},
};

pub(super) fn read(tables: &Tables<'_>, monitors: &[Record], plan: &mut Plan) {
    let (groups, listed) = (tables.rows("group"), tables.rows("monitor_group"));
    let lists = Lists {
        nested: monitors
            .iter()
            .filter(|one| one.text(&["type"]).as_deref() == Some("group"))
            .filter_map(|one| one.text(&["id"]))
            .collect(),
        groups: sort_below(&groups, "status_page_id"),
        monitors: sort_below(&listed, "group_id"),
    };
    for row in tables.rows("status_page") {
        let slug = row.text(&["slug"]).unwrap_or_default();
        if row.value(&["published"]).is_some() && !row.is_on(&["published"]) {
            let reason = "It isn't published, and pages here are public";
            plan.omit(&row.at, format!("status page {slug}"), reason);
            continue;
        }
        let monitors = lists.of_page(&row, &slug, plan);
        let fields = PageFields {
            name: one_line(&row.text(&["title"]).unwrap_or_else(|| slug.clone()), 120),
            slug,
            description: row.text(&["description"]),
            theme: match row.text(&["theme"]).as_deref() {
                Some("light") => Some(Theme::Light),
                Some("dark") => Some(Theme::Dark),
                _ => None,
            },
            ..PageFields::default()
        };
        let page = PageDefinition { fields, monitors };
        plan.push(&row.at, Definition::Page(Box::new(page)));
    }
    for row in tables.rows("incident") {
        if row.is_on(&["active"]) {
            let title = row.text(&["title"]).unwrap_or_default();
            let reason = "Report it here, so subscribers get it";
            plan.omit(&row.at, format!("incident {title}"), reason);
        }
    }
}

/// Rows by the id of what they belong to, in their order.
type Below<'r> = HashMap<String, Vec<&'r Record>>;

fn sort_below<'r>(rows: &'r [Record], owner: &str) -> Below<'r> {
    let mut below = Below::new();
    for row in rows {
        let id = row.text(&[owner]).unwrap_or_default();
        below.entry(id).or_default().push(row);
    }
    for own in below.values_mut() {
        own.sort_by_key(|row| row.number(&["weight"]));
    }
    below
}

struct Lists<'r> {
    /// Monitors that are groups of monitors.
    nested: HashSet<String>,
    /// Groups by page.
    groups: Below<'r>,
    /// Monitors by group.
    monitors: Below<'r>,
}

impl Lists<'_> {
    /// The monitors of a page under their headings.
    fn of_page(
        &self,
        page: &Record,
        slug: &str,
        plan: &mut Plan,
    ) -> Vec<(String, PageMonitorFields)> {
        let what = format!("status page {}", one_line(slug, 120));
        let mut monitors = Vec::new();
        let mut seen = HashSet::new();
        let groups = self.groups.get(&page.text(&["id"]).unwrap_or_default());
        for group in groups.into_iter().flatten() {
            let heading = group.text(&["name"]).map(|text| one_line(&text, 120));
            let inside = self.monitors.get(&group.text(&["id"]).unwrap_or_default());
            for one in inside.into_iter().flatten() {
                let key = one.text(&["monitor_id"]).unwrap_or_default();
                let wrong = if self.nested.contains(&key) {
                    Some("A group of monitors can't be on a page")
                } else if seen.insert(key.clone()) {
                    None
                } else {
                    Some("A monitor is on a page once")
                };
                if let Some(reason) = wrong {
                    plan.omit(&one.at, what.clone(), reason);
                    continue;
                }
                let fields = PageMonitorFields {
                    group: heading.clone(),
                    hide_url: !one.is_on(&["send_url"]),
                    order: monitors.len() as u32,
                    ..PageMonitorFields::default()
                };
                monitors.push((key, fields));
            }
        }
        monitors
    }
}

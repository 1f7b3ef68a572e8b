//! Errors that are resolved or ignored: what their table shows of them, and the buttons that change them.

use std::collections::HashMap;

use serde_json::Value;

use super::cell::{TableContext, moment};
use crate::{
    actors::error_statuses::{Status, error_id},
    analytics::run::Answers,
    http::{
        pages::{next, prelude::*},
        procedures::{
            bodies::WebsiteIdBody,
            errors::{LIST_STATUSES, SET_STATUS, SetStatusBody},
        },
    },
    pages::part::hidden,
};

/// The query type of the table.
pub(super) const KIND: &str = "error_types";
/// The name of the chosen status in the address.
pub(super) const TAB: &str = "status";
/// What can be chosen, the first one unless the address says otherwise.
const TABS: [(&str, &str); 4] = [
    ("unresolved", "Unresolved"),
    ("resolved", "Resolved"),
    ("ignored", "Ignored"),
    ("all", "All"),
];
const PATH: &str = "/console/site/{id}/errors/status";

pub(super) fn routes() -> Vec<Route> {
    vec![form_route(PATH, |route| route.to(change))]
}

/// The errors of a website with a status, by id.
#[derive(Debug, Default)]
pub(super) struct Statuses {
    known: HashMap<String, (Status, i64)>,
    /// Whether the buttons are shown.
    can_change: bool,
}

/// An error's status in the range of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Current {
    Is(Status),
    /// It was resolved, and has occurred since.
    Regressed,
}

impl Current {
    /// Its name in the address.
    const fn tab(self) -> &'static str {
        match self {
            Self::Is(status) => status.as_str(),
            Self::Regressed => Status::Unresolved.as_str(),
        }
    }

    const fn label(self) -> (&'static str, &'static str) {
        match self {
            Self::Is(Status::Unresolved) => ("bad", "Unresolved"),
            Self::Is(Status::Resolved) => ("good", "Resolved"),
            Self::Is(Status::Ignored) => ("", "Ignored"),
            Self::Regressed => ("warn", "Regressed"),
        }
    }

    /// The buttons that change it: the status and their label.
    const fn actions(self) -> &'static [(Status, &'static str)] {
        match self {
            Self::Is(Status::Unresolved) | Self::Regressed => {
                &[(Status::Resolved, "Resolve"), (Status::Ignored, "Ignore")]
            }
            Self::Is(Status::Resolved | Status::Ignored) => &[(Status::Unresolved, "Reopen")],
        }
    }
}

impl Statuses {
    pub(super) async fn load(context: &PageContext, website: &str) -> Result<Self, Fault> {
        let website_id = website.to_owned();
        let listed = context.ask(&LIST_STATUSES, WebsiteIdBody { website_id });
        let known = listed.await?.into_iter().filter_map(|one| {
            let changed_ms = moment(&one.changed_at)?;
            Some((one.error_id, (one.status, changed_ms)))
        });
        Ok(Self {
            known: known.collect(),
            can_change: context.can(Permission::WebsiteConfigure),
        })
    }

    fn current(&self, row: &Value) -> Current {
        let message = row["name"].as_str().unwrap_or_default();
        let last_ms = row["last_seen"].as_str().and_then(moment).unwrap_or(0);
        match self.known.get(&error_id(message)) {
            None => Current::Is(Status::Unresolved),
            Some((Status::Resolved, changed_ms)) if last_ms > *changed_ms => Current::Regressed,
            Some((status, _)) => Current::Is(*status),
        }
    }

    /// Keeps the rows of the chosen status; whether there were others.
    pub(super) fn narrow(&self, rows: &mut Vec<Value>, chosen: Option<&str>) -> bool {
        let count = rows.len();
        let chosen = find_tab(chosen);
        rows.retain(|row| chosen == "all" || self.current(row).tab() == chosen);
        rows.len() < count
    }

    /// A row's status with its buttons.
    pub(super) fn draw(&self, row: &Value, at: &TableContext<'_>) -> Markup {
        let current = self.current(row);
        let (class, label) = current.label();
        let message = row["name"].as_str().unwrap_or_default();
        let action = PATH.replace("{id}", at.website);
        html! {
            span.state.(class) { (label) }
            @if self.can_change {
                form.inline method="post" action=(action) {
                    (hidden("errorId", &error_id(message)))
                    (hidden("back", &at.period.view.address(at.path)))
                    @for (status, label) in current.actions() {
                        button.button.small type="submit" name="status" value=(status.as_str()) aria-label=(format!("{label}: {message}")) { (label) }
                    }
                }
            }
        }
    }
}

fn find_tab(chosen: Option<&str>) -> &'static str {
    let known = TABS.iter().find(|(name, _)| Some(*name) == chosen);
    known.unwrap_or(&TABS[0]).0
}

/// The statuses to choose from.
pub(super) fn draw_tabs(_: &[Value], _: &Answers, at: &TableContext<'_>) -> Markup {
    let chosen = find_tab(at.period.view.tab(TAB));
    html! {
        nav.tabs.small aria-label="Status" {
            @for (name, label) in TABS {
                a href=(at.period.view.with_tab(TAB, name).address(at.path)) aria-current=[(name == chosen).then_some("true")] { (label) }
            }
        }
    }
}

async fn change(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let body = SetStatusBody {
        website_id: id.into_inner(),
        error_id: sent.text("errorId").to_owned(),
        status: Status::parse(sent.text("status")).unwrap_or_default(),
    };
    context.change(&SET_STATUS, body).await?;
    Ok(answer::redirect(next::safe(sent.raw("back"))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_occurs_again_is_unresolved_and_what_is_ignored_stays_so() {
        let changed_ms = moment("2026-10-14T12:00:00.000Z").unwrap();
        let known = [("a", Status::Resolved), ("b", Status::Ignored)];
        let statuses = Statuses {
            known: known
                .map(|(message, status)| (error_id(message), (status, changed_ms)))
                .into(),
            can_change: false,
        };
        let row = |name: &str, hour: u8| json!({ "name": name, "last_seen": format!("2026-10-14T{hour}:00:00.000Z") });
        assert_eq!(
            statuses.current(&row("a", 11)),
            Current::Is(Status::Resolved)
        );
        assert_eq!(statuses.current(&row("a", 13)), Current::Regressed);
        assert_eq!(
            statuses.current(&row("b", 13)),
            Current::Is(Status::Ignored)
        );
        let all = || vec![row("a", 11), row("b", 13), row("c", 13)];
        let shown = |tab: Option<&str>| {
            let mut rows = all();
            let is_narrowed = statuses.narrow(&mut rows, tab);
            let names = rows.iter().map(|row| row["name"].as_str().unwrap());
            (names.collect::<String>(), is_narrowed)
        };
        assert_eq!(shown(None), ("c".to_owned(), true));
        assert_eq!(shown(Some("ignored")), ("b".to_owned(), true));
        assert_eq!(shown(Some("all")), ("abc".to_owned(), false));
    }
}

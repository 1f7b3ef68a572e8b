//! What must be true of a board (pure).

use serde_json::{Map, Value};

use super::{BoardFields, PanelFields, PanelType};
use crate::{
    actors::{issues::Issues, patch::patched},
    analytics::range::Preset,
    fault::Issue,
};

/// Boards of an organization.
pub(super) const MAX: u64 = 100;
/// Panels of a board.
pub const MAX_PANELS: usize = 24;

/// The same, tidied and acceptable.
pub(super) fn checked(fields: BoardFields) -> Result<BoardFields, Vec<Issue>> {
    let mut issues = Issues::default();
    let name = fields.name.trim().to_owned();
    let fits = (1..=100).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    let message = "`name` has 1 to 100 characters";
    issues.require(fits, "invalid_value", "name", message);
    let description = tidy(fields.description);
    let fits = description.as_deref().is_none_or(|text| is_text(text, 500));
    let message = "`description` has at most 500 characters";
    issues.require(fits, "invalid_value", "description", message);
    let message = "`range` is a named range, such as last_7d or last_30d";
    let is_known = Preset::parse(&fields.range).is_some();
    issues.require(is_known, "invalid_value", "range", message);
    let message = format!("A board has at most {MAX_PANELS} panels. Remove one first.");
    let fits = fields.panels.len() <= MAX_PANELS;
    issues.require(fits, "too_many", "panels", message);
    let panels = fields.panels.into_iter().enumerate().take(MAX_PANELS);
    let panels = panels.map(|(place, panel)| check_panel(panel, place, &mut issues));
    let panels = panels.collect();
    issues.finish(BoardFields {
        name,
        description,
        range: fields.range,
        panels,
    })
}

/// The same with some fields changed.
pub(super) fn changed(
    fields: &BoardFields,
    change: &Map<String, Value>,
) -> Result<BoardFields, Vec<Issue>> {
    checked(patched(("board", fields), change, "")?)
}

fn check_panel(panel: PanelFields, place: usize, issues: &mut Issues) -> PanelFields {
    let title = tidy(panel.title);
    let at = |field: &str| format!("panels[{place}].{field}");
    let fits = title.as_deref().is_none_or(|text| is_text(text, 100));
    let message = "`title` has at most 100 characters";
    issues.require(fits, "invalid_value", &at("title"), message);
    let (has_metric, has_dimension) = match panel.kind {
        PanelType::WebsiteNumber | PanelType::WebsiteChart => (true, false),
        PanelType::WebsiteTable => (false, true),
        _ => (false, false),
    };
    let fits = has_metric || panel.metric.is_none();
    let message = "only `website_number` and `website_chart` have a `metric`";
    issues.require(fits, "invalid_value", &at("metric"), message);
    let fits = has_dimension || panel.dimension.is_none();
    let message = "only `website_table` has a `dimension`";
    issues.require(fits, "invalid_value", &at("dimension"), message);
    PanelFields { title, ..panel }
}

/// Without white space around it; an empty text is none.
fn tidy(text: Option<String>) -> Option<String> {
    let text = text?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

fn is_text(text: &str, most: usize) -> bool {
    let is_control = |c: char| c.is_control() && c != '\n' && c != '\r';
    text.chars().count() <= most && !text.chars().any(is_control)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places(board: &Value) -> Vec<String> {
        let fields: BoardFields = serde_json::from_value(board.clone()).unwrap();
        let wrong = checked(fields).err().unwrap_or_default();
        wrong.into_iter().map(|issue| issue.field).collect()
    }

    #[test]
    fn what_is_wrong_with_a_board_is_said_at_its_place() {
        let panel = json!({ "type": "website_number", "resourceId": "w", "metric": "sessions" });
        let usual = json!({ "name": " Team ", "panels": [panel] });
        assert_eq!(places(&usual), Vec::<String>::new());
        for (field, value, place) in [
            ("name", json!(" "), "name"),
            ("name", json!("n".repeat(101)), "name"),
            ("description", json!("d".repeat(501)), "description"),
            ("range", json!("last_8d"), "range"),
            ("panels", json!(vec![panel.clone(); 25]), "panels"),
        ] {
            let mut wrong = usual.clone();
            wrong[field] = value;
            assert_eq!(places(&wrong), [place], "{wrong}");
        }
        for (field, value) in [
            ("title", json!("t".repeat(101))),
            ("dimension", json!("pages")),
        ] {
            let mut wrong = usual.clone();
            wrong["panels"][0][field] = value;
            assert_eq!(places(&wrong), [format!("panels[0].{field}")]);
        }
        let link = json!({ "type": "link_clicks", "resourceId": "l", "metric": "sessions" });
        let wrong = json!({ "name": "a", "panels": [link] });
        assert_eq!(places(&wrong), ["panels[0].metric"]);
    }
}

//! The numbers of a funnel before it is saved.

use serde_json::json;

use super::conversion::draw_steps_chart;
use crate::{
    http::{
        pages::{context::form_problems, prelude::*},
        procedures::funnels,
    },
    pages::part::notice,
};

/// The name of the button.
pub(super) const BUTTON: &str = "preview";

/// The button, and where its result is. The script presses it after changes.
pub(super) fn draw_button(result: &Markup) -> Markup {
    html! {
        p { button.button type="submit" name=(BUTTON) value="1" formnovalidate data-preview="preview" { "Preview funnel" } }
        div #preview aria-live="polite" { (result) }
    }
}

/// The funnel of a form over the last 30 days, if the form was sent for that.
pub(super) async fn draw(draft: &Draft<'_>) -> Result<Markup, Fault> {
    if !draft.sent.is_on(BUTTON) {
        return Ok(html! {});
    }
    let mut input = match draft.inputs.read(draft.sent) {
        Ok(input) => input,
        Err(fault) => return explain(fault),
    };
    input.insert("websiteId".to_owned(), json!(draft.key.parent()));
    if draft.sent.some("name").is_none() {
        input.insert("name".to_owned(), json!("Preview"));
    }
    match draft.context.submit(&funnels::PREVIEW, input).await {
        Ok(found) => Ok(html! {
            div.preview {
                p.dim { "Last 30 days" }
                (draw_steps_chart(&found.conversion))
            }
        }),
        Err(fault) => explain(fault),
    }
}

fn explain(fault: Fault) -> Result<Markup, Fault> {
    let (_, problems) = form_problems(fault)?;
    Ok(notice("warn", &html! { (problems.above(&[]).join("; ")) }))
}

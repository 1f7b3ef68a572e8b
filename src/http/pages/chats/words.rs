//! The messages of a chat. The model's text is inert Markdown that loads nothing. Results of tools are data.

use maud::PreEscaped;
use serde_json::Value;

use crate::{
    actors::chats::{Part, Role, Status},
    http::{pages::prelude::*, procedures::chats::MessageOut, status::markdown_html},
    pages::part::{hidden, notice},
};

/// Characters of a tool's input or output.
const MAX_SHOWN: usize = 4_000;

/// The messages, oldest first. Changes that wait for confirmation have a button that posts to `to`.
pub(super) fn draw(messages: &[MessageOut], to: Option<&str>) -> Markup {
    let parts = || messages.iter().flat_map(|message| &message.parts);
    let confirmed = |id: &str| {
        parts().any(
            |part| matches!(part, Part::Confirmation { tool_call_id, .. } if tool_call_id == id),
        )
    };
    html! {
        @for message in messages {
            li.{ (message.role.as_str()) }.streaming[message.status == Status::Streaming] #{ "m-" (message.id) } {
                p.who { (author(message.role)) }
                @for part in &message.parts { (draw_part(message.role, part, to.filter(|_| is_pending(part, confirmed)))) }
                @if let Some(word) = describe_end(message.status) { p { span.state.warn { (word) } } }
            }
        }
    }
}

fn author(role: Role) -> &'static str {
    match role {
        Role::User => "You",
        Role::Assistant => "Assistant",
        Role::Tool => "Tool",
    }
}

/// Why a message is incomplete.
fn describe_end(status: Status) -> Option<&'static str> {
    match status {
        Status::Complete | Status::Streaming => None,
        Status::Stopped => Some("Stopped"),
        Status::Failed => Some("Failed"),
        Status::Interrupted => Some("Interrupted by a restart"),
    }
}

/// Whether a part shows a change that waits for the person.
fn is_pending(part: &Part, confirmed: impl Fn(&str) -> bool) -> bool {
    matches!(part, Part::ToolResult { tool_call_id, output, is_error: false, .. }
        if output["done"] == false && !confirmed(tool_call_id))
}

fn draw_part(role: Role, part: &Part, confirm_at: Option<&str>) -> Markup {
    html! {
        @match part {
            Part::Text { text } if role == Role::User => p.words { (text) },
            Part::Text { text } => div.said { (PreEscaped(markdown_html(text))) },
            Part::ToolCall { tool_name, input, .. } => (data(&format!("Uses {tool_name}"), input)),
            Part::ToolResult { tool_call_id, tool_name, output, is_error } => {
                (data(&format!("{tool_name} {}", if *is_error { "failed" } else { "result" }), output))
                @if let Some(to) = confirm_at {
                    form.plain method="post" action=(to) {
                        (hidden("confirm", tool_call_id))
                        button.button.first type="submit" { "Confirm change" }
                        span.dim { " Nothing has changed yet." }
                    }
                }
            },
            Part::Confirmation { tool_name, output, is_error, .. } => (data(&format!("{tool_name} {}", if *is_error { "failed" } else { "done" }), output)),
            Part::Error { message, .. } => (notice("bad", &html! { (message) })),
        }
    }
}

/// Data behind a title.
fn data(title: &str, value: &Value) -> Markup {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let shown: String = text.chars().take(MAX_SHOWN).collect();
    let cut = shown.len() < text.len();
    html! {
        details.long {
            summary { (title) }
            pre tabindex="0" aria-label=(title) { code { (shown) @if cut { "…" } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(role: Role, status: Status, parts: Vec<Part>) -> MessageOut {
        MessageOut {
            id: "1".to_owned(),
            created_at: String::new(),
            role,
            status,
            parts,
        }
    }

    fn result(id: &str, done: bool) -> Part {
        Part::ToolResult {
            tool_call_id: id.to_owned(),
            tool_name: "create_link".to_owned(),
            output: json!({ "done": done, "preview": "<b>" }),
            is_error: false,
        }
    }

    #[test]
    fn words_can_do_nothing() {
        let text = "**So** ![x](https://evil.example/?q) <img src=x onerror=alert(1)> [go](javascript:alert(1))";
        let text = text.to_owned();
        let parts = vec![Part::Text { text }];
        for role in [Role::User, Role::Assistant, Role::Tool] {
            let message = message(role, Status::Failed, parts.clone());
            let drawn = draw(&[message], None).into_string();
            assert!(
                !drawn.contains("<img") && !drawn.contains("href=\"javascript"),
                "{drawn}"
            );
            assert!(drawn.contains(">Failed<"), "{drawn}");
        }
    }

    #[test]
    fn a_change_that_was_shown_is_made_once() {
        let to = "/console/chat/1".to_owned();
        let shown = message(
            Role::Tool,
            Status::Complete,
            vec![result("a", false), result("b", true)],
        );
        let drawn = draw(std::slice::from_ref(&shown), Some(&to)).into_string();
        assert_eq!(drawn.matches("Confirm change").count(), 1, "{drawn}");
        assert!(
            drawn.contains("value=\"a\"") && !drawn.contains("<b>"),
            "{drawn}"
        );
        assert!(
            !draw(std::slice::from_ref(&shown), None)
                .into_string()
                .contains("Confirm change")
        );
        let done = Part::Confirmation {
            tool_call_id: "a".to_owned(),
            tool_name: "create_link".to_owned(),
            output: json!({}),
            is_error: false,
        };
        let confirmed = message(Role::Tool, Status::Complete, vec![done]);
        let drawn = draw(&[shown, confirmed], Some(&to)).into_string();
        assert!(
            !drawn.contains("Confirm change") && drawn.contains("create_link done"),
            "{drawn}"
        );
    }
}

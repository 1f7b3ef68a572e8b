//! Tool calls that the made-up website's MCP server reports.

use super::random::Random;
use crate::events::event::{Call, Details, Event, Trust};

/// Tools and how long each usually takes, ms.
const TOOLS: &[(&str, f64)] = &[
    ("search_docs", 90.0),
    ("get_page", 40.0),
    ("list_orders", 160.0),
    ("create_ticket", 420.0),
];
/// Products, and how they name themselves.
const CLIENTS: &[(&str, &str, &str)] = &[
    ("Claude Code", "claude-code", "2.0.14"),
    ("Cursor", "cursor-vscode", "1.7.33"),
    ("ChatGPT", "openai-mcp", "1.0.0"),
    ("Codex", "codex-mcp-client", "0.46.0"),
];
const FAILURES: &[(&str, &str)] = &[
    ("invalid_params", "`query` must not be empty"),
    ("request_timeout", "Request timed out"),
    ("not_found", "The page was not found"),
];

/// One call, by no visitor of the website.
pub(super) fn call(template: &Event, time: i64, random: &mut Random) -> Event {
    let (tool, median) = *random.pick(TOOLS);
    let (client, client_name, client_version) = *random.pick(CLIENTS);
    let failed = random.chance(0.06).then(|| *random.pick(FAILURES));
    let call = Call {
        duration_ms: random.log_normal(median, 0.7).min(60_000.0) as u32,
        output_chars: if failed.is_some() {
            0
        } else {
            random.log_normal(1_800.0, 0.9) as u32
        },
        is_error: failed.is_some(),
        error: failed.map(|(_, text)| text.to_owned()),
        error_code: failed.map(|(code, _)| code.to_owned()),
        client: Some(client.to_owned()),
        client_name: Some(client_name.to_owned()),
        client_version: Some(client_version.to_owned()),
        server_name: Some("acme-docs".to_owned()),
        server_version: Some("1.4.0".to_owned()),
        environment: Some("production".to_owned()),
        user_agent: None,
    };
    Event {
        organization: template.organization,
        website: template.website,
        time,
        name: tool.to_owned(),
        session: template.session.rotate_left(7).max(1),
        trust: Trust::Key,
        details: Details::Call(Box::new(call)),
        ..Event::default()
    }
}

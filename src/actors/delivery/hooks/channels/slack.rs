use serde_json::json;

use super::{Message, Request, Service, check_given_out, cut};

pub(super) const SERVICE: Service = Service {
    title: "Slack (webhook URL)",
    fields: &[],
    is_told_one_by_one: false,
    check: |channel, rules| {
        check_given_out(channel, &rules.bases.slack, &["https://hooks.slack.com"])
    },
    request: Some(request),
};

fn request(message: &Message<'_>) -> Result<Request, String> {
    let escaped = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    let notice = message.notice;
    let title = cut(&notice.title, 150);
    let section =
        |text: String| json!({ "type": "section", "text": { "type": "mrkdwn", "text": text } });
    let body = json!({
        "text": escaped(&title),
        "blocks": [
            { "type": "header", "text": { "type": "plain_text", "text": title } },
            section(cut(&escaped(&notice.text), 2_900)),
            section(format!("<{}|View in pharos>", notice.link)),
        ],
    });
    Request::post_to(&message.channel.identifier, &message.bases.slack, &body)
}

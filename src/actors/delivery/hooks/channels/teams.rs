use serde_json::json;

use super::{Message, Request, Service, check_address, cut};

pub(super) const SERVICE: Service = Service {
    title: "Microsoft Teams (webhook URL)",
    fields: &[],
    is_told_one_by_one: false,
    check: check_address,
    request: Some(request),
};

/// An adaptive card, as workflows of Teams take it.
fn request(message: &Message<'_>) -> Result<Request, String> {
    let notice = message.notice;
    let line = |text: &str, weight: &str| json!({ "type": "TextBlock", "text": text, "wrap": true, "weight": weight });
    let more = json!({ "type": "Action.OpenUrl", "title": "View in pharos", "url": notice.link });
    let body = json!({
        "type": "message",
        "attachments": [{
            "contentType": "application/vnd.microsoft.card.adaptive",
            "content": {
                "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                "type": "AdaptiveCard",
                "version": "1.4",
                "body": [
                    line(&notice.title, "Bolder"),
                    line(&cut(&notice.text, 10_000), "Default"),
                ],
                "actions": [more],
            },
        }],
    });
    Request::post_to(&message.channel.identifier, &message.bases.teams, &body)
}

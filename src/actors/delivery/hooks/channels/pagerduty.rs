use serde_json::json;

use super::{Message, Request, Service, cut, join};

pub(super) const SERVICE: Service = Service {
    title: "PagerDuty (routing key)",
    fields: &[],
    is_told_one_by_one: true,
    check: |channel, _| {
        let key = &channel.identifier;
        if key.len() < 8 || !key.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err((
                "identifier",
                "`identifier` must be a routing key".to_owned(),
            ));
        }
        Ok(())
    },
    request: Some(request),
};

fn request(message: &Message<'_>) -> Result<Request, String> {
    let notice = message.notice;
    let action = if notice.resolved {
        "resolve"
    } else {
        "trigger"
    };
    let body = json!({
        "routing_key": message.channel.identifier,
        "event_action": action,
        "dedup_key": cut(&notice.thread, 255),
        "client": "pharos",
        "client_url": notice.link,
        "payload": {
            "summary": cut(&notice.title, 1_024),
            "source": "pharos",
            "severity": "critical",
            "timestamp": notice.timestamp,
            "custom_details": { "text": cut(&notice.text, 4_000), "data": notice.data },
        },
    });
    Ok(Request::post(
        join(&message.bases.pagerduty, "/v2/enqueue"),
        &body,
    ))
}

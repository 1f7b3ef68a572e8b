use serde_json::json;

use super::{Message, Request, Service, check_given_out, cut};

pub(super) const SERVICE: Service = Service {
    title: "Discord (webhook URL)",
    fields: &[],
    is_told_one_by_one: false,
    check: |channel, rules| {
        let own = ["https://discord.com", "https://discordapp.com"];
        check_given_out(channel, &rules.bases.discord, &own)
    },
    request: Some(request),
};

fn request(message: &Message<'_>) -> Result<Request, String> {
    let notice = message.notice;
    let color = if notice.resolved {
        0x1a_7f37
    } else {
        0xcf_222e
    };
    let body = json!({
        "username": "pharos",
        "allowed_mentions": { "parse": [] },
        "embeds": [{
            "title": cut(&notice.title, 256),
            "description": cut(&notice.text, 4_000),
            "url": notice.link,
            "timestamp": notice.timestamp,
            "color": color,
        }],
    });
    Request::post_to(&message.channel.identifier, &message.bases.discord, &body)
}

use serde_json::json;

use super::{Message, Request, Service, cut, join};

pub(super) const SERVICE: Service = Service {
    title: "Telegram (chat ID)",
    fields: &["config.token"],
    is_told_one_by_one: false,
    check: |channel, _| {
        let token = channel.token.as_deref().unwrap_or_default();
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-');
        if token.is_empty() || token.len() > 128 || !token.chars().all(fits) {
            return Err(("config.token", "`token` must be the bot's token".to_owned()));
        }
        Ok(())
    },
    request: Some(request),
};

fn request(message: &Message<'_>) -> Result<Request, String> {
    let (channel, notice) = (message.channel, message.notice);
    let token = channel.token.as_deref().unwrap_or_default();
    let text = cut(&notice.text, 3_000);
    let text = format!("{}\n\n{text}\n\n{}", notice.title, notice.link);
    let body = json!({
        "chat_id": channel.identifier,
        "text": cut(&text, 4_096),
        "disable_web_page_preview": true,
    });
    let url = join(&message.bases.telegram, &format!("/bot{token}/sendMessage"));
    Ok(Request::post(url, &body))
}

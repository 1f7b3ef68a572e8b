//! Who only looks: agents that draw previews of links, browsers that fetch ahead, `HEAD`.

use std::sync::LazyLock;

use actix_web::http::{Method, header::HeaderMap};
use aho_corasick::AhoCorasick;

/// Pieces of user agents that draw previews when somebody shares a link.
const PREVIEWS: [&str; 24] = [
    "twitterbot",
    "facebookexternalhit",
    "facebot",
    "meta-externalfetcher",
    "slackbot",
    "slack-imgproxy",
    "linkedinbot",
    "discordbot",
    "whatsapp",
    "telegrambot",
    "skypeuripreview",
    "pinterestbot",
    "redditbot",
    "mastodon",
    "bluesky cardyb",
    "iframely",
    "embedly",
    "vkshare",
    "viber",
    "line-poker",
    "snapchat",
    "google-pagerenderer",
    "bitlybot",
    "microsoftpreview",
];

static KNOWN: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(PREVIEWS)
        .ok()
});

/// Whether a user agent draws previews.
pub(super) fn is_preview(user_agent: &str) -> bool {
    KNOWN
        .as_ref()
        .is_some_and(|known| known.is_match(user_agent))
}

/// Whether nobody reads what this request leads to.
pub(super) fn only_looks(method: &Method, headers: &HeaderMap) -> bool {
    const PURPOSES: [&str; 4] = ["sec-purpose", "purpose", "x-purpose", "x-moz"];
    let ahead = |name: &&str| {
        let value = headers.get(*name).and_then(|value| value.to_str().ok());
        value.is_some_and(|value| {
            let value = value.to_ascii_lowercase();
            value.contains("prefetch") || value.contains("preview") || value.contains("prerender")
        })
    };
    *method == Method::HEAD || PURPOSES.iter().any(ahead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn previews_are_known_in_any_case_and_people_are_not() {
        for agent in [
            "Twitterbot/1.0",
            "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
            "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
            "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
            "WhatsApp/2.23.20.0",
            "TelegramBot (like TwitterBot)",
            "LinkedInBot/1.0 (compatible; Mozilla/5.0)",
        ] {
            assert!(is_preview(agent), "{agent}");
        }
        for agent in [
            "",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36",
            "curl/8.5.0",
        ] {
            assert!(!is_preview(agent), "{agent}");
        }
    }
}

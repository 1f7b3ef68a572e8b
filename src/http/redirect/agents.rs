//! Who only looks: agents that draw previews of links, browsers that fetch ahead, `HEAD`.

use std::sync::LazyLock;

use actix_web::http::{Method, header::HeaderMap};
use aho_corasick::AhoCorasick;

use crate::events::enrich::{Enricher, bot::BotKind};

/// Pieces of user agents that draw previews of shared links, beside those in the tables of bots. No word that
/// the browser inside of an app has.
const PREVIEWS: [&str; 8] = [
    "facebookexternalhit",
    "facebot",
    "bluesky cardyb",
    "vkshare",
    "line-poker",
    "google-pagerenderer",
    "microsoftpreview",
    "bitlybot",
];

static KNOWN: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(PREVIEWS)
        .ok()
});

/// What a user agent says of who follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClientKind {
    /// It draws a preview.
    pub(super) is_preview: bool,
    /// It says that it is no person, previews among them.
    pub(super) is_bot: bool,
}

impl ClientKind {
    pub(super) fn read(enricher: &Enricher, user_agent: &str) -> Self {
        let kind = enricher.bot(user_agent);
        let is_preview = kind == Some(BotKind::Preview) || is_preview(user_agent);
        Self {
            is_preview,
            is_bot: is_preview || kind.is_some(),
        }
    }
}

fn is_preview(user_agent: &str) -> bool {
    let known = KNOWN.as_ref();
    known.is_some_and(|known| known.is_match(user_agent))
}

/// Whether no person reads the target of this request.
pub(super) fn is_prefetch(method: &Method, headers: &HeaderMap) -> bool {
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
    use std::sync::Arc;

    use super::*;
    use crate::events::enrich::{Options, visitor::Salt};

    const WEBKIT: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";

    #[tokio::test]
    async fn previews_other_bots_and_people_are_told_apart_from_the_first_request_on() {
        let salts = |_: i64| -> Option<Salt> { Some([1; 32]) };
        let enricher = Enricher::open(&Options::default(), Arc::new(salts)).unwrap();
        told_apart(&enricher);
        enricher.ready().await;
        told_apart(&enricher);
    }

    fn told_apart(enricher: &Enricher) {
        let who = |agent: &str| {
            let who = ClientKind::read(enricher, agent);
            (who.is_preview, who.is_bot)
        };
        for agent in [
            "Twitterbot/1.0",
            "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
            "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
            "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
            "WhatsApp/2.23.20.0",
            "TelegramBot (like TwitterBot)",
            "LinkedInBot/1.0 (compatible; Mozilla/5.0)",
            "http.rb/5.1.1 (Mastodon/4.1.2; +https://mastodon.example/)",
            "Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:a@bsky.app)",
        ] {
            assert_eq!(who(agent), (true, true), "{agent}");
        }
        for agent in [
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            "AhrefsBot/7.0",
        ] {
            assert_eq!(who(agent), (false, true), "{agent}");
        }
        for agent in [
            String::new(),
            "curl/8.5.0".to_owned(),
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36".to_owned(),
            // Browsers inside of apps are people's.
            format!("{WEBKIT} Version/17.6 Mobile/15E148 Snapchat/12.99.0.38 (like Safari/8619.1.11.10.4, panda)"),
            format!("{WEBKIT} Mobile/15E148 [Pinterest/iOS]"),
            format!("{WEBKIT} Mobile/15E148 Twitter for iPhone/10.55"),
        ] {
            assert_eq!(who(&agent), (false, false), "{agent}");
        }
    }
}

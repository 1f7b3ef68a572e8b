//! Deep links: the URL that opens a web page in its app.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::actors::text_enum::text_enums;

/// The URL that opens the target in the app, if the app shows such a page. The scheme is always the app's.
pub(super) fn address(app: DeepLinkApp, target: &str) -> Option<String> {
    let url = Url::parse(target).ok()?;
    Some(format!("{}://{}", app.scheme(), inside(app, &url)?))
}

fn inside(app: DeepLinkApp, url: &Url) -> Option<String> {
    let host = url.host_str()?.trim_start_matches("www.");
    let host = host.trim_start_matches("m.");
    let parts = url.path_segments()?.filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-@".contains(&byte);
    if parts.iter().any(|part| !part.bytes().all(plain)) {
        return None;
    }
    let path = parts.join("/");
    Some(match (app, host, parts.as_slice()) {
        (DeepLinkApp::Youtube, "youtu.be", [video]) => format!("www.youtube.com/watch?v={video}"),
        (DeepLinkApp::Youtube, "youtube.com", _) => {
            let query = url.query().map(|query| format!("?{query}"));
            format!("www.youtube.com/{path}{}", query.unwrap_or_default())
        }
        (DeepLinkApp::Instagram, "instagram.com", [user]) => format!("user?username={user}"),
        (DeepLinkApp::Tiktok, "tiktok.com", [_, "video", video]) => format!("aweme/detail/{video}"),
        (DeepLinkApp::X, "x.com" | "twitter.com", [_, "status", post]) => {
            format!("status?id={post}")
        }
        (DeepLinkApp::X, "x.com" | "twitter.com", [user]) => format!("user?screen_name={user}"),
        (DeepLinkApp::Facebook, "facebook.com", [_, ..]) => {
            let page = url::form_urlencoded::byte_serialize(url.as_str().as_bytes());
            format!("facewebmodal/f?href={}", page.collect::<String>())
        }
        (DeepLinkApp::Linkedin, "linkedin.com", ["in" | "company", _])
        | (DeepLinkApp::Spotify, "open.spotify.com", [_, _])
        | (DeepLinkApp::Pinterest, "pinterest.com", ["pin", _]) => path,
        (DeepLinkApp::Reddit, "reddit.com", [_, ..]) => format!("www.reddit.com/{path}"),
        (DeepLinkApp::Pinterest, "pinterest.com", [user]) => format!("user/{user}"),
        (DeepLinkApp::Twitch, "twitch.tv", [channel]) => format!("stream/{channel}"),
        (DeepLinkApp::Whatsapp, "wa.me", [phone]) => format!("send?phone={phone}"),
        (DeepLinkApp::Telegram, "t.me", [name]) => format!("resolve?domain={name}"),
        _ => return None,
    })
}

/// Apps that links can open, with the web page as a fallback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "DeepLinkApp")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum DeepLinkApp {
    /// `YouTube`.
    Youtube,
    /// Instagram.
    Instagram,
    /// `TikTok`.
    Tiktok,
    /// X.
    X,
    /// `LinkedIn`.
    Linkedin,
    /// Spotify.
    Spotify,
    /// Facebook.
    Facebook,
    /// Reddit.
    Reddit,
    /// Pinterest.
    Pinterest,
    /// Twitch.
    Twitch,
    /// `WhatsApp`.
    Whatsapp,
    /// Telegram.
    Telegram,
}

text_enums!(DeepLinkApp);

impl DeepLinkApp {
    pub const fn scheme(self) -> &'static str {
        match self {
            Self::Youtube => "vnd.youtube",
            Self::Instagram => "instagram",
            Self::Tiktok => "snssdk1233",
            Self::X => "twitter",
            Self::Linkedin => "linkedin",
            Self::Spotify => "spotify",
            Self::Facebook => "fb",
            Self::Reddit => "reddit",
            Self::Pinterest => "pinterest",
            Self::Twitch => "twitch",
            Self::Whatsapp => "whatsapp",
            Self::Telegram => "tg",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use DeepLinkApp::{
        Facebook, Instagram, Linkedin, Pinterest, Reddit, Spotify, Telegram, Tiktok, Twitch,
        Whatsapp, X, Youtube,
    };

    const CASES: [(DeepLinkApp, &str, Option<&str>); 18] = [
        (
            Youtube,
            "https://youtu.be/a-B_9",
            Some("vnd.youtube://www.youtube.com/watch?v=a-B_9"),
        ),
        (
            Youtube,
            "https://www.youtube.com/watch?v=x&t=9",
            Some("vnd.youtube://www.youtube.com/watch?v=x&t=9"),
        ),
        (Youtube, "https://youtube.com.evil.example/watch", None),
        (
            Instagram,
            "https://instagram.com/nasa/",
            Some("instagram://user?username=nasa"),
        ),
        (Instagram, "https://instagram.com/p/abc/", None),
        (
            Tiktok,
            "https://www.tiktok.com/@a/video/7",
            Some("snssdk1233://aweme/detail/7"),
        ),
        (
            X,
            "https://x.com/a/status/20",
            Some("twitter://status?id=20"),
        ),
        (
            X,
            "https://twitter.com/nasa",
            Some("twitter://user?screen_name=nasa"),
        ),
        (
            Linkedin,
            "https://www.linkedin.com/in/somebody",
            Some("linkedin://in/somebody"),
        ),
        (
            Spotify,
            "https://open.spotify.com/track/7",
            Some("spotify://track/7"),
        ),
        (
            Facebook,
            "https://facebook.com/nasa?a=b&c",
            Some("fb://facewebmodal/f?href=https%3A%2F%2Ffacebook.com%2Fnasa%3Fa%3Db%26c"),
        ),
        (
            Reddit,
            "https://www.reddit.com/r/rust",
            Some("reddit://www.reddit.com/r/rust"),
        ),
        (
            Pinterest,
            "https://pinterest.com/pin/7",
            Some("pinterest://pin/7"),
        ),
        (Twitch, "https://twitch.tv/a", Some("twitch://stream/a")),
        (
            Whatsapp,
            "https://wa.me/491701234567",
            Some("whatsapp://send?phone=491701234567"),
        ),
        (
            Telegram,
            "https://t.me/durov",
            Some("tg://resolve?domain=durov"),
        ),
        (Telegram, "https://t.me/a%22%3E", None),
        (X, "https://example.com/nasa", None),
    ];

    #[test]
    fn pages_that_an_app_shows_have_an_address_in_it_and_others_have_none() {
        for (app, target, inside) in CASES {
            assert_eq!(address(app, target).as_deref(), inside, "{target}");
        }
    }
}

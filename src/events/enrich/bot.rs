//! Is a person behind this? (contract, "Generic HTTP libraries …")
//!
//! A client that names itself a bot is one. Everybody else is at most *suspected*, and only when two signals of
//! different kinds meet: what the user agent says, and how the headers fit it. Generic HTTP libraries are ordinary
//! callers, and a missing user agent is a single signal.

use super::super::event::Bot;

/// Which telling headers came with a request.
#[derive(Debug, Clone, Copy, Default)]
pub struct Headers {
    /// `Accept-Language` is there; every browser sends it.
    pub accept_language: bool,
    /// `Sec-Fetch-Mode` is there; every browser of the last years sends it over https.
    pub fetch_metadata: bool,
}

/// What a user agent alone says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing speaks against a person.
    Unsuspicious,
    /// One signal: there is none, or it names automation that people also use.
    Odd,
    /// It says itself that it is a bot.
    Declared,
}

/// Crawlers and checkers that do not carry `bot`, `crawler` or `spider` at the end of a word.
const DECLARED: &[&str] = &[
    "adsbot-google",
    "amazon-kendra",
    "anthropic-ai",
    "apis-google",
    "archive.org_bot",
    "bingpreview",
    "bitlybot",
    "chatgpt-user",
    "chrome-lighthouse",
    "claude-user",
    "claude-web",
    "cohere-ai",
    "datadog/synthetics",
    "datadogsynthetics",
    "embedly",
    "facebookcatalog",
    "facebookexternalhit",
    "feedfetcher-google",
    "google-cloudvertexbot",
    "google-extended",
    "google-inspectiontool",
    "google-read-aloud",
    "google-safety",
    "google-site-verification",
    "googleother",
    "gtmetrix",
    "ia_archiver",
    "inktomi",
    "kagi-fetcher",
    "lighthouse",
    "mediapartners-google",
    "meta-externalagent",
    "meta-externalfetcher",
    "mistralai-user",
    "newrelicpinger",
    "nutch",
    "pagespeed",
    "perplexity-user",
    "pingdom",
    "prerender",
    "ptst/",
    "siteimprove",
    "skypeuripreview",
    "slack-imgproxy",
    "slurp",
    "statuscake",
    "storebot-google",
    "uptime-kuma",
    "vkshare",
    "whatsapp/",
    "yandexaccessibilitybot",
    "youdaobot",
];

/// Automation tools; people test their own sites with them, so this is a signal and no proof.
const AUTOMATION: &[&str] = &[
    "cypress/",
    "electron-puppeteer",
    "headlesschrome",
    "phantomjs",
    "playwright",
    "puppeteer",
    "selenium",
    "slimerjs",
    "webdriver",
];

/// Names that end like a bot's and are none: a phone maker.
const NO_BOTS: &[&str] = &["cubot"];

/// Reads a user agent; `text` must be lower case.
pub(super) fn read(text: &str) -> Verdict {
    if text.trim().is_empty() {
        return Verdict::Odd;
    }
    if DECLARED.iter().any(|name| text.contains(name)) || words(text).any(is_bot_name) {
        return Verdict::Declared;
    }
    if AUTOMATION.iter().any(|name| text.contains(name)) {
        return Verdict::Odd;
    }
    Verdict::Unsuspicious
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
}

fn is_bot_name(word: &str) -> bool {
    ["bot", "bots", "crawler", "spider"]
        .iter()
        .any(|ending| word.ends_with(ending))
        && !NO_BOTS.contains(&word)
}

/// The verdict on a request that came without an API key.
pub(super) fn judge(agent: Verdict, is_browser: bool, headers: Headers) -> Bot {
    let headers_do_not_fit = is_browser && !headers.accept_language && !headers.fetch_metadata;
    match agent {
        Verdict::Declared => Bot::Declared,
        Verdict::Odd if headers_do_not_fit => Bot::Suspected,
        Verdict::Odd | Verdict::Unsuspicious => Bot::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> Verdict {
        read(&text.to_ascii_lowercase())
    }

    #[test]
    fn crawlers_declare_themselves() {
        for text in [
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
            "Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
            "Mozilla/5.0 (compatible; PerplexityBot/1.0)",
            "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider)",
            "CCBot/2.0 (https://commoncrawl.org/faq/)",
            "Mozilla/5.0 (compatible; AhrefsBot/7.0)",
            "facebookexternalhit/1.1",
            "Mozilla/5.0 (X11; Linux x86_64) Chrome/120 Safari/537.36 Chrome-Lighthouse",
        ] {
            assert_eq!(verdict(text), Verdict::Declared, "{text}");
        }
    }

    #[test]
    fn people_and_libraries_are_no_bots() {
        for text in [
            "curl/8.5.0",
            "Wget/1.21",
            "python-requests/2.32.0",
            "node",
            "Go-http-client/2.0",
            "okhttp/4.12.0",
            "axios/1.7.2",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
            "Mozilla/5.0 (Linux; Android 13; CUBOT P80) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile Safari/537.36",
            "Mozilla/5.0 (X11; Linux x86_64) botany robotics",
        ] {
            assert_eq!(verdict(text), Verdict::Unsuspicious, "{text}");
        }
    }

    #[test]
    fn suspicion_needs_two_signals_of_different_kinds() {
        let none = Headers::default();
        let browser = Headers {
            accept_language: true,
            fetch_metadata: true,
        };
        let missing = verdict("");
        let headless =
            verdict("Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/126.0.0.0 Safari/537.36");
        assert_eq!(judge(missing, false, none), Bot::No);
        assert_eq!(judge(headless, true, browser), Bot::No);
        assert_eq!(judge(headless, true, none), Bot::Suspected);
        assert_eq!(judge(Verdict::Unsuspicious, true, none), Bot::No);
        assert_eq!(judge(Verdict::Declared, true, browser), Bot::Declared);
    }
}

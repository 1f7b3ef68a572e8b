use super::*;

const ALL: Headers = Headers {
    accept_language: true,
    fetch_metadata: true,
};
const NO_HEADERS: Headers = Headers {
    accept_language: false,
    fetch_metadata: false,
};
const PLAIN_HTTP: Headers = Headers {
    accept_language: true,
    fetch_metadata: false,
};

fn signals(text: &str) -> Signals {
    read(text, &text.to_ascii_lowercase()).0
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
        "WhatsApp/2.23.20.0 A",
        "Mozilla/5.0 (X11; Linux x86_64) Chrome/120 Safari/537.36 Chrome-Lighthouse",
        "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
        "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
        "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)",
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
        "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
        "TelegramBot (like TwitterBot)",
        "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
        "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
        "Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)",
        "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)",
        "Feedly/1.0 (+http://www.feedly.com/fetcher.html; 1 subscribers)",
    ] {
        assert_eq!(signals(text).bot(), Bot::Declared, "{text}");
    }
}

#[test]
fn people_and_libraries_are_no_bots() {
    for text in [
        "curl/8.5.0",
        "Wget/1.21",
        "python-requests/2.32.0",
        "Python/3.12 aiohttp/3.9.5",
        "python-httpx/0.27.0",
        "node",
        "undici",
        "node-fetch/1.0 (+https://github.com/bitinn/node-fetch)",
        "Go-http-client/2.0",
        "okhttp/4.12.0",
        "axios/1.7.2",
        "PostmanRuntime/7.39.0",
        "insomnia/9.3.2",
        "Java/17.0.10",
        "Apache-HttpClient/4.5.14 (Java/17.0.10)",
        "Dart/3.4 (dart:io)",
        "GuzzleHttp/7",
        "Ruby",
        "PHP/8.3",
        "reqwest/0.12",
        "hyper/1.0",
        "Deno/1.44.0",
        "Bun/1.1.20",
        "Scrapy/2.11.2 (+https://scrapy.org)",
        "Mozilla/5.0",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
        "Mozilla/5.0 (Linux; Android 13; CUBOT P80) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile Safari/537.36",
        "Mozilla/5.0 (X11; Linux x86_64) botany robotics",
    ] {
        let signals = signals(text).judged(text.starts_with("Mozilla"), NO_HEADERS);
        assert_eq!(signals.bot(), Bot::No, "{text}");
    }
}

#[test]
fn suspicion_needs_two_signals_of_different_kinds() {
    let headless =
        signals("Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/126.0.0.0 Safari/537.36");
    let verdict = |signals: Signals, headers| signals.judged(true, headers).bot();
    assert_eq!(signals("").judged(false, NO_HEADERS).bot(), Bot::No);
    assert_eq!(verdict(headless, ALL), Bot::No);
    assert_eq!(verdict(headless, PLAIN_HTTP), Bot::No);
    assert_eq!(verdict(headless, NO_HEADERS), Bot::Suspected);
    assert_eq!(verdict(Signals::default(), NO_HEADERS), Bot::No);
    assert_eq!(verdict(Signals::HINTS_AUTOMATION, ALL), Bot::No);
    assert_eq!(
        verdict(Signals::HINTS_AUTOMATION, NO_HEADERS),
        Bot::Suspected
    );
    let both = Signals::IMPOSSIBLE.with(Signals::HINTS_CONTRADICT);
    assert_eq!(verdict(both, ALL), Bot::Suspected);
    let same = Signals::HINTS_AUTOMATION.with(Signals::HINTS_CONTRADICT);
    assert_eq!(verdict(same, ALL), Bot::No);
    assert_eq!(verdict(signals("GPTBot/1.0"), ALL), Bot::Declared);
}

#[test]
fn what_was_seen_is_remembered_also_where_it_is_no_verdict() {
    let seen = Signals::default().judged(true, NO_HEADERS);
    assert_eq!(seen, Signals::NO_LANGUAGE.with(Signals::NO_FETCH_METADATA));
    assert_eq!(Signals::default().judged(false, NO_HEADERS), Signals(0));
}

#[test]
fn every_bit_has_one_name() {
    let bits: Vec<u32> = Signals::names()
        .map(|name| Signals::named(name).unwrap())
        .collect();
    let all = bits.iter().fold(0, |all, bit| all | bit);
    assert_eq!(all.count_ones() as usize, bits.len());
    assert_eq!(Signals::named("nonsense"), None);
}

#[test]
fn a_website_s_rules_decide_what_becomes_of_a_bot() {
    let fate = |text: &str, rules: Rules<'_>| Fate::judge(signals(text), rules);
    assert_eq!(fate("curl/8", Rules::USUAL), Fate::Kept);
    assert_eq!(
        fate("GPTBot/1.0", Rules::USUAL),
        Fate::Agent(BotKind::AiTraining)
    );
    assert_eq!(
        fate("Googlebot/2.1", Rules::USUAL),
        Fate::LeftOut(BotKind::Search)
    );
    let suspected = Signals::AUTOMATION.judged(true, NO_HEADERS);
    assert_eq!(Fate::judge(suspected, Rules::USUAL), Fate::Kept);
    let own = BotRules::from([
        (BotKind::Search, BotAction::TrackOnly),
        (BotKind::Suspected, BotAction::Block),
        (BotKind::AiTraining, BotAction::Allow),
    ]);
    let rules = Rules::new(false, &own);
    assert_eq!(fate("Googlebot/2.1", rules), Fate::Agent(BotKind::Search));
    assert_eq!(fate("GPTBot/1.0", rules), Fate::Kept);
    assert_eq!(
        Fate::judge(suspected, rules),
        Fate::LeftOut(BotKind::Suspected)
    );
    assert_eq!(fate("Googlebot/2.1", Rules::new(true, &own)), Fate::Kept);
}

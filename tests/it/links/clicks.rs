//! Random followers of links, with what has to be known of each of their clicks: written from the definitions, by people
//! who know no code.

use std::collections::HashMap;

use reqwest::Method;

/// One click per link and address in this time, in each series.
const ONCE_MS: i64 = 5 * 60_000;

/// A piece of software that follows links.
struct Agent {
    text: &'static str,
    device: &'static str,
    browser: &'static str,
    system: &'static str,
    series: Series,
    verdict: &'static str,
    /// Whether it sends what every browser sends beside its name.
    is_polite: bool,
}

/// What is counted apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Series {
    People,
    Looks,
    Bots,
}

const AGENTS: [Agent; 8] = [
    Agent {
        text: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
        device: "desktop",
        browser: "Chrome",
        system: "Windows",
        series: Series::People,
        verdict: "person",
        is_polite: true,
    },
    Agent {
        text: "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0",
        device: "desktop",
        browser: "Firefox",
        system: "Linux",
        series: Series::People,
        verdict: "person",
        is_polite: true,
    },
    Agent {
        text: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
        device: "mobile",
        browser: "Mobile Safari",
        system: "iOS",
        series: Series::People,
        verdict: "person",
        is_polite: true,
    },
    Agent {
        text: "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
        device: "tablet",
        browser: "Chrome",
        system: "Android",
        series: Series::People,
        verdict: "person",
        is_polite: true,
    },
    Agent {
        text: "Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
        device: "mobile",
        browser: "Samsung Internet",
        system: "Android",
        series: Series::People,
        verdict: "person",
        is_polite: true,
    },
    // An automated browser that omits usual headers.
    Agent {
        text: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36",
        device: "desktop",
        browser: "HeadlessChrome",
        system: "Linux",
        series: Series::People,
        verdict: "suspected",
        is_polite: false,
    },
    Agent {
        text: "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
        device: "",
        browser: "Slackbot-LinkExpanding",
        system: "",
        series: Series::Looks,
        verdict: "declared",
        is_polite: true,
    },
    Agent {
        text: "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
        device: "desktop",
        browser: "AhrefsBot",
        system: "",
        series: Series::Bots,
        verdict: "declared",
        is_polite: true,
    },
];

/// Country, its name, region and city, from a trusted proxy.
const PLACES: [[&str; 4]; 6] = [
    ["DE", "Germany", "Bavaria", "Munich"],
    ["DE", "Germany", "Berlin", "Berlin"],
    ["US", "United States", "Texas", "Paris"],
    ["FR", "France", "Île-de-France", "Paris"],
    ["JP", "Japan", "", ""],
    ["", "", "", ""],
];

/// `Referer`, and what it is taken for: host and path, domain, source, channel.
const REFERRERS: [[&str; 5]; 5] = [
    ["", "", "", "", "direct"],
    [
        "https://www.google.com/",
        "google.com",
        "google.com",
        "Google",
        "search",
    ],
    [
        "https://news.ycombinator.com/item?id=1",
        "news.ycombinator.com/item",
        "ycombinator.com",
        "Hacker News",
        "social",
    ],
    [
        "https://blog.example.org/a/?b=c",
        "blog.example.org/a",
        "example.org",
        "example.org",
        "referral",
    ],
    [
        "https://shop.example.org/",
        "shop.example.org",
        "example.org",
        "example.org",
        "referral",
    ],
];

/// `Accept-Language`, and the language that it begins with.
const LANGUAGES: [(&str, &str); 3] = [("de-AT,de;q=0.9", "de-AT"), ("en", "en"), ("*", "")];

/// A query of the visitor's, and the campaign that it names.
const CAMPAIGNS: [(&str, &str); 3] = [
    ("", ""),
    ("?utm_campaign=spring", "spring"),
    ("?utm_campaign=fall%20sale&x=1", "fall sale"),
];

/// How a link is followed.
const WAYS: [(Method, &str); 6] = [
    (Method::GET, ""),
    (Method::GET, ""),
    (Method::GET, ""),
    (Method::GET, ""),
    (Method::HEAD, ""),
    (Method::GET, "prefetch;prerender"),
];

/// A click that has to be known.
#[derive(Debug, Clone)]
pub struct Click {
    pub link: usize,
    pub time: i64,
    pub verdict: &'static str,
    pub country: &'static str,
    pub country_name: &'static str,
    pub region: &'static str,
    pub city: &'static str,
    pub device: &'static str,
    pub browser: &'static str,
    pub system: &'static str,
    pub language: &'static str,
    pub referrer: &'static str,
    pub domain: &'static str,
    pub source: &'static str,
    pub channel: &'static str,
    pub campaign: &'static str,
}

/// A request that follows a link.
pub struct Step {
    pub link: usize,
    pub query: &'static str,
    pub method: Method,
    pub headers: Vec<(&'static str, String)>,
    /// How long after the one before, milliseconds.
    pub after_ms: i64,
}

/// Makes requests and keeps the books of what they have to come to.
pub struct Followers {
    random: u64,
    links: usize,
    now_ms: i64,
    counted: HashMap<(usize, u64, Series), i64>,
    pub clicks: Vec<Click>,
}

impl Followers {
    pub fn new(seed: u64, links: usize, now_ms: i64) -> Self {
        Self {
            random: seed,
            links,
            now_ms,
            counted: HashMap::new(),
            clicks: Vec::new(),
        }
    }

    fn below(&mut self, most: usize) -> usize {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % most
    }

    /// How long it takes until the next one comes, milliseconds.
    fn pause(&mut self) -> i64 {
        match self.below(8) {
            0 => 3 * 3_600_000,
            // Exactly the time after which an address counts again.
            1 => ONCE_MS,
            2 => ONCE_MS - 1,
            more => more as i64 * 7_000,
        }
    }

    /// The next request, already in the books.
    pub fn step(&mut self) -> Step {
        let after_ms = self.pause();
        self.now_ms += after_ms;
        let (link, address) = (self.below(self.links), self.below(12) as u64);
        let agent = &AGENTS[self.below(AGENTS.len())];
        let place = PLACES[self.below(PLACES.len())];
        let referrer = REFERRERS[self.below(REFERRERS.len())];
        let (accepted, language) = LANGUAGES[self.below(LANGUAGES.len())];
        let (query, campaign) = CAMPAIGNS[self.below(CAMPAIGNS.len())];
        let (method, purpose) = WAYS[self.below(WAYS.len())].clone();
        let opts_out = self.below(15) == 0;
        // The location of these addresses is unknown.
        let mut headers = vec![
            ("x-forwarded-for", format!("198.51.100.{address}")),
            ("user-agent", agent.text.to_owned()),
        ];
        if agent.is_polite {
            headers.push(("accept-language", accepted.to_owned()));
            headers.push(("sec-fetch-mode", "navigate".to_owned()));
        }
        let names = ["x-country", "x-region", "x-city"];
        let told = [place[0], place[2], place[3]];
        let more = names.into_iter().zip(told);
        let more = more.chain([("referer", referrer[0]), ("sec-purpose", purpose)]);
        headers.extend(
            more.filter(|(_, text)| !text.is_empty())
                .map(|(name, text)| (name, text.to_owned())),
        );
        if opts_out {
            headers.push(("sec-gpc", "1".to_owned()));
        }
        let looks = method == Method::HEAD || !purpose.is_empty();
        let series = if looks { Series::Looks } else { agent.series };
        if !opts_out && self.is_first((link, address, series)) {
            self.clicks.push(Click {
                link,
                time: self.now_ms,
                verdict: if looks { "declared" } else { agent.verdict },
                country: place[0],
                country_name: place[1],
                region: place[2],
                city: place[3],
                device: agent.device,
                browser: agent.browser,
                system: agent.system,
                language: if agent.is_polite { language } else { "" },
                referrer: referrer[1],
                domain: referrer[2],
                source: referrer[3],
                channel: referrer[4],
                campaign,
            });
        }
        Step {
            link,
            query,
            method,
            headers,
            after_ms,
        }
    }

    fn is_first(&mut self, who: (usize, u64, Series)) -> bool {
        let counted = self.counted.get(&who);
        if counted.is_some_and(|counted| self.now_ms - counted < ONCE_MS) {
            return false;
        }
        self.counted.insert(who, self.now_ms);
        true
    }
}

//! The outside world: when people are up, where they live, what they use, where they come from.

use chrono::{DateTime, Datelike as _, Timelike as _};

/// A place where visitors live.
pub(super) struct Home {
    pub(super) weight: f64,
    pub(super) country: &'static str,
    pub(super) language: &'static str,
    pub(super) timezone: &'static str,
    /// `(region, city)`
    pub(super) cities: &'static [(&'static str, &'static str)],
    /// How much slower pages load there.
    pub(super) distance: f64,
}

const fn home(
    weight: f64,
    country: &'static str,
    language: &'static str,
    timezone: &'static str,
    cities: &'static [(&'static str, &'static str)],
    distance: f64,
) -> Home {
    Home {
        weight,
        country,
        language,
        timezone,
        cities,
        distance,
    }
}

#[rustfmt::skip]
pub(super) const HOMES: &[Home] = &[
    home(28.0, "US", "en-US", "America/New_York", &[("New York", "New York"), ("California", "San Francisco"), ("Texas", "Austin"), ("Illinois", "Chicago")], 1.0),
    home(12.0, "DE", "de-DE", "Europe/Berlin", &[("Land Berlin", "Berlin"), ("Bavaria", "Munich"), ("Hamburg", "Hamburg")], 0.8),
    home(10.0, "GB", "en-GB", "Europe/London", &[("England", "London"), ("Scotland", "Edinburgh"), ("England", "Manchester")], 0.8),
    home(9.0, "IN", "en-IN", "Asia/Kolkata", &[("Karnataka", "Bengaluru"), ("Maharashtra", "Mumbai"), ("Delhi", "New Delhi")], 1.9),
    home(6.0, "FR", "fr-FR", "Europe/Paris", &[("Île-de-France", "Paris"), ("Auvergne-Rhône-Alpes", "Lyon")], 0.8),
    home(5.0, "BR", "pt-BR", "America/Sao_Paulo", &[("São Paulo", "São Paulo"), ("Rio de Janeiro", "Rio de Janeiro")], 1.6),
    home(4.0, "CA", "en-CA", "America/Toronto", &[("Ontario", "Toronto"), ("Quebec", "Montreal")], 1.0),
    home(4.0, "NL", "nl-NL", "Europe/Amsterdam", &[("North Holland", "Amsterdam"), ("South Holland", "Rotterdam")], 0.7),
    home(4.0, "JP", "ja-JP", "Asia/Tokyo", &[("Tokyo", "Tokyo"), ("Osaka", "Osaka")], 1.3),
    home(3.0, "AU", "en-AU", "Australia/Sydney", &[("New South Wales", "Sydney"), ("Victoria", "Melbourne")], 1.5),
    home(3.0, "ES", "es-ES", "Europe/Madrid", &[("Madrid", "Madrid"), ("Catalonia", "Barcelona")], 0.9),
    home(2.0, "IT", "it-IT", "Europe/Rome", &[("Lombardy", "Milan"), ("Lazio", "Rome")], 0.9),
    home(2.0, "PL", "pl-PL", "Europe/Warsaw", &[("Mazovia", "Warsaw")], 0.9),
    home(2.0, "SE", "sv-SE", "Europe/Stockholm", &[("Stockholm", "Stockholm")], 0.8),
    home(1.5, "KR", "ko-KR", "Asia/Seoul", &[("Seoul", "Seoul")], 1.2),
    home(1.0, "NP", "en-US", "Asia/Kathmandu", &[("Bagmati", "Kathmandu")], 2.2),
    home(1.0, "ZA", "en-ZA", "Africa/Johannesburg", &[("Gauteng", "Johannesburg")], 1.8),
    home(1.0, "NG", "en-NG", "Africa/Lagos", &[("Lagos", "Lagos")], 2.2),
    home(0.5, "IR", "fa-IR", "Asia/Tehran", &[("Tehran", "Tehran")], 2.0),
];

/// A browser on a machine.
pub(super) struct Machine {
    pub(super) weight: f64,
    pub(super) browser: &'static str,
    pub(super) versions: &'static [&'static str],
    pub(super) os: &'static str,
    pub(super) os_version: &'static str,
    pub(super) device: &'static str,
    /// `(screen, window)`
    pub(super) screens: &'static [(&'static str, &'static str)],
}

const fn machine(
    weight: f64,
    browser: (&'static str, &'static [&'static str]),
    os: (&'static str, &'static str),
    device: &'static str,
    screens: &'static [(&'static str, &'static str)],
) -> Machine {
    Machine {
        weight,
        browser: browser.0,
        versions: browser.1,
        os: os.0,
        os_version: os.1,
        device,
        screens,
    }
}

const CHROME: &[&str] = &["138", "137", "136", "131"];
const SAFARI: &[&str] = &["18.5", "18.3", "17.6"];
const FIREFOX: &[&str] = &["140", "139", "128"];
const LARGE: &[(&str, &str)] = &[
    ("1920x1080", "1905x945"),
    ("2560x1440", "2543x1297"),
    ("1536x864", "1519x730"),
];
const MAC: &[(&str, &str)] = &[
    ("1440x900", "1440x789"),
    ("1512x982", "1512x857"),
    ("1728x1117", "1728x992"),
];
const PHONE: &[(&str, &str)] = &[
    ("390x844", "390x664"),
    ("412x915", "412x780"),
    ("393x852", "393x659"),
    ("360x800", "360x668"),
];
const TABLET: &[(&str, &str)] = &[
    ("820x1180", "820x1106"),
    ("1024x1366", "1024x1292"),
    ("800x1280", "800x1118"),
];

#[rustfmt::skip]
pub(super) const MACHINES: &[Machine] = &[
    machine(22.0, ("Chrome", CHROME), ("Windows", "10"), "desktop", LARGE),
    machine(13.0, ("Chrome", CHROME), ("macOS", "10.15.7"), "desktop", MAC),
    machine(9.0, ("Safari", SAFARI), ("macOS", "10.15.7"), "desktop", MAC),
    machine(6.0, ("Edge", CHROME), ("Windows", "10"), "desktop", LARGE),
    machine(4.0, ("Firefox", FIREFOX), ("Windows", "10"), "desktop", LARGE),
    machine(3.0, ("Firefox", FIREFOX), ("Linux", ""), "desktop", LARGE),
    machine(2.0, ("Chrome", CHROME), ("Linux", ""), "desktop", LARGE),
    machine(19.0, ("Mobile Safari", SAFARI), ("iOS", "18.5"), "mobile", PHONE),
    machine(15.0, ("Chrome Mobile", CHROME), ("Android", "14"), "mobile", PHONE),
    machine(2.5, ("Samsung Internet", &["28", "27"]), ("Android", "13"), "mobile", PHONE),
    machine(1.0, ("Firefox Mobile", FIREFOX), ("Android", "14"), "mobile", PHONE),
    machine(2.5, ("Mobile Safari", SAFARI), ("iOS", "17.6"), "tablet", TABLET),
    machine(1.0, ("Chrome", CHROME), ("Android", "13"), "tablet", TABLET),
];

/// A way to come to a website.
pub(super) struct Way {
    pub(super) weight: f64,
    pub(super) source: &'static str,
    pub(super) channel: &'static str,
    pub(super) referrer: &'static str,
    pub(super) domain: &'static str,
    /// Source, medium and name of a campaign.
    pub(super) campaign: Option<(&'static str, &'static str, &'static str)>,
}

const fn way(
    weight: f64,
    source: &'static str,
    channel: &'static str,
    referrer: &'static str,
    domain: &'static str,
) -> Way {
    Way {
        weight,
        source,
        channel,
        referrer,
        domain,
        campaign: None,
    }
}

const fn campaign(
    weight: f64,
    source: &'static str,
    channel: &'static str,
    campaign: (&'static str, &'static str, &'static str),
) -> Way {
    Way {
        weight,
        source,
        channel,
        referrer: "",
        domain: "",
        campaign: Some(campaign),
    }
}

#[rustfmt::skip]
pub(super) const WAYS: &[Way] = &[
    way(34.0, "", "direct", "", ""),
    way(26.0, "Google", "search", "google.com", "google.com"),
    way(4.0, "Bing", "search", "bing.com", "bing.com"),
    way(3.0, "DuckDuckGo", "search", "duckduckgo.com", "duckduckgo.com"),
    way(4.0, "X", "social", "t.co", "t.co"),
    way(3.0, "LinkedIn", "social", "linkedin.com", "linkedin.com"),
    way(3.0, "Reddit", "social", "reddit.com/r/selfhosted", "reddit.com"),
    way(2.0, "Hacker News", "social", "news.ycombinator.com/item", "ycombinator.com"),
    way(3.0, "ChatGPT", "ai", "chatgpt.com", "chatgpt.com"),
    way(1.0, "Perplexity", "ai", "perplexity.ai", "perplexity.ai"),
    way(1.5, "YouTube", "video", "youtube.com", "youtube.com"),
    way(3.0, "GitHub", "referral", "github.com/example/awesome-analytics", "github.com"),
    way(2.0, "example.org", "referral", "blog.example.org/tools-we-use", "example.org"),
    campaign(4.0, "Google", "paid", ("google", "cpc", "brand-search")),
    campaign(2.0, "Facebook", "paid", ("facebook", "paid_social", "spring-launch")),
    campaign(3.0, "newsletter", "email", ("newsletter", "email", "weekly-digest")),
];

/// How many visits begin in the hour from this moment (Unix ms), relative to others: days beat nights and weekdays
/// beat weekends.
pub(super) fn busyness(time: i64) -> f64 {
    const HOURS: [f64; 24] = [
        0.35, 0.28, 0.24, 0.22, 0.24, 0.30, 0.42, 0.60, 0.80, 0.95, 1.05, 1.08, 1.05, 1.10, 1.18,
        1.20, 1.18, 1.12, 1.05, 1.00, 0.95, 0.85, 0.68, 0.50,
    ];
    const DAYS: [f64; 7] = [1.05, 1.12, 1.10, 1.08, 0.98, 0.66, 0.62];
    let time = DateTime::from_timestamp_millis(time).unwrap_or_default();
    let day = time.weekday().num_days_from_monday() as usize;
    // Growth of about a tenth a quarter, so periods differ when they are compared.
    let growth = 1.0 + time.timestamp() as f64 / 86_400.0 / 900.0 % 0.2;
    HOURS[time.hour() as usize] * DAYS[day] * growth
}

//! What the made-up websites consist of: pages, custom events, errors, links.

use super::random::{Pick, Random};

pub(super) struct Page {
    pub(super) path: String,
    pub(super) title: String,
    pub(super) has_form: bool,
}

/// An error that pages raise.
pub(super) struct Bug {
    pub(super) kind: &'static str,
    pub(super) message: String,
    pub(super) filename: String,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) stack: String,
}

/// Everything, made once per generator.
pub(super) struct Content {
    pub(super) pages: Vec<Page>,
    pub(super) popularity: Pick,
    pub(super) bugs: Vec<Bug>,
    pub(super) frequency: Pick,
    pub(super) homes: Pick,
    pub(super) machines: Pick,
    pub(super) ways: Pick,
}

const PAGES: usize = 400;
const BUGS: usize = 200;

const FIXED: &[(&str, &str)] = &[
    ("/", "Acme: analytics for people"),
    ("/pricing", "Pricing"),
    ("/signup", "Create your account"),
    ("/docs", "Documentation"),
    ("/blog", "Blog"),
    ("/features", "Features"),
    ("/checkout", "Checkout"),
    ("/contact", "Contact us"),
    ("/login", "Sign in"),
    ("/about", "About us"),
];

const TOPICS: &[&str] = &[
    "privacy",
    "funnels",
    "retention",
    "sessions",
    "web-vitals",
    "self-hosting",
    "dashboards",
    "alerts",
    "feature-flags",
    "uptime",
    "short-links",
    "campaigns",
    "performance",
    "errors",
    "exports",
    "cohorts",
];
const TURNS: &[&str] = &[
    "guide",
    "in-practice",
    "explained",
    "at-scale",
    "checklist",
    "vs-guesswork",
    "for-teams",
    "faq",
];
const SECTIONS: &[&str] = &["docs", "blog", "products", "changelog"];

/// Targets of links that leave the website, with their texts.
pub(super) const LINKS: &[(&str, &str)] = &[
    ("https://github.com/example/acme", "GitHub"),
    ("https://github.com/example/acme/issues", "Issues"),
    ("https://www.npmjs.com/package/acme", "npm"),
    ("https://x.com/acme", "Follow us"),
    ("https://www.linkedin.com/company/acme", "LinkedIn"),
    ("https://discord.gg/acme", "Join the chat"),
    ("https://status.example.net/", "Status"),
    ("https://www.youtube.com/watch?v=acme", "Watch the demo"),
    ("https://partner.example.org/offer", "Partner offer"),
    ("https://docs.rs/acme", "API reference"),
];

/// Form fields that visitors touch, in their order.
pub(super) const FORM: &[&str] = &[
    "input:email",
    "input:name",
    "input:company",
    "select:plan",
    "input:card-number",
];

/// What visitors click in vain or in anger.
pub(super) const TARGETS: &[&str] = &[
    "button:submit:save",
    "a:link:learn more",
    "div:card",
    "button:menu",
    "img:hero",
    "span:price",
];

impl Content {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0xC0_47E4);
        Self {
            pages: pages(&mut random),
            popularity: Pick::zipf(PAGES, 1.0),
            bugs: (0..BUGS).map(|number| bug(number, &mut random)).collect(),
            frequency: Pick::zipf(BUGS, 1.1),
            homes: Pick::weighted(super::world::HOMES.iter().map(|home| home.weight)),
            machines: Pick::weighted(super::world::MACHINES.iter().map(|machine| machine.weight)),
            ways: Pick::weighted(super::world::WAYS.iter().map(|way| way.weight)),
        }
    }
}

fn pages(random: &mut Random) -> Vec<Page> {
    let fixed = FIXED
        .iter()
        .map(|(path, title)| ((*path).to_owned(), (*title).to_owned()));
    let made = (0..PAGES - FIXED.len()).map(|number| {
        let (section, topic, turn) = (
            random.pick(SECTIONS),
            random.pick(TOPICS),
            random.pick(TURNS),
        );
        (
            format!("/{section}/{topic}-{turn}-{number}"),
            format!("{topic} {turn} {number}"),
        )
    });
    fixed
        .chain(made)
        .map(|(path, title)| Page {
            has_form: matches!(
                path.as_str(),
                "/signup" | "/checkout" | "/contact" | "/login"
            ),
            path,
            title,
        })
        .collect()
}

fn bug(number: usize, random: &mut Random) -> Bug {
    const KINDS: &[(&str, &str)] = &[
        (
            "TypeError",
            "Cannot read properties of undefined (reading 'FIELD')",
        ),
        ("TypeError", "FIELD is not a function"),
        ("ReferenceError", "FIELD is not defined"),
        ("SyntaxError", "Unexpected token '<' in FIELD"),
        ("RangeError", "Maximum call stack size exceeded in FIELD"),
        ("NetworkError", "Failed to fetch FIELD"),
        ("UnhandledRejection", "Request for FIELD timed out"),
        ("ChunkLoadError", "Loading chunk FIELD failed"),
    ];
    const FIELDS: &[&str] = &[
        "map", "user", "items", "session", "config", "price", "children", "theme", "locale",
        "token",
    ];
    const FILES: &[&str] = &[
        "app",
        "vendor",
        "checkout",
        "dashboard",
        "runtime",
        "charts",
    ];
    let (kind, template) = random.pick(KINDS);
    let field = format!("{}{number}", random.pick(FIELDS));
    let filename = format!("https://cdn.example.com/assets/{}.js", random.pick(FILES));
    let line = 1 + random.below(4_000) as u32;
    let column = 1 + random.below(300) as u32;
    let message = template.replace("FIELD", &field);
    let stack = format!(
        "{kind}: {message}\n    at {field} ({filename}:{line}:{column})\n    at render ({filename}:{}:7)",
        line + 12
    );
    Bug {
        kind,
        message,
        filename,
        line,
        column,
        stack,
    }
}

/// A custom event: its name, namespace and properties.
pub(super) fn custom(random: &mut Random) -> (&'static str, Option<&'static str>, Option<String>) {
    let roll = random.below(100);
    match roll {
        0..8 => ("signup", Some("app"), Some(signup(random))),
        8..14 => ("purchase", Some("shop"), Some(purchase(random))),
        14..30 => ("add_to_cart", Some("shop"), Some(add_to_cart(random))),
        30..50 => ("search", None, Some(search(random))),
        50..60 => ("video_play", None, Some(video_play(random))),
        60..85 => {
            let id = random.below(12);
            (
                "button_click",
                None,
                Some(format!(r#"{{"id":"cta-{id}"}}"#)),
            )
        }
        85..93 => ("$flag_evaluated", None, Some(flag(random))),
        _ => ("newsletter_subscribe", Some("app"), None),
    }
}

const PLANS: &[(&str, f64)] = &[("hobby", 9.0), ("pro", 29.0), ("scale", 99.0)];

fn signup(random: &mut Random) -> String {
    let (plan, _) = random.pick(PLANS);
    let method = random.pick(&["email", "github", "google"]);
    format!(r#"{{"plan":"{plan}","method":"{method}"}}"#)
}

fn purchase(random: &mut Random) -> String {
    let (plan, price) = random.pick(PLANS);
    let seats = 1 + random.below(9);
    let amount = price * seats as f64;
    format!(
        r#"{{"plan":"{plan}","seats":{seats},"revenue":{amount:.2},"currency":"EUR","product":"{plan}"}}"#
    )
}

fn add_to_cart(random: &mut Random) -> String {
    let product = random.pick(&["mug", "shirt", "sticker", "poster", "notebook"]);
    let price = 5.0 + random.below(4_000) as f64 / 100.0;
    format!(r#"{{"product":"{product}","price":{price:.2}}}"#)
}

fn search(random: &mut Random) -> String {
    let query = random.pick(&[
        "pricing",
        "export csv",
        "self host",
        "gdpr",
        "api key",
        "funnel",
    ]);
    let results = random.below(40);
    format!(r#"{{"query":"{query}","results":{results}}}"#)
}

fn video_play(random: &mut Random) -> String {
    let (video, seconds) = (random.below(5), random.below(180));
    format!(r#"{{"video":"intro-{video}","seconds":{seconds}}}"#)
}

fn flag(random: &mut Random) -> String {
    let on = random.chance(0.5);
    let variant = if on { "treatment" } else { "control" };
    format!(r#"{{"flag":"new-checkout","value":{on},"variant":"{variant}","enabled":true}}"#)
}

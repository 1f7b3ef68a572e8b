//! The form of a link: its inputs, and its campaign, which is apart from its target here and in it everywhere else.

use serde_json::{Map, Value};

use crate::{
    http::pages::{
        access_inputs::PASSWORD,
        form::{Empty, Kind, Need},
        prelude::*,
    },
    pages::utm,
};

/// Apps that a link can open.
const APPS: &[(&str, &str)] = &[
    ("", "None"),
    ("youtube", "YouTube"),
    ("instagram", "Instagram"),
    ("tiktok", "TikTok"),
    ("x", "X"),
    ("linkedin", "LinkedIn"),
    ("spotify", "Spotify"),
    ("facebook", "Facebook"),
    ("reddit", "Reddit"),
    ("pinterest", "Pinterest"),
    ("twitch", "Twitch"),
    ("whatsapp", "WhatsApp"),
    ("telegram", "Telegram"),
];

/// Redirects, the usual one first.
const REDIRECTS: &[(&str, &str)] = &[
    ("", "302 (temporary)"),
    ("301", "301 (permanent)"),
    ("307", "307 (temporary)"),
    ("308", "308 (permanent)"),
];

/// What becomes of the query of a short URL.
const FORWARDING: &[(&str, &str)] = &[
    ("", "Not forwarded"),
    ("merge", "Replace parameters of the destination"),
    ("append", "Add to parameters of the destination"),
];

const INSTEAD: &str = "A URL that replaces the destination. Example: https://example.com/app";

/// The inputs of a link.
pub(super) const FORM: &[Section] = &[
    Section::plain(&[
        Input::line("targetUrl", "Destination URL")
            .hint("Example: https://example.com/page. Without a scheme, https:// is added.")
            .need(Need::Unless("variants")),
        Input::choice("domain", "Domain", &[("", "Default")]),
        // An empty slug is random for a new link, and unchanged for an old one.
        Input::line("slug", "Slug")
            .hint("What follows the host in the short URL. Leave empty for a random one.")
            .empty(Empty::Omit),
        Input::line("name", "Name").hint("Shown in this console. Default: the slug."),
        Input::choice("folderId", "Folder", &[("", "None")]),
    ]),
    Section::behind(
        "Campaign (UTM)",
        &[
            Input::line(utm::NAMES[0].0, utm::NAMES[0].1),
            Input::line(utm::NAMES[1].0, utm::NAMES[1].1),
            Input::line(utm::NAMES[2].0, utm::NAMES[2].1),
            Input::line(utm::NAMES[3].0, utm::NAMES[3].1),
            Input::line(utm::NAMES[4].0, utm::NAMES[4].1),
        ],
    ),
    Section::behind(
        "Expiration and password",
        &[
            Input::new(Kind::Moment, "expiresAt", "Expires").hint("In your time zone."),
            Input::new(
                Kind::Number(u64::MAX),
                "maxClicks",
                "Click limit",
            ),
            Input::line("expiredRedirectUrl", "Fallback URL")
                .hint("Where an expired link leads. Leave empty to show a notice."),
            PASSWORD,
        ],
    ),
    Section::behind(
        "Targeting",
        &[
            Input::line("iosUrl", "iOS URL").hint(INSTEAD),
            Input::line("androidUrl", "Android URL").hint(INSTEAD),
            Input::choice("deepLinkApp", "Deep link app", APPS),
            Input::new(Kind::Pairs, "countries", "Country URLs")
                .hint("One per line. Example: DE https://example.com/de"),
            Input::new(Kind::Pairs, "languages", "Language URLs")
                .hint("One per line. Example: fr https://example.com/fr"),
            Input::new(Kind::Weights, "variants", "A/B test").hint(
                "2 to 4 lines of weight and URL. Example: 50 https://example.com/a. They replace the destination.",
            ),
        ],
    ),
    Section::behind(
        "Redirect",
        &[
            Input::choice("redirectStatus", "Redirect type", REDIRECTS),
            Input::choice("queryForwarding", "Query parameters", FORWARDING)
                .hint("Query parameters that visitors add to the short URL."),
        ],
    ),
    Section::behind(
        "Social preview and tags",
        &[
            Input::line("ogTitle", "Preview title"),
            Input::line("ogDescription", "Preview description"),
            Input::line("ogImageUrl", "Preview image URL"),
            Input::line("externalId", "External ID"),
            Input::new(Kind::Words, "tags", "Tags").hint("Comma-separated. Example: spring, newsletter"),
        ],
    ),
    Section::plain(&[Input::checkbox(
        "watchTarget",
        "Check the destination every hour and alert when it is down",
    )]),
];

/// A link as its form shows it.
pub(super) fn fill(link: &impl serde::Serialize, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
    let mut link = serde_json::to_value(link).map_err(Fault::internal)?;
    let (target, campaign) = utm::split(link["targetUrl"].as_str().unwrap_or_default());
    link["targetUrl"] = target.into();
    // The usual one has no number in the list.
    if link["redirectStatus"] == 302 {
        link["redirectStatus"] = Value::Null;
    }
    for ((name, _), value) in utm::NAMES.into_iter().zip(campaign) {
        link[name] = value.into();
    }
    inputs.fill(&link)
}

/// Reads the form of a link.
pub(super) fn read(inputs: &Inputs<'_>, sent: &FormData) -> Result<Map<String, Value>, Fault> {
    let mut body = inputs.read(sent)?;
    let campaign = utm::NAMES.map(|(name, _)| {
        body.remove(name);
        (name, sent.text(name))
    });
    if let Some(status) = body.get_mut("redirectStatus")
        && let Some(number) = status.as_str().and_then(|text| text.parse::<u16>().ok())
    {
        *status = number.into();
    }
    if let Some(target) = sent.some("targetUrl") {
        body.insert("targetUrl".to_owned(), utm::join(target, campaign).into());
    }
    for field in URLS {
        if let Some(value) = body.get_mut(field) {
            complete_urls(value);
        }
    }
    Ok(body)
}

/// Fields with URLs, in texts or in the values of an object or list.
const URLS: [&str; 8] = [
    "targetUrl",
    "expiredRedirectUrl",
    "iosUrl",
    "androidUrl",
    "ogImageUrl",
    "countries",
    "languages",
    "variants",
];

fn complete_urls(value: &mut Value) {
    match value {
        Value::String(text) => *text = with_scheme(text),
        Value::Array(all) => all.iter_mut().for_each(complete_urls),
        Value::Object(all) => all.values_mut().for_each(complete_urls),
        _ => {}
    }
}

/// A URL with `https://` if it begins with a host name, such as `example.com/page`. Other text stays.
pub(super) fn with_scheme(text: &str) -> String {
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit());
    let is_host = host.contains('.') && !host.starts_with('.') && !host.contains(['@', ' ']);
    if is_host && is_port {
        format!("https://{text}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        http::pages::form::Choices,
        pages::{problem::Problems, time::DateFormat},
    };

    fn inputs(date_format: &DateFormat) -> Inputs<'_> {
        Inputs::new(FORM, "", date_format)
    }

    #[test]
    fn an_unchanged_form_keeps_the_link() {
        let date_format = DateFormat::default();
        let link = json!({
            "domain": "go.example.com", "slug": "spring", "name": "Spring", "targetUrl": "https://example.com/?a=b&utm_source=mail", "folderId": "f",
            "expiresAt": "2026-12-31T10:00:00.000Z", "expiredRedirectUrl": "https://example.com/over", "maxClicks": 5,
            "iosUrl": "https://example.com/i", "androidUrl": null, "deepLinkApp": "x", "tags": ["a", "b c"],
            "countries": { "DE": "https://example.com/de" }, "languages": null,
            "variants": [{ "url": "https://example.com/1", "weight": 40 }, { "url": "https://example.com/2", "weight": 60 }],
            "ogTitle": "T", "ogDescription": null, "ogImageUrl": null, "externalId": "7", "watchTarget": true, "hasPassword": true,
            "redirectStatus": 308, "queryForwarding": "merge",
        });
        let inputs = inputs(&date_format);
        let body = read(&inputs, &fill(&link, &inputs).unwrap()).unwrap();
        for (name, value) in &body {
            assert_eq!(*value, link[name], "{name}");
        }
        assert!(
            !body.contains_key("password"),
            "nobody said that it changes"
        );
        assert_eq!(body.len(), link.as_object().unwrap().len() - 1);
    }

    #[test]
    fn a_url_without_a_scheme_gets_https() {
        for (typed, read) in [
            ("example.com", "https://example.com"),
            ("example.com:8080/a?b=c", "https://example.com:8080/a?b=c"),
            ("münchen.example/ä#top", "https://münchen.example/ä#top"),
            ("http://example.com", "http://example.com"),
            ("data:text/html,x.y", "data:text/html,x.y"),
            ("mailto:a@example.com", "mailto:a@example.com"),
            ("a@example.com", "a@example.com"),
            ("/page.html", "/page.html"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(with_scheme(typed), read);
        }
        let sent = FormData::with([
            ("targetUrl", "example.com/a".to_owned()),
            ("utm_source", "mail".to_owned()),
            ("countries", "DE example.com/de".to_owned()),
            ("variants", "50 example.com/1\n50 example.com/2".to_owned()),
        ]);
        let date_format = DateFormat::default();
        let body = read(&inputs(&date_format), &sent).unwrap();
        assert_eq!(body["targetUrl"], "https://example.com/a?utm_source=mail");
        assert_eq!(body["countries"]["DE"], "https://example.com/de");
        assert_eq!(body["variants"][1]["url"], "https://example.com/2");
    }

    #[test]
    fn unreadable_values_are_reported_for_their_field() {
        let sent = FormData::with([
            ("expiresAt", "soon".to_owned()),
            ("maxClicks", "many".to_owned()),
            ("countries", "DE".to_owned()),
            ("variants", "half https://example.com".to_owned()),
        ]);
        let date_format = DateFormat::default();
        let inputs = inputs(&date_format);
        let fault = read(&inputs, &sent).unwrap_err();
        let problems = Problems::from_fault(fault).unwrap();
        for name in ["expiresAt", "maxClicks", "countries", "variants"] {
            assert_eq!(problems.beside(name).len(), 1, "{name}");
        }
        let drawn = inputs
            .draw(&sent, &Choices::default(), &problems)
            .into_string();
        assert_eq!(
            drawn.matches("<details class=\"behind\" open").count(),
            2,
            "{drawn}"
        );
    }
}

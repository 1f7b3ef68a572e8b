//! The form of a link: its inputs, and its campaign, which is apart from its target here and in it everywhere else.

use serde_json::{Map, Value};

use crate::{
    http::pages::{
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

const INSTEAD: &str = "An address that they are led to instead.";

/// The inputs of a link.
pub(super) const FORM: &[Section] = &[
    Section::plain(&[
        Input::line("targetUrl", "Leads to")
            .hint("A whole address: https://example.com/page")
            .need(Need::Unless("variants")),
        // An empty slug is random for a new link, and unchanged for an old one.
        Input::line("slug", "Slug")
            .hint("The last part of the short address. Empty: random.")
            .empty(Empty::Omit),
        Input::line("name", "Name").hint("What it is called here; by default its slug."),
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
        "Ending and password",
        &[
            Input::new(Kind::Moment, "expiresAt", "Ends").hint("In your time zone."),
            Input::new(
                Kind::Number(u64::MAX),
                "maxClicks",
                "Ends after so many clicks",
            ),
            Input::line("expiredRedirectUrl", "Leads there when it has ended")
                .hint("Without it, an ended link says so."),
            Input::new(PASSWORD, "password", "Password")
                .hint("Who follows the link has to know it."),
        ],
    ),
    Section::behind(
        "Devices, apps, countries, languages",
        &[
            Input::line("iosUrl", "On iPhones and iPads").hint(INSTEAD),
            Input::line("androidUrl", "On Android").hint(INSTEAD),
            Input::choice("deepLinkApp", "Opens the app", APPS),
            Input::new(Kind::Pairs, "countries", "By country")
                .hint("A line each: DE https://example.com/de"),
            Input::new(Kind::Pairs, "languages", "By language")
                .hint("A line each: fr https://example.com/fr"),
            Input::new(Kind::Weights, "variants", "Split among several targets").hint(
                "A line each, share first: 50 https://example.com/a. They take the target's place.",
            ),
        ],
    ),
    Section::behind(
        "Preview, tags and further",
        &[
            Input::line("ogTitle", "Title of the preview"),
            Input::line("ogDescription", "Text of the preview"),
            Input::line("ogImageUrl", "Picture of the preview"),
            Input::line("externalId", "Your own id for it"),
            Input::new(Kind::Words, "tags", "Tags").hint("With commas between them."),
        ],
    ),
    Section::plain(&[Input::checkbox(
        "watchTarget",
        "Check the target every hour, and tell when it is down",
    )]),
];

const PASSWORD: Kind = Kind::Secret {
    has: "hasPassword",
    clear: ("clearPassword", "Take the password away"),
    kept: "It has one. What is typed here replaces it.",
};

/// A link as its form shows it.
pub(super) fn fill(link: &impl serde::Serialize, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
    let mut link = serde_json::to_value(link).map_err(Fault::internal)?;
    let (target, campaign) = utm::split(link["targetUrl"].as_str().unwrap_or_default());
    link["targetUrl"] = target.into();
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
    if let Some(target) = sent.some("targetUrl") {
        body.insert("targetUrl".to_owned(), utm::join(target, campaign).into());
    }
    Ok(body)
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
    fn a_form_that_is_sent_as_it_was_shown_changes_nothing() {
        let date_format = DateFormat::default();
        let link = json!({
            "slug": "spring", "name": "Spring", "targetUrl": "https://example.com/?a=b&utm_source=mail", "folderId": "f",
            "expiresAt": "2026-12-31T10:00:00.000Z", "expiredRedirectUrl": "https://example.com/over", "maxClicks": 5,
            "iosUrl": "https://example.com/i", "androidUrl": null, "deepLinkApp": "x", "tags": ["a", "b c"],
            "countries": { "DE": "https://example.com/de" }, "languages": null,
            "variants": [{ "url": "https://example.com/1", "weight": 40 }, { "url": "https://example.com/2", "weight": 60 }],
            "ogTitle": "T", "ogDescription": null, "ogImageUrl": null, "externalId": "7", "watchTarget": true, "hasPassword": true,
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
    fn what_cannot_be_read_is_said_of_its_field() {
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

//! The form of a status page.

use crate::{
    http::pages::{
        access_inputs::{ALLOWED_IPS, PASSWORD},
        form::{Empty, Kind},
        prelude::*,
    },
    locale::Language,
};

const THEMES: &[(&str, &str)] = &[("system", "System"), ("light", "Light"), ("dark", "Dark")];

/// The reader's, then those that there are.
const LANGUAGES: &[(&str, &str)] = &{
    let [en, de, fr, es, pt, ja] = Language::NAMES;
    [("", "Reader's language"), en, de, fr, es, pt, ja]
};

const URL: Kind = Kind::Line("url");

/// The inputs of a status page.
pub(super) const FORM: &[Section] = &[
    Section::plain(&[
        Input::line("name", "Name").required(),
        Input::line("slug", "Slug")
            .hint("The last part of the page's URL: lowercase letters, digits and hyphens. Default: derived from the name.")
            .empty(Empty::Omit),
        Input::new(Kind::Area(2), "description", "Description"),
        Input::checkbox(
            "automaticIncidents",
            "Open and resolve incidents automatically",
        ),
    ]),
    Section::behind(
        "Who sees it",
        &[
            Input::checkbox("membersOnly", "Only members of the organization")
                .hint("They sign in. Members always see the page."),
            ALLOWED_IPS,
            PASSWORD,
        ],
    ),
    Section::behind(
        "Appearance and links",
        &[
            Input::choice("theme", "Theme", THEMES),
            Input::choice("language", "Language", LANGUAGES)
                .hint("Of the page, its feeds and its emails. What you write stays as it is."),
            Input::new(URL, "websiteUrl", "Website URL").hint("Example: https://example.com."),
            Input::new(URL, "supportUrl", "Support URL").hint("Example: https://example.com/help."),
            Input::new(URL, "logoUrl", "Logo URL").hint("An image with an https URL."),
            Input::new(URL, "faviconUrl", "Favicon URL").hint("The icon of browser tabs."),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        actors::status_pages::PageFields,
        http::pages::form::{Choices, Inputs},
        pages::{problem::Problems, time::DateFormat},
    };

    #[test]
    fn a_form_that_is_sent_as_it_was_shown_changes_nothing() {
        let page = json!({
            "name": "Shop", "slug": "shop", "description": null, "websiteUrl": "https://example.com/", "supportUrl": null,
            "logoUrl": null, "faviconUrl": "https://example.com/i.png", "theme": "dark", "language": "de",
            "automaticIncidents": true, "membersOnly": true, "allowedIps": ["192.0.2.1", "203.0.113.0/24"],
        });
        let date_format = DateFormat::default();
        let inputs = Inputs::new(FORM, "", &date_format);
        let fields: PageFields = serde_json::from_value(page.clone()).unwrap();
        let sent = inputs.fill(&fields).unwrap();
        assert_eq!(Value::Object(inputs.read(&sent).unwrap()), page);
        let drawn = inputs
            .draw(&sent, &Choices::default(), &Problems::NONE)
            .into_string();
        assert!(
            drawn.contains("<option value=\"dark\" selected>"),
            "{drawn}"
        );
    }
}

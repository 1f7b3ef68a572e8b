//! The form of a status page: its fields as people type them, and as `statusPage.create` and `statusPage.update` take them.

use maud::{Markup, html};
use serde_json::{Map, Value, json};

use crate::{
    actors::status_pages::{PageFields, Theme},
    http::pages::form::FormData,
    pages::{
        part::{Field, choice, more, tick},
        problem::Problems,
    },
};

/// Fields that are a line of text and may stay empty: name, label, what it is for.
const TEXTS: [(&str, &str, &str); 4] = [
    (
        "websiteUrl",
        "Whose page it is",
        "An https address, which its logo leads to.",
    ),
    ("supportUrl", "Where there is help", "An https address."),
    ("logoUrl", "Logo", "The https address of a picture."),
    (
        "faviconUrl",
        "Small picture",
        "The https address of a picture, for tabs of browsers.",
    ),
];

/// What it looks like.
const THEMES: [(&str, &str); 3] = [
    ("system", "As the reader's system"),
    ("light", "Light"),
    ("dark", "Dark"),
];

/// Fields that say beside themselves what is wrong with them.
pub(super) const NAMES: [&str; 7] = [
    "name",
    "slug",
    "description",
    "websiteUrl",
    "supportUrl",
    "logoUrl",
    "faviconUrl",
];

/// A page as its form shows it.
pub(super) fn form(page: &PageFields) -> FormData {
    let text = |text: Option<&String>| text.cloned().unwrap_or_default();
    let theme = match page.theme {
        None => "",
        Some(Theme::System) => "system",
        Some(Theme::Light) => "light",
        Some(Theme::Dark) => "dark",
    };
    let fields = [
        ("name", page.name.clone()),
        ("slug", page.slug.clone()),
        ("description", text(page.description.as_ref())),
        ("websiteUrl", text(page.website_url.as_ref())),
        ("supportUrl", text(page.support_url.as_ref())),
        ("logoUrl", text(page.logo_url.as_ref())),
        ("faviconUrl", text(page.favicon_url.as_ref())),
        ("theme", theme.to_owned()),
    ];
    let ticked = ("automaticIncidents", "on".to_owned());
    let ticked = page.automatic_incidents.then_some(ticked);
    FormData::with(fields.into_iter().chain(ticked))
}

/// What a form says of a page; an empty field is none.
pub(super) fn body(sent: &FormData) -> Map<String, Value> {
    let mut body = Map::new();
    for name in ["name", "slug"] {
        body.insert(name.to_owned(), json!(sent.text(name)));
    }
    let optional = TEXTS.iter().map(|(name, ..)| *name);
    for name in optional.chain(["description", "theme"]) {
        body.insert(name.to_owned(), json!(sent.some(name)));
    }
    let automatic = sent.is_on("automaticIncidents");
    body.insert("automaticIncidents".to_owned(), json!(automatic));
    body
}

/// The fields, with what is in them and what is wrong with them.
pub(super) fn draw(sent: &FormData, problems: &Problems) -> Markup {
    let uses = |name: &str| sent.some(name).is_some() || !problems.beside(name).is_empty();
    let theme = sent.some("theme").unwrap_or("system");
    let slug = Field::text("slug", "Slug")
        .hint("The last part of its address: lower-case letters, digits and hyphens.");
    html! {
        (Field::text("name", "Name").value(sent.raw("name")).draw(problems))
        (slug.value(sent.raw("slug")).draw(problems))
        (Field::text("description", "Description").value(sent.raw("description")).optional().lines(2, problems))
        (tick("automaticIncidents", "A monitor that goes down opens an incident, and closes it when it is up again", sent.is_on("automaticIncidents")))
        (more("Looks and links", TEXTS.iter().any(|(name, ..)| uses(name)), &html! {
            (choice("theme", "Looks", &THEMES, theme))
            @for (name, label, hint) in TEXTS {
                (Field::text(name, label).kind("url").hint(hint).value(sent.raw(name)).optional().draw(problems))
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_that_is_sent_as_it_was_shown_changes_nothing() {
        let page = json!({
            "name": "Shop", "slug": "shop", "description": null, "websiteUrl": "https://example.com/", "supportUrl": null,
            "logoUrl": null, "faviconUrl": "https://example.com/i.png", "theme": "dark", "automaticIncidents": true,
        });
        let shown = form(&serde_json::from_value(page.clone()).unwrap());
        assert_eq!(Value::Object(body(&shown)), page);
        let drawn = draw(&shown, &Problems::NONE).into_string();
        assert!(
            drawn.contains("<option value=\"dark\" selected>"),
            "{drawn}"
        );
    }
}

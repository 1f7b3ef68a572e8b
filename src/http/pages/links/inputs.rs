//! How the form of a link looks: what everybody needs first, and the rest behind titles that are open where something is said.

use maud::{Markup, html};

use super::fields::TEXTS;
use crate::{
    http::{pages::form::FormData, procedures::link_folders::CountedOut},
    pages::{
        part::{Field, choice, more, tick},
        problem::Problems,
        utm,
    },
};

/// Areas with a word and an address in each line: name, label, what it is for.
const LISTS: [(&str, &str, &str); 3] = [
    (
        "countries",
        "By country",
        "A line each: DE https://example.com/de",
    ),
    (
        "languages",
        "By language",
        "A line each: fr https://example.com/fr",
    ),
    (
        "variants",
        "Split among several targets",
        "A line each, share first: 50 https://example.com/a. They take the target's place.",
    ),
];

/// Apps that a link can open.
const APPS: [(&str, &str); 13] = [
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

/// What is in the fields, and what is wrong with them.
struct Inputs<'a> {
    sent: &'a FormData,
    problems: &'a Problems,
}

/// The fields, with what is in them and what is wrong with them.
pub(super) fn draw(sent: &FormData, folders: &[CountedOut], problems: &Problems) -> Markup {
    let inputs = Inputs { sent, problems };
    let mut among = vec![("", "None")];
    let named = folders.iter().map(|one| &one.folder);
    among.extend(named.map(|folder| (folder.id.as_str(), folder.name.as_str())));
    let target = Field {
        optional: sent.some("variants").is_some(),
        ..Field::text("targetUrl", "Leads to")
    };
    let target = target.hint("A whole address: https://example.com/page");
    html! {
        (target.value(sent.raw("targetUrl")).draw(problems))
        (inputs.one("slug", "Slug", "text", "The last part of the short address. Empty: random."))
        (inputs.texts(&["name"]))
        (choice("folderId", "Folder", &among, sent.raw("folderId")))
        (inputs.campaign())
        (inputs.ending())
        (inputs.targets())
        (inputs.looks())
        (tick("watchTarget", "Check the target every hour, and tell when it is down", sent.is_on("watchTarget")))
    }
}

impl Inputs<'_> {
    fn one(&self, name: &str, label: &str, kind: &str, hint: &str) -> Markup {
        let field = Field::text(name, label).kind(kind).hint(hint);
        let field = field.value(self.sent.raw(name)).optional();
        field.draw(self.problems)
    }

    /// Fields that are text.
    fn texts(&self, names: &[&str]) -> Markup {
        let wanted = TEXTS.iter().filter(|(name, ..)| names.contains(name));
        html! { @for (name, label, hint) in wanted { (self.one(name, label, "text", hint)) } }
    }

    /// Whether something is said in one of these fields, or of it.
    fn uses(&self, names: &[&str]) -> bool {
        let is_used =
            |name: &&str| self.sent.some(name).is_some() || !self.problems.beside(name).is_empty();
        names.iter().any(is_used)
    }

    fn campaign(&self) -> Markup {
        let open = self.uses(&utm::NAMES.map(|(name, _)| name));
        let inside =
            html! { @for (name, label) in utm::NAMES { (self.one(name, label, "text", "")) } };
        more("Campaign (UTM)", open, &inside)
    }

    fn ending(&self) -> Markup {
        let names = [
            "expiresAt",
            "expiredRedirectUrl",
            "maxClicks",
            "hasPassword",
            "password",
        ];
        let has = self.sent.is_on("hasPassword");
        let hint = if has {
            "It has one. What is typed here replaces it."
        } else {
            "Who follows the link has to know it."
        };
        let password = Field::text("password", "Password")
            .kind("password")
            .hint(hint);
        let password = password.fills("new-password").optional();
        let inside = html! {
            (self.one("expiresAt", "Ends", "datetime-local", "In your time zone."))
            (self.one("maxClicks", "Ends after so many clicks", "number", ""))
            (self.texts(&["expiredRedirectUrl"]))
            (password.draw(self.problems))
            @if has { (tick("clearPassword", "Take the password away", false)) }
        };
        more("Ending and password", self.uses(&names), &inside)
    }

    fn targets(&self) -> Markup {
        let names = [
            "iosUrl",
            "androidUrl",
            "deepLinkApp",
            "countries",
            "languages",
            "variants",
        ];
        let area = |name, label, hint| {
            let field = Field::text(name, label).hint(hint).optional();
            field.value(self.sent.raw(name)).lines(3, self.problems)
        };
        let inside = html! {
            (self.texts(&["iosUrl", "androidUrl"]))
            (choice("deepLinkApp", "Opens the app", &APPS, self.sent.raw("deepLinkApp")))
            @for (name, label, hint) in LISTS { (area(name, label, hint)) }
        };
        more(
            "Devices, apps, countries, languages",
            self.uses(&names),
            &inside,
        )
    }

    fn looks(&self) -> Markup {
        let names = [
            "ogTitle",
            "ogDescription",
            "ogImageUrl",
            "externalId",
            "tags",
        ];
        let inside = html! {
            (self.texts(&["ogTitle", "ogDescription", "ogImageUrl", "externalId"]))
            (self.one("tags", "Tags", "text", "With commas between them."))
        };
        more("Preview, tags and further", self.uses(&names), &inside)
    }
}

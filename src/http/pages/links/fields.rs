//! The form of a link: its fields as people type them, and as `links.create` and `links.update` take them.

use serde_json::{Map, Value, json};

use crate::{
    fault::{Fault, Issue},
    http::pages::form::{FormData, sound},
    pages::{
        time::{DateFormat, moment},
        utm,
    },
};

/// Fields that are text and stand for themselves: name, label, what it is for.
pub(super) const TEXTS: [(&str, &str, &str); 8] = [
    (
        "name",
        "Name",
        "What it is called here; by default its slug.",
    ),
    (
        "expiredRedirectUrl",
        "Leads there when it has ended",
        "Without it, an ended link says so.",
    ),
    (
        "iosUrl",
        "On iPhones and iPads",
        "An address that they are led to instead.",
    ),
    (
        "androidUrl",
        "On Android",
        "An address that they are led to instead.",
    ),
    ("ogTitle", "Title of the preview", ""),
    ("ogDescription", "Text of the preview", ""),
    ("ogImageUrl", "Picture of the preview", ""),
    ("externalId", "Your own id for it", ""),
];

/// Fields that say beside themselves what is wrong with them.
pub(super) const NAMES: [&str; 17] = [
    "targetUrl",
    "slug",
    "name",
    "expiredRedirectUrl",
    "iosUrl",
    "androidUrl",
    "ogTitle",
    "ogDescription",
    "ogImageUrl",
    "externalId",
    "countries",
    "languages",
    "variants",
    "expiresAt",
    "maxClicks",
    "password",
    "tags",
];

/// A link as its form shows it.
pub(super) fn form(link: &Value, date_format: &DateFormat) -> FormData {
    let text = |name: &str| link[name].as_str().unwrap_or_default().to_owned();
    let (target, campaign) = utm::apart(link["targetUrl"].as_str().unwrap_or_default());
    let mut fields = vec![
        ("targetUrl", target),
        ("slug", text("slug")),
        ("folderId", text("folderId")),
    ];
    fields.push(("deepLinkApp", text("deepLinkApp")));
    fields.extend(TEXTS.iter().map(|(name, ..)| (*name, text(name))));
    fields.extend(utm::NAMES.iter().map(|(name, _)| *name).zip(campaign));
    let ends = link["expiresAt"].as_str().and_then(moment);
    fields.push((
        "expiresAt",
        ends.map(|at| date_format.field(at)).unwrap_or_default(),
    ));
    fields.push((
        "maxClicks",
        link["maxClicks"]
            .as_u64()
            .map(|most| most.to_string())
            .unwrap_or_default(),
    ));
    let tags = link["tags"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    fields.push(("tags", tags.collect::<Vec<_>>().join(", ")));
    for name in ["countries", "languages"] {
        let lines = link[name].as_object().into_iter().flatten();
        let lines =
            lines.map(|(word, address)| format!("{word} {}", address.as_str().unwrap_or_default()));
        fields.push((name, lines.collect::<Vec<_>>().join("\n")));
    }
    let variants = link["variants"].as_array().into_iter().flatten();
    let variants = variants.map(|one| {
        format!(
            "{} {}",
            one["weight"],
            one["url"].as_str().unwrap_or_default()
        )
    });
    fields.push(("variants", variants.collect::<Vec<_>>().join("\n")));
    if link["watchTarget"] == true {
        fields.push(("watchTarget", "on".to_owned()));
    }
    if link["hasPassword"] == true {
        fields.push(("hasPassword", "on".to_owned()));
    }
    FormData::with(fields)
}

/// What a form says of a link; an empty field is none.
pub(super) fn body(sent: &FormData, date_format: &DateFormat) -> Result<Map<String, Value>, Fault> {
    let mut issues = Vec::new();
    let mut body = Map::new();
    let texts = TEXTS.iter().map(|(name, ..)| *name);
    for name in texts.chain(["folderId", "deepLinkApp"]) {
        body.insert(name.to_owned(), json!(sent.some(name)));
    }
    // An empty slug is a random one when a link is made, and the same as before when it is changed.
    if let Some(slug) = sent.some("slug") {
        body.insert("slug".to_owned(), json!(slug));
    }
    let campaign = utm::NAMES.iter().map(|(name, _)| (*name, sent.text(name)));
    let target = sent.some("targetUrl");
    let target = target.map(|target| utm::joined(target, campaign));
    body.insert("targetUrl".to_owned(), json!(target));
    body.insert("watchTarget".to_owned(), json!(sent.is_on("watchTarget")));
    ending(sent, date_format, &mut body, &mut issues);
    lists(sent, &mut body, &mut issues);
    sound(body, issues, "Invalid link")
}

/// When it ends, and who may follow it.
fn ending(
    sent: &FormData,
    date_format: &DateFormat,
    body: &mut Map<String, Value>,
    issues: &mut Vec<Issue>,
) {
    let ends = sent.moment("expiresAt", date_format, issues);
    body.insert("expiresAt".to_owned(), json!(ends));
    let most: Option<u64> = sent.number("maxClicks", issues);
    body.insert("maxClicks".to_owned(), json!(most));
    let password = sent.raw("password");
    if !password.is_empty() {
        body.insert("password".to_owned(), json!(password));
    } else if sent.is_on("clearPassword") {
        body.insert("password".to_owned(), Value::Null);
    }
}

/// Fields of which there are several.
fn lists(sent: &FormData, body: &mut Map<String, Value>, issues: &mut Vec<Issue>) {
    let tags = sent.words("tags").into_iter().map(|tag| json!(tag));
    body.insert("tags".to_owned(), some(tags.collect()));
    for name in ["countries", "languages"] {
        let lines = pairs(sent, name, issues).into_iter();
        let lines = lines.map(|(word, address)| (word.to_owned(), json!(address)));
        let lines: Map<String, Value> = lines.collect();
        let said = (!lines.is_empty()).then_some(lines);
        body.insert(name.to_owned(), json!(said));
    }
    let mut variants = Vec::new();
    for (share, address) in pairs(sent, "variants", issues) {
        if let Ok(weight) = share.parse::<u32>() {
            variants.push(json!({ "url": address, "weight": weight }));
        } else {
            let message = format!("“{share}” is no share");
            issues.push(Issue::new("invalid", "variants", message));
        }
    }
    body.insert("variants".to_owned(), some(variants));
}

/// A list, or null where nothing is in it.
fn some(list: Vec<Value>) -> Value {
    if list.is_empty() {
        Value::Null
    } else {
        Value::Array(list)
    }
}

/// Lines of a word and an address.
fn pairs<'s>(sent: &'s FormData, name: &str, issues: &mut Vec<Issue>) -> Vec<(&'s str, &'s str)> {
    let mut found = Vec::new();
    for line in sent.lines(name) {
        match line.split_once(char::is_whitespace) {
            Some((word, address)) => found.push((word, address.trim())),
            None => issues.push(Issue::new(
                "invalid",
                name,
                format!("“{line}” has no address behind its first word"),
            )),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{http::pages::links::inputs, pages::problem::Problems};

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
        let body = body(&form(&link, &date_format), &date_format).unwrap();
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
        let fault = body(&sent, &DateFormat::default()).unwrap_err();
        let problems = Problems::of(fault).unwrap();
        for name in ["expiresAt", "maxClicks", "countries", "variants"] {
            assert_eq!(problems.beside(name).len(), 1, "{name}");
        }
        let drawn = inputs::draw(&sent, &[], &problems).into_string();
        assert_eq!(
            drawn.matches("<details class=\"behind\" open").count(),
            2,
            "{drawn}"
        );
    }
}

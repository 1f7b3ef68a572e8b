//! Clicks on links that leave the website.

use super::Tracked;
use crate::events::{
    accept::{
        clean,
        field::{Check, PATH},
        wire::Value,
    },
    event::{Details, Event},
};

/// Characters of the link's text.
const TEXT: usize = 2_048;

/// Fills what only an outgoing link has. The page it was on is context: taken when it makes sense, else ignored.
pub(super) fn fill(tracked: &Tracked<'_>, event: &mut Event, check: &mut Check) {
    "outgoing_link".clone_into(&mut event.name);
    let href = check.name("href", &tracked.href, PATH);
    let text = check.text("text", &tracked.text, TEXT).unwrap_or_default();
    if let Value::Text(path) = &tracked.path
        && !clean::longer_than(path, PATH)
    {
        check.path(&tracked.path, event);
    }
    event.details = Details::Outgoing { href, text };
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{
        super::super::{page, test_fixture::*},
        *,
    };

    fn accept(body: &serde_json::Value) -> Result<Event, Vec<(String, String)>> {
        let visit = visit();
        page::accept(body.to_string().as_bytes(), &context(&visit))
            .map(|(_, accepted)| accepted.event)
            .map_err(codes)
    }

    #[test]
    fn a_link_keeps_its_target_and_text() {
        let event = accept(&json!({
            "type": "outgoing_link", "eventId": "e", "href": "https://other.example/x?y=1", "text": " Docs ",
            "path": "https://example.com/a", "title": 7
        }))
        .unwrap();
        let expected = Details::Outgoing {
            href: "https://other.example/x?y=1".to_owned(),
            text: "Docs".to_owned(),
        };
        assert_eq!(event.details, expected);
        assert_eq!(
            (event.name.as_str(), event.path.as_str()),
            ("outgoing_link", "/a")
        );
    }

    #[test]
    fn limits_have_two_sides() {
        let link = |href: usize, text: usize| json!({"type": "outgoing_link", "eventId": "e", "href": "h".repeat(href), "text": "t".repeat(text)});
        assert!(accept(&link(2_048, 2_048)).is_ok());
        assert_eq!(
            accept(&link(2_049, 1)).unwrap_err()[0],
            ("too_long".to_owned(), "href".to_owned())
        );
        assert_eq!(
            accept(&link(1, 2_049)).unwrap_err()[0],
            ("too_long".to_owned(), "text".to_owned())
        );
        assert_eq!(
            accept(&link(0, 1)).unwrap_err()[0],
            ("too_short".to_owned(), "href".to_owned())
        );
    }
}

//! Pages that a website's own server gave to an agent: the body of `/ai-traffic`.
//!
//! The server reports every request that looks like one; what is no agent that names itself is nothing to keep. The
//! agent's address may come along and is not looked at.

use super::{
    Target,
    field::{Check, EVENT_ID, ID, PATH},
    invalid, location,
    time::Texts,
    wire::{self, Item, fields},
};
use crate::{
    events::{
        enrich::{
            Enricher,
            referrer::{self, Arrival},
        },
        event::{Event, Trust, Utm},
        store::Accepted,
    },
    fault::{Fault, Issue},
};

/// Characters of a user agent.
const USER_AGENT: usize = 512;
/// Characters of a host name.
const HOST: usize = 253;

fields! {
    /// A request of an agent as sent.
    Reported, required [path, user_agent] {
        website_id: Value = "websiteId",
        path: Value = "path",
        user_agent: Value = "userAgent",
        host: Value = "host",
        referrer: Value = "referrer",
        timestamp: Value = "timestamp",
        event_id: Value = "eventId",
    }
}

/// The body of `/ai-traffic`, read but not checked.
pub struct Body<'a>(Box<Reported<'a>>);

/// A report that keeps the rules.
#[derive(Debug)]
pub struct Report {
    page: Event,
    event_id: Option<String>,
    user_agent: String,
}

/// Takes a body apart.
pub fn read(bytes: &[u8]) -> Result<Body<'_>, Fault> {
    match wire::read::<Reported<'_>>(bytes)? {
        wire::Body::One(Item::Object(reported)) => Ok(Body(reported)),
        wire::Body::One(_) | wire::Body::Many(_) => Err(invalid(vec![Issue::new(
            "invalid_type",
            "",
            "Expected an object",
        )])),
    }
}

impl Body<'_> {
    pub fn website_id(&self) -> Option<&str> {
        super::custom::named(&self.0.website_id)
    }

    /// Checks the report, received at `received` (Unix ms).
    pub fn accept(
        &self,
        target: &Target<'_>,
        trust: Trust,
        received: i64,
    ) -> Result<Report, Fault> {
        let reported = &self.0;
        let mut check = Check::new(None, received);
        let mut page = Event {
            organization: target.access.organization().0,
            website: target.access.website().0,
            time: check.time(&reported.timestamp, Texts::Allowed),
            received,
            trust,
            ..Event::default()
        };
        check.require("path", &reported.path);
        check.path(&reported.path, &mut page);
        if let Some(host) = check.text("host", &reported.host, HOST) {
            page.host = location::read(&format!("http://{host}")).host;
        }
        let referrer = check.text("referrer", &reported.referrer, PATH);
        let found = referrer::attribute(&Arrival {
            referrer: referrer.as_deref().unwrap_or_default(),
            utm: &Utm::default(),
            click_id: None,
            page_host: page.host.as_deref().unwrap_or_default(),
            domain: target.domain,
        });
        page.referrer = found.referrer;
        page.referrer_domain = found.domain;
        check.text("websiteId", &reported.website_id, ID);
        let report = Report {
            event_id: check.text("eventId", &reported.event_id, EVENT_ID),
            user_agent: check.name("userAgent", &reported.user_agent, USER_AGENT),
            page,
        };
        check.finish(report)
    }
}

impl Report {
    /// The host that the page was asked from, if the report names one.
    pub fn host(&self) -> Option<&str> {
        self.page.host.as_deref()
    }

    /// The agent's request; nothing when the user agent names none, or one that the website does not keep.
    pub fn request(self, enricher: &Enricher, target: &Target<'_>) -> Option<Accepted> {
        let event = enricher.reported(&self.user_agent, self.page, target.bots)?;
        Some(Accepted {
            event,
            event_id: self.event_id,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{super::test_fixture::*, *};

    fn accept(body: &Value) -> Result<Report, Fault> {
        read(body.to_string().as_bytes())?.accept(&target(), Trust::Key, NOW)
    }

    #[test]
    fn a_report_says_which_page_and_who() {
        let report = accept(&json!({
            "websiteId": "w1", "path": "https://Example.com/docs/?a=1", "userAgent": "GPTBot/1.2", "ip": "192.0.2.7",
            "referrer": "https://chatgpt.com/c/1", "timestamp": NOW - 5,
        }))
        .unwrap();
        assert_eq!(report.host(), Some("example.com"));
        assert_eq!(
            (report.page.path.as_str(), report.page.time),
            ("/docs", NOW - 5)
        );
        assert_eq!(report.page.referrer_domain.as_deref(), Some("chatgpt.com"));
        assert_eq!(report.user_agent, "GPTBot/1.2");
        let bare =
            accept(&json!({"path": "/a", "userAgent": "x", "host": "Example.com:8080"})).unwrap();
        assert_eq!(bare.host(), Some("example.com"));
    }

    #[test]
    fn what_is_missing_or_too_long_is_named() {
        for (body, code, field) in [
            (json!({"userAgent": "x"}), "required", "path"),
            (json!({"path": "/"}), "required", "userAgent"),
            (
                json!({"path": "/", "userAgent": ""}),
                "too_short",
                "userAgent",
            ),
            (
                json!({"path": "/", "userAgent": "x".repeat(513)}),
                "too_long",
                "userAgent",
            ),
            (
                json!({"path": "/".repeat(2_049), "userAgent": "x"}),
                "too_long",
                "path",
            ),
            (
                json!({"path": "/", "userAgent": "x", "timestamp": 5}),
                "too_small",
                "timestamp",
            ),
            (json!([]), "invalid_type", ""),
        ] {
            let issues = codes(accept(&body).unwrap_err());
            assert_eq!(issues, [(code.to_owned(), field.to_owned())], "{body}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_body_is_survived(body in any_body()) {
            let _ = accept(&body);
        }
    }
}

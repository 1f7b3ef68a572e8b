//! From an [`Input`] to an event: the rules of our own bodies, and lenience where only the description is at stake.

use std::borrow::Cow;

use super::{
    super::{
        Context, clean, custom, error,
        field::{Check, PATH},
        location,
        page::{self, Sort, Tracked, context},
        time, vital,
        wire::Value,
    },
    Input, Kind, PageView,
    fields::{cut, limited, optional, size, soft, text, value},
};
use crate::{
    events::{enrich::bot::Fate, store::Accepted},
    fault::Fault,
};

/// Characters of a title and of a campaign parameter.
const TITLE: usize = 512;
const CAMPAIGN: usize = 128;
/// Longest stay, s.
const DAY: f64 = 86_400.0;

/// Who an event's visitor is, once that is settled.
#[derive(Debug, Clone, Copy, Default)]
pub struct Visitor<'a> {
    pub anonymous: &'a str,
    pub session: &'a str,
}

impl Input<'_> {
    /// When it happened, Unix ms, without a word about whether that can be.
    pub fn time_ms(&self, received: i64) -> i64 {
        let time = self.time.as_ref().and_then(|time| {
            let read = time::read(&value(time), time::Texts::Allowed, i64::MAX);
            read.ok().flatten()
        });
        time.map_or(received, |time| time.saturating_add(self.skew))
    }

    /// Checks it and enriches it; `index` is its place in a request of several.
    ///
    /// # Errors
    /// It breaks a rule.
    pub fn accept(
        &self,
        index: Option<usize>,
        visitor: Visitor<'_>,
        context: &Context<'_>,
    ) -> Result<Vec<Accepted>, Fault> {
        let mut accepted = Vec::new();
        self.accept_into(&mut accepted, index, visitor, context)?;
        Ok(accepted)
    }

    /// [`Self::accept`] behind the events of other inputs.
    ///
    /// # Errors
    /// It breaks a rule.
    pub fn accept_into(
        &self,
        all: &mut Vec<Accepted>,
        index: Option<usize>,
        visitor: Visitor<'_>,
        context: &Context<'_>,
    ) -> Result<(), Fault> {
        match &self.kind {
            Kind::Vitals(vitals) => {
                let one = |(metric, value): &(&str, f64)| {
                    let mut span = self.span(visitor, context);
                    span["metricName"] = (*metric).into();
                    span["metricValue"] = (*value).into();
                    span["eventId"] = self
                        .event_id
                        .as_ref()
                        .map(|id| format!("{id}:{metric}"))
                        .into();
                    span
                };
                let spans: serde_json::Value = vitals.iter().map(one).collect();
                all.extend(vital::accept(spans.to_string().as_bytes(), context)?);
            }
            Kind::Failure {
                kind,
                message,
                stack,
            } => {
                let mut span = self.span(visitor, context);
                span["errorType"] = kind.as_deref().into();
                span["message"] = serde_json::json!(message);
                span["stack"] = stack.as_deref().into();
                span["eventId"] = self.event_id.as_deref().into();
                let spans = serde_json::Value::Array(vec![span]);
                all.extend(error::accept(spans.to_string().as_bytes(), context)?);
            }
            _ => {
                let mut check = Check::new(index, context.visit.received);
                let accepted = self.build(visitor, &mut check, context);
                check.finish(())?;
                all.push(accepted);
            }
        }
        Ok(())
    }

    /// The request of an agent that this is, if it is a page that an agent has seen.
    pub fn request_of_agent(&self, fate: Fate, context: &Context<'_>) -> Option<Accepted> {
        if !matches!(fate, Fate::Agent(_)) || self.kind != Kind::View {
            return None;
        }
        let mut check = Check::new(None, context.visit.received);
        let accepted = self.build(Visitor::default(), &mut check, context);
        let event = context.visit.request_of_agent(accepted.event)?;
        check.is_clean().then_some(Accepted {
            event,
            event_id: None,
        })
    }

    fn build(&self, visitor: Visitor<'_>, check: &mut Check, context: &Context<'_>) -> Accepted {
        let common = Common {
            url: self.address(context.target.domain),
            time: self.time(check, context.visit.received),
            visitor,
        };
        let is_page = || common.url.as_deref().is_some_and(location::is_page_url);
        let mut accepted = match &self.kind {
            Kind::View if is_page() => self.page("screen_view", &common, check, context),
            Kind::Exit { .. } if is_page() => self.page("page_exit", &common, check, context),
            Kind::Link { href } => self.link(href, &common, check, context),
            Kind::View => self.custom("pageview", &common, check, context),
            Kind::Exit { .. } => self.custom("pageleave", &common, check, context),
            _ => self.custom(&self.name, &common, check, context),
        };
        self.finish(&mut accepted, check);
        accepted
    }

    fn page(
        &self,
        name: &str,
        common: &Common<'_>,
        check: &mut Check,
        context: &Context<'_>,
    ) -> Accepted {
        let received = context.visit.received;
        let nothing = PageView::default();
        let said = self.page.as_deref().unwrap_or(&nothing);
        let mut tracked = Tracked {
            name: text(name),
            title: cut(said.title.as_deref(), TITLE),
            referrer: referrer(said.referrer.as_deref()),
            language: soft(said.language.as_deref(), received, context::language),
            timezone: cut(said.timezone.as_deref(), 64),
            screen: soft(said.screen.as_deref(), received, size),
            viewport: soft(said.viewport.as_deref(), received, size),
            ..self.tracked(common)
        };
        let slots = [
            &mut tracked.utm_source,
            &mut tracked.utm_medium,
            &mut tracked.utm_campaign,
            &mut tracked.utm_term,
            &mut tracked.utm_content,
        ];
        for (slot, value) in slots.into_iter().zip(&said.utm) {
            *slot = cut(value.as_deref(), CAMPAIGN);
        }
        if let Kind::Exit { seconds, scroll } = &self.kind {
            let number = |value: &Option<f64>, most: f64| {
                value.map_or(Value::Absent, |value| Value::Number(value.clamp(0.0, most)))
            };
            tracked.time_on_page = number(seconds, DAY);
            tracked.scroll_depth = number(scroll, 100.0);
        }
        page::build(Sort::Track, &tracked, check, context)
    }

    fn link(
        &self,
        href: &str,
        common: &Common<'_>,
        check: &mut Check,
        context: &Context<'_>,
    ) -> Accepted {
        let tracked = Tracked {
            href: text(clean::cut(href, PATH)),
            ..self.tracked(common)
        };
        page::build(Sort::OutgoingLink, &tracked, check, context)
    }

    fn tracked<'a>(&'a self, common: &'a Common<'_>) -> Tracked<'a> {
        Tracked {
            // Whether it is there is no rule of these clients.
            event_id: text(self.event_id.as_deref().unwrap_or("-")),
            path: optional(common.url.as_deref()),
            anonymous_id: text(common.visitor.anonymous),
            session_id: text(common.visitor.session),
            profile_id: optional(self.profile.as_deref()),
            timestamp: Value::Number(common.time as f64),
            ..Tracked::default()
        }
    }

    fn custom(
        &self,
        name: &str,
        common: &Common<'_>,
        check: &mut Check,
        context: &Context<'_>,
    ) -> Accepted {
        let custom = custom::Custom {
            name: text(name),
            event_id: optional(self.event_id.as_deref()),
            path: optional(common.url.as_deref()),
            anonymous_id: text(common.visitor.anonymous),
            profile_id: optional(self.profile.as_deref()),
            session_id: text(common.visitor.session),
            timestamp: Value::Number(common.time as f64),
            ..custom::Custom::default()
        };
        custom::event(&custom, context.visit, &context.target, check)
    }

    /// What is the same for every kind, and not in our bodies.
    fn finish(&self, accepted: &mut Accepted, check: &mut Check) {
        let properties = limited(&self.properties);
        accepted.event.properties = properties.and_then(|text| check.compact_properties(text));
        if self.event_id.is_none() {
            accepted.event_id = None;
        }
        if let Some([country, region, city]) = self.place.as_deref() {
            let event = &mut accepted.event;
            for (slot, said) in [
                (&mut event.country, country),
                (&mut event.region, region),
                (&mut event.city, city),
            ] {
                if let Some(said) = said {
                    *slot = Some(clean::cut(&clean::line(said), CAMPAIGN).to_owned());
                }
            }
        }
    }

    /// What vitals and errors have in common.
    fn span(&self, visitor: Visitor<'_>, context: &Context<'_>) -> serde_json::Value {
        let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let path = self.address(context.target.domain);
        serde_json::json!({
            "timestamp": self.time_ms(context.visit.received),
            "path": path.as_deref().unwrap_or("/"),
            "anonymousId": filled(visitor.anonymous),
            "sessionId": filled(visitor.session),
        })
    }

    /// The address of the page; a path alone is one of the website's own.
    fn address(&self, domain: &str) -> Option<Cow<'_, str>> {
        let url = clean::cut(self.url.as_deref()?, PATH);
        if url.starts_with('/') && !domain.is_empty() {
            let whole = format!("https://{domain}{url}");
            return Some(Cow::Owned(clean::cut(&whole, PATH).to_owned()));
        }
        Some(Cow::Borrowed(url))
    }

    fn time(&self, check: &mut Check, received: i64) -> i64 {
        let Some(time) = &self.time else {
            return received;
        };
        let bound = received.saturating_sub(self.skew);
        match time::read(&value(time), time::Texts::Allowed, bound) {
            Ok(time) => time.map_or(received, |time| time.saturating_add(self.skew)),
            Err((code, message)) => {
                check.issue(code, "timestamp", message.to_owned());
                received
            }
        }
    }
}

fn referrer(said: Option<&str>) -> Value<'_> {
    let referrer = said.map(|text| clean::cut(text, PATH));
    optional(referrer.filter(|text| location::is_referrer_url(text)))
}

/// What every kind is made of.
struct Common<'a> {
    url: Option<Cow<'a, str>>,
    /// Unix ms.
    time: i64,
    visitor: Visitor<'a>,
}

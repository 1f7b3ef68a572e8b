//! From a row of an export to the event that it was.

use super::{super::Import, row::Row};
use crate::events::event::{
    AgentRequest, Bot, Call, Details, Engagement, Event, Failure, Page, Trust, Utm,
};

/// The first moment that an event may have: 2000-01-01.
const FIRST: i64 = 946_684_800_000;
/// How far ahead an event may be, ms.
const AHEAD: i64 = 3_600_000;

impl Row {
    /// The event, as one of the website that it is imported into.
    pub(super) fn event(&self, import: &Import<'_>) -> Result<Event, String> {
        let time = self.moment("timestamp")?.ok_or("`timestamp` is missing")?;
        if !(FIRST..=import.now + AHEAD).contains(&time) {
            return Err("`timestamp` is before 2000 or more than an hour ahead".to_owned());
        }
        let received = self.moment("received_at")?.unwrap_or(import.now);
        let (details, access) = (self.details()?, import.target.access);
        Ok(Event {
            organization: access.organization().0,
            website: access.website().0,
            time,
            received: received.min(import.now),
            name: self.needed("name")?,
            visitor: self.hash("anonymous_id")?,
            session: self.hash("session_id")?,
            profile: self.text("profile_id")?,
            host: self.text("host")?,
            path: self.text("path")?.unwrap_or_default(),
            title: self.text("title")?,
            referrer: self.text("referrer")?,
            referrer_domain: self.text("referrer_domain")?,
            source: self.text("source")?,
            channel: self.text("channel")?,
            country: self.text("country")?,
            region: self.text("region")?,
            city: self.text("city")?,
            device_type: self.text("device_type")?,
            device_brand: self.text("device_brand")?,
            device_model: self.text("device_model")?,
            browser_name: self.text("browser_name")?,
            browser_version: self.text("browser_version")?,
            os_name: self.text("os_name")?,
            os_version: self.text("os_version")?,
            language: self.text("language")?,
            timezone: self.text("timezone")?,
            screen: self.text("screen_resolution")?,
            viewport: self.text("viewport_size")?,
            utm: self.utm()?,
            click_id: self.text("click_id")?,
            namespace: self.text("namespace")?,
            sender: self.text("sender")?,
            trust: if self.text("sent_by")?.as_deref() == Some("key") {
                Trust::Key
            } else {
                Trust::Client
            },
            bot: self.verdict()?,
            bot_signals: self.counted("bot_signals")?,
            properties: self.properties()?,
            details,
            link: self.text("short_link")?,
        })
    }

    fn utm(&self) -> Result<Utm, String> {
        Ok(Utm {
            source: self.text("utm_source")?,
            medium: self.text("utm_medium")?,
            campaign: self.text("utm_campaign")?,
            term: self.text("utm_term")?,
            content: self.text("utm_content")?,
        })
    }

    fn verdict(&self) -> Result<Bot, String> {
        match self.text("bot_verdict")?.as_deref() {
            None | Some("person") => Ok(Bot::No),
            Some("suspected") => Ok(Bot::Suspected),
            Some("declared") => Ok(Bot::Declared),
            Some(other) => Err(format!("`bot_verdict` is none: {other}")),
        }
    }

    fn properties(&self) -> Result<Option<String>, String> {
        let text = self.text("properties")?;
        let is_object = |text: &String| serde_json::from_str::<serde_json::Map<_, _>>(text).is_ok();
        match text {
            Some(text) if !is_object(&text) => Err("`properties` is no JSON object".to_owned()),
            text => Ok(text),
        }
    }

    fn details(&self) -> Result<Details, String> {
        Ok(match self.needed("event_type")?.as_str() {
            "page" => Details::Page(self.page()?),
            "custom" => Details::Custom,
            "outgoing_link" => Details::Outgoing {
                href: self.needed("href")?,
                text: self.text("link_text")?.unwrap_or_default(),
            },
            "vital" => Details::Vital {
                value: self.number("value")?.ok_or("`value` is missing")?,
            },
            "error" => Details::Error(self.failure()?),
            "engagement" => Details::Engagement(Box::new(self.engagement()?)),
            "tool_call" => Details::Call(Box::new(self.call()?)),
            "agent" => Details::Agent(Box::new(self.agent()?)),
            other => {
                return Err(format!(
                    "`event_type` is none that can be imported: {other}"
                ));
            }
        })
    }

    fn page(&self) -> Result<Page, String> {
        Ok(Page {
            time_on_page: self.number("time_on_page")?,
            scroll_depth: self.number("scroll_depth")?,
            interactions: self.number("interaction_count")?,
            page_count: self.number("page_count")?,
            load_time: self.number("load_time")?,
            dom_ready_time: self.number("dom_ready_time")?,
            ttfb: self.number("ttfb")?,
            render_time: self.number("render_time")?,
            connection: self.text("connection_type")?,
        })
    }

    fn failure(&self) -> Result<Failure, String> {
        Ok(Failure {
            message: self.text("message")?.unwrap_or_default(),
            filename: self.text("filename")?,
            line: self.number("line")?,
            column: self.number("column_number")?,
            stack: self.text("stack")?,
        })
    }

    fn engagement(&self) -> Result<Engagement, String> {
        let exit = self.text("exit_type")?.unwrap_or_default();
        Ok(Engagement {
            time_on_page: self.counted("time_on_page")?,
            active_time: self.counted("active_time")?,
            first_interaction: self.number("first_interaction")?,
            scroll_depth: self.counted("scroll_depth")?,
            interactions: self.counted("interaction_count")?,
            rage_clicks: self.counted("rage_clicks")?,
            dead_clicks: self.counted("dead_clicks")?,
            rage_target: self.text("rage_target")?,
            dead_target: self.text("dead_target")?,
            form_fields: self.counted("form_fields")?,
            form_submits: self.counted("form_submits")?,
            last_field: self.text("last_field")?,
            errors: self.counted("error_count")?,
            exit: exit.parse().unwrap_or_default(),
            page_index: self.counted("page_index")?,
            scrolls: self.counted("scrolls")?,
            clicks: self.counted("clicks")?,
            keys: self.counted("keystrokes")?,
            copies: self.counted("copies")?,
        })
    }

    fn call(&self) -> Result<Call, String> {
        Ok(Call {
            duration_ms: self.counted("duration_ms")?,
            output_chars: self.counted("output_chars")?,
            is_error: self.counted::<u8>("is_error")? != 0,
            error: self.text("message")?,
            error_code: self.text("error_code")?,
            client: self.text("client")?,
            client_name: self.text("client_name")?,
            client_version: self.text("client_version")?,
            user_agent: self.text("user_agent")?,
            server_name: self.text("server_name")?,
            server_version: self.text("server_version")?,
            environment: self.text("environment")?,
        })
    }

    fn agent(&self) -> Result<AgentRequest, String> {
        Ok(AgentRequest {
            product: self.text("agent_product")?.unwrap_or_default(),
            operator: self.text("agent_operator")?.unwrap_or_default(),
            purpose: self.text("agent_purpose")?.unwrap_or_default(),
            is_reported: self.text("agent_source")?.as_deref() == Some("server"),
        })
    }
}

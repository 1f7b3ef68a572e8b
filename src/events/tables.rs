//! The columns of the event table, declared once.
//!
//! DuckDB's tail tables, the Parquet segments, the ClickHouse table and the documentation all derive from
//! [`COLUMNS`]. Adding a column is one line here and a field in [`Event`](super::event::Event).

use super::{
    column::{
        agent, call, check, column, duration, engagement, event_kind, failure, first_byte, page,
    },
    event::{Bot, Details, Trust},
};

pub use super::column::{Column, Read, kind};

use Read::{Count, Double, Float, Hash, Int, Text, Tiny};

/// Name of each column, how it is read off an event, what it holds, and the version of the table that it came with.
macro_rules! columns {
    ($($name:literal: $read:expr, $about:literal $(since $version:literal)?;)*) => {
        &[$(column($name, $read, $about)$(.since($version))?),*]
    };
}

/// Every column, in stored order. `website` and `time` are the sort order of segments.
pub const COLUMNS: &[Column] = columns! {
    "organization": Int(|e| e.organization), "owner";
    "website": Int(|e| e.website), "website (of clicks the link, of checks the monitor), 0 = none";
    "time": Int(|e| e.time), "when it happened, Unix ms; -1 for aliases";
    "received": Int(|e| e.received), "when we received it, Unix ms";
    "kind": Tiny(event_kind),
        "1 page, 2 custom, 3 outgoing link, 4 vital, 5 error, 6 engagement, 7 tool call, 8 agent's \
         request, 64 click on a short link, 65 check of a monitor, 66 a place's part of it, 100 tally \
         of what is not stored, 101 alias";
    "name": Text(|e| Some(&e.name)), "event name, metric name, error type, tool or kind of check";
    "visitor": Hash(|e| e.visitor), "hash of the visitor id, 0 = none";
    "session": Hash(|e| e.session), "hash of the session id, 0 = none";
    "profile": Text(|e| e.profile.as_deref()), "the caller's own user id";
    "host": Text(|e| e.host.as_deref()), "host of the page";
    "path": Text(|e| Some(&e.path)), "decoded pathname without trailing slash";
    "title": Text(|e| e.title.as_deref()), "page title";
    "referrer": Text(|e| e.referrer.as_deref()), "host and path of the referrer";
    "referrer_domain": Text(|e| e.referrer_domain.as_deref()), "its registrable domain";
    "source": Text(|e| e.source.as_deref()), "name of the traffic source";
    "channel": Text(|e| e.channel.as_deref()), "kind of traffic source";
    "country": Text(|e| e.country.as_deref()), "ISO 3166-1 alpha-2";
    "region": Text(|e| e.region.as_deref()), "first-level subdivision";
    "city": Text(|e| e.city.as_deref()), "city";
    "device_type": Text(|e| e.device_type.as_deref()), "desktop, mobile, tablet, …";
    "browser_name": Text(|e| e.browser_name.as_deref()), "browser family";
    "browser_version": Text(|e| e.browser_version.as_deref()), "browser version";
    "os_name": Text(|e| e.os_name.as_deref()), "operating system";
    "os_version": Text(|e| e.os_version.as_deref()), "its version";
    "language": Text(|e| e.language.as_deref()), "language tag";
    "timezone": Text(|e| e.timezone.as_deref()), "the visitor's time zone";
    "screen": Text(|e| e.screen.as_deref()), "screen size";
    "viewport": Text(|e| e.viewport.as_deref()), "window size";
    "utm_source": Text(|e| e.utm.source.as_deref()), "campaign source";
    "utm_medium": Text(|e| e.utm.medium.as_deref()), "campaign medium";
    "utm_campaign": Text(|e| e.utm.campaign.as_deref()), "campaign name";
    "utm_term": Text(|e| e.utm.term.as_deref()), "campaign term";
    "utm_content": Text(|e| e.utm.content.as_deref()), "campaign content";
    "namespace": Text(|e| e.namespace.as_deref()), "namespace of a custom event; `quorum` of a check of several places";
    "sender": Text(|e| e.sender.as_deref()), "source field of a custom event; the place of a place's check";
    "trust": Tiny(|e| u8::from(e.trust == Trust::Key)), "0 client id, 1 API key";
    "bot":
        Tiny(|e| match e.bot {
            Bot::No => 0,
            Bot::Suspected => 1,
            Bot::Declared => 2,
        }),
        "0 no, 1 suspected, 2 declared";
    "properties": Text(|e| e.properties.as_deref()), "the caller's properties, JSON";
    "time_on_page":
        Float(|e| page(e).and_then(|p| p.time_on_page).or_else(|| Some(engagement(e)?.time_on_page))),
        "seconds on the page";
    "scroll_depth":
        Float(|e| page(e).and_then(|p| p.scroll_depth).or_else(|| Some(engagement(e)?.scroll_depth))),
        "deepest scroll position, percent";
    "interactions":
        Count(|e| page(e).and_then(|p| p.interactions).or_else(|| Some(engagement(e)?.interactions))),
        "clicks, keys and touches";
    "page_count": Count(|e| page(e).and_then(|p| p.page_count)), "pages seen so far";
    "load_time": Float(|e| page(e).and_then(|p| p.load_time)), "ms until loaded";
    "dom_ready_time": Float(|e| page(e).and_then(|p| p.dom_ready_time)), "ms until ready";
    "ttfb": Float(first_byte), "ms until the first byte";
    "render_time": Float(|e| page(e).and_then(|p| p.render_time)), "ms spent rendering";
    "value":
        Double(|e| match e.details {
            Details::Vital { value } => Some(value),
            Details::Counter { count } => Some(count as f64),
            _ => None,
        }),
        "value of a vital, number of a tally";
    "href":
        Text(|e| match &e.details {
            Details::Outgoing { href, .. } => Some(href),
            Details::Check(check) => Some(&check.url),
            _ => None,
        }),
        "target of an outgoing link or of a check";
    "link_text":
        Text(|e| match &e.details {
            Details::Outgoing { text, .. } => Some(text),
            _ => None,
        }),
        "text of an outgoing link";
    "message":
        Text(|e| failure(e).map(|f| f.message.as_str())
            .or_else(|| call(e)?.error.as_deref())
            .or_else(|| check(e)?.error.as_deref())),
        "message of an error, of a failed tool call or check";
    "filename": Text(|e| failure(e).and_then(|f| f.filename.as_deref())), "error script";
    "line": Count(|e| failure(e).and_then(|f| f.line)), "error line";
    "column_number": Count(|e| failure(e).and_then(|f| f.column)), "error column";
    "stack": Text(|e| failure(e).and_then(|f| f.stack.as_deref())), "error stack";
    "active_time": Float(|e| engagement(e).map(|s| s.active_time)), "seconds active";
    "first_interaction": Float(|e| engagement(e).and_then(|s| s.first_interaction)),
        "ms until the first interaction";
    "rage_clicks": Count(|e| engagement(e).map(|s| s.rage_clicks)), "angry bursts";
    "dead_clicks": Count(|e| engagement(e).map(|s| s.dead_clicks)), "clicks in vain";
    "rage_target": Text(|e| engagement(e).and_then(|s| s.rage_target.as_deref())),
        "what was clicked in rage";
    "dead_target": Text(|e| engagement(e).and_then(|s| s.dead_target.as_deref())),
        "what was clicked in vain";
    "form_fields": Count(|e| engagement(e).map(|s| s.form_fields)), "form fields touched";
    "form_submits": Count(|e| engagement(e).map(|s| s.form_submits)), "forms submitted";
    "last_field": Text(|e| engagement(e).and_then(|s| s.last_field.as_deref())),
        "form field touched last";
    "error_count": Count(|e| engagement(e).map(|s| s.errors)), "errors during the view";
    "exit_type": Text(|e| engagement(e).map(|s| s.exit.as_str())),
        "how the view ended: navigation, spa, hidden, unload";
    "page_index": Count(|e| engagement(e).map(|s| s.page_index)), "which view of its visit it was";
    "scrolls": Count(|e| engagement(e).map(|s| s.scrolls)), "times scrolled";
    "clicks": Count(|e| engagement(e).map(|s| s.clicks)), "clicks";
    "keystrokes": Count(|e| engagement(e).map(|s| s.keys)), "keys pressed";
    "copies": Count(|e| engagement(e).map(|s| s.copies)), "times text was copied";
    "is_error": Tiny(|e| u8::from(call(e).is_some_and(|c| c.is_error))),
        "1 for a tool call that failed, else 0";
    "error_code": Text(|e| call(e).and_then(|c| c.error_code.as_deref())),
        "why a tool call failed, such as invalid_params";
    "duration_ms": Count(duration), "ms that a tool call or a check took";
    "output_chars": Count(|e| call(e).map(|c| c.output_chars)),
        "characters that a tool call gave back";
    "client": Text(|e| call(e).and_then(|c| c.client.as_deref())),
        "product that called a tool, such as Cursor";
    "client_name": Text(|e| call(e).and_then(|c| c.client_name.as_deref())),
        "its name as it says it";
    "client_version": Text(|e| call(e).and_then(|c| c.client_version.as_deref())), "its version";
    "user_agent": Text(|e| call(e).and_then(|c| c.user_agent.as_deref())), "its user agent";
    "server_name": Text(|e| call(e).and_then(|c| c.server_name.as_deref())),
        "server whose tool was called";
    "server_version": Text(|e| call(e).and_then(|c| c.server_version.as_deref())), "its version";
    "environment": Text(|e| call(e).and_then(|c| c.environment.as_deref())),
        "where it runs, such as production";
    "connection": Text(|e| page(e).and_then(|p| p.connection.as_deref())),
        "how the browser is connected: wifi, 4g, …";
    "status": Count(|e| check(e).map(|c| c.status.number())),
        "what a check came to: 0 down, 1 up, 2 pending, 3 maintenance, 4 missed";
    "http_code": Count(|e| check(e).map(|c| c.http_code)), "HTTP status of a check, 0 = no answer";
    "probe_ip": Text(|e| check(e).and_then(|c| c.ip.as_deref())), "address that a check reached";
    "ssl_expiry": Double(|e| check(e).and_then(|c| c.ssl_expiry).map(|at| at as f64)),
        "when the certificate that a check saw ends, Unix ms";
    "ssl_valid": Count(|e| check(e).and_then(|c| c.ssl_valid).map(u32::from)),
        "1 for a certificate to be trusted, else 0";
    "device_brand": Text(|e| e.device_brand.as_deref()), "who made the device";
    "device_model": Text(|e| e.device_model.as_deref()), "which one of theirs it is";
    "click_id": Text(|e| e.click_id.as_deref()),
        "name of the click id that came along, such as gclid";
    "bot_signals": Count(|e| (e.bot_signals != 0).then_some(e.bot_signals)),
        "bits: what speaks against a person, and what kind of bot it is";
    "agent_product": Text(|e| agent(e).map(|a| a.product.as_str())),
        "product that an agent belongs to, such as ChatGPT";
    "agent_operator": Text(|e| agent(e).map(|a| a.operator.as_str())), "who runs the agent";
    "agent_purpose": Text(|e| agent(e).map(|a| a.purpose.as_str())),
        "what the agent is for: ai_training, ai_search, ai_user, ai_agent, …";
    "agent_source": Text(|e| agent(e).map(|a| if a.is_reported { "server" } else { "tracker" })),
        "who saw the agent: server (the website's own), tracker (the agent ran it, its event is \
         ignored)";
    "short_link": Text(|e| e.link.as_deref()),
        "id of the short link that led to the page, or was clicked" since 2;
};

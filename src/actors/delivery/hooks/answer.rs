//! What a receiver's answer means. Pure.

use chrono::DateTime;
use serde_json::Value;

use super::channels::Definition;
use crate::{actors::delivery::Failure, egress::Answer};

/// Characters of an answer that an error quotes.
const MAX_QUOTE: usize = 120;

/// Delivered, or why not: 2xx is unless the channel says otherwise; 410 wants nothing any more; 429 and 5xx may say when they are ready.
pub(super) fn judge(channel: &Definition, answer: &Answer, now_ms: i64) -> Result<(), Failure> {
    let status = answer.status.as_u16();
    let text = String::from_utf8_lossy(&answer.text);
    let verdict = channel.judge(status, &text);
    if verdict.success {
        return Ok(());
    }
    let said = verdict.error.unwrap_or_else(|| text.into_owned());
    let said: String = said.trim().chars().take(MAX_QUOTE).collect();
    let what = if said.is_empty() || status >= 500 {
        format!("the receiver answered {status}")
    } else {
        format!("the receiver answered {status}: {said}")
    };
    Err(Failure {
        gone: verdict.gone,
        // A receiver that is being set up answers 404 for a while; what it does not understand it never will.
        forever: verdict.forever || matches!(status, 400 | 405 | 410 | 413 | 415 | 422),
        not_before_ms: pause(answer, now_ms).map(|pause| now_ms.saturating_add(pause)),
        what,
    })
}

/// How long the receiver wants to be left alone, milliseconds: `Retry-After`, or what Discord and Telegram say in their
/// bodies.
fn pause(answer: &Answer, now_ms: i64) -> Option<i64> {
    if let Some(text) = &answer.retry_after {
        let text = text.trim();
        if let Ok(seconds) = text.parse::<i64>() {
            return Some(seconds.clamp(0, 86_400) * 1_000);
        }
        let moment = DateTime::parse_from_rfc2822(text).ok()?.timestamp_millis();
        return Some((moment - now_ms).clamp(0, 86_400_000));
    }
    let body: Value = serde_json::from_slice(&answer.text).ok()?;
    let seconds = body["retry_after"]
        .as_f64()
        .or_else(|| body["parameters"]["retry_after"].as_f64())?;
    Some((seconds.clamp(0.0, 86_400.0) * 1_000.0).ceil() as i64)
}

#[cfg(test)]
mod tests {
    use hyper::StatusCode;

    use super::*;
    use crate::actors::delivery::Channels;

    const NOW: i64 = 1_800_000_000_000;

    fn judge_text(status: u16, retry_after: Option<&str>, text: &str) -> Result<(), Failure> {
        let answer = Answer {
            url: url::Url::parse("https://example.com/").unwrap(),
            status: StatusCode::from_u16(status).unwrap(),
            media: String::new(),
            retry_after: retry_after.map(str::to_owned),
            headers: hyper::HeaderMap::new(),
            text: text.as_bytes().to_vec(),
        };
        let channels = Channels::default();
        judge(channels.get("webhook").unwrap(), &answer, NOW)
    }

    #[test]
    fn success_is_2xx_and_410_is_the_end() {
        for status in [200, 202, 204] {
            assert_eq!(judge_text(status, None, ""), Ok(()));
        }
        for (status, forever, gone) in [
            (302, false, false),
            (400, true, false),
            (404, false, false),
            (408, false, false),
            (410, true, true),
            (429, false, false),
            (500, false, false),
            (503, false, false),
        ] {
            let failure = judge_text(status, None, "").unwrap_err();
            assert_eq!((failure.forever, failure.gone), (forever, gone), "{status}");
            assert_eq!(failure.not_before_ms, None);
        }
        let failure = judge_text(400, None, "invalid_payload\n").unwrap_err();
        assert_eq!(failure.what, "the receiver answered 400: invalid_payload");
    }

    #[test]
    fn who_wants_to_be_left_alone_says_for_how_long() {
        for (retry_after, text, pause) in [
            (Some("120"), "", Some(120_000)),
            (Some("-5"), "", Some(0)),
            (Some("999999"), "", Some(86_400_000)),
            (Some("Fri, 15 Jan 2027 08:01:40 GMT"), "", Some(100_000)),
            (Some("soon"), "", None),
            (None, r#"{"retry_after": 1.5}"#, Some(1_500)),
            (None, r#"{"parameters": {"retry_after": 7}}"#, Some(7_000)),
            (None, "{}", None),
        ] {
            let failure = judge_text(429, retry_after, text).unwrap_err();
            let expected = pause.map(|pause| NOW + pause);
            assert_eq!(failure.not_before_ms, expected, "{retry_after:?} {text}");
        }
    }
}

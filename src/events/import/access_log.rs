//! Logs of web servers in the combined format (nginx, Apache, Caddy's `transform`, lighttpd):
//!
//! `address - user [21/Nov/2026:10:00:00 +0100] "GET /path HTTP/1.1" 200 512 "referrer" "user agent"`
//!
//! Only pages that people got are events: GET, answered with 2xx or 304, and no file of a page (scripts, images, …).
//! Visitors are distinguished by address and user agent within a day of the log, as the daily salt does elsewhere.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    net::IpAddr,
};

use chrono::DateTime;
use serde_json::json;

use super::{Import, Outcome, Record, Source};
use crate::events::{
    enrich::{
        Request,
        bot::{Fate, Headers},
        geo::ProxyGeo,
        user_agent::Hints,
    },
    event::Trust,
    sessions::Sessions,
};

/// Longest line; longer ones are no requests of people.
const LONGEST: u64 = 64 * 1024;
const DAY_MS: i64 = 86_400_000;
/// Files that pages load.
const PARTS: [&str; 30] = [
    "avif",
    "bmp",
    "css",
    "csv",
    "eot",
    "gif",
    "gz",
    "ico",
    "jpeg",
    "jpg",
    "js",
    "json",
    "map",
    "mjs",
    "mov",
    "mp3",
    "mp4",
    "ogg",
    "otf",
    "pdf",
    "png",
    "svg",
    "ttf",
    "txt",
    "wasm",
    "webm",
    "webmanifest",
    "webp",
    "woff",
    "woff2",
];

pub(super) struct AccessLog {
    file: BufReader<File>,
    line: u64,
    end: u64,
    sessions: Sessions,
}

impl AccessLog {
    pub(super) fn new(file: File) -> Self {
        Self {
            file: BufReader::with_capacity(1 << 20, file),
            line: 0,
            end: 0,
            sessions: Sessions::default(),
        }
    }

    /// The next line without its end; whether it was cut because it is too long. `None` when there is no whole one.
    fn read(&mut self) -> io::Result<Option<(Vec<u8>, bool)>> {
        let (mut line, mut length, mut cut) = (Vec::new(), 0, false);
        loop {
            let available = self.file.fill_buf()?;
            if available.is_empty() {
                // It may still be written.
                return Ok(None);
            }
            let at = available.iter().position(|byte| *byte == b'\n');
            let consumed = at.map_or(available.len(), |at| at + 1);
            cut |= length + consumed as u64 > LONGEST;
            if !cut {
                line.extend_from_slice(&available[..at.unwrap_or(consumed)]);
            }
            length += consumed as u64;
            self.file.consume(consumed);
            if at.is_some() {
                self.line += 1;
                self.end += length;
                return Ok(Some((line, cut)));
            }
        }
    }

    fn take(&mut self, line: &[u8], import: &Import<'_>) -> Outcome {
        let text = String::from_utf8_lossy(line);
        if text.trim().is_empty() {
            return Outcome::LeftOut("empty lines");
        }
        match Entry::read(&text) {
            None => Outcome::Refused("this is no line of the combined format".to_owned()),
            Some(entry) => self.judge(&entry, import),
        }
    }

    fn judge(&mut self, entry: &Entry<'_>, import: &Import<'_>) -> Outcome {
        if let Some(why) = entry.no_page() {
            return Outcome::LeftOut(why);
        }
        let request = Request {
            ip: entry.address.parse::<IpAddr>().ok(),
            user_agent: Some(&entry.agent),
            hints: Hints::default(),
            told: ProxyGeo::default(),
            // Logs do not say; what people's browsers send is assumed.
            headers: Headers {
                accept_language: true,
                fetch_metadata: true,
            },
            trust: Trust::Client,
            received: import.now,
        };
        let visit = match import.visit(&request) {
            Ok(visit) => visit,
            Err(outcome) => return outcome,
        };
        if visit.fate(import.target.bots) != Fate::Kept {
            return Outcome::LeftOut("bots");
        }
        let day = entry.time.div_euclid(DAY_MS);
        let visitor = blake3::hash(format!("{day} {} {}", entry.address, entry.agent).as_bytes());
        let visitor: [u8; 16] = std::array::from_fn(|at| visitor.as_bytes()[at]);
        let begun = self.sessions.begun(visitor, entry.time);
        let visitor = u128::from_le_bytes(visitor);
        let body = json!({
            "name": "screen_view", "timestamp": entry.time,
            "path": format!("https://{}{}", import.target.domain, entry.target), "referrer": entry.referrer,
            "anonymousId": format!("{visitor:032x}"), "sessionId": format!("{visitor:032x}-{begun}"),
        });
        import.page(body, self.end, &visit)
    }
}

impl Source for AccessLog {
    fn next(&mut self, import: &Import<'_>) -> io::Result<Option<Record>> {
        let Some((line, cut)) = self.read()? else {
            return Ok(None);
        };
        let outcome = if cut {
            Outcome::Refused(format!("the line has more than {LONGEST} bytes"))
        } else {
            self.take(&line, import)
        };
        Ok(Some(Record::new(self.line, self.end, outcome)))
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Entry<'a> {
    address: &'a str,
    /// Unix ms.
    time: i64,
    method: String,
    /// Path and query.
    target: String,
    status: u16,
    referrer: Option<String>,
    agent: String,
}

impl<'a> Entry<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (address, rest) = line.split_once(' ')?;
        let (_, rest) = rest.split_once('[')?;
        let (time, rest) = rest.split_once("] ")?;
        let time = DateTime::parse_from_str(time, "%d/%b/%Y:%H:%M:%S %z").ok()?;
        let (request, rest) = quoted(rest)?;
        let mut words = request.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut numbers = rest.trim_start().splitn(3, ' ');
        let status = numbers.next()?.parse().ok()?;
        numbers.next()?;
        let (referrer, rest) = quoted(numbers.next()?)?;
        let (agent, _) = quoted(rest.trim_start())?;
        Some(Self {
            address,
            time: time.timestamp_millis(),
            method,
            target,
            status,
            referrer: (referrer != "-").then_some(referrer),
            agent,
        })
    }

    /// Why this is no page view.
    fn no_page(&self) -> Option<&'static str> {
        if self.method != "GET" {
            return Some("other methods than GET");
        }
        if !(200..300).contains(&self.status) && self.status != 304 {
            return Some("answers other than 2xx and 304");
        }
        let path = self.target.split(['?', '#']).next().unwrap_or_default();
        let suffix = path
            .rsplit('/')
            .next()
            .and_then(|name| name.rsplit_once('.'));
        let part = suffix.is_some_and(|(_, suffix)| {
            let suffix = suffix.to_ascii_lowercase();
            PARTS.binary_search(&suffix.as_str()).is_ok()
        });
        if part {
            return Some("files of pages");
        }
        (!self.target.starts_with('/')).then_some("requests for no path")
    }
}

/// A text in quotes at the beginning, its escapes undone, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let text = text.strip_prefix('"')?;
    let (mut value, mut escaped) = (String::new(), false);
    for (at, c) in text.char_indices() {
        match (escaped, c) {
            (false, '"') => return Some((value, &text[at + 1..])),
            (false, '\\') => escaped = true,
            _ => {
                if escaped && c == 'x' {
                    // A byte that is no text; nothing reads it.
                    value.push('\\');
                }
                value.push(c);
                escaped = false;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LINE: &str = r#"203.0.113.7 - ann [21/Nov/2026:10:00:00 +0100] "GET /a?b=c HTTP/1.1" 200 512 "https://news.example/x" "Mozilla/5.0 \"q\" (X11)""#;

    #[test]
    fn a_line_is_taken_apart() {
        let entry = Entry::read(LINE).unwrap();
        assert_eq!(
            (entry.address, entry.time),
            ("203.0.113.7", 1_795_251_600_000)
        );
        assert_eq!((&*entry.target, entry.status), ("/a?b=c", 200));
        assert_eq!(entry.referrer.as_deref(), Some("https://news.example/x"));
        assert_eq!(entry.agent, "Mozilla/5.0 \"q\" (X11)");
        assert_eq!(entry.no_page(), None);
        for (was, is, why) in [
            ("GET", "POST", Some("other methods than GET")),
            ("\" 200", "\" 404", Some("answers other than 2xx and 304")),
            ("\" 200", "\" 304", None),
            ("/a?b=c", "/a/Logo.PNG?v=1", Some("files of pages")),
            ("/a?b=c", "/v1.2/notes", None),
            ("/a?b=c", "*", Some("requests for no path")),
        ] {
            let line = LINE.replace(was, is);
            assert_eq!(Entry::read(&line).unwrap().no_page(), why, "{line}");
        }
        for wrong in [
            "",
            "GET /",
            &LINE[..60],
            &LINE.replace("Nov", "Nox"),
            &LINE.replace("200", "ok"),
        ] {
            assert_eq!(Entry::read(wrong), None, "{wrong}");
        }
        assert!(PARTS.is_sorted());
    }

    proptest! {
        #[test]
        fn any_line_is_survived(line in any::<String>(), at in 0..LINE.len()) {
            let _ = Entry::read(&line);
            let _ = Entry::read(&format!("{}{line}{}", &LINE[..at], &LINE[at..]));
        }
    }
}

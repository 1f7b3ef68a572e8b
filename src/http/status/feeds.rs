//! Incidents as feeds, and maintenance as a calendar.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    RenderedDocument,
    markdown::{escape, html},
};
use crate::{
    actors::status_pages::{Incident, IncidentKind, Snapshot},
    clock::{from_ms, iso_ms},
    locale::Texts,
};

/// Entries of a feed.
const MAX: usize = 50;

/// What a feed says of one incident.
struct Entry {
    id: String,
    title: String,
    link: String,
    body: String,
    created_ms: i64,
    updated_ms: i64,
}

fn entries(home: &str, seen: &Snapshot, texts: Texts) -> Vec<Entry> {
    let page = &seen.page;
    let entry = |one: &Incident| {
        let said = one.updates.iter().map(|said| {
            let status = said.status.label(texts);
            let at = texts.moment(from_ms(said.created_ms));
            format!(
                "<p><strong>{status}</strong> ({at})</p>{}",
                html(&said.message)
            )
        });
        let learned = one.postmortem.iter().map(|text| {
            let at = texts.moment(from_ms(text.created_ms));
            let title = texts.postmortem();
            format!(
                "<p><strong>{title}</strong> ({at})</p>{}",
                html(&text.message)
            )
        });
        Entry {
            id: format!("urn:uuid:{}", one.id),
            title: one.title.clone(),
            link: format!("{home}#{}", one.id),
            body: learned.chain(said).collect(),
            created_ms: one.created_ms,
            updated_ms: one.changed_ms(),
        }
    };
    page.incidents.iter().take(MAX).map(entry).collect()
}

pub(super) fn rss(home: &str, seen: &Snapshot, texts: Texts) -> RenderedDocument {
    let page = &seen.page.fields;
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\"><channel><title>{}</title>\
         <link>{}</link><language>{}</language><description>{}</description>",
        escape(&page.name),
        escape(home),
        texts.language().code(),
        escape(
            page.description
                .as_deref()
                .unwrap_or(&texts.incidents_and_maintenance())
        ),
    );
    for one in entries(home, seen, texts) {
        let _ = write!(
            text,
            "<item><title>{}</title><link>{}</link><guid isPermaLink=\"false\">{}</guid>\
             <pubDate>{}</pubDate><description>{}</description></item>",
            escape(&one.title),
            escape(&one.link),
            one.id,
            from_ms(one.created_ms).to_rfc2822(),
            escape(&one.body),
        );
    }
    text.push_str("</channel></rss>\n");
    RenderedDocument::new("application/rss+xml; charset=utf-8", text)
}

pub(super) fn atom(home: &str, seen: &Snapshot, texts: Texts) -> RenderedDocument {
    let page = &seen.page;
    let all = entries(home, seen, texts);
    let latest = all.iter().map(|one| one.updated_ms).max();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"{}\">\
         <id>urn:uuid:{}</id><title>{}</title><updated>{}</updated><link href=\"{}\"/>\
         <link rel=\"self\" href=\"{}/feed.atom\"/><author><name>{}</name></author>",
        texts.language().code(),
        page.id,
        escape(&page.fields.name),
        iso_ms(latest.unwrap_or(page.created_ms)),
        escape(home),
        escape(home),
        escape(&page.fields.name),
    );
    for one in all {
        let _ = write!(
            text,
            "<entry><id>{}</id><title>{}</title><link href=\"{}\"/><published>{}</published>\
             <updated>{}</updated><content type=\"html\">{}</content></entry>",
            one.id,
            escape(&one.title),
            escape(&one.link),
            iso_ms(one.created_ms),
            iso_ms(one.updated_ms),
            escape(&one.body),
        );
    }
    text.push_str("</feed>\n");
    RenderedDocument::new("application/atom+xml; charset=utf-8", text)
}

pub(super) fn json(home: &str, seen: &Snapshot, texts: Texts) -> RenderedDocument {
    let items: Vec<Value> = entries(home, seen, texts)
        .into_iter()
        .map(|one| {
            json!({
                "id": one.id,
                "url": one.link,
                "title": one.title,
                "content_html": one.body,
                "date_published": iso_ms(one.created_ms),
                "date_modified": iso_ms(one.updated_ms),
            })
        })
        .collect();
    let feed = json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": seen.page.fields.name,
        "language": texts.language().code(),
        "home_page_url": home,
        "feed_url": format!("{home}/feed.json"),
        "items": items,
    });
    RenderedDocument::new("application/feed+json; charset=utf-8", feed.to_string())
}

pub(super) fn calendar(home: &str, seen: &Snapshot) -> RenderedDocument {
    let mut text =
        String::from("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//pharos//status page//EN\r\n");
    fold(&mut text, "X-WR-CALNAME", &seen.page.fields.name);
    let planned = seen.page.incidents.iter();
    for one in planned.filter(|one| one.kind == IncidentKind::Maintenance) {
        let (Some(starts), Some(ends)) = (one.starts_ms, one.ends_ms) else {
            continue;
        };
        let latest = one.updates.first();
        let stamp = latest.map_or(one.created_ms, |said| said.created_ms);
        text.push_str("BEGIN:VEVENT\r\n");
        let _ = write!(text, "UID:{}\r\nDTSTAMP:{}\r\n", one.id, basic(stamp));
        let _ = write!(
            text,
            "DTSTART:{}\r\nDTEND:{}\r\n",
            basic(starts),
            basic(ends)
        );
        fold(&mut text, "SUMMARY", &one.title);
        if let Some(said) = latest {
            fold(&mut text, "DESCRIPTION", &said.message);
        }
        let _ = write!(text, "URL:{home}\r\nEND:VEVENT\r\n");
    }
    text.push_str("END:VCALENDAR\r\n");
    RenderedDocument::new("text/calendar; charset=utf-8", text)
}

fn basic(at_ms: i64) -> String {
    from_ms(at_ms).format("%Y%m%dT%H%M%SZ").to_string()
}

/// A line of text as RFC 5545 wants it: escaped, and no longer than 75 bytes.
fn fold(out: &mut String, name: &str, value: &str) {
    let mut line = format!("{name}:");
    for c in value.chars() {
        match c {
            '\\' | ';' | ',' => {
                line.push('\\');
                line.push(c);
            }
            '\n' => line.push_str("\\n"),
            c if c.is_control() => {}
            c => line.push(c),
        }
    }
    let mut length = 0;
    for c in line.chars() {
        if length + c.len_utf8() > 74 {
            out.push_str("\r\n ");
            length = 1;
        }
        out.push(c);
        length += c.len_utf8();
    }
    out.push_str("\r\n");
}

//! Markdown of strangers as HTML that can do nothing: no HTML of its own, no pictures, links to the web and to mailboxes alone.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

/// A text in Markdown as HTML.
pub(in crate::http) fn html(text: &str) -> String {
    let mut depth = Vec::new();
    let events = Parser::new_ext(text, Options::ENABLE_STRIKETHROUGH).filter_map(|event| {
        Some(match event {
            Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
            Event::Start(Tag::HtmlBlock | Tag::Image { .. })
            | Event::End(TagEnd::HtmlBlock | TagEnd::Image) => return None,
            // Pages have headings of their own.
            Event::Start(Tag::Heading { .. }) => Event::InlineHtml("<p><strong>".into()),
            Event::End(TagEnd::Heading(_)) => Event::InlineHtml("</strong></p>\n".into()),
            Event::Start(Tag::Link { ref dest_url, .. }) => {
                let is_good = leads_out(dest_url);
                depth.push(is_good);
                return is_good.then_some(event);
            }
            Event::End(TagEnd::Link) => {
                return depth.pop().unwrap_or(false).then_some(event);
            }
            other => other,
        })
    });
    let mut out = String::new();
    html::push_html(&mut out, events);
    out
}

fn leads_out(address: &str) -> bool {
    let read = url::Url::parse(address);
    read.is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "mailto"))
}

/// A text escaped for HTML and XML, attributes included.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML has no place for these, however they are written.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_makes_text_and_links_and_nothing_else() {
        let made = html(
            "**Bold** <script>alert(1)</script> [a](https://a.example) [b](javascript:alert(1))",
        );
        assert!(made.contains("<strong>Bold</strong>"), "{made}");
        assert!(
            made.contains("&lt;script&gt;") && !made.contains("<script"),
            "{made}"
        );
        assert!(
            made.contains(r#"<a href="https://a.example">a</a>"#),
            "{made}"
        );
        assert!(!made.contains("javascript:"), "{made}");
        assert_eq!(html("# A <b>"), "<p><strong>A &lt;b&gt;</strong></p>\n");
        for hostile in [
            "<img src=x onerror=alert(1)>",
            "![x](https://a.example/x.png)",
            "<svg/onload=alert(1)>",
            "[x](data:text/html,<script>alert(1)</script>)",
            "[x](JaVaScRiPt:alert(1))",
            "<a href=\"javascript:alert(1)\">x</a>",
            "# <b onmouseover=alert(1)>x",
            "<javascript:alert(1)>",
            "`<script>`",
        ] {
            let made = html(hostile);
            for word in [
                "<img",
                "<svg",
                "<script",
                "<b ",
                "<a href=\"java",
                "<a href=\"data",
                "<a href=\"Java",
            ] {
                assert!(!made.contains(word), "{hostile}: {made}");
            }
        }
    }
}

//! A guide from Markdown to HTML: headings get ids, code a button that copies it, tables scroll.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// A part of a guide, from its heading to the next one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// Empty before the first heading.
    pub(super) id: String,
    pub(super) title: String,
    pub(super) level: HeadingLevel,
    /// What it says, without marks.
    pub(super) text: String,
}

/// A guide in parts.
#[derive(Debug)]
pub(super) struct RenderedGuide {
    pub(super) title: String,
    /// Its first paragraph.
    pub(super) summary: String,
    pub(super) sections: Vec<Section>,
    /// Everything but the title.
    pub(super) html: String,
}

/// The address of a link in a file; `None` where it has none.
pub(super) type Resolve = fn(&str) -> Option<String>;

/// Renders the text of a file.
pub(super) fn render(markdown: &str, resolve: Resolve) -> RenderedGuide {
    let mut writer = Writer::new(resolve);
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        writer.read(event);
    }
    writer.finish()
}

/// The id of a heading or name.
pub(super) fn anchor(title: &str) -> String {
    let mut id = String::new();
    for character in title.chars() {
        if character.is_ascii_alphanumeric() {
            id.push(character.to_ascii_lowercase());
        } else if !id.is_empty() && !id.ends_with('-') && character != '\'' {
            id.push('-');
        }
    }
    id.trim_end_matches('-').to_owned()
}

struct Writer<'a> {
    resolve: Resolve,
    title: String,
    summary: String,
    sections: Vec<Section>,
    events: Vec<Event<'a>>,
    /// The level of the heading that is being read, and where its events begin.
    heading: Option<(HeadingLevel, usize)>,
    heading_text: String,
    /// Whether each open link leads somewhere.
    links: Vec<bool>,
    tables: usize,
    paragraphs: usize,
    is_first_paragraph: bool,
}

impl<'a> Writer<'a> {
    const fn new(resolve: Resolve) -> Self {
        Self {
            resolve,
            title: String::new(),
            summary: String::new(),
            sections: Vec::new(),
            events: Vec::new(),
            heading: None,
            heading_text: String::new(),
            links: Vec::new(),
            tables: 0,
            paragraphs: 0,
            is_first_paragraph: false,
        }
    }

    fn read(&mut self, event: Event<'a>) {
        if let Event::Text(text) | Event::Code(text) = &event {
            self.note(text);
        }
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                self.heading = Some((level, self.events.len()));
                self.heading_text.clear();
            }
            Event::End(TagEnd::Heading(_)) => self.end_heading(),
            Event::Start(Tag::Paragraph) => {
                self.paragraphs += 1;
                self.is_first_paragraph = self.paragraphs == 1;
                self.events.push(event);
            }
            Event::End(TagEnd::Paragraph) => {
                self.is_first_paragraph = false;
                self.events.push(event);
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let address = (self.resolve)(&dest_url);
                self.links.push(address.is_some());
                let link = |address: String| Tag::Link {
                    link_type,
                    dest_url: address.into(),
                    title,
                    id,
                };
                self.events.extend(address.map(link).map(Event::Start));
            }
            Event::End(TagEnd::Link) => {
                if self.links.pop() == Some(true) {
                    self.events.push(event);
                }
            }
            Event::Start(Tag::Table(_)) => {
                let open = self.open_table();
                self.events.extend([raw(open), event]);
            }
            Event::End(TagEnd::Table) => self.events.extend([event, raw("</div>")]),
            Event::Start(Tag::CodeBlock(_)) => {
                self.events.extend([raw("<div class=\"copied\">"), event]);
            }
            Event::End(TagEnd::CodeBlock) => {
                let button = "<button class=\"button small\" type=\"button\" data-copy hidden>Copy</button></div>";
                self.events.extend([event, raw(button)]);
            }
            // A line of the file is a sentence.
            Event::SoftBreak => {
                self.note(" ");
                self.events.push(event);
            }
            event => self.events.push(event),
        }
    }

    /// A wide table scrolls, also by keys, and is named by its number and section.
    fn open_table(&mut self) -> String {
        self.tables += 1;
        let section = self.sections.last().map(|section| &section.title);
        let about = section.filter(|title| !title.is_empty());
        format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table {}: {}\">",
            self.tables,
            escape(about.unwrap_or(&self.title))
        )
    }

    /// Keeps text for the headings, the summary and the search.
    fn note(&mut self, text: &str) {
        if self.heading.is_some() {
            self.heading_text.push_str(text);
            return;
        }
        if self.is_first_paragraph {
            self.summary.push_str(text);
        }
        if self.sections.is_empty() {
            self.sections.push(Section {
                id: String::new(),
                title: String::new(),
                level: HeadingLevel::H1,
                text: String::new(),
            });
        }
        if let Some(section) = self.sections.last_mut() {
            section.text.push_str(text);
            if !text.ends_with(' ') {
                section.text.push(' ');
            }
        }
    }

    fn end_heading(&mut self) {
        let Some((level, begin)) = self.heading.take() else {
            return;
        };
        let inner = self.events.split_off(begin);
        let title = std::mem::take(&mut self.heading_text);
        if level == HeadingLevel::H1 {
            self.title = title;
            return;
        }
        let id = self.unused_id(&title);
        let name = if level <= HeadingLevel::H2 { 2 } else { 3 };
        self.events
            .push(raw(format!("<h{name} id=\"{id}\"><a href=\"#{id}\">")));
        self.events.extend(inner);
        self.events.push(raw(format!("</a></h{name}>")));
        let text = String::new();
        self.sections.push(Section {
            id,
            title,
            level,
            text,
        });
    }

    fn unused_id(&self, title: &str) -> String {
        let base = anchor(title);
        let is_used = |id: &str| self.sections.iter().any(|section| section.id == id);
        let mut id = base.clone();
        let mut number = 2;
        while is_used(&id) {
            id = format!("{base}-{number}");
            number += 1;
        }
        id
    }

    fn finish(self) -> RenderedGuide {
        let mut html = String::new();
        html::push_html(&mut html, self.events.into_iter());
        RenderedGuide {
            title: self.title,
            summary: self.summary,
            sections: self.sections,
            html,
        }
    }
}

fn raw<'a>(html: impl Into<CowStr<'a>>) -> Event<'a> {
    Event::Html(html.into())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_becomes_a_page_with_ids_and_without_markup_of_its_own() {
        let resolve: Resolve = |link| (link == "a.md").then(|| "/docs/a".to_owned());
        let guide = render(
            "# Title\n\nFirst `one`.\nSecond.\n\n## A part\n\n| a | b |\n|---|---|\n| `<x>` | 1 |\n\n\
             ## A part\n\n[in](a.md) [out](../README.md)\n\n```html\n<script src=\"a\">\n```\n",
            resolve,
        );
        assert_eq!(
            (guide.title.as_str(), guide.summary.as_str()),
            ("Title", "First one. Second.")
        );
        let ids: Vec<&str> = guide.sections.iter().map(|part| part.id.as_str()).collect();
        assert_eq!(ids, ["", "a-part", "a-part-2"]);
        let html = &guide.html;
        assert!(html.contains("<h2 id=\"a-part\"><a href=\"#a-part\">A part</a></h2>"));
        assert!(html.contains("aria-label=\"Table 1: A part\"><table>"));
        assert!(html.contains("<a href=\"/docs/a\">in</a> out"), "{html}");
        assert!(html.contains("&lt;script src=") && html.contains("data-copy"));
        assert!(
            !html.contains("<script") && !html.contains("Title"),
            "{html}"
        );
    }
}

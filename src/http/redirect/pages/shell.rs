//! What all pages have in common, and what a browser may do with them.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

use crate::locale::Texts;

/// How pages look: whatever fonts and colors the visitor's system has.
const STYLE: &str = "body{font:1rem/1.5 system-ui,sans-serif;margin:0;color-scheme:light dark}\
    main{max-width:26rem;margin:20vh auto 0;padding:0 1.5rem}h1{font-size:1.4rem}\
    input,button{font:inherit;padding:.5rem .75rem;margin:.25rem .5rem .25rem 0}[role=alert]{color:#c62828}";

/// Everything around the text of a page.
pub(super) struct Shell<'a> {
    pub(super) texts: Texts,
    pub(super) title: &'a str,
    /// Further elements of the head.
    pub(super) head: &'a str,
    /// Attributes of the body.
    pub(super) data: &'a str,
    /// The one script of the page.
    pub(super) script: Option<&'static str>,
}

impl<'a> Shell<'a> {
    pub(super) const fn titled(texts: Texts, title: &'a str) -> Self {
        Self {
            texts,
            title,
            head: "",
            data: "",
            script: None,
        }
    }

    /// What a browser may do: show our own style and run our own script, by their hashes, and nothing else. Forms may go
    /// anywhere: browsers check where a form is led on to against `form-action`, and only a password shows where that is. A page
    /// with a form holds no text of others.
    pub(super) fn policy(&self) -> String {
        let script = self
            .script
            .map(|script| format!("; script-src '{}'", hash(script)));
        format!(
            "default-src 'none'; style-src '{}'{}; base-uri 'none'; frame-ancestors 'none'",
            hash(STYLE),
            script.unwrap_or_default()
        )
    }

    pub(super) fn around(&self, body: &str) -> String {
        let script = self
            .script
            .map(|script| format!("<script>{script}</script>"));
        format!(
            "<!doctype html><html lang=\"{}\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
             <meta name=\"robots\" content=\"noindex\"><title>{}</title>{}<style>{STYLE}</style></head>\
             <body{}><main>{body}</main>{}</body></html>",
            self.texts.language().code(),
            escape(self.title),
            self.head,
            self.data,
            script.unwrap_or_default()
        )
    }
}

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// Text for an attribute or between tags.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            letter => safe.push(letter),
        }
    }
    safe
}

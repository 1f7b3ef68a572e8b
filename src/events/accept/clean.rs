//! Texts as they are kept.
//!
//! Control characters (NUL, escapes, line breaks) are taken out of single-line texts: they break logs, terminals and
//! CSV exports, and no name, path or title means them. Messages and stacks keep their line breaks and tabs.

use std::borrow::Cow;

/// A single-line text without control characters and surrounding white space.
pub(super) fn line(text: &str) -> Cow<'_, str> {
    stripped(text, char::is_control)
}

/// A text of several lines, the same way but with line breaks and tabs.
pub(super) fn lines(text: &str) -> Cow<'_, str> {
    stripped(text, |letter| {
        letter.is_control() && !matches!(letter, '\n' | '\t')
    })
}

fn stripped(text: &str, drop: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Beyond ASCII, control characters begin with the byte C2.
    let may_be_control = |byte: u8| byte < b' ' || byte == 0x7f || byte == 0xc2;
    if !text.bytes().any(may_be_control) || !text.contains(&drop) {
        return Cow::Borrowed(text.trim());
    }
    let kept: String = text.chars().filter(|letter| !drop(*letter)).collect();
    Cow::Owned(kept.trim().to_owned())
}

/// The first `most` characters.
pub(super) fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    match text.char_indices().nth(most) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// Whether a text has more characters than that; looks at no more of it than it must.
pub(super) fn longer_than(text: &str, most: usize) -> bool {
    text.len() > most && text.chars().nth(most).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_go_and_markup_stays() {
        assert_eq!(line("  a\0b\u{1b}[31m\nc \u{85}"), "ab[31mc");
        assert_eq!(line("<b>&\"'"), "<b>&\"'");
        assert_eq!(lines("at a\n\tat b\0\r\n"), "at a\n\tat b");
    }

    #[test]
    fn limits_count_characters() {
        assert!(!longer_than("ääää", 4));
        assert!(longer_than("ääää", 3));
        assert!(!longer_than("", 0));
        assert_eq!(cut("äöü", 2), "äö");
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöü", 0), "");
    }
}

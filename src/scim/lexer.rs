//! The words of a filter.

use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Open,
    Close,
    OpenValue,
    CloseValue,
    /// A name of an attribute, or a word such as `and`.
    Word(String),
    /// A value in JSON; `true`, `false` and `null` are words.
    Value(Value),
}

/// Splits a text into words; the message says what is no word.
pub(super) fn split(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            '[' => (Token::OpenValue, 1),
            ']' => (Token::CloseValue, 1),
            '"' => {
                let length = string_length(rest).ok_or("a text has no end")?;
                let value = serde_json::from_str(&rest[..length]);
                (
                    Token::Value(value.map_err(|_| "a text isn't a JSON string")?),
                    length,
                )
            }
            _ => {
                let is_end = |letter: char| letter.is_whitespace() || "()[]\"".contains(letter);
                let length = rest.find(is_end).unwrap_or(rest.len());
                (read_word(&rest[..length]), length)
            }
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

fn read_word(word: &str) -> Token {
    let is_number = word.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    match serde_json::from_str(word) {
        Ok(number) if is_number => Token::Value(number),
        _ => Token::Word(word.to_owned()),
    }
}

/// The length of the JSON string that a text begins with.
fn string_length(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

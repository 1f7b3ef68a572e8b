//! Rewrites function calls in a statement's text.

/// Asks `each` for every call `name(arguments)`, innermost first; what it returns replaces the call, `None` leaves it.
///
/// A call is a word with an opening parenthesis right behind it. Arguments are cut at commas that are in no further
/// parenthesis, bracket or quotation.
pub(super) fn rewrite(text: &str, each: &dyn Fn(&str, &[String]) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let word = word(rest);
        if word.is_empty() {
            let piece = if matches!(next, '\'' | '"') {
                quoted(rest)
            } else {
                &rest[..next.len_utf8()]
            };
            out.push_str(piece);
            rest = &rest[piece.len()..];
            continue;
        }
        rest = &rest[word.len()..];
        let Some(inside) = rest.strip_prefix('(').and_then(enclosed) else {
            out.push_str(word);
            continue;
        };
        let arguments: Vec<String> = arguments(inside)
            .into_iter()
            .map(|argument| rewrite(argument, each))
            .collect();
        rest = &rest[inside.len() + 2..];
        match each(word, &arguments) {
            Some(replacement) => out.push_str(&replacement),
            None => out.extend([word, "(", &arguments.join(", "), ")"]),
        }
    }
    out
}

/// The word at the beginning, or nothing.
fn word(text: &str) -> &str {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        &text[..text.bytes().take_while(|byte| part(*byte)).count()]
    } else {
        // A number is taken as one: what follows its digits is no word.
        &text[..0]
    }
}

/// The quotation at the beginning, with its quotes; a doubled quote does not end it.
fn quoted(text: &str) -> &str {
    let quote = &text[..1];
    let mut end = 1;
    while let Some(found) = text[end..].find(quote) {
        end += found + 1;
        if text[end..].starts_with(quote) {
            end += 1;
        } else {
            return &text[..end];
        }
    }
    text
}

/// The text before the parenthesis that closes one opened before `text`.
fn enclosed(text: &str) -> Option<&str> {
    split(text).0.map(|end| &text[..end])
}

fn arguments(text: &str) -> Vec<&str> {
    let commas = split(text).1;
    let mut list = Vec::new();
    let mut from = 0;
    for comma in commas {
        list.push(text[from..comma].trim());
        from = comma + 1;
    }
    list.push(text[from..].trim());
    list.retain(|argument| !argument.is_empty());
    list
}

/// Where the parenthesis closes that is open at the beginning, and the commas in it.
fn split(text: &str) -> (Option<usize>, Vec<usize>) {
    let mut depth = 0_usize;
    let mut commas = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        match next {
            '\'' | '"' => {
                at += quoted(&text[at..]).len();
                continue;
            }
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return (Some(at), commas),
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => commas.push(at),
            _ => {}
        }
        at += next.len_utf8();
    }
    (None, commas)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shout(text: &str) -> String {
        rewrite(text, &|name, arguments| {
            (name == "loud").then(|| format!("LOUD<{}>", arguments.join("|")))
        })
    }

    #[test]
    fn calls_are_found_wherever_they_stand_and_nowhere_else() {
        for (text, wanted) in [
            ("SELECT loud(a), b", "SELECT LOUD<a>, b"),
            ("f(loud(a, loud(b)))", "f(LOUD<a|LOUD<b>>)"),
            ("loud(f(a, b), [c, d])", "LOUD<f(a, b)|[c, d]>"),
            ("'loud(a)' || \"loud(b)\"", "'loud(a)' || \"loud(b)\""),
            ("loud('a''), (', 1)", "LOUD<'a''), ('|1>"),
            ("x IN (loud(a))", "x IN (LOUD<a>)"),
            ("loud (a)", "loud (a)"),
            ("aloud(a) loud", "aloud(a) loud"),
            ("f() + g( )", "f() + g()"),
            ("{events} 'ä' loud('ä')", "{events} 'ä' LOUD<'ä'>"),
        ] {
            assert_eq!(shout(text), wanted, "{text}");
        }
    }
}

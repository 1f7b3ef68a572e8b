//! Texts as names.

/// A text on one line, of at most so many characters. It looks no further than it has to.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut count = 0;
    let mut is_space = false;
    for letter in text.chars() {
        if letter.is_control() || letter.is_whitespace() {
            is_space = count > 0;
            continue;
        }
        if count + usize::from(is_space) >= most {
            break;
        }
        if is_space {
            line.push(' ');
            count += 1;
        }
        line.push(letter);
        (count, is_space) = (count + 1, false);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn white_space_is_one_space_and_the_bound_counts_characters() {
        for (text, most, expected) in [
            ("  a\n\t b ", 10, "a b"),
            ("äöü", 2, "äö"),
            ("a b", 2, "a"),
            ("a b", 3, "a b"),
            ("\u{7}", 5, ""),
            ("", 5, ""),
        ] {
            assert_eq!(one_line(text, most), expected, "{text:?}");
        }
    }
}

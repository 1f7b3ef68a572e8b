//! Names for URLs, made of names for people.

/// Lower-case ASCII letters and digits, anything else one hyphen, at most `longest` bytes; `otherwise` where nothing is left.
pub(super) fn from_name(name: &str, longest: usize, otherwise: &str) -> String {
    let words: Vec<_> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() {
        return otherwise.to_owned();
    }
    let mut slug = words.join("-").to_ascii_lowercase();
    slug.truncate(longest);
    slug.trim_end_matches('-').to_owned()
}

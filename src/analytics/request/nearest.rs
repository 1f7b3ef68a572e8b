//! The name that was probably meant.

/// Longest piece of a caller's text that messages repeat and comparisons look at, in characters.
const SHOWN: usize = 100;

/// The candidate most similar to `text`, if one is similar at all.
pub fn nearest<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let text = shorten(text).to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| {
            (
                strsim::jaro_winkler(&text, &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// A caller's text, cut for a message.
pub(super) fn shorten(text: &str) -> &str {
    text.char_indices()
        .nth(SHOWN)
        .map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_nothing_far_off() {
        let names = ["top_pages", "top_referrers", "country"];
        assert_eq!(nearest("top_page", names), Some("top_pages"));
        assert_eq!(nearest("TopPages", names), Some("top_pages"));
        assert_eq!(nearest("zzz", names), None);
        assert_eq!(nearest(&"é".repeat(1_000_000), names), None);
    }
}

//! The query of a short URL, on its way to the target (pure).

use std::{borrow::Cow, collections::HashSet};

use url::{Url, form_urlencoded};

use crate::actors::links::QueryForwarding;

/// Bytes of a query that goes on; a longer one stays behind as a whole.
const MAX: usize = 2_048;

/// A target with what a visitor added to the short URL; `None` if that is nothing. The target keeps its own `ref`.
pub(super) fn with_query(target: &str, forwarding: QueryForwarding, query: &str) -> Option<String> {
    if query.len() > MAX {
        return None;
    }
    let added: Vec<&str> = pairs(query).filter(|pair| name(pair) != "ref").collect();
    if added.is_empty() {
        return None;
    }
    let mut replaced = HashSet::new();
    if forwarding == QueryForwarding::Merge {
        replaced.extend(added.iter().map(|pair| name(pair)));
    }
    let mut url = Url::parse(target).ok()?;
    let own = pairs(url.query().unwrap_or_default()).filter(|own| !replaced.contains(&name(own)));
    let joined = own.chain(added.iter().copied()).collect::<Vec<_>>();
    let joined = joined.join("&");
    url.set_query(Some(&joined));
    Some(url.into())
}

fn pairs(query: &str) -> impl Iterator<Item = &str> {
    query.split('&').filter(|pair| !pair.is_empty())
}

/// The name of a parameter, however it is written.
fn name(pair: &str) -> Cow<'_, str> {
    let read = form_urlencoded::parse(pair.as_bytes()).next();
    read.map_or(Cow::Borrowed(""), |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TARGET: &str = "https://shop.example/a?x=1&utm_source=link&ref=own#part";

    #[test]
    fn parameters_are_added_or_replace_those_of_the_same_name() {
        use QueryForwarding::{Append, Merge};
        for (forwarding, query, expected) in [
            (
                Append,
                "utm_source=mail&y",
                "x=1&utm_source=link&ref=own&utm_source=mail&y",
            ),
            (
                Merge,
                "utm_source=mail&y=%26",
                "x=1&ref=own&utm_source=mail&y=%26",
            ),
            (Merge, "utm%5Fsource=mail", "x=1&ref=own&utm%5Fsource=mail"),
            (Merge, "x=2&x=3&&", "utm_source=link&ref=own&x=2&x=3"),
            (
                Merge,
                "a='<ü>",
                "x=1&utm_source=link&ref=own&a=%27%3C%C3%BC%3E",
            ),
        ] {
            let url = with_query(TARGET, forwarding, query).unwrap();
            assert_eq!(
                url,
                format!("https://shop.example/a?{expected}#part"),
                "{query}"
            );
        }
    }

    #[test]
    fn nothing_to_add_leaves_the_target_alone() {
        let long = format!("a={}", "b".repeat(MAX));
        for query in ["", "&&", "ref=other", "re%66=other&", &long] {
            assert_eq!(
                with_query(TARGET, QueryForwarding::Merge, query),
                None,
                "{query}"
            );
        }
    }

    proptest! {
        /// Whatever a visitor adds, the target's place and its own `ref` stay, and the result is a header value.
        #[test]
        fn nobody_is_led_elsewhere(query in ".{0,60}|([a-z=&#?/@:%\\\\]|ref|%0d%0a){0,40}", merge in any::<bool>()) {
            let forwarding = if merge { QueryForwarding::Merge } else { QueryForwarding::Append };
            if let Some(url) = with_query(TARGET, forwarding, &query) {
                prop_assert!(url.starts_with("https://shop.example/a?") && url.ends_with("#part"));
                prop_assert!(url.bytes().all(|byte| byte.is_ascii_graphic()));
                let url = Url::parse(&url).unwrap();
                let all: Vec<_> = url.query_pairs().filter(|(name, _)| name == "ref").collect();
                prop_assert_eq!(all, [("ref".into(), "own".into())]);
            }
        }
    }
}

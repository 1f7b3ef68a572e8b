//! The campaign parameters of an address: apart from it in a form, and in it where they work.

/// The parameters with their labels.
pub const NAMES: [(&str, &str); 5] = [
    ("utm_source", "Source"),
    ("utm_medium", "Medium"),
    ("utm_campaign", "Campaign"),
    ("utm_term", "Term"),
    ("utm_content", "Content"),
];

/// An address without its campaign parameters, and their values in the order of [`NAMES`]. The rest stays as it is written.
pub fn split(address: &str) -> (String, [String; 5]) {
    let (before, fragment) = address
        .split_once('#')
        .map_or((address, None), |(before, rest)| (before, Some(rest)));
    let mut values: [String; 5] = Default::default();
    let Some((path, query)) = before.split_once('?') else {
        return (address.to_owned(), values);
    };
    let mut rest = Vec::new();
    for pair in query.split('&') {
        let read = url::form_urlencoded::parse(pair.as_bytes()).next();
        let place = NAMES
            .iter()
            .position(|(name, _)| read.as_ref().is_some_and(|(own, _)| own == name));
        match (place, read) {
            (Some(place), Some((_, value))) => values[place] = value.into_owned(),
            _ => rest.push(pair),
        }
    }
    let mut plain = path.to_owned();
    if !rest.is_empty() {
        plain = format!("{plain}?{}", rest.join("&"));
    }
    if let Some(fragment) = fragment {
        plain = format!("{plain}#{fragment}");
    }
    (plain, values)
}

/// The address with these campaign parameters at the end of its query. Empty ones are left out.
pub fn join<'a>(address: &str, values: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in values.into_iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    let query = query.finish();
    if query.is_empty() {
        return address.to_owned();
    }
    let (before, fragment) = address
        .split_once('#')
        .map_or((address, None), |(before, rest)| (before, Some(rest)));
    let glue = if before.contains('?') { '&' } else { '?' };
    let fragment = fragment.map(|rest| format!("#{rest}")).unwrap_or_default();
    format!("{before}{glue}{query}{fragment}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn campaign_parameters_are_taken_out_and_put_back() {
        let address = "https://example.com/a?b=c%20d&utm_source=news+letter&x&utm_campaign=a%26b#part?utm_term=1";
        let (plain, values) = split(address);
        assert_eq!(plain, "https://example.com/a?b=c%20d&x#part?utm_term=1");
        assert_eq!(values, ["news letter", "", "a&b", "", ""]);
        let pairs = NAMES
            .iter()
            .map(|(name, _)| *name)
            .zip(values.iter().map(String::as_str));
        assert_eq!(
            join(&plain, pairs),
            "https://example.com/a?b=c%20d&x&utm_source=news+letter&utm_campaign=a%26b#part?utm_term=1"
        );
        let (plain, values) = split("https://example.com/?utm_medium=mail");
        assert_eq!(
            (plain.as_str(), values[1].as_str()),
            ("https://example.com/", "mail")
        );
        assert_eq!(
            join(&plain, [("utm_medium", "mail")]),
            "https://example.com/?utm_medium=mail"
        );
        for same in ["", "https://example.com/#a", "mailto:a@b.c"] {
            assert_eq!(split(same).0, same);
            assert_eq!(join(same, [("utm_term", "")]), same);
        }
    }
}

use proptest::prelude::*;

use super::super::Language::{self, De, En, Es, Fr, Ja, Pt};

fn negotiate(header: &str) -> Language {
    Language::negotiate([header])
}

#[test]
fn the_language_that_the_reader_likes_best_is_chosen() {
    for (header, language) in [
        ("", En),
        ("de", De),
        ("DE-at", De),
        ("fr-CA, fr;q=0.9, en;q=0.8", Fr),
        ("fr;q=0.9, de-AT, en", De),
        ("nl, pt-BR;q=0.5, es;q=0.4", Pt),
        ("ja;q=0.3,en;q=0.2", Ja),
        ("en;q=0.2, es;q=0.201", Es),
        ("nl, sv", En),
        ("de;q=0", En),
        ("de;q=0, *", En),
        ("en;q=0, *", De),
        ("en;q=0, de;q=0, *;q=0.1", Fr),
        ("*", En),
        ("*;q=0.5, ja;q=0.1", En),
        ("de, *", De),
        ("de;q=0.5, de-CH", De),
        ("de-CH;q=0.5, fr;q=0.6, de", De),
        ("de;q=1.000", De),
        ("de;q=1.001, fr;q=0.1", Fr),
        ("de;q=2, fr;q=0.1", Fr),
        ("de;q=0.1234, fr;q=0.1", Fr),
        ("de;q=, fr;q=0.1", Fr),
        ("de;q=-1, fr;q=0.1", Fr),
        ("de;q=0.9é, fr;q=0.1", Fr),
        (" de ; Q = 0.4 , fr;q=0.1", De),
        ("deutsch, d, e, -, ;q=1,,", En),
        ("ｄｅ, é-FR, fr", Fr),
    ] {
        assert_eq!(negotiate(header), language, "{header}");
    }
    assert_eq!(
        Language::negotiate(["nl", "de;q=0.5", "ja"]),
        Ja,
        "several lines"
    );
    assert_eq!(Language::negotiate([]), En);
}

#[test]
fn a_long_header_is_read_to_a_bound() {
    let long = "x;q=0.9,".repeat(2_000) + "de";
    assert_eq!(negotiate(&long), En);
    assert_eq!(negotiate(&"de-".repeat(5_000)), De);
    assert_eq!(negotiate(&format!("fr{}", ";".repeat(10_000))), En);
}

proptest! {
    #[test]
    fn no_header_breaks_anything(header in ".*", more in "[a-zA-Z0-9;,=.*q -]{0,200}") {
        let _ = Language::negotiate([header.as_str(), more.as_str()]);
    }

    #[test]
    fn the_highest_weight_wins(weights in prop::array::uniform6(0_u16..=1_000)) {
        let ranges: Vec<String> = Language::ALL
            .iter()
            .zip(weights)
            .map(|(language, weight)| {
                format!("{};q={}.{:03}", language.code(), weight / 1_000, weight % 1_000)
            })
            .collect();
        let most = weights.iter().max().copied().unwrap_or_default();
        let first = weights.iter().position(|weight| *weight == most).unwrap_or_default();
        let expected = if most == 0 { En } else { Language::ALL[first] };
        prop_assert_eq!(negotiate(&ranges.join(",")), expected);
    }
}

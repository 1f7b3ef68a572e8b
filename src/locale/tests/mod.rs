mod catalogue;
mod negotiate;

use chrono::{DateTime, NaiveDate};

use super::Language;

/// 2026-10-14T12:05:09Z.
const AT_MS: i64 = 1_791_979_509_000;

/// Every language with what it makes of something, without the spaces that only look different.
fn written(write: impl Fn(super::Texts) -> String) -> [String; 6] {
    Language::ALL.map(|language| write(language.texts()).replace(['\u{a0}', '\u{202f}'], " "))
}

#[test]
fn every_label_is_in_every_language() {
    let mut labels = std::collections::BTreeSet::new();
    for line in super::labels::TABLE.lines().skip(1) {
        let row: Vec<&str> = line.split('\t').collect();
        assert_eq!(row.len(), Language::ALL.len(), "{line}");
        assert!(
            row.iter()
                .all(|label| *label == label.trim() && !label.is_empty()),
            "{line}"
        );
        assert!(labels.insert(row[0]), "{} is there twice", row[0]);
    }
    let written = |label: &'static str| Language::ALL.map(|language| language.texts().label(label));
    assert_eq!(
        written("Visitors"),
        [
            "Visitors",
            "Besucher",
            "Visiteurs",
            "Visitantes",
            "Visitantes",
            "訪問者"
        ]
    );
    assert_eq!(
        written("/pricing"),
        ["/pricing"; 6],
        "what is no label stays as it is"
    );
    assert_eq!(Language::De.texts().noun("Pageviews"), "Seitenaufrufe");
    assert_eq!(Language::Fr.texts().noun("Pageviews"), "pages vues");
}

#[test]
fn numbers_have_the_separators_of_the_language() {
    let number = |text: &'static str| written(move |texts| texts.number(text));
    assert_eq!(
        number("1,234.5"),
        [
            "1,234.5", "1.234,5", "1 234,5", "1234,5", "1.234,5", "1,234.5"
        ]
    );
    assert_eq!(
        number("99.98%"),
        [
            "99.98%", "99,98 %", "99,98 %", "99,98 %", "99,98%", "99.98%"
        ]
    );
    assert_eq!(
        number("−12,345.6% (<0.1%)"),
        [
            "−12,345.6% (<0.1%)",
            "−12.345,6 % (<0,1 %)",
            "−12 345,6 % (<0,1 %)",
            "−12.345,6 % (<0,1 %)",
            "−12.345,6% (<0,1%)",
            "−12,345.6% (<0.1%)",
        ]
    );
    assert_eq!(
        written(|texts| texts.count(1_234_567)),
        [
            "1,234,567",
            "1.234.567",
            "1 234 567",
            "1.234.567",
            "1.234.567",
            "1,234,567"
        ]
    );
}

#[test]
fn dates_and_lengths_of_time_are_written_as_the_language_writes_them() {
    let at = DateTime::from_timestamp_millis(AT_MS).unwrap();
    let date = at.date_naive();
    assert_eq!(
        written(|texts| texts.moment(at)),
        [
            "Oct 14, 2026, 12:05 UTC",
            "14. Okt. 2026, 12:05 UTC",
            "14 oct. 2026 à 12:05 UTC",
            "14 oct 2026, 12:05 UTC",
            "14 de out. de 2026, 12:05 UTC",
            "2026年10月14日 12:05 UTC",
        ]
    );
    assert_eq!(
        written(|texts| texts.day_of_year(date)),
        [
            "Oct 14",
            "14. Okt.",
            "14 oct.",
            "14 oct",
            "14 de out.",
            "10月14日"
        ]
    );
    assert_eq!(
        written(|texts| texts.month(date)),
        [
            "October 2026",
            "Oktober 2026",
            "octobre 2026",
            "octubre de 2026",
            "outubro de 2026",
            "2026年10月"
        ]
    );
}

#[test]
fn lengths_of_time_have_the_units_of_the_language() {
    let duration = |seconds: f64| written(move |texts| texts.duration(seconds));
    assert_eq!(
        duration(7_500.0),
        [
            "2h 5m",
            "2 Std. 5 Min.",
            "2 h 5 min",
            "2 h 5 min",
            "2 h 5 min",
            "2時間5分"
        ]
    );
    assert_eq!(
        duration(90_000.0),
        [
            "1d 1h",
            "1 Tag 1 Std.",
            "1 j 1 h",
            "1 d 1 h",
            "1 d 1 h",
            "1日1時間"
        ]
    );
    assert_eq!(duration(59.6)[0], "1m");
    assert_eq!(duration(-1.0)[1], "0 Sek.");
}

#[test]
fn every_month_has_a_name_of_its_own() {
    let months = (1..=12).map(|month| NaiveDate::from_ymd_opt(2026, month, 1).unwrap());
    for language in Language::ALL {
        let mut names: Vec<String> = months
            .clone()
            .map(|date| language.texts().month(date))
            .collect();
        names.dedup();
        assert_eq!(names.len(), 12, "{names:?}");
    }
}

#[test]
fn a_count_chooses_the_form_of_its_noun() {
    let days = |count: u64| written(move |texts| texts.uptime_bad_days(count).into_owned());
    let one = days(1);
    assert_eq!(one[0], "1 day with downtime or incidents");
    assert_eq!(one[1], "1 Tag mit Ausfällen oder Störungen");
    let none = days(0);
    assert_eq!(none[0], "0 days with downtime or incidents");
    assert_eq!(none[1], "0 Tage mit Ausfällen oder Störungen");
    assert_eq!(
        none[2], "0 jour avec panne ou incident",
        "French counts nothing in the singular"
    );
    assert_eq!(none[3], "0 días con caídas o incidentes");
    assert_eq!(
        none[4], "0 dia com quedas ou incidentes",
        "so does Portuguese"
    );
    assert_eq!(days(2)[2], "2 jours avec panne ou incident");
    assert_eq!(days(2)[5], "停止または障害のあった日：2日");
}

#[test]
fn names_of_people_are_text() {
    let texts = Language::De.texts();
    assert_eq!(
        texts
            .email_invite_subject("{ $organization }", "a { b")
            .as_ref(),
        "{ $organization } lädt Sie zu a { b ein"
    );
    assert_eq!(texts.list(&["a", "b"]), "a, b");
    assert_eq!(Language::Ja.texts().list(&["a", "b"]), "a、b");
}

#[test]
fn a_language_is_stored_and_sent_as_its_tag() {
    for language in Language::ALL {
        assert_eq!(Language::parse(language.code()), Some(language));
        let json = serde_json::to_value(language).unwrap();
        assert_eq!(json, language.code());
    }
    assert_eq!(Language::parse("DE"), None);
    assert_eq!(Language::parse("nl"), None);
}

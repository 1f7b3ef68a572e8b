//! Why an alert is as it is: for programs in English with times that they can read, and for people in their language.

use serde::{Deserialize, Serialize};

use crate::{
    actors::monitors::State,
    clock::{from_ms, iso_ms},
    locale::Texts,
};

/// Why an alert is as it is. Times are Unix milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reason {
    NoData,
    /// What it was about is gone.
    Gone,
    Down {
        since_ms: i64,
        error: Option<String>,
    },
    /// So many checks in a row have failed.
    Failures {
        count: u32,
        error: Option<String>,
    },
    /// A failed check, which is repeated.
    Failed {
        error: Option<String>,
    },
    Certificate {
        expires_ms: i64,
    },
    /// A monitor is as it should be, or degraded.
    Status {
        state: State,
        since_ms: i64,
    },
    Value {
        measure: Measure,
        value: f64,
        /// The bucket of the value.
        from_ms: i64,
        to_ms: i64,
        limit: f64,
        above: bool,
        /// The limit is so many times the usual value.
        factor: Option<f64>,
    },
}

/// What the value of a series is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Measure {
    #[default]
    Pageviews,
    ErrorRate,
    /// The 75th percentile of a web vital.
    Percentile(String),
    /// A column of a query type.
    Column {
        query: String,
        field: String,
    },
}

impl Reason {
    /// As the API and webhooks have it.
    pub(super) fn for_programs(&self) -> String {
        self.write(Texts::ENGLISH, &|at_ms| iso_ms(at_ms))
    }

    /// As people read it.
    pub(super) fn for_people(&self, texts: Texts) -> String {
        self.write(texts, &|at_ms| texts.moment(from_ms(at_ms)))
    }

    fn write(&self, texts: Texts, time: &dyn Fn(i64) -> String) -> String {
        let why = |error: &Option<String>| {
            let unknown = || texts.email_down_reason().into_owned();
            error.clone().unwrap_or_else(unknown)
        };
        let text = match self {
            Self::NoData => texts.reason_no_data(),
            Self::Gone => texts.reason_gone(),
            Self::Down { since_ms, error } => texts.reason_down(&time(*since_ms), &why(error)),
            Self::Failures { count, error } => {
                texts.reason_failures(u64::from(*count), &why(error))
            }
            Self::Failed { error } => texts.reason_failed(&why(error)),
            Self::Certificate { expires_ms } => texts.reason_certificate(&time(*expires_ms)),
            Self::Status { state, since_ms } => {
                texts.reason_status(texts.label(label(*state)), &time(*since_ms))
            }
            Self::Value {
                measure,
                value,
                from_ms,
                to_ms,
                ..
            } => {
                let (what, span) = (
                    measure.label(texts),
                    texts.span(&time(*from_ms), &time(*to_ms)),
                );
                let value = texts.reason_value(&what, &format_number(texts, *value), &span);
                return texts.sentences(&value, &self.write_limit(texts));
            }
        };
        text.into_owned()
    }

    /// When a value fires.
    fn write_limit(&self, texts: Texts) -> String {
        let Self::Value {
            limit,
            above,
            factor,
            ..
        } = self
        else {
            return String::new();
        };
        let limit = format_number(texts, *limit);
        let text = match (above, factor.map(|factor| format_number(texts, factor))) {
            (true, None) => texts.reason_above(&limit),
            (false, None) => texts.reason_below(&limit),
            (true, Some(factor)) => texts.reason_above_usual(&limit, &factor),
            (false, Some(factor)) => texts.reason_below_usual(&limit, &factor),
        };
        text.into_owned()
    }
}

impl Measure {
    fn label(&self, texts: Texts) -> String {
        match self {
            Self::Pageviews => texts.label("Pageviews").to_owned(),
            Self::ErrorRate => texts.label("Errors per 100 pageviews").to_owned(),
            Self::Percentile(metric) => texts.reason_percentile(metric).into_owned(),
            Self::Column { query, field } => format!("`{field}` ({query})"),
        }
    }
}

const fn label(state: State) -> &'static str {
    match state {
        State::Down => "Down",
        State::Degraded => "Degraded",
        _ => "Up",
    }
}

fn format_number(texts: Texts, value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    texts.number(&rounded.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::Language;

    const AT_MS: i64 = 1_791_979_500_000;

    #[test]
    fn programs_read_english_and_people_their_language() {
        let down = Reason::Down {
            since_ms: AT_MS,
            error: Some("HTTP 500".to_owned()),
        };
        assert_eq!(
            down.for_programs(),
            "Down since 2026-10-14T12:05:00.000Z: HTTP 500."
        );
        let german = down.for_people(Language::De.texts());
        assert_eq!(
            german.replace('\u{a0}', " "),
            "Ausgefallen seit 14. Okt. 2026, 12:05 UTC: HTTP 500."
        );
        let slow = Reason::Value {
            measure: Measure::Percentile("LCP".to_owned()),
            value: 2_612.345,
            from_ms: AT_MS,
            to_ms: AT_MS + 3_600_000,
            limit: 2_500.0,
            above: true,
            factor: None,
        };
        assert!(
            slow.for_people(Texts::ENGLISH)
                .ends_with(" The alert fires above 2500."),
            "{}",
            slow.for_people(Texts::ENGLISH)
        );
        for language in Language::ALL {
            let text = slow.for_people(language.texts());
            let is_english = text.contains("alert fires");
            assert_eq!(is_english, language == Language::En, "{text}");
            assert!(text.contains("LCP"), "{text}");
        }
    }

    #[test]
    fn what_is_stored_reads_back() {
        let reasons = [
            Reason::NoData,
            Reason::Gone,
            Reason::Failures {
                count: 3,
                error: None,
            },
            Reason::Status {
                state: State::Up,
                since_ms: AT_MS,
            },
        ];
        for reason in reasons {
            let stored = serde_json::to_string(&reason).unwrap();
            assert_eq!(serde_json::from_str::<Reason>(&stored).unwrap(), reason);
            assert!(!reason.for_programs().is_empty());
        }
    }
}

//! Checks the settings of a destination. Pure.

use super::{Routing, quiet_hours::Hours};
use crate::actors::delivery::FieldError;

const MAX_MESSAGES: u32 = 1_000;
const MAX_MINUTES: u32 = 1_440;
/// Letters of an id.
const MAX_ID: usize = 64;

impl Routing {
    /// The first setting that is wrong. Whether a fallback is there depends on the other destinations.
    pub(in crate::actors::alarms) fn check(&self) -> Result<(), FieldError> {
        if let Some(hours) = &self.quiet_hours {
            Hours::read(hours)?;
        }
        if let Some(limit) = self.rate_limit {
            for (field, value, most) in [
                ("messages", limit.messages, MAX_MESSAGES),
                ("minutes", limit.minutes, MAX_MINUTES),
            ] {
                if value == 0 || value > most {
                    let message = format!("`{field}` is 1 to {most}");
                    return Err((format!("rateLimit.{field}"), message));
                }
            }
        }
        if self.fallback.as_ref().is_some_and(|id| id.len() > MAX_ID) {
            let message = format!("`fallback` has at most {MAX_ID} characters");
            return Err(("fallback".to_owned(), message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{super::RateLimit, *};

    #[test]
    fn a_limit_outside_of_its_range_is_refused_with_its_field() {
        for (messages, minutes, field) in [
            (0, 60, "rateLimit.messages"),
            (1_001, 60, "rateLimit.messages"),
            (1, 0, "rateLimit.minutes"),
            (1, 1_441, "rateLimit.minutes"),
        ] {
            let routing = Routing {
                rate_limit: Some(RateLimit { messages, minutes }),
                ..Routing::default()
            };
            assert_eq!(routing.check().unwrap_err().0, field);
        }
        assert_eq!(Routing::default().check(), Ok(()));
    }
}

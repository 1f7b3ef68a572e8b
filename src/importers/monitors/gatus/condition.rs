//! Conditions of Gatus as assertions.

use serde_json::Value;

use super::duration_ms;
use crate::actors::monitors::{Expectations, Field, JsonExpectation, Kind, MonitorFields};

const DAY_MS: u64 = 86_400_000;

/// Assertions, and the conditions that none of them can say.
pub(super) struct Conditions {
    pub(super) expect: Expectations,
    pub(super) notes: Vec<String>,
    kind: Kind,
    /// Statuses that comparisons leave.
    statuses: (u64, u64),
}

impl Conditions {
    pub(super) fn new(fields: &MonitorFields, conditions: &Value) -> Self {
        let mut read = Self {
            expect: Expectations::default(),
            notes: Vec::new(),
            kind: fields.kind,
            statuses: (100, 599),
        };
        for condition in conditions.as_array().into_iter().flatten() {
            let text = condition.as_str().unwrap_or_default();
            if read.read(text).is_none() {
                read.notes
                    .push(format!("Its condition `{text}` isn't carried"));
            }
        }
        // Gatus takes every status unless a condition says otherwise.
        let (first, last) = read.statuses;
        if read.kind == Kind::Http && read.expect.status.is_none() && first <= last {
            let statuses = if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            };
            read.expect.status = Some(vec![statuses]);
        }
        read
    }

    /// Takes over a condition; `None` if that is not possible.
    fn read(&mut self, condition: &str) -> Option<()> {
        const OPERATORS: [&str; 6] = [" == ", " != ", " <= ", " >= ", " < ", " > "];
        let operator = OPERATORS.iter().find(|one| condition.contains(**one))?;
        let (left, right) = condition.split_once(*operator)?;
        let (left, right, operator) = (left.trim(), right.trim(), operator.trim());
        match left.to_uppercase().as_str() {
            "[STATUS]" if self.kind == Kind::Http => self.status(operator, right),
            // The banner was read.
            "[STATUS]" if self.kind == Kind::Ssh => {
                (operator == "==" && right == "0").then_some(())
            }
            "[RESPONSE_TIME]" => {
                let most: u64 = duration_ms(&right.into()).or_else(|| right.parse().ok())?;
                let most = match operator {
                    "<" => most.checked_sub(1)?,
                    "<=" => most,
                    _ => return None,
                };
                self.expect.response_time = u32::try_from(most).ok();
                self.expect.response_time.map(|_| ())
            }
            // Without a connection a check fails anyway.
            "[CONNECTED]" => (operator == "==" && right == "true").then_some(()),
            "[DNS_RCODE]" => (operator == "==" && right == "NOERROR").then_some(()),
            "[CERTIFICATE_EXPIRATION]" if self.has_certificate() => {
                let least = duration_ms(&right.into())?;
                if !operator.starts_with('>') || least % DAY_MS != 0 {
                    return None;
                }
                self.expect.certificate_days = u32::try_from(least / DAY_MS).ok();
                Some(())
            }
            "[BODY]" => self.body(operator, right),
            body if body.starts_with("[BODY].") && self.has_text() => {
                let path = left.get("[BODY].".len()..)?;
                let is_plain = !["any(", "pat("].iter().any(|own| right.starts_with(own));
                if operator != "==" || !is_plain {
                    return None;
                }
                let expected = JsonExpectation {
                    path: format!("$.{path}"),
                    equals: Some(right.into()),
                };
                self.expect.json.get_or_insert_default().push(expected);
                Some(())
            }
            _ => None,
        }
    }

    fn has_certificate(&self) -> bool {
        self.kind.info().has(Field::Certificate)
    }

    fn has_text(&self) -> bool {
        self.kind.info().has(Field::Json)
    }

    fn status(&mut self, operator: &str, right: &str) -> Option<()> {
        if let Some(list) = right
            .strip_prefix("any(")
            .and_then(|rest| rest.strip_suffix(')'))
        {
            if operator != "==" || self.expect.status.is_some() {
                return None;
            }
            let list = list.split(',').map(|one| one.trim().to_owned());
            self.expect.status = Some(list.collect());
            return Some(());
        }
        let status: u64 = right.parse().ok()?;
        let (first, last) = self.statuses;
        self.statuses = match operator {
            "==" => (first.max(status), last.min(status)),
            "<" => (first, last.min(status.checked_sub(1)?)),
            "<=" => (first, last.min(status)),
            ">" => (first.max(status + 1), last),
            ">=" => (first.max(status), last),
            _ => return None,
        };
        Some(())
    }

    fn body(&mut self, operator: &str, right: &str) -> Option<()> {
        if self.kind == Kind::Dns {
            let is_plain = !["any(", "pat("].iter().any(|own| right.starts_with(own));
            if operator != "==" || !is_plain {
                return None;
            }
            self.expect
                .records
                .get_or_insert_default()
                .push(right.to_owned());
            return Some(());
        }
        if !self.has_text() {
            return None;
        }
        // `pat(*text*)` alone is a text within the body.
        let pattern = right.strip_prefix("pat(*")?.strip_suffix("*)")?;
        if pattern.is_empty() || pattern.contains(['*', '?', '[', '\\']) {
            return None;
        }
        let place = match operator {
            "==" => &mut self.expect.contains,
            "!=" => &mut self.expect.lacks,
            _ => return None,
        };
        if place.is_some() {
            return None;
        }
        *place = Some(pattern.to_owned());
        Some(())
    }
}

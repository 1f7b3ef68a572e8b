//! The archive that Plausible exports (`imported_*.csv` in a zip): sums of days, no visits.
//!
//! Sums cannot become what they were made of. Each day gets as many visitors, visits and page views as were counted, and each list of
//! the day (pages, sources, browsers, systems, devices, countries) is dealt out over them by its own counts: every list by itself
//! says what it said, and which of them went together is made up (`docs/import.md` says so to people).

mod archive;
mod day;
mod synthesis;

use std::{fs::File, io, vec};

use serde_json::Value;

use self::day::{Day, SyntheticEvent};
use super::{Import, Outcome, Record, Source};

/// An archive, day by day.
pub(super) struct Plausible {
    days: vec::IntoIter<Day>,
    /// The number of the current day, from 0, and the bytes of the file that a day counts as.
    number: u64,
    step: u64,
    events: vec::IntoIter<SyntheticEvent>,
    refused: vec::IntoIter<(u64, String)>,
}

impl Plausible {
    pub(super) fn new(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let (days, refused) = archive::read(file)?;
        Ok(Self {
            step: (length / (days.len() as u64).max(1)).max(1),
            days: days.into_iter(),
            number: 0,
            events: Vec::new().into_iter(),
            refused: refused.into_iter(),
        })
    }

    /// Where a record of the current day ends: within the day, so none is passed over before all of the day is stored.
    const fn within(&self) -> u64 {
        self.number.saturating_sub(1) * self.step + 1
    }
}

impl Source for Plausible {
    fn next(&mut self, import: &Import<'_>) -> io::Result<Option<Record>> {
        if let Some((line, why)) = self.refused.next() {
            let outcome = Outcome::Refused(why);
            return Ok(Some(Record {
                done: 0,
                ..Record::new(line, 1, outcome)
            }));
        }
        let event = loop {
            if let Some(event) = self.events.next() {
                break event;
            }
            let Some(day) = self.days.next() else {
                return Ok(None);
            };
            self.number += 1;
            self.events = day.synthesize(import.target.domain).into_iter();
        };
        let over = self.events.len() == 0;
        let end = self.within();
        let record = Record::new(event.line, end, take(event, import, end));
        Ok(Some(Record {
            done: if over {
                self.number * self.step
            } else {
                end - 1
            },
            ..record
        }))
    }
}

fn take(event: SyntheticEvent, import: &Import<'_>, end: u64) -> Outcome {
    let visitor = event.visit;
    let body = Value::Object(event.body);
    import.enriched(body, end, event.is_page, |event| visitor.stamp(event))
}

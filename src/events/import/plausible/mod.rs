//! The archive that Plausible exports (`imported_*.csv` in a zip): sums of days, no visits.
//!
//! Sums cannot become what they were made of. Each day gets as many visitors, visits and page views as were counted, and each list of
//! the day (pages, sources, browsers, systems, devices, countries) is dealt out over them by its own counts: every list by itself
//! says what it said, and which of them went together is made up (`docs/import.md` says so to people).

mod archive;
mod day;
mod deal;

use std::{fs::File, io, vec};

use serde_json::Value;

use self::day::{Day, Made};
use super::{Import, Record, Source, Taken};

/// An archive, day by day.
pub(super) struct Plausible {
    days: vec::IntoIter<Day>,
    /// The day that is being dealt out, from 0, and how much of the file stands for a day.
    number: u64,
    step: u64,
    made: vec::IntoIter<Made>,
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
            made: Vec::new().into_iter(),
            refused: refused.into_iter(),
        })
    }

    /// Where a record of the current day ends: within the day, so that none is passed over before all of the day is stored.
    const fn within(&self) -> u64 {
        self.number.saturating_sub(1) * self.step + 1
    }
}

impl Source for Plausible {
    fn next(&mut self, import: &Import<'_>) -> io::Result<Option<Record>> {
        if let Some((line, why)) = self.refused.next() {
            let taken = Taken::Refused(why);
            return Ok(Some(Record {
                line,
                end: 1,
                done: 0,
                taken,
            }));
        }
        let made = loop {
            if let Some(made) = self.made.next() {
                break made;
            }
            let Some(day) = self.days.next() else {
                return Ok(None);
            };
            self.number += 1;
            self.made = day.deal(import.target.domain).into_iter();
        };
        let over = self.made.len() == 0;
        Ok(Some(Record {
            line: made.line,
            end: self.within(),
            done: if over {
                self.number * self.step
            } else {
                self.within() - 1
            },
            taken: take(made, import, self.within()),
        }))
    }
}

fn take(made: Made, import: &Import<'_>, end: u64) -> Taken {
    let visit = match import.visit_seen() {
        Ok(visit) => visit,
        Err(taken) => return taken,
    };
    let body = Value::Object(made.body);
    let mut taken = if made.is_page {
        import.page(body, end, &visit)
    } else {
        import.custom(body, end, &visit)
    };
    if let Taken::Event(accepted) = &mut taken {
        made.visit.stamp(&mut accepted.event);
    }
    taken
}

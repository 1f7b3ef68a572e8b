//! Numbers by day, for the pages of links and monitors.

use chrono::{Days, NaiveDate};

use crate::{
    http::pages::prelude::*,
    pages::chart::{Layer, Line, Stack, Step},
};

/// Lengths of the range in days, the default first.
const LENGTHS: [u32; 3] = [30, 7, 90];

/// The range of a page.
#[derive(Debug, Clone)]
pub(super) struct Daily {
    /// Days up to today.
    pub(super) count: u32,
    last: NaiveDate,
}

impl Daily {
    /// The range of the `days` parameter, in the reader's zone.
    pub(super) fn from_query(context: &PageContext, date_format: &DateFormat) -> Self {
        let days = context.parameter("days").parse().ok();
        let count = days.filter(|count| LENGTHS.contains(count));
        Self {
            count: count.unwrap_or(LENGTHS[0]),
            last: date_format
                .local(context.shared().clock.now_ms())
                .date_naive(),
        }
    }

    /// The days, oldest first.
    fn days(&self) -> impl Iterator<Item = NaiveDate> {
        let back = (0..self.count).rev();
        back.filter_map(|back| self.last.checked_sub_days(Days::new(back.into())))
    }

    /// First and last day, as queries take them.
    pub(super) fn range(&self) -> (String, String) {
        let first = self.days().next().unwrap_or(self.last);
        (first.to_string(), self.last.to_string())
    }

    /// Links to the other lengths.
    pub(super) fn tabs(&self, path: &str) -> Markup {
        let mut lengths = LENGTHS;
        lengths.sort_unstable();
        html! {
            nav.tabs.small aria-label="Days" {
                @for count in lengths {
                    a href=(format!("{path}?days={count}")) aria-current=[(count == self.count).then_some("true")] { (count) " days" }
                }
            }
        }
    }

    /// A number of every day, as a chart whose axis reaches at least as far as `reach`. `value` finds the number by
    /// the day as queries write it.
    pub(super) fn chart(
        &self,
        title: &str,
        (whole, reach): (bool, f64),
        written: &dyn Fn(f64) -> String,
        value: impl Fn(&str) -> Option<f64>,
    ) -> Markup {
        let steps: Vec<Step> = self
            .days()
            .map(|day| Step::of_day(Texts::ENGLISH, day, value(&day.to_string())))
            .collect();
        let line = Line {
            title,
            steps: &steps,
            goes_on: true,
            whole,
            reach,
            marks: &[],
            written,
        };
        line.draw()
    }

    /// What a number of every day is made of, as a chart. `values` finds the parts by the day as queries write it.
    pub(super) fn stack<const N: usize>(
        &self,
        title: &str,
        names: [&'static str; N],
        written: &dyn Fn(f64) -> String,
        values: impl Fn(&str) -> Option<[Option<f64>; N]>,
    ) -> Markup {
        let steps: Vec<Step> = self
            .days()
            .map(|day| Step::of_day(Texts::ENGLISH, day, None))
            .collect();
        let days: Vec<[Option<f64>; N]> = self
            .days()
            .map(|day| values(&day.to_string()).unwrap_or([None; N]))
            .collect();
        let mut layers = names.map(|name| Layer {
            name,
            values: Vec::new(),
        });
        for day in days {
            for (layer, value) in layers.iter_mut().zip(day) {
                layer.values.push(value);
            }
        }
        let stack = Stack {
            title,
            steps: &steps,
            layers: &layers,
            written,
        };
        stack.draw()
    }
}

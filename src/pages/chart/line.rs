//! A line over time, the line of an earlier period behind it, marks, and the numbers of every step.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::{
    curve::{area, begin, dots, path, tail},
    plot::{HEIGHT, Plot, Step, Zoom, across},
    scale::ticks,
    table::Column,
};
use crate::{
    locale::Texts,
    pages::number::{NONE, change_between},
};

/// Steps that are drawn and written in full; a page with more would be too long.
pub const MAX_WHOLE: usize = 200;

/// A line over time.
pub struct Line<'a> {
    /// Its title, such as `Visitors`.
    pub title: &'a str,
    /// The steps, oldest first.
    pub steps: &'a [Step],
    /// Whether the last step is not over.
    pub goes_on: bool,
    /// Whether all numbers are whole.
    pub whole: bool,
    /// How far the axis reaches at least, such as 100 for shares that hardly ever are less.
    pub reach: f64,
    /// Where something happened.
    pub marks: &'a [Mark],
    /// How a number is written.
    pub written: &'a dyn Fn(f64) -> String,
}

/// Something that happened, such as an annotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The step in which it happened.
    pub step: usize,
    pub text: String,
}

/// What only some lines have.
#[derive(Debug, Default)]
pub struct LineOptions {
    /// The labels of the line and of the earlier one in the legend; without them there is no legend.
    pub legend: Option<[String; 2]>,
    /// More columns of the table.
    pub columns: Vec<Column>,
    /// The days of the chart, if it can be zoomed.
    pub zoom: Option<Zoom>,
    /// The heading of the earlier numbers; `Previous period` if it is empty.
    pub earlier: &'static str,
    /// The language of its words.
    pub texts: Texts,
}

impl Line<'_> {
    /// The chart with its table.
    pub fn draw(&self) -> Markup {
        self.draw_with(&LineOptions::default())
    }

    /// The same with options.
    pub fn draw_with(&self, options: &LineOptions) -> Markup {
        let values = self.steps.iter().flat_map(|step| [step.value, step.before]);
        let ticks = ticks(values.flatten().fold(self.reach, f64::max), self.whole);
        let top = ticks.last().copied().unwrap_or(1.0);
        let now: Vec<Option<f64>> = self.steps.iter().map(|step| step.value).collect();
        let before: Vec<Option<f64>> = self.steps.iter().map(|step| step.before).collect();
        let done = now.len() - usize::from(self.goes_on && now.len() > 1);
        let mark = |mark: &Mark| format!("M{:.1} 0V{HEIGHT}", across(mark.step, now.len()));
        let drawn = html! {
            path.before d=(path(&before, top)) {}
            @if now.len() <= MAX_WHOLE { path.area.current d=(area(&now, top)) {} }
            path.line.current d=(begin(&now[..done], now.len(), top)) {}
            path.dot.current d=(dots(&now, top)) {}
            @if done < now.len() { path.line.current.open d=(tail(&now, top)) {} }
            @for one in self.marks.iter().filter(|one| one.step < now.len()) {
                path.mark d=(mark(one)) data-step=(one.step) { title { (one.text) } }
            }
        };
        let columns = self.columns(options);
        let columns: Vec<&Column> = columns.iter().chain(&options.columns).collect();
        let legend = options.legend.as_ref();
        let legend =
            legend.map(|[now, before]| [("current", now.as_str()), ("before", before.as_str())]);
        let count = if self.is_compared() { 2 } else { 1 };
        let plot = Plot {
            title: self.title,
            steps: self.steps,
            ticks: &ticks,
            written: self.written,
            zoom: options.zoom,
            legend: legend.as_ref().map_or(&[][..], |legend| &legend[..count]),
            columns: &columns,
            texts: options.texts,
        };
        plot.draw(&drawn, |place, step| {
            self.describe(options.texts, place, step)
        })
    }

    fn is_compared(&self) -> bool {
        self.steps.iter().any(|step| step.before.is_some())
    }

    /// The value of every step, and where there are earlier ones also those and the change.
    fn columns(&self, options: &LineOptions) -> Vec<Column> {
        let texts = options.texts;
        let cells =
            |cell: &dyn Fn(&Step) -> String| self.steps.iter().map(cell).collect::<Vec<_>>();
        let now = Column::new(self.title, cells(&|step| self.write(step.value))).of("current");
        if !self.is_compared() {
            return vec![now];
        }
        let earlier = match options.earlier {
            "" => texts.label("Previous period"),
            earlier => earlier,
        };
        let before = Column::new(earlier, cells(&|step| self.write(step.before)));
        let before = before.of("before");
        if self.steps.len() > MAX_WHOLE {
            return vec![now, before];
        }
        let change = cells(&|step| match (step.value, step.before) {
            (Some(now), Some(before)) => texts.number(texts.label(&change_between(now, before))),
            _ => NONE.to_owned(),
        });
        vec![
            now,
            before,
            Column::new(texts.label("Change"), change).of(""),
        ]
    }

    fn write(&self, value: Option<f64>) -> String {
        value.map_or_else(|| NONE.to_owned(), self.written)
    }

    fn describe(&self, texts: Texts, place: usize, step: &Step) -> String {
        let mut text = format!("{}: {}", step.name, self.write(step.value));
        if let Some(before) = step.before {
            // Writing to a string cannot fail.
            let previous = texts.label("previous");
            let _ = write!(text, " ({previous}: {})", (self.written)(before));
        }
        for mark in self.marks.iter().filter(|mark| mark.step == place) {
            let _ = write!(text, "\n{}", mark.text);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(value: f64, before: Option<f64>) -> Step {
        Step {
            name: format!("<day {value}>"),
            word: format!("{value}"),
            value: Some(value),
            before,
        }
    }

    fn line(steps: &[Step], goes_on: bool) -> String {
        let written = |value: f64| format!("{value}");
        let line = Line {
            title: "Visitors",
            steps,
            goes_on,
            whole: true,
            reach: 0.0,
            marks: &[Mark {
                step: steps.len() / 2,
                text: "<Launch>".to_owned(),
            }],
            written: &written,
        };
        line.draw().into_string()
    }

    #[test]
    fn every_step_says_its_numbers_and_is_escaped() {
        let drawn = line(&[step(0.0, Some(2.0)), step(4.0, None)], false);
        assert!(
            drawn.contains("<title>&lt;day 0&gt;: 0 (previous: 2)</title>"),
            "{drawn}"
        );
        assert!(
            drawn.contains("<title>&lt;day 4&gt;: 4\n&lt;Launch&gt;</title>"),
            "{drawn}"
        );
        assert!(drawn.contains("d=\"M250.0 100.0L750.0 0.0\""), "{drawn}");
        assert!(
            drawn.contains(
                "class=\"mark\" d=\"M750.0 0V100\" data-step=\"1\"><title>&lt;Launch&gt;</title>"
            ),
            "{drawn}"
        );
        assert!(!drawn.contains("style="), "{drawn}");
    }

    #[test]
    fn a_step_that_goes_on_is_drawn_apart() {
        let drawn = line(&[step(1.0, None), step(2.0, None), step(1.0, None)], true);
        assert!(
            drawn.contains("class=\"line current\" d=\"M166.7 50.0L500.0 0.0\""),
            "{drawn}"
        );
        assert!(
            drawn.contains("class=\"line current open\" d=\"M500.0 0.0L833.3 50.0\""),
            "{drawn}"
        );
        let alone = line(&[step(1.0, None)], true);
        assert!(!alone.contains("current open"), "{alone}");
        assert!(
            line(&[], true).contains("<svg"),
            "nothing is drawn, and nothing breaks"
        );
    }

    #[test]
    fn a_step_of_which_nothing_is_known_is_a_gap_and_no_zero() {
        let gap = Step {
            value: None,
            ..step(0.0, None)
        };
        let steps = [step(2.0, None), step(2.0, None), gap, step(1.0, None)];
        let drawn = line(&steps, false);
        let way = "class=\"line current\" d=\"M125.0 0.0L375.0 0.0M875.0 50.0\"";
        assert!(drawn.contains(way), "{drawn}");
        let dot = "class=\"dot current\" d=\"M875.0 50.0h0\"";
        assert!(drawn.contains(dot), "{drawn}");
        let area = "class=\"area current\" d=\"M125.0 0.0L375.0 0.0L375.0 100L125.0 100ZM875.0 50.0L875.0 100L875.0 100Z\"";
        assert!(drawn.contains(area), "{drawn}");
        assert!(drawn.contains("<title>&lt;day 0&gt;: –\n"), "{drawn}");
    }

    #[test]
    fn few_words_stand_below_the_axis() {
        let steps: Vec<Step> = (0..90).map(|day| step(f64::from(day), None)).collect();
        let drawn = line(&steps, false);
        let below = drawn.split("axis x").nth(1).unwrap();
        assert_eq!(below.matches("<text").count(), 7, "{below}");
        assert_eq!(drawn.matches("class=\"hit\"").count(), 90);
        let hours: Vec<Step> = (0..720).map(|hour| step(f64::from(hour), None)).collect();
        assert!(!line(&hours, false).contains("class=\"hit\""));
    }

    #[test]
    fn an_axis_reaches_as_far_as_it_is_said() {
        let written = |value: f64| format!("{value} %");
        let steps = [step(0.0, None), step(0.0, None)];
        let line = Line {
            title: "Uptime",
            steps: &steps,
            goes_on: false,
            whole: false,
            reach: 100.0,
            marks: &[],
            written: &written,
        };
        let drawn = line.draw().into_string();
        assert!(drawn.contains(">100 %</text>"), "{drawn}");
        assert!(!drawn.contains(">1 %</text>"), "{drawn}");
    }
}

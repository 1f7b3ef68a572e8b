//! Stacked columns, with axes and the numbers of every step.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::{
    plot::{Plot, Step, WIDTH, down},
    scale::ticks,
    table::Column,
};
use crate::{locale::Texts, pages::number::NONE};

/// The names of the layers' series.
const SERIES: [&str; 5] = ["layer1", "layer2", "layer3", "layer4", "layer5"];
/// The part of a step's width that its column has.
const BROAD: f64 = 0.8;

/// A part of every column, the lowest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    pub name: &'static str,
    /// Its number at every step, if it is known.
    pub values: Vec<Option<f64>>,
}

/// Columns over time. Five layers have colours of their own.
pub struct Stack<'a> {
    pub title: &'a str,
    /// The steps, oldest first; their numbers are those of the layers.
    pub steps: &'a [Step],
    /// The layers, the lowest first.
    pub layers: &'a [Layer],
    /// How a number is written.
    pub written: &'a dyn Fn(f64) -> String,
}

impl Stack<'_> {
    /// The chart with its legend and its table.
    pub fn draw(&self) -> Markup {
        let count = self.steps.len();
        let wholes = (0..count).map(|step| self.below(self.layers.len(), step));
        let ticks = ticks(wholes.fold(0.0, f64::max), false);
        let top = ticks.last().copied().unwrap_or(1.0);
        let drawn = html! {
            @for layer in 0..self.layers.len() { path.layer.(series(layer)) d=(self.layer(layer, top)) {} }
        };
        let seen: Vec<usize> = (0..self.layers.len())
            .filter(|layer| self.is_seen(*layer))
            .collect();
        let columns: Vec<Column> = seen.iter().map(|layer| self.column(*layer)).collect();
        let columns: Vec<&Column> = columns.iter().collect();
        let legend: Vec<(&str, &str)> = seen
            .iter()
            .map(|layer| (series(*layer), self.layers[*layer].name))
            .collect();
        let plot = Plot {
            title: self.title,
            steps: self.steps,
            ticks: &ticks,
            written: self.written,
            zoom: None,
            legend: &legend,
            columns: &columns,
            texts: Texts::ENGLISH,
        };
        plot.draw(&drawn, |place, step| self.describe(place, step))
    }

    /// The numbers of a layer.
    fn column(&self, layer: usize) -> Column {
        let cell = |step| {
            self.value(layer, step)
                .map_or_else(|| NONE.to_owned(), self.written)
        };
        let cells = (0..self.steps.len()).map(cell);
        Column::new(self.layers[layer].name, cells).of(series(layer))
    }

    /// Whether there is something of a layer.
    fn is_seen(&self, layer: usize) -> bool {
        (0..self.steps.len()).any(|step| self.value(layer, step).is_some())
    }

    fn value(&self, layer: usize, step: usize) -> Option<f64> {
        let value = self.layers.get(layer)?.values.get(step)?;
        value.filter(|value| value.is_finite() && *value > 0.0)
    }

    /// The height of all layers of a step below one.
    fn below(&self, layer: usize, step: usize) -> f64 {
        let below = (0..layer).filter_map(|layer| self.value(layer, step));
        below.sum()
    }

    /// A layer's part of all columns.
    fn layer(&self, layer: usize, top: f64) -> String {
        let width = WIDTH / self.steps.len().max(1) as f64;
        let mut drawn = String::new();
        for step in 0..self.steps.len() {
            let Some(value) = self.value(layer, step) else {
                continue;
            };
            let below = self.below(layer, step);
            let left = width * (step as f64 + (1.0 - BROAD) / 2.0);
            let (low, high) = (down(below, top), down(below + value, top));
            let broad = width * BROAD;
            // Writing to a string cannot fail.
            let _ = write!(
                drawn,
                "M{left:.1} {low:.1}h{broad:.1}V{high:.1}h-{broad:.1}z"
            );
        }
        drawn
    }

    fn describe(&self, place: usize, step: &Step) -> String {
        let mut text = format!("{}:", step.name);
        let mut glue = "";
        for (at, layer) in self.layers.iter().enumerate() {
            if let Some(value) = self.value(at, place) {
                // Writing to a string cannot fail.
                let _ = write!(text, "{glue} {} {}", layer.name, (self.written)(value));
                glue = ",";
            }
        }
        text
    }
}

fn series(layer: usize) -> &'static str {
    SERIES[layer % SERIES.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_lie_on_each_other_and_gaps_stay_empty() {
        let step = |name: &str| Step {
            name: format!("<{name}>"),
            word: name.to_owned(),
            value: None,
            before: None,
        };
        let steps = [step("a"), step("b")];
        let layers = [
            Layer {
                name: "low",
                values: vec![Some(1.0), None],
            },
            Layer {
                name: "high",
                values: vec![Some(3.0), Some(f64::NAN)],
            },
        ];
        let stack = Stack {
            title: "Phases",
            steps: &steps,
            layers: &layers,
            written: &|number| format!("{number} ms"),
        };
        let drawn = stack.draw().into_string();
        let low = "class=\"layer layer1\" d=\"M50.0 100.0h400.0V75.0h-400.0z\"";
        let high = "class=\"layer layer2\" d=\"M50.0 75.0h400.0V0.0h-400.0z\"";
        assert!(drawn.contains(low) && drawn.contains(high), "{drawn}");
        assert!(
            drawn.contains("<title>&lt;a&gt;: low 1 ms, high 3 ms</title>"),
            "{drawn}"
        );
        assert!(drawn.contains("<title>&lt;b&gt;:</title>"), "{drawn}");
        assert!(
            drawn.contains("<li class=\"key layer2\" data-series=\"layer2\">high</li>"),
            "{drawn}"
        );
    }
}

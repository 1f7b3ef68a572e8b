//! The HTML of inputs.

use maud::{Markup, html};

use super::{Choices, FormData, Input, Inputs, Kind, Need, Section, Windows};
use crate::pages::{
    part::{Field, checkbox, checkboxes, hidden, more},
    problem::Problems,
    time::DateFormat,
};

impl Inputs<'_> {
    /// The inputs with their values and problems.
    pub(in crate::http::pages) fn draw(
        &self,
        sent: &FormData,
        choices: &Choices,
        problems: &Problems,
    ) -> Markup {
        let is_open = |input: &Input| input.is_used(sent) || problems.is_wrong(input.name);
        html! {
            @for section in self.sections {
                @let inside = html! { @for input in self.in_section(section) { (self.only(input.only, &input.draw(self.date_format, sent, choices, problems))) } };
                @if section.title.is_empty() { (inside) }
                @else if self.in_section(section).next().is_some() { (self.only(&section.only(), &more(section.title, self.in_section(section).any(is_open), &inside))) }
            }
        }
    }

    /// What only some kinds have, where the kind is chosen in the same form: the stylesheet hides it from the others.
    fn only(&self, kinds: &[&str], inside: &Markup) -> Markup {
        if !self.kind.is_empty() || kinds.is_empty() {
            return inside.clone();
        }
        let class = kinds
            .iter()
            .fold("only".to_owned(), |class, kind| class + " only-" + *kind);
        html! { div class=(class) { (inside) } }
    }
}

impl Section {
    /// The kinds that have one of its inputs; empty = all.
    fn only(&self) -> Vec<&'static str> {
        if self.inputs.iter().any(|input| input.only.is_empty()) {
            return Vec::new();
        }
        let mut kinds: Vec<_> = self
            .inputs
            .iter()
            .flat_map(|input| input.only)
            .copied()
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

impl Input {
    pub(in crate::http::pages) fn windows(&self) -> Windows {
        Windows {
            name: self.name,
            legend: self.label,
            hint: self.hint,
        }
    }

    fn draw(
        &self,
        date_format: &DateFormat,
        sent: &FormData,
        choices: &Choices,
        problems: &Problems,
    ) -> Markup {
        let field = self.field(sent);
        let (name, label) = (self.name, self.label);
        match self.kind {
            Kind::Line(kind) => field.kind(kind).draw(problems),
            Kind::Words | Kind::Decimal => field.draw(problems),
            Kind::Json(rows) | Kind::Lines(rows) | Kind::Area(rows) => field.lines(rows, problems),
            Kind::Rows(rows) => rows.draw(sent, choices, problems),
            Kind::Number(_) => field.kind("number").draw(problems),
            Kind::Moment => field.kind("datetime-local").draw(problems),
            Kind::Pairs | Kind::Weights => field.lines(3, problems),
            Kind::Checkbox(_) => field.tick(sent.is_on(name), problems),
            Kind::Choice(among) => Field {
                optional: false,
                ..field
            }
            .select(&choices.among(name, among), problems),
            Kind::Several(among) => {
                let chosen: Vec<&str> = sent.all(name).collect();
                let among = choices.among(name, among);
                html! { @if !among.is_empty() { (checkboxes(name, label, self.hint, among, &chosen, problems)) } }
            }
            Kind::Secret { has, clear, kept } => {
                let field = field.value("").kind("password").fills("new-password");
                html! {
                    @if sent.is_on(has) {
                        (field.hint(kept).draw(problems))
                        (hidden(has, "on"))
                        (checkbox(clear.0, clear.1, false))
                    } @else { (field.draw(problems)) }
                }
            }
            Kind::Windows => self.windows().draw(sent, date_format, problems),
            Kind::Hidden => hidden(name, sent.raw(name)),
            Kind::Note => html! { p.hint { (label) } },
            Kind::Button => html! {
                p { button.button type="submit" name=(name) value="1" formnovalidate { (label) } }
            },
        }
    }

    fn field<'a>(&self, sent: &'a FormData) -> Field<'a> {
        let field = Field::text(self.name, self.label)
            .hint(self.hint)
            .value(sent.raw(self.name))
            .list(self.list);
        match self.need {
            Need::Optional => field.optional(),
            Need::Quiet => field.quiet(),
            Need::Unless(other) if sent.some(other).is_some() => field.optional(),
            Need::Required | Need::Unless(_) => field,
        }
    }
}

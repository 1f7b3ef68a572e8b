//! Forms: fields with labels, hints and problems.

use maud::{Markup, html};

use crate::pages::problem::Problems;

/// A form that posts to a page.
#[derive(Debug, Clone, Copy)]
pub struct Form<'a> {
    pub action: &'a str,
    /// The label of the button.
    pub send: &'a str,
    pub problems: &'a Problems,
    /// The names of its fields; other problems are shown above them.
    pub fields: &'a [&'a str],
}

impl Form<'_> {
    /// The form around its fields.
    pub fn around(&self, fields: &Markup) -> Markup {
        let above = self.problems.above(self.fields);
        html! {
            form.form method="post" action=(self.action) {
                @for message in &above { p.wrong role="alert" { (message) } }
                (fields)
                p.send { button.button.first type="submit" { (self.send) } }
            }
        }
    }
}

/// A field for a line of text.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// Its name in the body, and its id.
    pub name: &'a str,
    pub label: &'a str,
    /// `text`, `email`, `password`, `number`, `date`, …
    pub kind: &'a str,
    pub value: &'a str,
    pub hint: &'a str,
    pub optional: bool,
    /// Whether its label does not say that it is optional.
    pub quiet: bool,
    /// The placeholder.
    pub example: &'a str,
    /// The `autocomplete` attribute; empty = none.
    pub fills: &'a str,
    /// The id of the list that completes what is typed; empty = none.
    pub list: &'a str,
}

impl<'a> Field<'a> {
    /// A required line of text.
    pub const fn text(name: &'a str, label: &'a str) -> Self {
        Self {
            name,
            label,
            kind: "text",
            value: "",
            hint: "",
            optional: false,
            quiet: false,
            example: "",
            fills: "",
            list: "",
        }
    }

    pub const fn kind(mut self, kind: &'a str) -> Self {
        self.kind = kind;
        self
    }

    pub const fn value(mut self, value: &'a str) -> Self {
        self.value = value;
        self
    }

    pub const fn hint(mut self, hint: &'a str) -> Self {
        self.hint = hint;
        self
    }

    pub const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Optional, without saying so.
    pub const fn quiet(mut self) -> Self {
        self.optional = true;
        self.quiet = true;
        self
    }

    pub const fn example(mut self, example: &'a str) -> Self {
        self.example = example;
        self
    }

    pub const fn fills(mut self, fills: &'a str) -> Self {
        self.fills = fills;
        self
    }

    pub const fn list(mut self, list: &'a str) -> Self {
        self.list = list;
        self
    }

    /// The field with its problems.
    pub fn draw(&self, problems: &Problems) -> Markup {
        self.frame(problems, |about, invalid| html! {
            input id=(self.name) name=(self.name) type=(self.kind) value=(self.value)
                placeholder=[(!self.example.is_empty()).then_some(self.example)] required[!self.optional] autocomplete=[(!self.fills.is_empty()).then_some(self.fills)] list=[(!self.list.is_empty()).then_some(self.list)]
                aria-describedby=[about] aria-invalid=[invalid];
        })
    }

    /// The same for several lines.
    pub fn lines(&self, rows: u8, problems: &Problems) -> Markup {
        self.frame(problems, |about, invalid| html! {
            textarea id=(self.name) name=(self.name) rows=(rows) required[!self.optional] spellcheck="false"
                aria-describedby=[about] aria-invalid=[invalid] {
                // Browsers leave out the first line break of an area.
                "\n" (self.value)
            }
        })
    }

    /// The same for one of `(value, label)`; its value is the chosen one.
    pub fn select(&self, among: &[(&str, &str)], problems: &Problems) -> Markup {
        self.frame(problems, |about, invalid| html! {
            select id=(self.name) name=(self.name) aria-describedby=[about] aria-invalid=[invalid] {
                @for (value, label) in among { option value=(value) selected[*value == self.value] { (label) } }
            }
        })
    }

    /// The same for a box.
    pub fn tick(&self, is_on: bool, problems: &Problems) -> Markup {
        let wrong = problems.beside(self.name);
        let (about, invalid) = self.describe(&wrong);
        html! {
            div.tick {
                input id=(self.name) name=(self.name) type="checkbox" value="on" checked[is_on] aria-describedby=[about] aria-invalid=[invalid];
                label for=(self.name) { (self.label) }
                (below(self.name, self.hint, &wrong))
            }
        }
    }

    /// The ids that describe it, and whether it is invalid, as attributes.
    fn describe(&self, wrong: &[String]) -> (Option<String>, Option<&'static str>) {
        let about = described(self.name, !self.hint.is_empty(), !wrong.is_empty());
        (about, (!wrong.is_empty()).then_some("true"))
    }

    /// Label, hint and problems around a control, which gets the ids of the latter two and whether it is invalid.
    fn frame(
        &self,
        problems: &Problems,
        control: impl FnOnce(Option<&str>, Option<&str>) -> Markup,
    ) -> Markup {
        let wrong = problems.beside(self.name);
        let (about, invalid) = self.describe(&wrong);
        html! {
            div.field {
                label for=(self.name) { (self.label) @if self.optional && !self.quiet { span.dim { " (optional)" } } }
                (control(about.as_deref(), invalid))
                (below(self.name, self.hint, &wrong))
            }
        }
    }
}

fn described(name: &str, hinted: bool, wrong: bool) -> Option<String> {
    let hint = hinted.then(|| format!("{name}-hint"));
    let wrong = wrong.then(|| format!("{name}-wrong"));
    let ids: Vec<String> = hint.into_iter().chain(wrong).collect();
    (!ids.is_empty()).then(|| ids.join(" "))
}

fn below(name: &str, hint: &str, wrong: &[String]) -> Markup {
    html! {
        @if !hint.is_empty() { p.hint id=(format!("{name}-hint")) { (hint) } }
        @if !wrong.is_empty() { p.wrong id=(format!("{name}-wrong")) { (wrong.join("; ")) } }
    }
}

/// A select of `(value, label)`.
pub fn choice(name: &str, label: &str, among: &[(&str, &str)], chosen: &str) -> Markup {
    let field = Field::text(name, label).value(chosen);
    field.select(among, &Problems::NONE)
}

/// A box.
pub fn checkbox(name: &str, label: &str, on: bool) -> Markup {
    Field::text(name, label).tick(on, &Problems::NONE)
}

pub fn hidden(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(value); }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{Fault, Issue};

    #[test]
    fn every_field_has_a_label_and_shows_its_problems() {
        let issue = Issue::new("invalid", "name", "must not have <b>");
        let problems = Problems::from_fault(Fault::issues("failed", vec![issue])).unwrap();
        let field = Field::text("name", "Name")
            .value("\"><script>")
            .hint("Whatever");
        let drawn = field.draw(&problems).into_string();
        assert!(
            drawn.contains("<label for=\"name\">Name</label>"),
            "{drawn}"
        );
        assert!(
            drawn.contains("value=\"&quot;&gt;&lt;script&gt;\""),
            "{drawn}"
        );
        assert!(
            drawn.contains("aria-describedby=\"name-hint name-wrong\""),
            "{drawn}"
        );
        assert!(drawn.contains("Must not have &lt;b&gt;"), "{drawn}");
        assert!(drawn.contains(" required"), "{drawn}");
        let calm = field.optional().draw(&Problems::NONE).into_string();
        assert!(
            !calm.contains("aria-invalid") && !calm.contains(" required"),
            "{calm}"
        );
        assert!(calm.contains("(optional)"), "{calm}");
        let search = field.quiet().example("a <b>").draw(&Problems::NONE);
        let search = search.into_string();
        assert!(
            !search.contains("(optional)") && !search.contains(" required"),
            "{search}"
        );
        assert!(search.contains("placeholder=\"a &lt;b&gt;\""), "{search}");
        let area = Field::text("a", "A")
            .value("</textarea><b>")
            .lines(3, &Problems::NONE);
        assert!(!area.into_string().contains("<b>"));
    }

    #[test]
    fn choices_and_boxes_show_their_problems() {
        let issues = ["one", "two"].map(|name| Issue::new("invalid", name, "is wrong"));
        let problems = Problems::from_fault(Fault::issues("failed", issues.into())).unwrap();
        let one = Field::text("one", "One").select(&[("a", "A")], &problems);
        let two = Field::text("two", "Two").tick(true, &problems);
        for (drawn, name) in [(one, "one"), (two, "two")] {
            let drawn = drawn.into_string();
            let described = format!("aria-describedby=\"{name}-wrong\" aria-invalid=\"true\"");
            assert!(
                drawn.contains(&described) && drawn.contains("Is wrong"),
                "{drawn}"
            );
        }
        assert!(problems.above(&[]).is_empty(), "both are shown");
    }

    #[test]
    fn problems_without_a_field_are_shown_above_the_form() {
        let problems = Problems::from_message("It is too late");
        let form = Form {
            action: "/x",
            send: "Go",
            problems: &problems,
            fields: &[],
        };
        let drawn = form.around(&hidden("a", "b")).into_string();
        assert!(
            drawn.contains("<p class=\"wrong\" role=\"alert\">It is too late</p>"),
            "{drawn}"
        );
    }
}
